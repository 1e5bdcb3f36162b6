//! Rows of the demo's tables and the INSERT statements that carry them.

use std::fmt;

use super::calendar::{Day, Moment};

/// Rows per INSERT: large enough to be quick, small enough to stay far below the limits.
const ROWS_PER_STATEMENT: usize = 2_000;

/// An amount in hundredths of a euro.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Cents(pub i64);

#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    Null,
    Integer(i64),
    Amount(Cents),
    /// Tenths.
    Rating(i64),
    Boolean(bool),
    /// Without `|`, and not empty.
    Text(String),
    Day(Day),
    Moment(Moment),
    /// JSON text for a VARIANT column.
    Json(String),
}

/// A record that is one row of one table; the values stand in the order of the table's columns.
pub trait Row {
    const TABLE: &'static str;

    fn values(&self) -> Vec<Value>;
}

pub fn insert_statements<R: Row>(rows: &[R]) -> Vec<String> {
    rows.chunks(ROWS_PER_STATEMENT).map(insert_statement).collect()
}

/// Each row travels as one line of text that SQL takes apart again: the engine reads one long
/// literal several times quicker than a dozen short ones.
fn insert_statement<R: Row>(rows: &[R]) -> String {
    let mut kinds: Vec<Option<&Kind>> = Vec::new();
    let mut lines: Vec<String> = Vec::new();
    for row in rows {
        let values = row.values();
        kinds.resize(values.len(), None);
        for (kind, value) in kinds.iter_mut().zip(&values) {
            *kind = kind.or(value.kind());
        }
        let fields: Vec<String> = values.iter().map(Value::to_string).collect();
        lines.push(format!("('{}')", fields.join("|").replace('\'', "''")));
    }
    let columns: Vec<String> = kinds.iter().enumerate().map(|(index, kind)| column(index + 1, *kind)).collect();
    let (table, columns, lines) = (R::TABLE, columns.join(", "), lines.join(",\n"));
    format!("INSERT INTO {table} SELECT {columns} FROM (VALUES\n{lines}) AS V (LINE)")
}

/// How SQL makes a value of a field's text again; an empty field is NULL.
enum Kind {
    Text,
    Json,
    CastTo(&'static str),
}

fn column(number: usize, kind: Option<&Kind>) -> String {
    let field = format!("NULLIF(SPLIT_PART(LINE, '|', {number}), '')");
    match kind {
        Some(Kind::CastTo(data_type)) => format!("{field}::{data_type}"),
        Some(Kind::Json) => format!("PARSE_JSON({field})"),
        Some(Kind::Text) => field,
        None => "NULL".to_owned(),
    }
}

impl Value {
    fn kind(&self) -> Option<&'static Kind> {
        match self {
            Self::Null => None,
            Self::Integer(_) => Some(&Kind::CastTo("INTEGER")),
            Self::Amount(_) => Some(&Kind::CastTo("NUMBER(12,2)")),
            Self::Rating(_) => Some(&Kind::CastTo("NUMBER(2,1)")),
            Self::Boolean(_) => Some(&Kind::CastTo("BOOLEAN")),
            Self::Day(_) => Some(&Kind::CastTo("DATE")),
            Self::Moment(_) => Some(&Kind::CastTo("TIMESTAMP_NTZ")),
            Self::Text(_) => Some(&Kind::Text),
            Self::Json(_) => Some(&Kind::Json),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => Ok(()),
            Self::Integer(number) => write!(formatter, "{number}"),
            Self::Amount(Cents(cents)) => write!(formatter, "{}.{:02}", cents / 100, cents % 100),
            Self::Rating(tenths) => write!(formatter, "{}.{}", tenths / 10, tenths % 10),
            Self::Boolean(flag) => write!(formatter, "{flag}"),
            Self::Text(text) | Self::Json(text) => formatter.write_str(text),
            Self::Day(day) => write!(formatter, "{day}"),
            Self::Moment(moment) => write!(formatter, "{moment}"),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<&String> for Value {
    fn from(text: &String) -> Self {
        Self::Text(text.clone())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Boolean(flag)
    }
}

impl From<Cents> for Value {
    fn from(amount: Cents) -> Self {
        Self::Amount(amount)
    }
}

impl From<Day> for Value {
    fn from(day: Day) -> Self {
        Self::Day(day)
    }
}

impl From<Moment> for Value {
    fn from(moment: Moment) -> Self {
        Self::Moment(moment)
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Sample(Vec<Value>);

    impl Row for Sample {
        const TABLE: &'static str = "T";

        fn values(&self) -> Vec<Value> {
            self.0.clone()
        }
    }

    fn check(rows: &[Vec<Value>], expected: &str) {
        let rows: Vec<Sample> = rows.iter().cloned().map(Sample).collect();
        assert_eq!(insert_statements(&rows), [expected]);
    }

    #[test]
    fn rows_travel_as_lines() {
        check(
            &[
                vec![Value::Null, "it's".into(), Cents(1_205).into(), Value::Null, Value::Null],
                vec![2.into(), "b".into(), Cents(7).into(), true.into(), Value::Null],
            ],
            "INSERT INTO T SELECT NULLIF(SPLIT_PART(LINE, '|', 1), '')::INTEGER, \
             NULLIF(SPLIT_PART(LINE, '|', 2), ''), NULLIF(SPLIT_PART(LINE, '|', 3), '')::NUMBER(12,2), \
             NULLIF(SPLIT_PART(LINE, '|', 4), '')::BOOLEAN, NULL \
             FROM (VALUES\n('|it''s|12.05||'),\n('2|b|0.07|true|')) AS V (LINE)",
        );
        let moment = Moment { day: Day::of(2024, 3, 5), second: 3_661 };
        check(
            &[vec![moment.day.into(), moment.into(), Value::Json("{\"a\":1}".to_owned())]],
            "INSERT INTO T SELECT NULLIF(SPLIT_PART(LINE, '|', 1), '')::DATE, \
             NULLIF(SPLIT_PART(LINE, '|', 2), '')::TIMESTAMP_NTZ, PARSE_JSON(NULLIF(SPLIT_PART(LINE, '|', 3), '')) \
             FROM (VALUES\n('2024-03-05|2024-03-05 01:01:01|{\"a\":1}')) AS V (LINE)",
        );
    }

    #[test]
    fn many_rows_become_several_statements() {
        let rows: Vec<Sample> = (0..4_001).map(|number| Sample(vec![number.into()])).collect();
        assert_eq!(insert_statements(&rows).len(), 3);
    }
}
