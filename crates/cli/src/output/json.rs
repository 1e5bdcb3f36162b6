//! JSON: an array of objects, or an object on every line. Numbers are numbers with all their digits, semi-structured values
//! are what they are, and NULL is null.

use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Write};

use super::cells::{compact_json, is_numeric, is_semi_structured, steers};
use super::format::{Row, RowWriter};
use crate::server::statements::Column;

const UNDEFINED: &str = "undefined";

pub struct Json {
    form: Form,
    /// Name and type of every column; the name as JSON with its colon.
    columns: Vec<(String, String)>,
    rows_written: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Array,
    Lines,
}

impl Json {
    pub fn array() -> Self {
        Self { form: Form::Array, columns: Vec::new(), rows_written: 0 }
    }

    pub fn lines() -> Self {
        Self { form: Form::Lines, columns: Vec::new(), rows_written: 0 }
    }
}

impl RowWriter for Json {
    fn begin(&mut self, columns: &[Column], out: &mut dyn Write) -> io::Result<()> {
        let keys = unique_names(columns.iter().map(|column| column.name.as_str()));
        let kinds = columns.iter().map(|column| column.kind.clone());
        self.columns = keys.into_iter().map(|key| format!("{}:", quoted(&key))).zip(kinds).collect();
        if self.form == Form::Array { out.write_all(b"[") } else { Ok(()) }
    }

    fn row(&mut self, cells: &Row<'_>, out: &mut dyn Write) -> io::Result<()> {
        if self.form == Form::Array {
            out.write_all(if self.rows_written == 0 { b"\n" } else { b",\n" })?;
        }
        self.rows_written += 1;
        let mut line = String::from("{");
        for (index, ((key, kind), cell)) in self.columns.iter().zip(cells).enumerate() {
            if index > 0 {
                line.push(',');
            }
            line.push_str(key);
            push_value(&mut line, kind, cell.as_deref());
        }
        line.push('}');
        if self.form == Form::Lines {
            line.push('\n');
        }
        out.write_all(harmless(&line).as_bytes())
    }

    fn end(&mut self, out: &mut dyn Write) -> io::Result<()> {
        match (self.form, self.rows_written) {
            (Form::Lines, _) => Ok(()),
            (Form::Array, 0) => out.write_all(b"]\n"),
            (Form::Array, _) => out.write_all(b"\n]\n"),
        }
    }
}

fn push_value(line: &mut String, kind: &str, cell: Option<&str>) {
    match cell {
        None => line.push_str("null"),
        Some(number) if is_numeric(kind) && is_json_number(number) => line.push_str(number),
        Some(truth @ ("true" | "false")) if kind == "boolean" => line.push_str(truth),
        Some(value) if is_semi_structured(kind) && is_json(value) => line.push_str(&compact_json(value)),
        Some(value) if is_semi_structured(kind) && value.starts_with(['[', '{']) => {
            let value = with_null(&compact_json(value));
            line.push_str(&if is_json(&value) { value } else { quoted(&value) });
        }
        Some(text) => line.push_str(&quoted(text)),
    }
}

/// `undefined`, which JSON does not know, as null.
fn with_null(value: &str) -> String {
    let mut parts = value.split('"');
    let mut written = parts.next().unwrap_or_default().replace(UNDEFINED, "null");
    let mut is_in_text = true;
    for part in parts {
        written.push('"');
        written.push_str(&if is_in_text { part.to_owned() } else { part.replace(UNDEFINED, "null") });
        let backslashes = part.len() - part.trim_end_matches('\\').len();
        let goes_on = is_in_text && backslashes % 2 == 1;
        is_in_text = goes_on || !is_in_text;
    }
    written
}

fn is_json(text: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok()
}

fn is_json_number(text: &str) -> bool {
    text.ends_with(|last: char| last.is_ascii_digit()) && is_json(text)
}

/// The same JSON without signs that would steer a terminal; they are in texts only.
fn harmless(line: &str) -> Cow<'_, str> {
    let steers = |character: char| character != '\n' && steers(character);
    if !line.chars().any(steers) {
        return Cow::Borrowed(line);
    }
    let shown = |character: char| match steers(character) {
        true => format!("\\u{:04x}", u32::from(character)),
        false => character.to_string(),
    };
    Cow::Owned(line.chars().map(shown).collect())
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// An object has a name once: the second `A` is `A_2`.
fn unique_names<'a>(names: impl Iterator<Item = &'a str>) -> Vec<String> {
    let mut seen = HashSet::new();
    names
        .map(|name| {
            let mut unique = name.to_owned();
            let mut number = 2;
            while !seen.insert(unique.clone()) {
                unique = format!("{name}_{number}");
                number += 1;
            }
            unique
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_keep_their_kind() {
        let check = |kind: &str, cell: &str, expected: &str| {
            let mut line = String::new();
            push_value(&mut line, kind, Some(cell));
            assert_eq!(line, expected, "{kind} {cell}");
        };
        check("fixed", "12345678901234567890123456789.50", "12345678901234567890123456789.50");
        check("real", "NaN", "\"NaN\"");
        check("real", "1.5e300", "1.5e300");
        check("boolean", "true", "true");
        check("text", "1", "\"1\"");
        check("array", "[\n  1,\n  \"a\"\n]", "[1,\"a\"]");
        check("variant", "undefined", "\"undefined\"");
        check(
            "array",
            "[\n  1,\n  undefined,\n  \"undefined \\\" undefined\"\n]",
            "[1,null,\"undefined \\\" undefined\"]",
        );
        check("geography", "POINT(1 2)", "\"POINT(1 2)\"");
    }

    #[test]
    fn nothing_steers_a_terminal() {
        assert_eq!(harmless("\"a\u{9b}\u{202e}\"\n"), "\"a\\u009b\\u202e\"\n");
    }

    #[test]
    fn names_are_unique() {
        assert_eq!(unique_names(["A", "A", "B", "A_2", "A"].into_iter()), ["A", "A_2", "B", "A_2_2", "A_3"]);
    }
}
