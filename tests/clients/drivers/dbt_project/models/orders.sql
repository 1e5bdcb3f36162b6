{{ config(event_time='ordered_on') }}
select id, customer, amount::number(10, 2) as amount, ordered_on from {{ ref('raw_orders') }}
