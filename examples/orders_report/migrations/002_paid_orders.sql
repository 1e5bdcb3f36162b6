create view paid_orders as
  select id, customer_id, ordered_at, amount from orders where state = 'paid';
