//! Names and literals as SQL text.

use crate::interpretation::query::Literal;

const RESERVED: &[&str] = &[
    "account",
    "all",
    "alter",
    "and",
    "any",
    "as",
    "between",
    "by",
    "case",
    "cast",
    "check",
    "column",
    "connect",
    "constraint",
    "create",
    "cross",
    "current",
    "database",
    "default",
    "delete",
    "desc",
    "asc",
    "distinct",
    "drop",
    "else",
    "end",
    "except",
    "exists",
    "false",
    "following",
    "for",
    "foreign",
    "from",
    "full",
    "grant",
    "group",
    "having",
    "ilike",
    "in",
    "increment",
    "inner",
    "insert",
    "intersect",
    "into",
    "is",
    "issue",
    "join",
    "lateral",
    "left",
    "like",
    "limit",
    "localtime",
    "minus",
    "natural",
    "not",
    "null",
    "of",
    "offset",
    "on",
    "or",
    "order",
    "organization",
    "primary",
    "qualify",
    "references",
    "regexp",
    "revoke",
    "right",
    "rlike",
    "row",
    "rows",
    "sample",
    "schema",
    "select",
    "set",
    "show",
    "some",
    "start",
    "table",
    "tablesample",
    "then",
    "to",
    "trigger",
    "true",
    "try_cast",
    "union",
    "unique",
    "update",
    "user",
    "using",
    "values",
    "view",
    "when",
    "whenever",
    "where",
    "window",
    "with",
];

/// A name, quoted where it must be; one that is in quotes stays as it is.
pub fn identifier(name: &str) -> String {
    let inside = name.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
    if inside.is_some_and(|inside| !inside.is_empty() && !inside.contains('"')) {
        return name.to_string();
    }
    let mut characters = name.chars();
    let plain = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|character| character.is_ascii_alphanumeric() || character == '_');
    if plain && !RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
        return name.to_string();
    }
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// The name of a logical table's common table expression.
pub fn table_alias(table: &str) -> String {
    identifier(&format!("__{table}"))
}

pub fn text(value: &str) -> String {
    format!("'{}'", value.replace('\\', "\\\\").replace('\'', "''"))
}

pub fn literal(value: &Literal) -> String {
    match value {
        Literal::Number(number) if number.fract() == 0.0 && number.abs() < 1e15 => format!("{number:.0}"),
        Literal::Number(number) => number.to_string(),
        Literal::Text(value) | Literal::Date(value) => text(value),
    }
}

#[cfg(test)]
mod tests {
    use super::{identifier, literal, text};
    use crate::interpretation::query::Literal;

    #[test]
    fn only_odd_names_are_quoted() {
        assert_eq!(identifier("customer_name"), "customer_name");
        assert_eq!(identifier("Order"), "\"Order\"");
        assert_eq!(identifier("unit price"), "\"unit price\"");
        assert_eq!(identifier("a\"b"), "\"a\"\"b\"");
        assert_eq!(identifier("\"Order Lines\""), "\"Order Lines\"");
    }

    #[test]
    fn literals_cannot_escape() {
        assert_eq!(text("O'Hara"), "'O''Hara'");
        assert_eq!(text("a\\'; drop"), "'a\\\\''; drop'");
        assert_eq!(literal(&Literal::Number(200.0)), "200");
        assert_eq!(literal(&Literal::Number(0.5)), "0.5");
    }
}
