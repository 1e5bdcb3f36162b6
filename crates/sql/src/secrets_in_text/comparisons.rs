//! Comparisons of columns that are named like secrets, which queries and changes of rows have in their conditions.

use std::ops::Range;

const STATEMENTS: [&str; 6] = ["SELECT", "WITH", "UPDATE", "DELETE", "INSERT", "MERGE"];
const BEFORE_CONDITIONS: [&str; 8] = ["WHERE", "AND", "OR", "NOT", "ON", "HAVING", "WHEN", "QUALIFY"];

/// Whether the name is a column that a condition compares. Not within another text, where one cannot tell.
pub(super) fn is_comparison(text: &str, name: &Range<usize>) -> bool {
    let before = &text[..name.start];
    let first = before.split_whitespace().next().unwrap_or_default();
    let is_one_of = |word: &str, known: &[&str]| known.iter().any(|known| word.eq_ignore_ascii_case(known));
    if !is_one_of(first, &STATEMENTS) || before.contains("$$") || !before.matches('\'').count().is_multiple_of(2) {
        return false;
    }
    let sign = text[name.end..].trim_start_matches('"').trim_start();
    if !sign.starts_with('=') || sign.starts_with("=>") || sign.starts_with("==") {
        return false;
    }
    // The column may have a table before it.
    let is_part = |c: char| c.is_alphanumeric() || "_$.\"".contains(c);
    let condition = before.trim_end_matches(is_part);
    let qualifier = &before[condition.len()..];
    if !(qualifier.is_empty() || qualifier == "\"" || qualifier.trim_end_matches('"').ends_with('.')) {
        return false;
    }
    let condition = condition.trim_end().trim_end_matches('(').trim_end();
    let word = condition.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or_default();
    is_one_of(word, &BEFORE_CONDITIONS)
}

#[cfg(test)]
mod tests {
    use super::super::hidden;

    #[test]
    fn conditions_are_shown_and_assignments_hidden() {
        for text in [
            "select * from t where password='a'",
            "select * from t where (password = 'a' and t.api_key = 'b') or not \"PASSWORD\" = 'c'",
            "with c as (select 1) select * from c join t on t.\"PASSWORD\" = 'x'",
            "delete from t where password = 'a'",
        ] {
            assert_eq!(hidden(text), text);
        }
        for (text, expected) in [
            ("update t set password = 'a' where password = 'b'", "update t set password = '****' where password = 'b'"),
            ("select f(password => 'a')", "select f(password => '****')"),
            ("select 'x where password = ''a'''", "select 'x where password = ''****'''"),
            ("select 1; alter user u set password = 'a'", "select 1; alter user u set password = '****'"),
            ("alter user u where password = 'a'", "alter user u where password = '****'"),
            ("select password = 'a'", "select password = '****'"),
        ] {
            assert_eq!(hidden(text), expected);
        }
    }
}
