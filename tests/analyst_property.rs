//! Questions that were twisted at random, about several models: whatever is asked, the answer keeps the contract. Every
//! statement runs, every suggestion is answered with SQL, and there is always one or the other.
//!
//! `FIRN_TWISTED_QUESTIONS` says how many are asked of each model.

use std::collections::HashMap;

use firn_tests::{Client, Request, Server};
use serde_json::{Value, json};

const MESSAGE: &str = "/api/v2/assistant/analyst/message";
const QUESTIONS_EACH: usize = 120;

/// A schema with odd names, an empty table, a table without a key, flags, and keys that no column of the model shows.
const ODD_TABLES: [&str; 7] = [
    "CREATE DATABASE ODD",
    "CREATE TABLE ODD.PUBLIC.\"Order Lines\" (\"Line No\" INT, \"Net Price\" NUMBER(10,2), \"select\" VARCHAR, SHIPPED BOOLEAN, OWNER_KEY INT)",
    "INSERT INTO ODD.PUBLIC.\"Order Lines\" VALUES (1, 9.99, 'red', TRUE, 1), (2, 5.00, 'O''Neil', FALSE, 2), (3, NULL, NULL, NULL, 2)",
    "CREATE TABLE ODD.PUBLIC.OWNERS (K INT, FULL_NAME VARCHAR, JOINED TIMESTAMP_NTZ)",
    "INSERT INTO ODD.PUBLIC.OWNERS VALUES (1, 'Ann', '2024-02-01 10:00:00'), (2, 'Bob', '2023-11-05 08:30:00')",
    "CREATE TABLE ODD.PUBLIC.NOTHING (A INT, B VARCHAR, C DATE)",
    "CREATE TABLE ODD.PUBLIC.CODES (CODE VARCHAR, AMOUNT VARCHAR)",
];

const ODD_MODEL: &str = r#"
name: odd
tables:
- name: lines
  synonyms: [positions]
  base_table: {database: ODD, schema: PUBLIC, table: Order Lines}
  dimensions:
  - {name: colour, expr: '"select"', data_type: TEXT}
  - {name: shipped, expr: SHIPPED, data_type: BOOLEAN}
  facts: [{name: price, expr: '"Net Price"', data_type: "NUMBER(10,2)"}]
  metrics:
  - {name: revenue, expr: 'SUM("Net Price")'}
  - {name: revenue_per_line, expr: 'SUM("Net Price") / COUNT("Line No")'}
  filters: [{name: expensive, expr: '"Net Price" > 7'}]
- name: owners
  base_table: {database: ODD, schema: PUBLIC, table: OWNERS}
  primary_key: {columns: [K]}
  dimensions: [{name: full_name, expr: FULL_NAME, data_type: TEXT}]
  time_dimensions: [{name: joined, expr: JOINED, data_type: TIMESTAMP_NTZ}]
- name: nothing
  base_table: {database: ODD, schema: PUBLIC, table: NOTHING}
  dimensions: [{name: b, expr: B, data_type: TEXT}]
  time_dimensions: [{name: c, expr: C, data_type: DATE}]
  facts: [{name: a, expr: A, data_type: NUMBER}]
- name: codes
  base_table: {database: ODD, schema: PUBLIC, table: CODES}
  dimensions: [{name: code, expr: CODE, data_type: TEXT}, {name: amount, expr: AMOUNT, data_type: TEXT}]
relationships:
- {name: owned, left_table: lines, right_table: owners, relationship_columns: [{left_column: OWNER_KEY, right_column: K}]}
verified_queries:
- {name: broken, question: Which colours are gone?, sql: SELECT nope FROM lines}
"#;

const ODD_QUESTIONS: [&str; 14] = [
    "What is the revenue by full name?",
    "What is the revenue per line for each colour?",
    "Which owners joined after 2023?",
    "How many expensive lines does each owner have?",
    "lines with price above 7 that were shipped",
    "What is the average price of lines of O'Neil?",
    "Show the colour with the highest revenue",
    "Which colours are gone?",
    "List nothing between 2020 and 2021",
    "What is the total amount by code?",
    "How many lines are not shipped?",
    "Which owners have no lines?",
    "revenue by month of joined",
    "What share of the revenue has each owner?",
];

const DEMO_QUESTIONS: [&str; 16] = [
    "How many orders were cancelled?",
    "Which region grew fastest last quarter?",
    "What was the revenue by month in 2025?",
    "Top 5 products by revenue",
    "What is the average order value per store?",
    "Which customers have never returned anything?",
    "Show the share of revenue by category",
    "What is the running total of revenue by month this year?",
    "Employees hired since March 2024 with salary above average",
    "How many open stores are there in each region?",
    "Open support tickets by priority",
    "Revenue of the past 90 days compared to the same period last year",
    "Which products were never sold?",
    "suppliers in Germany with more than 3 products",
    "median price of products for each category and year",
    "Which stores have more orders than the average store?",
];

const INSERTED: [&str; 36] = [
    "not",
    "never",
    "average",
    "top",
    "3",
    "by",
    "per",
    "each",
    "2019",
    "last",
    "month",
    "\"x\"",
    "O'Brien",
    "%",
    "null",
    "and",
    "or",
    "more",
    "than",
    "least",
    "most",
    "between",
    "5",
    "1975-01-01",
    "share",
    "of",
    "growth",
    "running",
    "total",
    "compared",
    "without",
    "before",
    "every",
    "both",
    "only",
    "同じ",
];

/// The same numbers in every run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 33) as usize) % sides.max(1)
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.roll(from.len())]
    }
}

fn twisted(questions: &[&str], dice: &mut Dice) -> String {
    let mut words: Vec<String> = dice.pick(questions).split(' ').map(str::to_owned).collect();
    for _ in 0..=dice.roll(4) {
        let at = dice.roll(words.len());
        match dice.roll(9) {
            0 if words.len() > 1 => drop(words.remove(at)),
            1 => {
                let other = dice.roll(words.len());
                words.swap(at, other);
            }
            2 => {
                let other: Vec<&str> = dice.pick(questions).split(' ').collect();
                words[at] = dice.pick(&other).to_owned();
            }
            3 => words.insert(at, dice.pick(&INSERTED).to_owned()),
            4 => words[at] = words[at].chars().rev().collect(),
            5 => words.truncate(at + 1),
            6 => words = words.split_off(at),
            7 => words.extend(format!("and {}", dice.pick(questions)).split(' ').map(str::to_owned)),
            _ => words[at] = words[at].to_uppercase(),
        }
    }
    words.join(" ")
}

struct Asker<'a> {
    client: &'a Client,
    model: (&'static str, &'static str),
    /// What became of suggestions that were asked before.
    known: HashMap<String, bool>,
}

impl Asker<'_> {
    fn ask(&self, question: &str) -> Value {
        let mut body = json!({"messages": [{"role": "user", "content": [{"type": "text", "text": question}]}]});
        body[self.model.0] = json!(self.model.1);
        let response = self.client.send(&Request::post(MESSAGE).json(&body));
        assert_eq!(response.status, 200, "{question}: {response}");
        response.json()
    }

    fn is_answered(&mut self, question: &str) -> bool {
        if let Some(known) = self.known.get(question) {
            return *known;
        }
        let answered = self.ask(question)["message"]["content"][1]["type"] == "sql";
        self.known.insert(question.to_owned(), answered);
        answered
    }

    /// What is wrong with the answer, if anything.
    fn fault(&mut self, question: &str) -> Option<String> {
        let answer = self.ask(question);
        let second = &answer["message"]["content"][1];
        if let Some(statement) = second["statement"].as_str() {
            let run = self.client.sql(statement);
            return (run.status != 200).then(|| format!("{question}: {run}\n{statement}"));
        }
        let Some(suggestions) = second["suggestions"].as_array() else {
            return Some(format!("{question}: neither SQL nor suggestions: {answer}"));
        };
        let suggestions: Vec<&str> = suggestions.iter().filter_map(Value::as_str).collect();
        let unanswered = suggestions.into_iter().find(|suggestion| !self.is_answered(suggestion));
        unanswered.map(|suggestion| format!("{question}: the suggestion `{suggestion}` has no SQL"))
    }
}

fn check(client: &Client, model: (&'static str, &'static str), questions: &[&str], seed: u64) {
    let given = std::env::var("FIRN_TWISTED_QUESTIONS").ok().and_then(|text| text.parse().ok());
    let mut asker = Asker { client, model, known: HashMap::new() };
    let mut dice = Dice(seed);
    let asked = (0..given.unwrap_or(QUESTIONS_EACH)).map(|_| twisted(questions, &mut dice)).collect::<Vec<_>>();
    let asked = questions.iter().map(|question| (*question).to_owned()).chain(asked);
    let faults: Vec<String> =
        asked.filter(|question| !question.trim().is_empty()).filter_map(|question| asker.fault(&question)).collect();
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n\n"));
}

#[test]
fn whatever_is_asked_of_the_demo_the_answer_keeps_the_contract() {
    let server = Server::start_with(&[("FIRN_DEMO", "true")]);
    check(&server.admin(), ("semantic_view", "DEMO.PUBLIC.RETAIL"), &DEMO_QUESTIONS, 1);
}

#[test]
fn whatever_is_asked_of_odd_tables_the_answer_keeps_the_contract() {
    let server = Server::start();
    let admin = server.admin();
    for statement in ODD_TABLES {
        admin.rows(statement);
    }
    check(&admin, ("semantic_model", ODD_MODEL), &ODD_QUESTIONS, 2);
    // The same tables behind a semantic view whose keys are no dimensions.
    admin.rows(
        "CREATE SEMANTIC VIEW ODD.PUBLIC.ODDITY \
         TABLES (LINES AS ODD.PUBLIC.\"Order Lines\", OWNERS AS ODD.PUBLIC.OWNERS PRIMARY KEY (K)) \
         RELATIONSHIPS (LINES (OWNER_KEY) REFERENCES OWNERS) \
         FACTS (LINES.PRICE AS \"Net Price\") \
         DIMENSIONS (LINES.COLOUR AS \"select\", LINES.SHIPPED AS SHIPPED, OWNERS.FULL_NAME AS FULL_NAME, OWNERS.JOINED AS JOINED) \
         METRICS (LINES.REVENUE AS SUM(\"Net Price\"), LINES.REVENUE_PER_LINE AS SUM(\"Net Price\") / COUNT(\"Line No\"))",
    );
    check(&admin, ("semantic_view", "ODD.PUBLIC.ODDITY"), &ODD_QUESTIONS, 3);
}
