create table customers (
  id number primary key,
  name varchar(100) not null,
  tags variant
);

create table orders (
  id number not null,
  customer_id number not null,
  ordered_at timestamp_ntz not null,
  amount number(12, 2) not null,
  state varchar(20) default 'open'
);
