//! Questions about a small curated model, with the SQL they become behind its common table expressions.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use chrono::NaiveDate;

use super::{Interpreter, body_on_one_line};
use crate::evidence::Evidence;
use crate::semantic_model::read_yaml;

const MODEL: &str = "
name: shop
tables:
- name: suppliers
  base_table: {database: D, schema: S, table: SUPPLIERS}
  primary_key: {columns: [supplier_id]}
  dimensions:
  - {name: supplier_id, expr: supplier_id, data_type: NUMBER}
  time_dimensions:
  - {name: founded_on, expr: founded_on, data_type: DATE}
- name: orders
  base_table: {database: D, schema: S, table: ORDERS}
  primary_key: {columns: [order_id]}
  dimensions:
  - {name: order_id, expr: order_id, data_type: NUMBER}
  - {name: customer_id, expr: customer_id, data_type: NUMBER}
  - {name: channel, expr: channel, data_type: VARCHAR}
  - {name: status, expr: status, data_type: VARCHAR}
  time_dimensions:
  - {name: order_date, expr: order_date, data_type: DATE}
  facts:
  - {name: amount, expr: amount, data_type: 'NUMBER(10,2)', default_aggregation: sum}
  metrics:
  - {name: revenue, synonyms: [turnover, sales], expr: SUM(amount)}
  filters:
  - {name: large_orders, synonyms: [big orders], expr: amount > 1000}
- name: customers
  base_table: {database: D, schema: S, table: CUSTOMERS}
  primary_key: {columns: [customer_id]}
  dimensions:
  - {name: customer_id, expr: customer_id, data_type: NUMBER}
  - {name: name, expr: name, data_type: VARCHAR}
  - {name: region, expr: region, data_type: VARCHAR}
  time_dimensions:
  - {name: birth_date, expr: birth_date, data_type: DATE}
- name: items
  base_table: {database: D, schema: S, table: ITEMS}
  dimensions:
  - {name: order_id, expr: order_id, data_type: NUMBER}
  - {name: supplier_id, expr: supplier_id, data_type: NUMBER}
  - {name: product, expr: product, data_type: VARCHAR}
  - {name: category, expr: category, data_type: VARCHAR}
  facts:
  - {name: quantity, expr: quantity, data_type: NUMBER, default_aggregation: sum}
relationships:
- {name: r1, left_table: orders, right_table: customers, relationship_columns: [{left_column: customer_id, right_column: customer_id}]}
- {name: r2, left_table: items, right_table: orders, relationship_columns: [{left_column: order_id, right_column: order_id}]}
- {name: r3, left_table: items, right_table: suppliers, relationship_columns: [{left_column: supplier_id, right_column: supplier_id}]}
";

struct Data;

impl Evidence for Data {
    fn values(&self, _table: &str, column: &str) -> Vec<String> {
        let values: &[&str] = match column {
            "region" => &["Europe", "Asia", "North America"],
            "channel" => &["web", "shop"],
            "status" => &["open", "shipped", "returned"],
            "category" => &["Tents", "Boots"],
            "name" => &["Ada Berg", "Tom Hill"],
            _ => &[],
        };
        values.iter().map(ToString::to_string).collect()
    }

    fn distinct_count(&self, table: &str, column: &str) -> Option<u64> {
        Some(self.values(table, column).len() as u64).filter(|count| *count > 0)
    }

    fn row_count(&self, table: &str) -> Option<u64> {
        Some(if table == "suppliers" { 10 } else { 1000 })
    }
}

fn ask(questions: &[&str]) -> String {
    let model = read_yaml(MODEL).unwrap().model;
    let interpreter = Interpreter::new(&model, &Data);
    let (last, history) = questions.split_last().unwrap();
    let history: Vec<String> = history.iter().map(ToString::to_string).collect();
    let answer = interpreter.interpret(last, &history, NaiveDate::from_ymd_opt(2024, 5, 15).unwrap());
    let sql = answer.sql.unwrap_or_else(|| format!("-- {:?}", answer.suggestions));
    body_on_one_line(&sql)
}

fn check(questions: &[&str], expected: &str) {
    assert_eq!(ask(questions), expected, "{questions:?}");
}

#[test]
fn measures_and_groups() {
    check(
        &["revenue by region"],
        "SELECT customers.region, SUM(orders.amount) AS revenue FROM customers JOIN orders ON customers.customer_id = orders.customer_id GROUP BY customers.region",
    );
    check(
        &["What is the total amount by channel?"],
        "SELECT orders.channel, SUM(orders.amount) AS total_amount FROM orders GROUP BY orders.channel",
    );
    check(
        &["top 3 customers by revenue"],
        "SELECT customers.name, SUM(orders.amount) AS revenue FROM customers JOIN orders ON customers.customer_id = orders.customer_id GROUP BY customers.customer_id, customers.name ORDER BY revenue DESC NULLS LAST, customers.name, customers.customer_id LIMIT 3",
    );
    check(
        &["top 2 customers in each region by revenue"],
        "SELECT customers.region, customers.name, SUM(orders.amount) AS revenue FROM customers JOIN orders ON customers.customer_id = orders.customer_id GROUP BY customers.customer_id, customers.region, customers.name QUALIFY ROW_NUMBER() OVER (PARTITION BY customers.region ORDER BY SUM(orders.amount) DESC NULLS LAST, customers.name, customers.customer_id) <= 2 ORDER BY customers.region, revenue DESC NULLS LAST, customers.name, customers.customer_id",
    );
    check(
        &["share of revenue by region"],
        "SELECT customers.region, 100.0 * SUM(orders.amount) / NULLIF(SUM(SUM(orders.amount)) OVER (), 0) AS revenue_share_percent FROM customers JOIN orders ON customers.customer_id = orders.customer_id GROUP BY customers.region",
    );
    check(
        &["How many big orders are there per region?"],
        "SELECT customers.region, COUNT(*) AS number_of_orders FROM customers JOIN orders ON customers.customer_id = orders.customer_id WHERE (orders.amount > 1000) GROUP BY customers.region",
    );
    check(
        &["Which product has the highest quantity?"],
        "SELECT items.product FROM items GROUP BY items.product ORDER BY SUM(items.quantity) DESC NULLS LAST, items.product LIMIT 1",
    );
    check(
        &["total quantity by category"],
        "SELECT items.category, SUM(items.quantity) AS total_quantity FROM items GROUP BY items.category",
    );
    check(
        &["revenue by region and channel"],
        "SELECT customers.region, orders.channel, SUM(orders.amount) AS revenue FROM customers JOIN orders ON customers.customer_id = orders.customer_id GROUP BY customers.region, orders.channel",
    );
}

#[test]
fn what_the_model_does_not_know_is_not_answered() {
    let stated = ask(&["What is the weather in Europe?"]);
    assert!(stated.starts_with("-- "), "{stated}");
}

#[test]
fn the_time_is_that_of_what_is_measured() {
    check(
        &["revenue by region in 2023"],
        "SELECT customers.region, SUM(orders.amount) AS revenue FROM customers JOIN orders ON customers.customer_id = orders.customer_id WHERE YEAR(orders.order_date) = 2023 GROUP BY customers.region",
    );
    check(
        &["total quantity by month"],
        "SELECT DATE_TRUNC('MONTH', orders.order_date) AS month, SUM(items.quantity) AS total_quantity FROM orders JOIN items ON orders.order_id = items.order_id GROUP BY DATE_TRUNC('MONTH', orders.order_date) ORDER BY month",
    );
    check(
        &["How many customers have a birth date in 1990?"],
        "SELECT COUNT(*) AS number_of_customers FROM customers WHERE YEAR(customers.birth_date) = 1990",
    );
}

#[test]
fn time() {
    check(
        &["What was the revenue in 2023?"],
        "SELECT SUM(orders.amount) AS revenue FROM orders WHERE YEAR(orders.order_date) = 2023",
    );
    check(
        &["Which region grew fastest last quarter?"],
        "SELECT customers.region, 100.0 * (SUM(CASE WHEN orders.order_date >= '2024-01-01' AND orders.order_date < '2024-04-01' THEN orders.amount END) - SUM(CASE WHEN orders.order_date >= '2023-10-01' AND orders.order_date < '2024-01-01' THEN orders.amount END)) / NULLIF(SUM(CASE WHEN orders.order_date >= '2023-10-01' AND orders.order_date < '2024-01-01' THEN orders.amount END), 0) AS revenue_change_percent FROM customers JOIN orders ON customers.customer_id = orders.customer_id WHERE (orders.order_date >= '2023-10-01' AND orders.order_date < '2024-04-01') GROUP BY customers.region ORDER BY revenue_change_percent DESC NULLS LAST, customers.region LIMIT 1",
    );
    check(
        &["monthly revenue this year"],
        "SELECT DATE_TRUNC('MONTH', orders.order_date) AS month, SUM(orders.amount) AS revenue FROM orders WHERE (orders.order_date >= '2024-01-01' AND orders.order_date < '2025-01-01') GROUP BY DATE_TRUNC('MONTH', orders.order_date) ORDER BY month",
    );
    check(
        &["revenue by month for Europe since March"],
        "SELECT DATE_TRUNC('MONTH', orders.order_date) AS month, SUM(orders.amount) AS revenue FROM orders JOIN customers ON orders.customer_id = customers.customer_id WHERE customers.region = 'Europe' AND orders.order_date >= '2024-03-01' GROUP BY DATE_TRUNC('MONTH', orders.order_date) ORDER BY month",
    );
    check(
        &["What is the month over month growth of revenue?"],
        "SELECT DATE_TRUNC('MONTH', orders.order_date) AS month, SUM(orders.amount) AS revenue, 100.0 * (SUM(orders.amount) - LAG(SUM(orders.amount)) OVER (ORDER BY DATE_TRUNC('MONTH', orders.order_date))) / NULLIF(LAG(SUM(orders.amount)) OVER (ORDER BY DATE_TRUNC('MONTH', orders.order_date)), 0) AS revenue_growth_percent FROM orders GROUP BY DATE_TRUNC('MONTH', orders.order_date) ORDER BY month",
    );
    check(
        &["cumulative revenue by month in 2023"],
        "SELECT DATE_TRUNC('MONTH', orders.order_date) AS month, SUM(SUM(orders.amount)) OVER (ORDER BY DATE_TRUNC('MONTH', orders.order_date)) AS running_total_of_revenue FROM orders WHERE YEAR(orders.order_date) = 2023 GROUP BY DATE_TRUNC('MONTH', orders.order_date) ORDER BY month",
    );
    check(
        &["How many orders were placed in the past 90 days?"],
        "SELECT COUNT(*) AS number_of_orders FROM orders WHERE (orders.order_date >= '2024-02-15' AND orders.order_date < '2024-05-16')",
    );
    check(
        &["turnover by channel in Q1 2024"],
        "SELECT orders.channel, SUM(orders.amount) AS turnover FROM orders WHERE (orders.order_date >= '2024-01-01' AND orders.order_date < '2024-04-01') GROUP BY orders.channel",
    );
    check(
        &["number of orders by status last month"],
        "SELECT orders.status, COUNT(*) AS number_of_orders FROM orders WHERE (orders.order_date >= '2024-04-01' AND orders.order_date < '2024-05-01') GROUP BY orders.status",
    );
    check(
        &["revenue between January 2024 and March 2024 by channel"],
        "SELECT orders.channel, SUM(orders.amount) AS revenue FROM orders WHERE (orders.order_date >= '2024-01-01' AND orders.order_date < '2024-04-01') GROUP BY orders.channel",
    );
    check(
        &["year to date revenue"],
        "SELECT SUM(orders.amount) AS revenue FROM orders WHERE (orders.order_date >= '2024-01-01' AND orders.order_date < '2024-05-16')",
    );
}

#[test]
fn follow_ups_edit_the_query_before() {
    check(
        &["revenue by region", "what about Europe?"],
        "SELECT customers.region, SUM(orders.amount) AS revenue FROM customers JOIN orders ON customers.customer_id = orders.customer_id WHERE customers.region = 'Europe' GROUP BY customers.region",
    );
    check(
        &["revenue by region", "by month"],
        "SELECT DATE_TRUNC('MONTH', orders.order_date) AS month, SUM(orders.amount) AS revenue FROM orders GROUP BY DATE_TRUNC('MONTH', orders.order_date) ORDER BY month",
    );
    check(
        &["revenue by region", "only the top 2"],
        "SELECT customers.region, SUM(orders.amount) AS revenue FROM customers JOIN orders ON customers.customer_id = orders.customer_id GROUP BY customers.region ORDER BY revenue DESC NULLS LAST, customers.region LIMIT 2",
    );
    check(
        &["revenue by region", "as a percentage"],
        "SELECT customers.region, 100.0 * SUM(orders.amount) / NULLIF(SUM(SUM(orders.amount)) OVER (), 0) AS revenue_share_percent FROM customers JOIN orders ON customers.customer_id = orders.customer_id GROUP BY customers.region",
    );
    check(
        &["revenue by region in 2023", "what about 2022?"],
        "SELECT customers.region, SUM(orders.amount) AS revenue FROM customers JOIN orders ON customers.customer_id = orders.customer_id WHERE YEAR(orders.order_date) = 2022 GROUP BY customers.region",
    );
    check(
        &["revenue by region in 2023", "why not 2022?"],
        "SELECT customers.region, SUM(orders.amount) AS revenue FROM customers JOIN orders ON customers.customer_id = orders.customer_id WHERE YEAR(orders.order_date) = 2022 GROUP BY customers.region",
    );
}

#[test]
fn conditions_and_nesting() {
    check(
        &["revenue of orders with category Tents"],
        "SELECT SUM(orders.amount) AS revenue FROM orders WHERE orders.order_id IN (SELECT items.order_id FROM items WHERE items.category = 'Tents' AND items.order_id IS NOT NULL)",
    );
    check(
        &["average amount of open orders"],
        "SELECT AVG(orders.amount) AS average_amount FROM orders WHERE orders.status = 'open'",
    );
    check(
        &["Which customers never ordered?"],
        "SELECT customers.name FROM customers WHERE customers.customer_id NOT IN (SELECT orders.customer_id FROM orders WHERE orders.customer_id IS NOT NULL)",
    );
    check(
        &["customers without orders"],
        "SELECT customers.name FROM customers WHERE customers.customer_id NOT IN (SELECT orders.customer_id FROM orders WHERE orders.customer_id IS NOT NULL)",
    );
    check(
        &["orders with amount above average"],
        "SELECT orders.order_id FROM orders WHERE orders.amount > (SELECT AVG(orders.amount) FROM orders)",
    );
    check(
        &["customers with more than 3 orders"],
        "SELECT customers.name FROM customers JOIN orders ON customers.customer_id = orders.customer_id GROUP BY customers.customer_id, customers.name HAVING COUNT(*) > 3",
    );
    check(
        &["names of customers in Europe or Asia"],
        "SELECT customers.name FROM customers WHERE (customers.region = 'Europe' OR customers.region = 'Asia')",
    );
    check(
        &["orders not from the web channel"],
        "SELECT COUNT(*) AS number_of_orders FROM orders WHERE orders.channel <> 'web'",
    );
    check(
        &["Which orders are not from the web channel?"],
        "SELECT orders.order_id FROM orders WHERE orders.channel <> 'web'",
    );
}

#[test]
fn what_cannot_be_answered_gets_suggestions() {
    let model = read_yaml(MODEL).unwrap().model;
    let interpreter = Interpreter::new(&model, &Data);
    let today = NaiveDate::from_ymd_opt(2024, 5, 15).unwrap();
    let answer = interpreter.interpret("What is the weather in Paris?", &[], today);
    assert_eq!(answer.sql, None);
    assert!(!answer.suggestions.is_empty());
    for suggestion in answer.suggestions {
        assert!(interpreter.interpret(&suggestion, &[], today).sql.is_some(), "{suggestion}");
    }
}

#[test]
fn the_restatement_says_what_is_computed() {
    let model = read_yaml(MODEL).unwrap().model;
    let interpreter = Interpreter::new(&model, &Data);
    let today = NaiveDate::from_ymd_opt(2024, 5, 15).unwrap();
    let answer = interpreter.interpret("revenue by region for shipped orders", &[], today);
    assert_eq!(answer.restatement, "Show the revenue for each customer region where order status is 'shipped'.");
    assert_eq!(answer.values.first().map(|value| value.value.as_str()), Some("shipped"));
}
