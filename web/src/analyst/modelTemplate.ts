/** What a new model begins with: it can be asked as it is where the demo data are. */
export const TEMPLATE = `# A semantic model: what the tables are called and what can be asked of them.
name: my_model
description: What the data are about
tables:
- name: orders
  description: One row per order
  base_table: {database: DEMO, schema: PUBLIC, table: ORDERS}
  primary_key: {columns: [order_id]}
  dimensions:
  - {name: order_id, expr: ORDER_ID, data_type: NUMBER, unique: true}
  - {name: status, expr: STATUS, data_type: TEXT}
  time_dimensions:
  - {name: order_date, expr: CAST(ORDERED_AT AS DATE), data_type: DATE}
  facts:
  - {name: amount, synonyms: [revenue], expr: TOTAL_AMOUNT, data_type: NUMBER, default_aggregation: sum}
verified_queries: []
`;
