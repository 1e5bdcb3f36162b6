//! The same question about other values: `in 2023` for `in 2024`, one campaign for another. Every word that differs must
//! be a value that the verified SQL has as a literal, just once, and the new one must be of the same kind: a number for a
//! number, a day for a day, and for a text one that the same column of the data has.

use crate::links::value_index::ValueIndex;
use crate::question::time::YEARS;
use crate::question::words::{Word, WordKind, words};
use crate::semantic_model::VerifiedQuery;

use super::{EMPTY_WORDS, Found};

pub(super) fn adapted<'m>(query: &'m VerifiedQuery, values: &ValueIndex, question: &str) -> Option<Found<'m>> {
    let (verified, asked) = (telling(&query.question), telling(question));
    let differences = differences(&verified, &asked)?;
    if is_composed(&query.sql)
        || differences.is_empty()
        || differences.iter().any(|(old, new)| old.is_empty() || new.is_empty())
    {
        return None;
    }
    let mut literals = literals(&query.sql);
    for (old, new) in &differences {
        let (old, new) = exchanged(values, old, new)?;
        if let (Value::Number(from), Value::Number(to)) = (&old, &new)
            && exchange_year(&mut literals, *from, *to).is_some()
        {
            continue;
        }
        let mut places = literals.iter_mut().filter(|literal| literal.new.is_none() && literal.is(&old));
        let only = places.next()?;
        if places.next().is_some() {
            return None;
        }
        only.new = Some(new);
    }
    let sql = with_literals(&query.sql, &literals);
    Some(Found { query, question: question.trim().to_owned(), sql })
}

/// A year that the SQL has as its first day and as the first of the next year or its own last one: both are exchanged.
fn exchange_year(literals: &mut [Literal], from: f64, to: f64) -> Option<()> {
    let is_year = |number: f64| number.fract() == 0.0 && YEARS.contains(&number);
    if !is_year(from) || !is_year(to) || literals.iter().any(|literal| literal.value == Value::Number(from)) {
        return None;
    }
    let days = |year: f64| [format!("{year}-01-01"), format!("{}-01-01", year + 1.0), format!("{year}-12-31")];
    let (old, new) = (days(from), days(to));
    let place = |literal: &Literal| match &literal.value {
        Value::Text(text) => old.iter().position(|day| day == text),
        Value::Number(_) => None,
    };
    let found: Vec<usize> = literals.iter().filter_map(place).collect();
    // Any other day may depend on the year too.
    let is_day = |literal: &&Literal| matches!(&literal.value, Value::Text(text) if chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").is_ok());
    let is_whole = matches!(found.as_slice(), [0, 1] | [0, 2]) && literals.iter().filter(is_day).count() == 2;
    is_whole.then(|| {
        for literal in literals.iter_mut() {
            literal.new = place(literal).map(|at| Value::Text(new[at].clone())).or_else(|| literal.new.take());
        }
    })
}

/// Where a query divides, or combines rows of two queries, its other parts may depend on the value.
fn is_composed(sql: &str) -> bool {
    let words: Vec<String> = sql
        .split(|character: char| !character.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .collect();
    let combines = |word: &String| matches!(word.as_str(), "union" | "intersect" | "except" | "exists");
    sql.contains('/')
        || words.iter().any(combines)
        || words.windows(2).any(|pair| pair[0] == "in" && pair[1] == "select")
}

fn telling(question: &str) -> Vec<Word> {
    let is_telling = |word: &Word| word.kind != WordKind::Mark && !EMPTY_WORDS.contains(&word.lower.as_str());
    words(question).into_iter().filter(is_telling).collect()
}

type Difference<'a> = (&'a [Word], &'a [Word]);

/// The runs of words in which two questions differ; `None` where they have too little in common.
fn differences<'a>(first: &'a [Word], second: &'a [Word]) -> Option<Vec<Difference<'a>>> {
    let common = common_words(first, second);
    if common.len() * 2 < first.len() || common.is_empty() {
        return None;
    }
    let mut found = Vec::new();
    let (mut left, mut right) = (0, 0);
    for (at, other) in common.into_iter().chain([(first.len(), second.len())]) {
        if at > left || other > right {
            found.push((&first[left..at], &second[right..other]));
        }
        (left, right) = (at + 1, other + 1);
    }
    Some(found)
}

/// The longest run of pairs of equal words, in order.
fn common_words(first: &[Word], second: &[Word]) -> Vec<(usize, usize)> {
    let mut lengths = vec![vec![0_usize; second.len() + 1]; first.len() + 1];
    for at in (0..first.len()).rev() {
        for other in (0..second.len()).rev() {
            lengths[at][other] = if first[at].lower == second[other].lower {
                lengths[at + 1][other + 1] + 1
            } else {
                lengths[at + 1][other].max(lengths[at][other + 1])
            };
        }
    }
    let (mut at, mut other) = (0, 0);
    let mut pairs = Vec::new();
    while at < first.len() && other < second.len() {
        if first[at].lower == second[other].lower {
            pairs.push((at, other));
            (at, other) = (at + 1, other + 1);
        } else if lengths[at + 1][other] >= lengths[at][other + 1] {
            at += 1;
        } else {
            other += 1;
        }
    }
    pairs
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    Number(f64),
    Text(String),
}

/// The value before and the value now, if they are of one kind.
fn exchanged(values: &ValueIndex, old: &[Word], new: &[Word]) -> Option<(Value, Value)> {
    if let ([old], [new]) = (old, new) {
        match (&old.kind, &new.kind) {
            (WordKind::Number(old), WordKind::Number(new)) => return Some((Value::Number(*old), Value::Number(*new))),
            (WordKind::Date, WordKind::Date) => {
                return Some((Value::Text(old.text.clone()), Value::Text(new.text.clone())));
            }
            _ => {}
        }
    }
    let text = |words: &[Word]| words.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().join(" ");
    let exact = |text: &str| values.quoted(text).into_iter().filter(|hit| hit.score >= 0.95).collect::<Vec<_>>();
    let before = exact(&text(old));
    let now = exact(&text(new));
    let (old, new) = before.iter().find_map(|old| Some((old, now.iter().find(|new| new.column == old.column)?)))?;
    Some((Value::Text(old.value.clone()), Value::Text(new.value.clone())))
}

/// A literal of the SQL at `start..end`, and what takes its place.
#[derive(Debug)]
struct Literal {
    start: usize,
    end: usize,
    value: Value,
    new: Option<Value>,
}

impl Literal {
    fn is(&self, value: &Value) -> bool {
        match (&self.value, value) {
            (Value::Number(own), Value::Number(other)) => own == other,
            (Value::Text(own), Value::Text(other)) => own.eq_ignore_ascii_case(other),
            _ => false,
        }
    }
}

fn literals(sql: &str) -> Vec<Literal> {
    let bytes = sql.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b'\'' => {
                at = sql[at + 1..].find('\'').map_or(bytes.len(), |end| at + end + 2);
                let inside = sql.get(start + 1..at.saturating_sub(1)).unwrap_or_default();
                found.push(Literal { start, end: at, value: Value::Text(inside.to_owned()), new: None });
            }
            first if first.is_ascii_alphabetic() || first == b'_' => {
                while at < bytes.len() && (bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_') {
                    at += 1;
                }
            }
            first if first.is_ascii_digit() => {
                while at < bytes.len() && (bytes[at].is_ascii_digit() || bytes[at] == b'.') {
                    at += 1;
                }
                if let Ok(value) = sql[start..at].parse() {
                    found.push(Literal { start, end: at, value: Value::Number(value), new: None });
                }
            }
            _ => at += 1,
        }
    }
    found
}

fn with_literals(sql: &str, literals: &[Literal]) -> String {
    let mut text = String::with_capacity(sql.len() + 16);
    let mut at = 0;
    for literal in literals {
        let Some(new) = &literal.new else { continue };
        text.push_str(&sql[at..literal.start]);
        match new {
            Value::Number(number) => text.push_str(&number.to_string()),
            Value::Text(value) => text.push_str(&crate::sql_generation::text_literal(value)),
        }
        at = literal.end;
    }
    text.push_str(&sql[at..]);
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(question: &str, expected: Option<&str>) {
        let query = VerifiedQuery {
            question: "Which customers placed 5 orders in 2024 during Black Friday?".to_owned(),
            sql: "SELECT c1 FROM t WHERE y = 2024 AND p = 'Black Friday' AND n >= 5".to_owned(),
            ..VerifiedQuery::default()
        };
        let mut values = ValueIndex::default();
        for (column, value) in [(1, "Black Friday"), (1, "Winter Sale"), (2, "Norway")] {
            values.add(column, value);
        }
        let found = adapted(&query, &values, question).map(|found| found.sql);
        assert_eq!(found.as_deref(), expected, "{question}");
    }

    #[test]
    fn only_values_may_differ() {
        check(
            "which customers placed 3 orders in 2023 during winter sale",
            Some("SELECT c1 FROM t WHERE y = 2023 AND p = 'Winter Sale' AND n >= 3"),
        );
        check("Which customers placed 5 orders in 2024 during Norway?", None);
        check("Which customers placed 5 orders in 2024 during Easter?", None);
        check("Which suppliers placed 5 orders in 2024 during Black Friday?", None);
        check("Which customers placed 5 orders in 2024?", None);
        check("Which customers placed 5 orders in March 2024 during Black Friday?", None);
    }

    #[test]
    fn a_year_is_exchanged_with_its_days() {
        let adapted_sql = |sql: &str| {
            let question = "How much did we collect per month in 2023?".to_owned();
            let query = VerifiedQuery { question, sql: sql.to_owned(), ..VerifiedQuery::default() };
            adapted(&query, &ValueIndex::default(), "How much did we collect per month in 2024?").map(|found| found.sql)
        };
        let within = |from: &str, to: &str| format!("SELECT m FROM t WHERE d >= '{from}' AND d < '{to}'");
        assert_eq!(adapted_sql(&within("2023-01-01", "2024-01-01")), Some(within("2024-01-01", "2025-01-01")));
        assert_eq!(adapted_sql(&within("2023-01-01", "2023-12-31")), Some(within("2024-01-01", "2024-12-31")));
        assert_eq!(adapted_sql(&within("2023-01-01", "2023-07-01")), None);
        assert_eq!(adapted_sql("SELECT m FROM t WHERE d >= '2023-01-01'"), None);
    }

    #[test]
    fn a_value_of_a_composed_query_is_not_exchanged() {
        let adapted_sql = |sql: &str| {
            let question = "What share of orders in 2024 was returned?".to_owned();
            let query = VerifiedQuery { question, sql: sql.to_owned(), ..VerifiedQuery::default() };
            adapted(&query, &ValueIndex::default(), "What share of orders in 2023 was returned?").map(|found| found.sql)
        };
        assert_eq!(adapted_sql("SELECT r FROM t WHERE y = 2024").as_deref(), Some("SELECT r FROM t WHERE y = 2023"));
        assert_eq!(adapted_sql("SELECT COUNT_IF(r) / COUNT(*) FROM t WHERE y = 2024"), None);
        assert_eq!(adapted_sql("SELECT x FROM t WHERE y = 2024 AND z IN (SELECT z FROM u)"), None);
    }
}
