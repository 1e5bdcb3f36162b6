{{ config(materialized='incremental', incremental_strategy='insert_overwrite') }}
select id, customer from {{ ref('orders') }}
