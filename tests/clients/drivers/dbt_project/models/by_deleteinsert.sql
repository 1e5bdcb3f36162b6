{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='id', on_schema_change='append_new_columns') }}
select id, customer, amount{% if is_incremental() %}, 'later' as added{% endif %} from {{ ref('orders') }}
{% if is_incremental() %} where id >= (select max(id) from {{ this }}) {% endif %}
