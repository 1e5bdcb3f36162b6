//! What a script answers: its row types and rows.

use firn_tests::sqllogic::Connection;
use serde_json::Value;

#[derive(Debug, PartialEq)]
pub struct Outcome {
    pub columns: Vec<Value>,
    /// Sorted: a query without ORDER BY has them in any order.
    rows: Vec<Value>,
}

#[derive(Debug, PartialEq)]
pub struct Refused {
    pub code: String,
    pub message: String,
}

/// What of a column's description has to be the same.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    All,
    /// Columns without an alias are named like their expressions.
    AllButNames,
    /// A view gives its columns names and an origin of its own.
    View,
}

const TYPES: &[&str] = &["type", "precision", "scale", "length", "byteLength", "collation", "nullable"];

impl Outcome {
    /// The result of a script's last statement.
    pub fn of(connection: &Connection, sql: &str) -> Result<Self, Refused> {
        let response = connection.client.sql_to_its_end_with(sql, connection.fields());
        let mut body = response.json();
        if let Some(last) = body["statementHandles"].as_array().and_then(|handles| handles.last()?.as_str()) {
            body = connection.client.status(last).json();
        }
        if response.status != 200 {
            let text = |field: &str| body[field].as_str().unwrap_or_default().to_owned();
            return Err(Refused { code: text("code"), message: text("message").replace('\n', " ") });
        }
        let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
        let mut rows = list(&body["data"]);
        rows.sort_by_key(Value::to_string);
        Ok(Self { columns: list(&body["resultSetMetaData"]["rowType"]), rows })
    }

    /// The class of a difference, and what differs.
    pub fn difference(&self, other: &Self, comparison: Comparison) -> Option<(String, String)> {
        if self.columns.len() != other.columns.len() {
            return Some(("column count".to_owned(), format!("{} | {}", self.columns.len(), other.columns.len())));
        }
        let others: &[&str] = match comparison {
            Comparison::All => &["name", "database", "schema", "table"],
            Comparison::AllButNames => &["database", "schema", "table"],
            Comparison::View => &[],
        };
        for (one, other) in self.columns.iter().zip(&other.columns) {
            if let Some(field) = TYPES.iter().chain(others).find(|field| one[**field] != other[**field]) {
                return Some(((*field).to_owned(), format!("{one} | {other}")));
            }
        }
        let (one, other) = self
            .rows
            .iter()
            .zip(&other.rows)
            .find(|(one, other)| one != other)
            .or_else(|| (self.rows.len() != other.rows.len()).then_some((&Value::Null, &Value::Null)))?;
        Some(("rows".to_owned(), format!("{} rows, {one} | {other}", self.rows.len())))
    }
}
