//! Names that an agent gives, as SQL has them: folded unless quoted. They reach a statement quoted, whatever they are.

use firn_sql::names::quote_identifier;
use firn_sql::{ObjectName, object_name_in_text};

use crate::reply::ToolError;

/// A name of up to so many parts.
pub fn quoted(argument: &str, text: &str, parts_max: usize) -> Result<String, ToolError> {
    let wrong = || {
        let example = ["DB", "DB.SCHEMA", "DB.SCHEMA.NAME"][parts_max.clamp(1, 3) - 1];
        ToolError::new(format!("argument `{argument}` is no name; give it as in SQL, such as {example}"))
    };
    let name = object_name_in_text(text).map_err(|_| wrong())?;
    let parts = parts(&name);
    match parts.len() <= parts_max {
        true => Ok(parts.iter().map(|part| quote_identifier(part)).collect::<Vec<_>>().join(".")),
        false => Err(wrong()),
    }
}

fn parts(name: &ObjectName) -> Vec<&str> {
    [name.database.as_deref(), name.schema.as_deref(), Some(&name.name)].into_iter().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_folded_and_quoted() {
        let check = |text: &str, parts_max: usize, expected: Option<&str>| {
            assert_eq!(quoted("name", text, parts_max).ok().as_deref(), expected, "{text}");
        };
        check("db", 1, Some("\"DB\""));
        check("db.\"a b\".T", 3, Some("\"DB\".\"a b\".\"T\""));
        check("db.s", 1, None);
        check("t; drop table x", 3, None);
        check("\"t; drop \"\"x\"", 3, Some("\"t; drop \"\"x\""));
        check("", 3, None);
    }
}
