//! FLATTEN: the elements of an array or the members of an object, one row each.

use super::Variant;
use crate::running_call::reserve;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    Object,
    Array,
    Both,
}

impl Mode {
    pub fn named(name: &str) -> Option<Self> {
        match name.to_ascii_uppercase().as_str() {
            "OBJECT" => Some(Self::Object),
            "ARRAY" => Some(Self::Array),
            "BOTH" => Some(Self::Both),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    One,
    All,
}

/// Whether every row holds the whole value too: as many copies of it as it has elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum This {
    Included,
    LeftOut,
}

#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    pub depth: Depth,
    pub mode: Mode,
    pub this: This,
}

impl Wanted {
    fn this_of(self, value: &Variant) -> Option<String> {
        (self.this == This::Included).then(|| value.to_json())
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Row {
    pub key: Option<String>,
    pub path: String,
    pub index: Option<u64>,
    pub value: Option<String>,
    pub this: Option<String>,
}

/// The rows of `value`, which is found at `path`. What is undefined makes no row.
pub fn rows(value: &Variant, path: &str, wanted: Wanted) -> Vec<Row> {
    let mut rows = Vec::new();
    collect(value, path, wanted, &mut rows);
    rows
}

/// The row of an input without elements (OUTER => TRUE).
pub fn empty_row(value: Option<&Variant>, path: &str) -> Row {
    Row { key: None, path: path.to_owned(), index: None, value: None, this: value.map(Variant::to_json) }
}

fn collect(value: &Variant, path: &str, wanted: Wanted, rows: &mut Vec<Row>) {
    match value {
        Variant::Array(elements) if wanted.mode != Mode::Object => {
            let this = wanted.this_of(value);
            for (index, element) in (0..).zip(elements).filter(|(_, element)| **element != Variant::Undefined) {
                let row = Row { index: Some(index), ..row_of(element, format!("{path}[{index}]"), &this) };
                push(row, element, wanted, rows);
            }
        }
        Variant::Object(members) if wanted.mode != Mode::Array => {
            let this = wanted.this_of(value);
            for (key, member) in members {
                let row = Row { key: Some(key.clone()), ..row_of(member, key_path(path, key), &this) };
                push(row, member, wanted, rows);
            }
        }
        _ => {}
    }
}

fn row_of(value: &Variant, path: String, this: &Option<String>) -> Row {
    reserve(this.as_ref().map_or(0, String::len) + path.len() + size_of::<Row>());
    let json = value.to_json();
    reserve(json.len());
    Row { key: None, path, index: None, value: Some(json), this: this.clone() }
}

/// The row, and below it what its value holds.
fn push(row: Row, value: &Variant, wanted: Wanted, rows: &mut Vec<Row>) {
    let path = row.path.clone();
    rows.push(row);
    if wanted.depth == Depth::All {
        collect(value, &path, wanted, rows);
    }
}

/// `a.b`, or `a['b c']` where the key is no plain word.
fn key_path(path: &str, key: &str) -> String {
    let is_plain = !key.is_empty()
        && !key.starts_with(|character: char| character.is_ascii_digit())
        && key.chars().all(|character| character.is_alphanumeric() || character == '_');
    match (is_plain, path.is_empty()) {
        (true, true) => key.to_owned(),
        (true, false) => format!("{path}.{key}"),
        (false, _) => format!("{path}['{key}']"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, depth: Depth, mode: Mode, expected: &[&str]) {
        let actual: Vec<String> = rows(&Variant::from_json(json), "", Wanted { depth, mode, this: This::Included })
            .into_iter()
            .map(|row| format!("{} {}", row.path, row.value.unwrap_or_default()))
            .collect();
        assert_eq!(actual, expected, "{json}");
    }

    #[test]
    fn elements_and_members_are_rows() {
        let json = r#"{"a":1,"b":[77,88],"c":{"d":"X"},"e f":null}"#;
        check("[1,undefined,77]", Depth::One, Mode::Both, &["[0] 1", "[2] 77"]);
        check(json, Depth::One, Mode::Both, &["a 1", "b [77,88]", "c {\"d\":\"X\"}", "['e f'] null"]);
        check(
            json,
            Depth::All,
            Mode::Both,
            &["a 1", "b [77,88]", "b[0] 77", "b[1] 88", "c {\"d\":\"X\"}", "c.d \"X\"", "['e f'] null"],
        );
        check(json, Depth::All, Mode::Object, &["a 1", "b [77,88]", "c {\"d\":\"X\"}", "c.d \"X\"", "['e f'] null"]);
        check(json, Depth::One, Mode::Array, &[]);
        check("1", Depth::One, Mode::Both, &[]);
    }
}
