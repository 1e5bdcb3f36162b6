//! Names in the stored queries of views. What a name leaves out is completed by the view's own database and schema when the view
//! is read, so a stored query has placeholders for these parts. A view that is moved, renamed or cloned with its schema
//! reads what is beside it then; what a name says itself stays as it was written.

use std::borrow::Cow;

use crate::names::{MARK, Namespace, quote_identifier};

/// Both begin with `MARK`.
const DATABASE: &str = "\u{1}database";
const SCHEMA: &str = "\u{1}schema";

/// Completes names by the placeholders.
pub fn placeholders() -> Namespace {
    Namespace { database: Some(DATABASE.to_owned()), schema: Some(SCHEMA.to_owned()) }
}

/// The stored query of a view that lies in `schema`.
pub fn complete<'a>(query: &'a str, database: &str, schema: &str) -> Cow<'a, str> {
    if !query.contains(MARK) {
        return Cow::Borrowed(query);
    }
    let values = [(DATABASE, quote_identifier(database)), (SCHEMA, quote_identifier(schema))];
    let placeholders = values.map(|(name, value)| (quote_identifier(name), value));
    let mut completed = String::with_capacity(query.len());
    let mut rest = query;
    // A sequence is named in a text: `NEXTVAL('"DB"."SCHEMA"."SEQ"')`.
    let mut in_text = false;
    while let Some(next) = rest.chars().next() {
        let found = placeholders.iter().find(|(placeholder, _)| rest.starts_with(placeholder.as_str()));
        if let Some((placeholder, value)) = found {
            completed.push_str(&if in_text { Cow::Owned(value.replace('\'', "''")) } else { Cow::Borrowed(value) });
            rest = &rest[placeholder.len()..];
            continue;
        }
        let length = match next {
            '"' if !in_text => quoted_length(rest),
            _ => next.len_utf8(),
        };
        in_text ^= next == '\'';
        completed.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    Cow::Owned(completed)
}

/// How many bytes of a text are the quoted identifier that it begins with; `""` inside of it begins the next one.
fn quoted_length(text: &str) -> usize {
    text[1..].find('"').map_or(text.len(), |end| end + 2)
}

/// The stored query of a view of `database.schema` whose names were stored complete: those of its own schema and database get
/// the placeholders.
pub fn with_placeholders(query: &str, database: &str, schema: &str) -> String {
    let quoted = [database, schema, DATABASE, SCHEMA].map(quote_identifier);
    let [database, schema, any_database, any_schema] = &quoted;
    query
        .replace(&format!("{database}.{schema}."), &format!("{any_database}.{any_schema}."))
        .replace(&format!("{database}."), &format!("{any_database}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_completed_where_the_view_is() {
        let cases = [
            ("SELECT 1", "SELECT 1"),
            ("SELECT * FROM {d}.{s}.\"T\"", "SELECT * FROM \"D\"\"1\".\"o'S\".\"T\""),
            ("SELECT NEXTVAL('{d}.{s}.\"Q\"'), 'it''s'", "SELECT NEXTVAL('\"D\"\"1\".\"o''S\".\"Q\"'), 'it''s'"),
            ("SELECT \"'\" FROM {d}.\"X\".\"T\"", "SELECT \"'\" FROM \"D\"\"1\".\"X\".\"T\""),
            ("SELECT \"a\"\"'\" FROM {d}.{s}.\"T\"", "SELECT \"a\"\"'\" FROM \"D\"\"1\".\"o'S\".\"T\""),
        ];
        for (stored, expected) in cases {
            let stored = stored.replace("{d}", &quote_identifier(DATABASE)).replace("{s}", &quote_identifier(SCHEMA));
            assert_eq!(complete(&stored, "D\"1", "o'S"), expected);
        }
    }

    #[test]
    fn complete_names_of_the_own_schema_follow_it() {
        let stored =
            with_placeholders("SELECT 1 FROM \"D\".\"S\".\"T\", \"D\".\"X\".\"T\", \"E\".\"S\".\"T\"", "D", "S");
        assert_eq!(
            complete(&stored, "D2", "S2"),
            "SELECT 1 FROM \"D2\".\"S2\".\"T\", \"D2\".\"X\".\"T\", \"E\".\"S\".\"T\""
        );
    }
}
