//! The expressions of a plan in the words of the dialect: functions and types by their names there, and no name or number that
//! only the engine knows.

use std::collections::HashMap;
use std::sync::LazyLock;

use firn_sql::functions::{EngineCall, all, find};

/// Functions that lowering makes of operators, casts and paths.
const FUNCTIONS: &[(&str, &str)] = &[
    ("count_star", "COUNT"),
    ("json_extract", "GET_PATH"),
    ("json_extract_string", "GET_PATH"),
    ("list_value", "ARRAY_CONSTRUCT"),
    ("strlen", "OCTET_LENGTH"),
    ("struct_extract", "GET"),
    ("struct_pack", "OBJECT_CONSTRUCT"),
    ("sum_no_overflow", "SUM"),
];

/// The engine's types and the dialect's.
const TYPES: &[(&str, &str)] = &[
    ("BIGINT", "NUMBER(38,0)"),
    ("BLOB", "BINARY"),
    ("DOUBLE", "FLOAT"),
    ("FIRN_TIMESTAMP_TZ", "TIMESTAMP_TZ"),
    ("FIRN_VARIANT", "VARIANT"),
    ("HUGEINT", "NUMBER(38,0)"),
    ("INTEGER", "NUMBER(38,0)"),
    ("JSON", "VARIANT"),
    ("TIMESTAMP", "TIMESTAMP_NTZ"),
    ("TIMESTAMPTZ", "TIMESTAMP_LTZ"),
];

const ZONED: &str = "TIMESTAMP WITH TIME ZONE";
/// Begins the names of columns that lowering makes, such as `firn rows 1`.
const MADE: &str = "firn ";

/// The dialect's names of functions that the engine has under other ones.
static BY_ENGINE: LazyLock<HashMap<&'static str, &'static str>> = LazyLock::new(|| {
    let named = all().filter_map(|entry| match entry.engine_call {
        EngineCall::Named(name) => Some((name, entry.name)),
        _ => None,
    });
    named.chain(FUNCTIONS.iter().copied()).collect()
});

/// An expression of the engine; `inputs` are those of the step below, which it refers to by their places.
pub(super) fn in_dialect(expression: &str, inputs: &[String]) -> String {
    let mut shown = String::with_capacity(expression.len());
    let mut rest = expression;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\'' | '"' => quoted_length(rest, first),
            'T' if rest.starts_with(ZONED) && !shown.ends_with(is_part_of_word) => ZONED.len(),
            'f' if rest.starts_with(MADE) && !shown.ends_with(is_part_of_word) => made_length(rest),
            '#' => reference_length(rest),
            _ if is_part_of_word(first) => rest.find(|c| !is_part_of_word(c)).unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        match first {
            'T' if token == ZONED => shown.push_str("TIMESTAMP_LTZ"),
            'f' if token.starts_with(MADE) => shown.push('…'),
            '"' if token[1..].starts_with(MADE) || is_made(token.trim_matches('"')) => shown.push('…'),
            '_' if is_made(token) => shown.push('…'),
            '#' if length > 1 => shown.push_str(&referenced(token, inputs)),
            _ if is_part_of_word(first) && !first.is_ascii_digit() => push_word(&mut shown, token, behind),
            _ => shown.push_str(token),
        }
        rest = behind;
    }
    shown
}

/// `__D0`: a column or a relation that the query of a semantic view computes.
fn is_made(name: &str) -> bool {
    let Some(number) = name.strip_prefix("__").and_then(|name| name.strip_prefix(['C', 'D', 'P'])) else {
        return false;
    };
    !number.is_empty() && number.bytes().all(|digit| digit.is_ascii_digit())
}

fn push_word(shown: &mut String, word: &str, behind: &str) {
    let is_type = shown.ends_with(" AS ") || shown.ends_with("::");
    if let Some((_, dialect)) = TYPES.iter().find(|(engine, _)| is_type && word.eq_ignore_ascii_case(engine)) {
        shown.push_str(dialect);
    } else if behind.starts_with('(') && !is_type {
        shown.push_str(&function(word));
    } else {
        shown.push_str(word.strip_prefix("firn_").unwrap_or(word));
    }
}

fn function(name: &str) -> String {
    if let Some(dialect) = BY_ENGINE.get(name) {
        return (*dialect).to_owned();
    }
    let bare = name.strip_prefix("firn_").unwrap_or(name).trim_start_matches('_').to_ascii_uppercase();
    find(&bare).map_or(bare, |entry| entry.name.to_owned())
}

/// `#3`, the fourth input, or `#[0.3]`.
fn referenced(reference: &str, inputs: &[String]) -> String {
    let digits = reference.trim_end_matches(']').rsplit(['#', '.']).next().unwrap_or_default();
    let place: Option<usize> = digits.parse().ok();
    match place.and_then(|place| inputs.get(place)) {
        Some(input) => input.clone(),
        None => place.map_or_else(String::new, |place| format!("${}", place + 1)),
    }
}

fn is_part_of_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

/// Words in small letters, and numbers.
fn made_length(text: &str) -> usize {
    let is_made = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == ' ';
    text[..text.find(|c| !is_made(c)).unwrap_or(text.len())].trim_end().len()
}

fn reference_length(text: &str) -> usize {
    if text.starts_with("#[") {
        return text.find(']').map_or(1, |end| end + 1);
    }
    1 + text[1..].find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len() - 1)
}

fn quoted_length(text: &str, quote: char) -> usize {
    text[1..].find(quote).map_or(text.len(), |end| end + 2)
}

#[cfg(test)]
mod tests {
    use super::in_dialect;

    #[test]
    fn expressions_have_the_names_of_the_dialect() {
        let inputs = ["V".to_owned(), "ID + 1".to_owned()];
        for (engine, dialect) in [
            ("sum_no_overflow(#1)", "SUM(ID + 1)"),
            ("count_star()", "COUNT()"),
            ("sum(#7)", "SUM($8)"),
            ("arg_min(#[0.1], S)", "ARG_MIN(ID + 1, S)"),
            ("CAST(D AS TIMESTAMP WITH TIME ZONE)", "CAST(D AS TIMESTAMP_LTZ)"),
            ("(firn rows 12 IS NOT NULL)", "(… IS NOT NULL)"),
            ("json_extract_string(V, '$.a')", "GET_PATH(V, '$.a')"),
            ("CAST(A AS BIGINT) > 1", "CAST(A AS NUMBER(38,0)) > 1"),
            ("(upper(\"sum_no_overflow(x)\") = 'firn_text(a)')", "(UPPER(\"sum_no_overflow(x)\") = 'firn_text(a)')"),
            ("V, ID>1", "V, ID>1"),
            ("__D0, \"__P12\".X, __DAY", "…, ….X, __DAY"),
        ] {
            assert_eq!(in_dialect(engine, &inputs), dialect);
        }
    }
}
