//! Compares what came with what was expected, where the expectation may leave things open.
//!
//! Objects are compared by the fields the expectation names, arrays element by element. A string of
//! the form `<…>` stands for a kind of value:
//!
//! | placeholder | matches |
//! |---|---|
//! | `<any>` | anything that is there, null too |
//! | `<absent>` | a field that is not there |
//! | `<uuid>`, `<int>`, `<string>` | a value of that kind |
//! | `<contains …>`, `<starts …>` | a string with that text in it, at its start |
//! | `<not …>` | any other string |

use serde_json::Value;
use uuid::Uuid;

/// Every difference as one line, each with the path to where it is; none when all matches.
pub fn differences(expected: &Value, actual: &Value) -> Vec<String> {
    let mut found = Vec::new();
    compare("", expected, Some(actual), &mut found);
    found
}

fn compare(path: &str, expected: &Value, actual: Option<&Value>, found: &mut Vec<String>) {
    if matches_placeholder(expected, actual) == Some(true) {
        return;
    }
    match (expected, actual) {
        (Value::Object(fields), Some(Value::Object(there))) => {
            for (name, value) in fields {
                compare(&format!("{path}.{name}"), value, there.get(name), found);
            }
        }
        (Value::Array(wanted), Some(Value::Array(there))) => {
            if wanted.len() != there.len() {
                found.push(format!("{}: expected {} elements, got {}", named(path), wanted.len(), there.len()));
            }
            for (index, value) in wanted.iter().enumerate().take(there.len()) {
                compare(&format!("{path}[{index}]"), value, there.get(index), found);
            }
        }
        (_, Some(actual)) if expected == actual => {}
        (_, Some(actual)) => found.push(format!("{}: expected {expected}, got {}", named(path), cut(actual))),
        (_, None) => found.push(format!("{}: expected {expected}, got nothing", named(path))),
    }
}

/// `None` when the expectation is no placeholder.
fn matches_placeholder(expected: &Value, actual: Option<&Value>) -> Option<bool> {
    let inner = expected.as_str()?.strip_prefix('<')?.strip_suffix('>')?;
    let (kind, text) = inner.split_once(' ').unwrap_or((inner, ""));
    let string = actual.and_then(Value::as_str);
    let holds = match kind {
        "any" => actual.is_some(),
        "absent" => actual.is_none(),
        "uuid" => string.is_some_and(|value| Uuid::try_parse(value).is_ok()),
        "int" => actual.is_some_and(Value::is_i64),
        "string" => string.is_some(),
        "contains" => string.is_some_and(|value| value.contains(text)),
        "starts" => string.is_some_and(|value| value.starts_with(text)),
        "not" => string.is_some_and(|value| value != text),
        _ => return None,
    };
    Some(holds)
}

fn named(path: &str) -> &str {
    path.strip_prefix('.').unwrap_or(if path.is_empty() { "the body" } else { path })
}

fn cut(value: &Value) -> String {
    let text = value.to_string();
    if text.chars().count() <= 300 {
        return text;
    }
    text.chars().take(300).chain("…".chars()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(expected: &str, actual: &str, differing: usize) {
        let parse = |text: &str| serde_json::from_str::<Value>(text).unwrap();
        let found = differences(&parse(expected), &parse(actual));
        assert_eq!(found.len(), differing, "{expected} against {actual}: {found:?}");
    }

    #[test]
    fn only_what_is_named_is_compared() {
        check(r#"{"a":1}"#, r#"{"a":1,"b":2}"#, 0);
        check(r#"{"a":1}"#, r#"{"b":2}"#, 1);
        check(r#"{"a":{"b":[1,2]}}"#, r#"{"a":{"b":[1,3]}}"#, 1);
        check(r#"{"a":[1]}"#, r#"{"a":[1,2]}"#, 1);
    }

    #[test]
    fn placeholders_match_kinds() {
        check(r#"{"a":"<int>","b":"<absent>"}"#, r#"{"a":7}"#, 0);
        check(r#"{"a":"<int>"}"#, r#"{"a":"7"}"#, 1);
        check(r#""<contains bc>""#, r#""abcd""#, 0);
        check(r#""<uuid>""#, r#""no""#, 1);
    }
}
