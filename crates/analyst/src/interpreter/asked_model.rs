//! A small model that tests ask questions about, and the SQL they become.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use chrono::NaiveDate;

use super::listed_values::ListedValues;
use super::{Answer, Interpreter, body_on_one_line};
use crate::semantic_model::read_yaml;

pub struct AskedModel {
    pub yaml: &'static str,
    pub data: ListedValues,
}

impl AskedModel {
    /// What a question is answered with on 2025-06-30.
    pub fn answer(&self, question: &str) -> Answer {
        self.answer_after(&[], question)
    }

    /// The same behind other questions.
    pub fn answer_after(&self, history: &[&str], question: &str) -> Answer {
        let model = read_yaml(self.yaml).unwrap().model;
        let history: Vec<String> = history.iter().map(ToString::to_string).collect();
        let today = NaiveDate::from_ymd_opt(2025, 6, 30).unwrap();
        Interpreter::new(&model, &self.data).interpret(question, &history, today)
    }

    /// The SQL of a question has all of these parts.
    pub fn check(&self, question: &str, expected: &[&str]) {
        let sql = body_on_one_line(&self.answer(question).sql.unwrap_or_default());
        assert!(expected.iter().all(|part| sql.contains(part)), "{question}: {sql}");
    }
}
