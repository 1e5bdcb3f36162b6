{{ config(materialized='incremental', incremental_strategy='microbatch', event_time='ordered_on', begin='2024-01-01', batch_size='month', lookback=1) }}
select id, ordered_on from {{ ref('orders') }}
