{% snapshot order_history %}
{{ config(unique_key='id', strategy='check', check_cols=['amount']) }}
select * from {{ ref('orders') }}
{% endsnapshot %}
