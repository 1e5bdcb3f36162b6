//! `${name}` in a scenario: values saved from earlier answers, and a few that are always there.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use uuid::Uuid;

#[derive(Clone)]
pub struct Variables(BTreeMap<String, Value>);

impl Variables {
    pub fn new(database: &str) -> Self {
        let digits = |count: usize| {
            let tables: Vec<String> = (0..count).map(|index| format!("{database}.PUBLIC.DIGITS D{index}")).collect();
            tables.join(", ")
        };
        // Ten to the fourteenth rows: it runs until it is stopped.
        let slow = format!("SELECT SUM(D0.D * D1.D + D13.D) FROM {}", digits(14));
        let thousand = format!("SELECT D0.D + 10 * D1.D + 100 * D2.D AS N FROM {}", digits(3));
        let hundred_thousand =
            format!("SELECT D0.D + 10 * D1.D + 100 * D2.D + 1000 * D3.D + 10000 * D4.D AS N FROM {}", digits(5));
        let known = [
            ("database", database.to_owned()),
            ("slow", slow),
            ("thousand", thousand),
            ("hundred_thousand", hundred_thousand),
        ];
        Self(known.into_iter().map(|(name, value)| (name.to_owned(), json!(value))).collect())
    }

    pub fn set(&mut self, name: &str, value: Value) {
        self.0.insert(name.to_owned(), value);
    }

    pub fn text(&self, name: &str) -> Result<String, String> {
        match self.0.get(name) {
            Some(Value::String(text)) => Ok(text.clone()),
            Some(other) => Ok(other.to_string()),
            None => Err(format!("no step has saved `{name}`")),
        }
    }

    /// A `${uuid.x}` is made when it is first named and stays the same in its scenario.
    fn value(&mut self, name: &str) -> Result<Value, String> {
        if name.starts_with("uuid.") {
            return Ok(self.0.entry(name.to_owned()).or_insert_with(|| json!(Uuid::new_v4().to_string())).clone());
        }
        self.0.get(name).cloned().ok_or_else(|| format!("no step has saved `{name}`"))
    }

    pub fn fill(&mut self, text: &str) -> Result<String, String> {
        let mut filled = String::new();
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("${") {
            let (name, after) = after.split_once('}').ok_or_else(|| format!("`${{` is not closed in {text}"))?;
            filled.push_str(before);
            self.value(name)?;
            filled.push_str(&self.text(name)?);
            rest = after;
        }
        filled.push_str(rest);
        Ok(filled)
    }

    /// A string that is one variable and nothing else becomes its value, whatever its type.
    pub fn fill_value(&mut self, value: &Value) -> Result<Value, String> {
        Ok(match value {
            Value::String(text) => match text.strip_prefix("${").and_then(|rest| rest.strip_suffix('}')) {
                Some(name) if !name.contains('$') => self.value(name)?,
                _ => Value::String(self.fill(text)?),
            },
            Value::Array(values) => {
                Value::Array(values.iter().map(|value| self.fill_value(value)).collect::<Result<_, _>>()?)
            }
            Value::Object(fields) => {
                let mut filled = serde_json::Map::new();
                for (name, value) in fields {
                    filled.insert(self.fill(name)?, self.fill_value(value)?);
                }
                Value::Object(filled)
            }
            other => other.clone(),
        })
    }
}
