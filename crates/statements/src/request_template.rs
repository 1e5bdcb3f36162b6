//! The template of a request's statement.

use std::ops::Range;
use std::sync::Arc;

use firn_sql::bindings::Bindings;
use firn_sql::determinism::is_deterministic;
use firn_sql::template::TemplateValue;
use firn_sql::{Statement, system_functions};

/// A request's statement as a template and its values.
#[derive(Debug)]
pub struct RequestTemplate {
    pub key: Arc<str>,
    /// The whole text of the request.
    pub text: String,
    pub bindings: Bindings,
    /// Where the statement is in the text.
    pub statement: Range<usize>,
    pub values: Vec<TemplateValue>,
}

impl RequestTemplate {
    /// Whether the statement is the request's own, and one that a cached plan may serve.
    pub fn is_of(&self, statement: &Statement) -> bool {
        statement.text.trim() == &self.text[self.statement.clone()]
            && is_deterministic(statement)
            && !statement.needs_lookup
            && !system_functions::may_be_in(&statement.text)
    }
}
