//! Parses an error message of the engine.

use firn_sql::Failure;
use serde_json::Value;

/// One error of the engine, taken apart.
pub(super) struct Report {
    pub(super) exception: String,
    pub(super) message: String,
    pub(super) subtype: String,
    pub(super) name: String,
    pub(super) kind: String,
    pub(super) call: String,
}

impl Report {
    pub(super) fn read(text: &str) -> Self {
        let fields: Value =
            text.find('{').and_then(|start| serde_json::from_str(&text[start..]).ok()).unwrap_or(Value::Null);
        let field = |name: &str| fields[name].as_str().unwrap_or_default().to_owned();
        if fields["exception_type"].is_null() {
            let (exception, message) = text.split_once(" Error: ").unwrap_or(("", text));
            return Self {
                exception: exception.to_owned(),
                message: without_source(message.to_owned()),
                subtype: String::new(),
                name: String::new(),
                kind: String::new(),
                call: String::new(),
            };
        }
        Self {
            exception: field("exception_type"),
            message: without_source(field("exception_message")),
            subtype: field("error_subtype"),
            name: field("name"),
            kind: field("type"),
            call: field("call"),
        }
    }

    /// The text between the first pair of `quote` in the message.
    pub(super) fn quoted(&self, quote: char) -> Option<&str> {
        let (_, rest) = self.message.split_once(quote)?;
        rest.split_once(quote).map(|(inside, _)| inside)
    }

    pub(super) fn after<'report>(&'report self, start: &str) -> Option<&'report str> {
        self.message.strip_prefix(start)
    }
}

/// A message without the engine's word on the column that a value came from. A text of the user may have the same words,
/// but in quotes.
fn without_source(mut message: String) -> String {
    if let Some(at) = message.rfind(" when casting from source column ")
        && !message[at..].contains(['\'', '"'])
    {
        message.truncate(at);
    }
    message
}

pub(super) fn compilation(code: &'static str, sql_state: &'static str, text: &str) -> Failure {
    Failure::new(code, sql_state, format!("SQL compilation error:\n{text}"))
}

/// A message with every absolute path replaced: folders of the host must not be shown.
pub(super) fn without_paths(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let (mut rest, mut before) = (text, ' ');
    while let Some(character) = rest.chars().next() {
        // A path in quotes may have spaces in it; any other one ends with the first.
        let end = match before {
            '"' | '\'' => rest.find(before),
            _ => rest.find([' ', '\n', '"', '\'', ')', ',', ';']),
        };
        let length = end.unwrap_or(rest.len());
        let is_path = character == '/' && length > 1 && !(before.is_alphanumeric() || "_/<".contains(before));
        let taken = if is_path { length } else { character.len_utf8() };
        if is_path {
            shown.push_str("<file>");
        } else {
            shown.push(character);
        }
        before = character;
        rest = &rest[taken..];
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::without_paths;

    #[test]
    fn no_path_of_the_host_is_shown() {
        for (text, shown) in [
            ("Could not write file \"/srv/my data/a.duckdb\": No space", "Could not write file \"<file>\": No space"),
            ("cannot open /srv/a.duckdb, sorry", "cannot open <file>, sorry"),
            ("file=/srv/a (in '/srv/b c/d')", "file=<file> (in '<file>')"),
            ("km/h, 1 / 2 and a/b", "km/h, 1 / 2 and a/b"),
        ] {
            assert_eq!(without_paths(text), shown);
        }
    }
}
