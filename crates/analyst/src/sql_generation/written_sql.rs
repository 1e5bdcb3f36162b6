//! Whole statements as people get to read them.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use chrono::NaiveDate;

use crate::evidence::NoEvidence;
use crate::interpreter::Interpreter;
use crate::semantic_model::read_yaml;

const MODEL: &str = "
name: shop
tables:
- name: customers
  base_table: {database: SHOP, schema: PUBLIC, table: CUSTOMERS}
  primary_key: {columns: [customer_id]}
  dimensions:
  - {name: customer_id, expr: ID, data_type: NUMBER}
  - {name: region, expr: REGION, data_type: TEXT, sample_values: [Europe, Asia]}
  - {name: email, expr: EMAIL, data_type: TEXT}
- name: orders
  base_table: {database: SHOP, schema: PUBLIC, table: ORDERS}
  primary_key: {columns: [order_id]}
  dimensions:
  - {name: order_id, expr: ID, data_type: NUMBER}
  - {name: customer_id, expr: CUSTOMER_ID, data_type: NUMBER}
  - {name: status, expr: STATUS, data_type: TEXT, sample_values: [open, shipped]}
  time_dimensions:
  - {name: order_date, expr: ORDERED_ON, data_type: DATE}
  facts:
  - {name: gross, expr: QUANTITY * PRICE, data_type: NUMBER}
  - {name: amount, synonyms: [revenue], expr: gross - DISCOUNT, data_type: NUMBER, default_aggregation: sum}
relationships:
- {left_table: orders, right_table: customers, relationship_columns: [{left_column: customer_id, right_column: customer_id}]}
";

fn check(question: &str, restatement: &str, sql: &str) {
    let model = read_yaml(MODEL).unwrap().model;
    let today = NaiveDate::from_ymd_opt(2024, 5, 15).unwrap();
    let answer = Interpreter::new(&model, &NoEvidence).interpret(question, &[], today);
    assert_eq!(answer.restatement, restatement, "{question}");
    assert_eq!(answer.sql.unwrap(), sql, "{question}");
}

#[test]
fn a_common_table_has_the_columns_in_use() {
    check(
        "What is the revenue by region for shipped orders in 2023?",
        "Show the revenue (total order amount) for each customer region where order status is 'shipped' and year of \
         order date is 2023.",
        "WITH __customers AS (
  SELECT ID AS customer_id, REGION
  FROM SHOP.PUBLIC.CUSTOMERS
),
__orders AS (
  SELECT
    CUSTOMER_ID,
    STATUS,
    ORDERED_ON AS order_date,
    QUANTITY * PRICE AS gross,
    gross - DISCOUNT AS amount
  FROM SHOP.PUBLIC.ORDERS
)
SELECT __customers.region, SUM(__orders.amount) AS revenue
FROM __customers
JOIN __orders ON __customers.customer_id = __orders.customer_id
WHERE __orders.status = 'shipped'
  AND YEAR(__orders.order_date) = 2023
GROUP BY __customers.region",
    );
}

#[test]
fn rows_that_are_only_counted_have_their_key() {
    check(
        "How many orders are there?",
        "Show the number of orders.",
        "WITH __orders AS (
  SELECT ID AS order_id
  FROM SHOP.PUBLIC.ORDERS
)
SELECT COUNT(*) AS number_of_orders
FROM __orders",
    );
}

#[test]
fn a_query_inside_of_another_stands_further_in() {
    check(
        "orders with amount above average",
        "Show the order id where order amount is more than the average order amount of all.",
        "WITH __orders AS (
  SELECT ID AS order_id, QUANTITY * PRICE AS gross, gross - DISCOUNT AS amount
  FROM SHOP.PUBLIC.ORDERS
)
SELECT __orders.order_id
FROM __orders
WHERE __orders.amount > (
  SELECT AVG(__orders.amount)
  FROM __orders
)",
    );
}
