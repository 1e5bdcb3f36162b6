{{ config(materialized='table', cluster_by=['customer']) }}
select customer, sum(amount) as spent, count(*) as orders from {{ ref('orders') }} group by customer
