//! Words that name something only in quotes.

use crate::ast::Ident;

const RESERVED: [&str; 42] = [
    "ALL",
    "ALTER",
    "AND",
    "ANY",
    "AS",
    "BETWEEN",
    "BY",
    "CHECK",
    "COLUMN",
    "CREATE",
    "DELETE",
    "DISTINCT",
    "DROP",
    "ELSE",
    "EXISTS",
    "FOR",
    "FROM",
    "GRANT",
    "GROUP",
    "HAVING",
    "IN",
    "INSERT",
    "INTERSECT",
    "INTO",
    "IS",
    "LIKE",
    "NOT",
    "NULL",
    "ON",
    "OR",
    "ORDER",
    "REVOKE",
    "SELECT",
    "SET",
    "TABLE",
    "THEN",
    "TO",
    "UNION",
    "UNIQUE",
    "VALUES",
    "WHERE",
    "WITH",
];

/// Reserved words that the parser hands on where no name is meant.
const OUTSIDE_OF_NAMES: [&str; 9] = ["ALL", "ANY", "CHECK", "COLUMN", "FOR", "SET", "TABLE", "TO", "VALUES"];

pub(crate) fn is_reserved(word: &str) -> bool {
    RESERVED.iter().any(|reserved| word.eq_ignore_ascii_case(reserved))
}

/// Whether a name was written as a reserved word without quotes.
pub(crate) fn is_reserved_name(name: &Ident) -> bool {
    name.quote_style.is_none() && is_reserved(&name.value)
}

/// As `is_reserved_name`, where a value is expected.
pub(crate) fn is_reserved_value(name: &Ident) -> bool {
    is_reserved_name(name) && !OUTSIDE_OF_NAMES.iter().any(|word| name.value.eq_ignore_ascii_case(word))
}
