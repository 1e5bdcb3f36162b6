//! The arguments of a call, read by name; what is not there or of another type is refused in words.

use std::ops::RangeInclusive;

use rmcp::model::JsonObject;
use serde_json::Value;

use crate::reply::ToolError;

pub struct Arguments(JsonObject);

impl Arguments {
    /// Arguments that the tool does not have are refused: a misspelt one would be passed over.
    pub fn new(given: Option<JsonObject>, schema: &JsonObject) -> Result<Self, ToolError> {
        let given = given.unwrap_or_default();
        let known = schema.get("properties").and_then(Value::as_object);
        let is_known = |name: &str| known.is_some_and(|known| known.contains_key(name));
        match given.keys().find(|name| !is_known(name)) {
            Some(name) => Err(ToolError::new(format!("there is no argument `{name}`; {}", names_of(known)))),
            None => Ok(Self(given)),
        }
    }

    fn given(&self, name: &str) -> Option<&Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    pub fn text(&self, name: &str) -> Result<Option<&str>, ToolError> {
        let Some(value) = self.given(name) else { return Ok(None) };
        value.as_str().map(Some).ok_or_else(|| wrong(name, "a text"))
    }

    pub fn required_text(&self, name: &str) -> Result<&str, ToolError> {
        self.text(name)?.ok_or_else(|| ToolError::new(format!("argument `{name}` is missing")))
    }

    pub fn flag(&self, name: &str) -> Result<Option<bool>, ToolError> {
        let Some(value) = self.given(name) else { return Ok(None) };
        value.as_bool().map(Some).ok_or_else(|| wrong(name, "true or false"))
    }

    pub fn number(&self, name: &str, range: RangeInclusive<u64>) -> Result<Option<u64>, ToolError> {
        let Some(value) = self.given(name) else { return Ok(None) };
        let expected = || wrong(name, &format!("a whole number from {} to {}", range.start(), range.end()));
        value.as_u64().filter(|number| range.contains(number)).map(Some).ok_or_else(expected)
    }

    pub fn objects(&self, name: &str) -> Result<&[Value], ToolError> {
        let Some(value) = self.given(name) else { return Ok(&[]) };
        let elements = value.as_array().filter(|elements| elements.iter().all(Value::is_object));
        elements.map(Vec::as_slice).ok_or_else(|| wrong(name, "a list of objects"))
    }

    pub fn texts(&self, name: &str) -> Result<Option<Vec<&str>>, ToolError> {
        let Some(value) = self.given(name) else { return Ok(None) };
        let texts = value.as_array().and_then(|elements| elements.iter().map(Value::as_str).collect());
        texts.map(Some).ok_or_else(|| wrong(name, "a list of texts"))
    }
}

fn wrong(name: &str, expected: &str) -> ToolError {
    ToolError::new(format!("argument `{name}` has to be {expected}"))
}

fn names_of(known: Option<&JsonObject>) -> String {
    let names: Vec<&str> = known.into_iter().flat_map(|known| known.keys().map(String::as_str)).collect();
    match names.is_empty() {
        true => "this tool takes none".to_owned(),
        false => format!("this tool takes {}", names.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use serde_json::json;

    use super::*;

    fn arguments(given: Value) -> Result<Arguments, ToolError> {
        let schema = json!({"properties": {"text": {}, "count": {}, "flag": {}, "list": {}}});
        Arguments::new(given.as_object().cloned(), schema.as_object().unwrap())
    }

    #[test]
    fn arguments_are_read_by_name() {
        let given = arguments(json!({"text": "a", "count": 7, "flag": true, "list": [{"a": 1}]})).unwrap();
        assert_eq!(given.required_text("text").unwrap(), "a");
        assert_eq!(given.number("count", 0..=7).unwrap(), Some(7));
        assert_eq!(given.flag("flag").unwrap(), Some(true));
        assert_eq!(given.objects("list").unwrap().len(), 1);
        let none = arguments(json!({"text": null})).unwrap();
        assert_eq!(none.text("text").unwrap(), None);
        assert!(none.required_text("text").is_err());
        assert!(none.objects("list").unwrap().is_empty());
    }

    #[test]
    fn wrong_ones_are_refused() {
        assert!(arguments(json!({"txet": "a"})).is_err());
        let given = arguments(json!({"text": 1, "count": -1, "flag": "x", "list": ["x"]})).unwrap();
        assert!(given.text("text").is_err());
        assert!(given.number("count", 0..=5).is_err());
        let many = arguments(json!({"count": 7})).unwrap();
        assert!(many.number("count", 1..=6).is_err());
        assert!(many.number("count", 8..=9).is_err());
        assert!(given.flag("flag").is_err());
        assert!(given.objects("list").is_err());
    }
}
