//! Casts of semi-structured values, explicit and implicit: compared with a plain value, a VARIANT counts as the value it
//! holds.

use firn_values::variant::{Number, Variant};

use super::arguments::{Arguments, stored, text, uncastable};
use super::conversions::boolean;
use crate::columns::Column;
use crate::definition::{Answer, Cast, Kind, Run};

const TEXT_COST: i64 = 50;
const DOUBLE_COST: i64 = 120;
const BOOLEAN_COST: i64 = 130;

pub const CASTS: &[Cast] = &[
    explicit(Kind::Text, Kind::Variant, into_variant),
    explicit(Kind::Json, Kind::Variant, into_variant),
    explicit(Kind::Double, Kind::Variant, into_variant),
    explicit(Kind::Date, Kind::Variant, into_variant),
    explicit(Kind::Time, Kind::Variant, into_variant),
    explicit(Kind::Timestamp, Kind::Variant, into_variant),
    explicit(Kind::TimestampLtz, Kind::Variant, into_variant),
    explicit(Kind::TimestampTz, Kind::Variant, into_variant),
    explicit(Kind::Binary, Kind::Variant, into_variant),
    implicit(Kind::Object, Kind::Variant, 1, into_variant),
    implicit(Kind::Array, Kind::Variant, 1, into_variant),
    explicit(Kind::Text, Kind::Object, into_variant),
    explicit(Kind::Text, Kind::Array, into_variant),
    explicit(Kind::Variant, Kind::Object, into_variant),
    explicit(Kind::Variant, Kind::Array, into_variant),
    explicit(Kind::Array, Kind::Object, into_variant),
    explicit(Kind::Object, Kind::Array, into_variant),
    implicit(Kind::Variant, Kind::Text, TEXT_COST, into_text),
    implicit(Kind::Object, Kind::Text, TEXT_COST, into_text),
    implicit(Kind::Array, Kind::Text, TEXT_COST, into_text),
    implicit(Kind::Variant, Kind::Double, DOUBLE_COST, into_double),
    explicit(Kind::Variant, Kind::Integer, into_integer),
    implicit(Kind::Variant, Kind::Boolean, BOOLEAN_COST, |columns, row| boolean(Arguments { columns, row }.value(0))),
];

const fn explicit(source: Kind, target: Kind, run: Run) -> Cast {
    Cast { source, target, implicit_cost: None, run }
}

const fn implicit(source: Kind, target: Kind, cost: i64, run: Run) -> Cast {
    Cast { source, target, implicit_cost: Some(cost), run }
}

fn into_variant<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    Ok(stored(Arguments { columns, row }.value(0)))
}

fn into_text<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    Ok(text(Arguments { columns, row }.text(0)))
}

fn into_double<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    Ok(match (Arguments { columns, row }).value(0) {
        None | Some(Variant::Null | Variant::Undefined) => Answer::Null,
        Some(Variant::Number(number)) => Answer::Double(number.to_double()),
        Some(Variant::Double(value)) => Answer::Double(value),
        Some(Variant::Boolean(value)) => Answer::Double(u8::from(value).into()),
        Some(value) => match &value {
            Variant::Text(written) if let Ok(number) = written.trim().parse() => Answer::Double(number),
            _ => return Err(uncastable(&value, "REAL")),
        },
    })
}

/// Only a whole number: the engine asks for one where it compares, and rounding would make unequal
/// values equal.
fn into_integer<'row>(columns: &'row [Column<'row>], row: usize) -> Result<Answer<'row>, String> {
    match (Arguments { columns, row }).value(0) {
        None | Some(Variant::Null | Variant::Undefined) => Ok(Answer::Null),
        Some(Variant::Number(Number { digits, scale: 0 })) => match i64::try_from(digits) {
            Ok(value) => Ok(Answer::Integer(value)),
            Err(_) => Err(format!("firn:100046:Numeric value '{digits}' is out of range")),
        },
        Some(other) => Err(uncastable(&other, "FIXED")),
    }
}
