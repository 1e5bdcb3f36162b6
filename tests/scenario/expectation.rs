//! What a step's answer must look like, in the short forms scenarios use.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::variables::Variables;
use crate::client::Response;
use crate::matching::differences;

#[derive(Clone, Default, Deserialize)]
pub struct Expectation {
    /// 200 when absent, 422 with `fails`.
    status: Option<u16>,
    /// `code` or `code/sqlState` of a failed statement.
    fails: Option<String>,
    /// Text the message contains.
    message: Option<String>,
    /// The body, as far as it is named.
    body: Option<Value>,
    /// The whole body as text.
    plain: Option<String>,
    /// Response headers; `<absent>` for one that must not be there.
    #[serde(default)]
    header: BTreeMap<String, String>,
    /// `data`, exactly; numbers and booleans stand for their text.
    rows: Option<Value>,
    /// The rows as objects of column name and cell, as far as they are named.
    table: Option<Vec<Map<String, Value>>>,
    /// Like `table`, but each has to be somewhere in the result.
    includes: Option<Vec<Map<String, Value>>>,
    /// Like `table`, but none may be in the result.
    excludes: Option<Vec<Map<String, Value>>>,
    /// `rowType`, as far as it is named.
    columns: Option<Value>,
    /// Variables and where in the body (`data.0.1`) or headers (`header link`) they come from.
    #[serde(default)]
    save: BTreeMap<String, String>,
}

impl Expectation {
    pub fn check(&self, response: &Response, variables: &mut Variables) -> Result<(), String> {
        let body = response.json();
        let mut found = Vec::new();
        let status = self.status.unwrap_or(if self.fails.is_some() { 422 } else { 200 });
        if response.status != status {
            found.push(format!("expected HTTP {status}, got {}", response.status));
        }
        if let Some(codes) = &self.fails {
            let (code, state) = codes.split_once('/').unwrap_or((codes, "<any>"));
            found.extend(differences(&json!({"code": code, "sqlState": state}), &body));
        }
        if let Some(text) = &self.message {
            let text = variables.fill(text)?;
            found.extend(differences(&json!({"message": format!("<contains {text}>")}), &body));
        }
        if let Some(expected) = &self.body {
            found.extend(differences(&variables.fill_value(expected)?, &body));
        }
        if let Some(expected) = &self.plain {
            found.extend(differences(&json!(variables.fill(expected)?), &json!(response.text())));
        }
        for (name, value) in &self.header {
            let expected = json!({ name: variables.fill(value)? });
            found.extend(differences(&expected, &json!(response.headers)));
        }
        if let Some(rows) = &self.rows {
            found.extend(differences(&json!({"data": as_cells(variables.fill_value(rows)?)}), &body));
        }
        if let Some(columns) = &self.columns {
            let columns = variables.fill_value(columns)?;
            found.extend(differences(&json!({"resultSetMetaData": {"rowType": columns}}), &body));
        }
        self.check_named_rows(&body, variables, &mut found)?;
        if found.is_empty() { Ok(()) } else { Err(found.join("\n")) }
    }

    fn check_named_rows(&self, body: &Value, variables: &mut Variables, found: &mut Vec<String>) -> Result<(), String> {
        let actual = named_rows(body);
        let mut filled = |rows: &[Map<String, Value>]| -> Result<Vec<Value>, String> {
            rows.iter().map(|row| Ok(as_cells(variables.fill_value(&Value::Object(row.clone()))?))).collect()
        };
        if let Some(rows) = &self.table {
            found.extend(differences(&Value::Array(filled(rows)?), &Value::Array(actual.clone())));
        }
        for row in filled(self.includes.as_deref().unwrap_or_default())? {
            if !actual.iter().any(|there| differences(&row, there).is_empty()) {
                found.push(format!("no row is like {row}"));
            }
        }
        for row in filled(self.excludes.as_deref().unwrap_or_default())? {
            if actual.iter().any(|there| differences(&row, there).is_empty()) {
                found.push(format!("a row is like {row}"));
            }
        }
        Ok(())
    }

    pub fn save(&self, response: &Response, variables: &mut Variables) -> Result<(), String> {
        let body = response.json();
        for (name, source) in &self.save {
            let value = match source.strip_prefix("header ") {
                Some(header) => response.headers.get(header).map(|value| json!(value)),
                None => body.pointer(&format!("/{}", source.replace('.', "/"))).cloned(),
            };
            let value = value.ok_or_else(|| format!("the answer has no {source} to save: {response}"))?;
            variables.set(name, value);
        }
        Ok(())
    }
}

fn named_rows(body: &Value) -> Vec<Value> {
    let columns = body["resultSetMetaData"]["rowType"].as_array().map(Vec::as_slice).unwrap_or_default();
    let names: Vec<&str> = columns.iter().map(|column| column["name"].as_str().unwrap_or_default()).collect();
    let rows = body["data"].as_array().map(Vec::as_slice).unwrap_or_default();
    let named = |row: &Value| {
        let cells = row.as_array().map(Vec::as_slice).unwrap_or_default();
        names.iter().zip(cells).map(|(name, cell)| ((*name).to_owned(), cell.clone())).collect::<Map<_, _>>()
    };
    rows.iter().map(|row| Value::Object(named(row))).collect()
}

/// Cells are text on the wire; scenarios may write them as numbers and booleans.
fn as_cells(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::String(number.to_string()),
        Value::Bool(flag) => Value::String(flag.to_string()),
        Value::Array(values) => Value::Array(values.into_iter().map(as_cells).collect()),
        Value::Object(fields) => fields.into_iter().map(|(name, field)| (name, as_cells(field))).collect(),
        other => other,
    }
}
