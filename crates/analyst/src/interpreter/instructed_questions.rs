//! Questions about a model with custom instructions, with the SQL they become behind its common table expressions.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use chrono::NaiveDate;

use super::asked_model::AskedModel;
use super::listed_values::ListedValues;
use super::{Answer, Category, Interpreter, body_on_one_line};
use crate::evidence::Evidence;
use crate::semantic_model::read_yaml;

const MODEL: &str = "
name: shop
tables:
- name: orders
  base_table: {database: D, schema: S, table: ORDERS}
  primary_key: {columns: [order_id]}
  dimensions:
  - {name: order_id, expr: order_id, data_type: NUMBER}
  - {name: channel, expr: channel, data_type: VARCHAR}
  - {name: status, expr: status, data_type: VARCHAR}
  - {name: discount_reason, expr: discount_reason, data_type: VARCHAR}
  time_dimensions:
  - {name: order_date, expr: order_date, data_type: DATE}
  facts:
  - {name: amount, expr: amount, data_type: 'NUMBER(10,2)', default_aggregation: sum}
  metrics:
  - {name: revenue, expr: SUM(amount)}
";

struct Data;

impl Evidence for Data {
    fn values(&self, _table: &str, column: &str) -> Vec<String> {
        let values: &[&str] = match column {
            "channel" => &["web", "shop"],
            "status" => &["open", "shipped", "cancelled"],
            _ => &[],
        };
        values.iter().map(|value| (*value).to_string()).collect()
    }

    fn distinct_count(&self, _table: &str, _column: &str) -> Option<u64> {
        None
    }

    fn row_count(&self, _table: &str) -> Option<u64> {
        None
    }
}

fn ask(instruction: &str, question: &str) -> (Answer, Vec<String>) {
    let mut model = read_yaml(MODEL).unwrap().model;
    model.custom_instructions = Some(instruction.to_owned());
    let interpreter = Interpreter::new(&model, &Data);
    let today = NaiveDate::from_ymd_opt(2025, 6, 30).unwrap();
    (interpreter.interpret(question, &[], today), interpreter.unused_instructions(today))
}

#[test]
fn instructions_change_the_sql() {
    let mut wrong = Vec::new();
    let mut check = |instruction: &str, question: &str, expected: &str| {
        let (answer, unused) = ask(instruction, question);
        let sql = body_on_one_line(&answer.sql.unwrap_or_default());
        if sql != expected || !unused.is_empty() {
            wrong.push(format!("{instruction} {question}\n  {sql}\n  {unused:?}"));
        }
    };
    check(
        "Round all numbers to 2 decimals.",
        "average amount by channel",
        "SELECT orders.channel, ROUND(AVG(orders.amount), 2) AS average_amount FROM orders GROUP BY orders.channel",
    );
    check("Round all numbers to 2 decimals.", "number of orders", "SELECT COUNT(*) AS number_of_orders FROM orders");
    check(
        "Limit results to 50 rows.",
        "list the orders with status open",
        "SELECT orders.order_id FROM orders WHERE orders.status = 'open' LIMIT 50",
    );
    check(
        "Always exclude cancelled orders unless asked for.",
        "revenue by channel",
        "SELECT orders.channel, SUM(orders.amount) AS revenue FROM orders WHERE orders.status <> 'cancelled' GROUP BY orders.channel",
    );
    check(
        "Always exclude cancelled orders unless asked for.",
        "revenue of cancelled orders",
        "SELECT SUM(orders.amount) AS revenue FROM orders WHERE orders.status = 'cancelled'",
    );
    check(
        "Only include shipped orders.",
        "revenue",
        "SELECT SUM(orders.amount) AS revenue FROM orders WHERE orders.status = 'shipped'",
    );
    check(
        "'GMV' means revenue.",
        "GMV by channel",
        "SELECT orders.channel, SUM(orders.amount) AS revenue FROM orders GROUP BY orders.channel",
    );
    check(
        "If no date range is given, use the last 30 days.",
        "revenue by channel",
        "SELECT orders.channel, SUM(orders.amount) AS revenue FROM orders WHERE (orders.order_date >= '2025-05-31' AND orders.order_date < '2025-07-01') GROUP BY orders.channel",
    );
    check(
        "If no date range is given, use the last 30 days.",
        "revenue in 2024",
        "SELECT SUM(orders.amount) AS revenue FROM orders WHERE YEAR(orders.order_date) = 2024",
    );
    check(
        "The fiscal year starts in July.",
        "revenue in fiscal year 2024",
        "SELECT SUM(orders.amount) AS revenue FROM orders WHERE (orders.order_date >= '2023-07-01' AND orders.order_date < '2024-07-01')",
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn instructions_reject_questions_and_ask_back() {
    let check = |instruction: &str, question: &str, category: Category, reply: &str| {
        let (answer, unused) = ask(instruction, question);
        assert!(unused.is_empty(), "{instruction}: {unused:?}");
        assert_eq!((answer.category, answer.doubts.join(" ").as_str()), (category, reply), "{instruction} {question}");
        assert_eq!(answer.sql.is_some(), category == Category::ClearSql, "{instruction} {question}");
    };
    let reject = "Reject all questions about discounts. Ask users to contact finance.";
    check(
        reject,
        "which discounts did we give?",
        Category::OutOfScope,
        "Questions about discounts are not answered here. Ask users to contact finance.",
    );
    check(reject, "revenue by channel", Category::ClearSql, "");
    let unclear = "If the question asks for revenue without providing a channel, ask the user to specify the channel.";
    check(unclear, "revenue in 2024", Category::Ambiguous, "Say which channel is meant.");
    check(unclear, "revenue of the web channel in 2024", Category::ClearSql, "");
    let dated = "If the question asks for revenue without providing a year, ask the user to specify it.";
    check(dated, "revenue in 2024", Category::ClearSql, "");
    check(dated, "revenue by channel", Category::Ambiguous, "Say which year is meant.");
}

#[test]
fn instructions_that_are_not_honoured_are_named() {
    let (_, unused) = ask("Prefer window functions. Exclude zeppelins.", "revenue");
    assert_eq!(unused, ["Prefer window functions", "Exclude zeppelins"]);
}

#[test]
fn what_an_instruction_denies_is_not_done() {
    let all = "SELECT SUM(orders.amount) AS revenue FROM orders";
    for instruction in
        ["Do not exclude web orders", "Never limit results to 3 rows", "There is no need to exclude web orders"]
    {
        let (answer, unused) = ask(instruction, "revenue");
        assert_eq!(body_on_one_line(&answer.sql.unwrap_or_default()), all, "{instruction}");
        assert_eq!(unused, [instruction]);
    }
}

const MEMBERS: AskedModel = AskedModel {
    yaml: "
name: club
custom_instructions: Only include active members. If no date range is given, use the last 12 months.
tables:
- name: members
  base_table: {table: MEMBERS}
  primary_key: {columns: [member_id]}
  dimensions:
  - {name: member_id, data_type: NUMBER, unique: true}
  - {name: member_name, data_type: TEXT}
  - {name: region, data_type: TEXT}
  time_dimensions:
  - {name: joined_on, data_type: DATE}
  - {name: resigned_on, data_type: DATE}
  filters:
  - {name: active_members, expr: resigned_on IS NULL, synonyms: [active]}
",
    data: ListedValues {
        values: &[("region", &["Coast", "Moor"]), ("member_name", &["Ann Lee", "Bob Ray"])],
        with_gaps: &["resigned_on"],
        latest_days: &[],
    },
};

#[test]
fn a_default_gives_way_where_the_question_speaks_of_its_column() {
    let sql = |question: &str| body_on_one_line(&MEMBERS.answer(question).sql.unwrap_or_default());
    let active = sql("How many members are there?");
    assert!(active.contains("resigned_on IS NULL") && !active.contains("joined_on"), "{active}");
    for question in ["How many members resigned in 2024?", "How many members are there including resigned ones?"] {
        let lifted = sql(question);
        assert!(lifted.contains("COUNT(*)") && !lifted.contains("IS NULL"), "{question}: {lifted}");
    }
}

#[test]
fn a_name_is_refused_as_it_stands_behind_reworded_words() {
    let (answer, _) = ask("'GMV' means the total gross revenue of all of the orders.", "GMV of Atlantis");
    assert_eq!(answer.category, Category::OutOfScope, "{:?}", answer.sql);
    assert_eq!(answer.doubts, ["Neither the model nor the data have ‘Atlantis’."]);
}
