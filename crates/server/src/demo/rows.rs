//! Rows of the demo's tables and the INSERT statements that carry them.

use std::fmt::Write;

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

/// VALUES takes no function call in the dialect, so rows with JSON are selected from it.
fn insert_statement<R: Row>(rows: &[R]) -> String {
    let mut tuples = String::new();
    let mut columns: Vec<String> = Vec::new();
    let mut holds_json = false;
    for (row_index, row) in rows.iter().enumerate() {
        let values = row.values();
        tuples.push_str(if row_index == 0 { "(" } else { ",\n(" });
        for (index, value) in values.iter().enumerate() {
            if index > 0 {
                tuples.push(',');
            }
            write_literal(&mut tuples, value);
            if columns.len() == index {
                columns.push(format!("C{index}"));
            }
            if matches!(value, Value::Json(_)) && !columns[index].starts_with("PARSE_JSON") {
                columns[index] = format!("PARSE_JSON(C{index})");
                holds_json = true;
            }
        }
        tuples.push(')');
    }
    if !holds_json {
        return format!("INSERT INTO {} VALUES\n{tuples}", R::TABLE);
    }
    let names: Vec<String> = (0..columns.len()).map(|index| format!("C{index}")).collect();
    format!(
        "INSERT INTO {} SELECT {} FROM (VALUES\n{tuples}) AS V ({})",
        R::TABLE,
        columns.join(", "),
        names.join(", ")
    )
}

fn write_literal(out: &mut String, value: &Value) {
    // Writing to a String cannot fail.
    let _ = match value {
        Value::Null => write!(out, "NULL"),
        Value::Integer(number) => write!(out, "{number}"),
        Value::Amount(Cents(cents)) => write!(out, "{}.{:02}", cents / 100, cents % 100),
        Value::Rating(tenths) => write!(out, "{}.{}", tenths / 10, tenths % 10),
        Value::Boolean(flag) => write!(out, "{}", if *flag { "TRUE" } else { "FALSE" }),
        Value::Text(text) | Value::Json(text) => write!(out, "'{}'", text.replace('\'', "''")),
        Value::Day(day) => write!(out, "'{day}'"),
        Value::Moment(moment) => write!(out, "'{moment}'"),
    };
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
    fn values_become_literals() {
        check(
            &[
                vec![1.into(), "it's".into(), Cents(1_205).into(), Value::Null],
                vec![2.into(), "b".into(), Cents(7).into(), true.into()],
            ],
            "INSERT INTO T VALUES\n(1,'it''s',12.05,NULL),\n(2,'b',0.07,TRUE)",
        );
        let moment = Moment { day: Day::of(2024, 3, 5), second: 3_661 };
        check(
            &[vec![moment.day.into(), moment.into(), Value::Rating(45)]],
            "INSERT INTO T VALUES\n('2024-03-05','2024-03-05 01:01:01',4.5)",
        );
    }

    #[test]
    fn json_is_parsed_on_the_way() {
        check(
            &[vec![1.into(), Value::Null], vec![2.into(), Value::Json("{}".to_owned())]],
            "INSERT INTO T SELECT C0, PARSE_JSON(C1) FROM (VALUES\n(1,NULL),\n(2,'{}')) AS V (C0, C1)",
        );
    }

    #[test]
    fn many_rows_become_several_statements() {
        let rows: Vec<Sample> = (0..4_001).map(|number| Sample(vec![number.into()])).collect();
        assert_eq!(insert_statements(&rows).len(), 3);
    }
}
