//! Implicit coercions: which types become which without a cast, and the type that holds the values of several.

use std::sync::Arc;

use firn_sql::command::DataType;

use crate::arithmetic::{Digits, TEXT_AS_NUMBER};
use crate::types::{Family, TEXT_LENGTH_MAX, Type, ValueType};

use Family::{
    Array, Boolean, Date, Float, Number, Object, Structured, Text, Time, TimestampLtz, TimestampNtz, TimestampTz,
    Variant,
};

/// The one table of implicit coercions: what every family becomes where another one is required. Every type becomes
/// itself, NULL becomes every type, and timestamps become each other.
const COERCIONS: &[(Family, &[Family])] = &[
    (Number, &[Float, Boolean, Text, Variant, TimestampNtz, TimestampLtz, TimestampTz]),
    (Float, &[Number, Boolean, Text, Variant]),
    (Text, &[Number, Float, Boolean, Date, Time, TimestampNtz, TimestampLtz, TimestampTz]),
    (Boolean, &[Number, Text, Variant]),
    (Date, &[Text, TimestampNtz, TimestampLtz, TimestampTz]),
    (Time, &[Text]),
    (TimestampNtz, &[Date, Time, Text, TimestampLtz, TimestampTz]),
    (TimestampLtz, &[Date, Time, Text, TimestampNtz, TimestampTz]),
    (TimestampTz, &[Date, Time, Text, TimestampNtz, TimestampLtz]),
    (Variant, &[Number, Float, Boolean, Text, Date, Time, TimestampNtz, TimestampLtz, TimestampTz, Array, Object]),
    (Object, &[Variant]),
    (Array, &[Variant]),
    (Structured, &[Variant, Array, Object]),
];

/// True if a value of one family is coerced to the other without a cast.
pub fn is_implicit(from: Family, to: Family) -> bool {
    if from == to || from == Family::Null || from == Family::Unknown || to == Family::Unknown {
        return true;
    }
    COERCIONS.iter().find(|(source, _)| *source == from).is_some_and(|(_, targets)| targets.contains(&to))
}

/// True if a column of one family takes no value of the other, for numbers, truth values, dates and times: what a column
/// of any other type does with a value depends on more than its family.
pub(crate) fn is_refused_by_column(from: Family, to: Family) -> bool {
    let is_plain = |family: Family| matches!(family, Number | Float | Boolean) || family.is_temporal();
    let is_number = |family: Family| matches!(family, Float | Boolean);
    is_plain(from) && is_plain(to) && !is_implicit(from, to) && !(is_number(from) && is_number(to))
}

/// The type of a column or an expression that holds values of both types: the branches of a CASE, the arguments of
/// COALESCE, the sides of a UNION.
pub fn common_type(left: &Type, right: &Type) -> Type {
    match (left, right) {
        (Type::Null, other) | (other, Type::Null) => other.clone(),
        (Type::Unknown, _) | (_, Type::Unknown) => Type::Unknown,
        (Type::Of(left), Type::Of(right)) => common_data_type(left, right).map_or(Type::Unknown, Type::Of),
    }
}

pub(crate) fn common_of<'types>(types: impl IntoIterator<Item = &'types Type>) -> Type {
    types.into_iter().fold(Type::Null, |common, next| common_type(&common, next))
}

/// The collation of what is made of several texts: the first that one of them has.
pub(crate) fn common_collation<'values>(values: impl IntoIterator<Item = &'values ValueType>) -> Option<Arc<str>> {
    values.into_iter().find_map(|value| value.collation.clone())
}

fn common_data_type(left: &DataType, right: &DataType) -> Option<DataType> {
    if left == right {
        return Some(left.clone());
    }
    if let (Some(left), Some(right)) = (Digits::of(left), Digits::of(right)) {
        return Some(left.union(right).data_type());
    }
    match (left, right) {
        (DataType::Varchar { length: left }, DataType::Varchar { length: right }) => {
            Some(DataType::Varchar { length: longer(*left, *right) })
        }
        (DataType::Binary { length: left }, DataType::Binary { length: right }) => {
            Some(DataType::Binary { length: longer(*left, *right) })
        }
        (DataType::Time { scale: left }, DataType::Time { scale: right }) => {
            Some(DataType::Time { scale: *left.max(right) })
        }
        _ => common_of_families(left, right),
    }
}

fn longer(left: Option<u64>, right: Option<u64>) -> Option<u64> {
    match (left, right) {
        (Some(left), Some(right)) => Some(left.max(right)),
        (Some(TEXT_LENGTH_MAX), None) | (None, Some(TEXT_LENGTH_MAX)) => Some(TEXT_LENGTH_MAX),
        _ => None,
    }
}

/// A text and another type have that type, a text and a number NUMBER(18,5), an exact number and a FLOAT are a FLOAT, and
/// two timestamps have the type with more time zone information.
fn common_of_families(left: &DataType, right: &DataType) -> Option<DataType> {
    let (one, other) = (Family::of(left), Family::of(right));
    if one.is_instant() && other.is_instant() {
        return common_instant(left, right);
    }
    match (one, other) {
        (Family::Structured, Family::Structured) => None,
        _ if one.is_semi_structured() && one == other => Some(left.clone()),
        _ if one.is_semi_structured() || other.is_semi_structured() => Some(DataType::Variant),
        (Family::Float, Family::Number) | (Family::Number, Family::Float) => Some(DataType::Float),
        (Family::Text, Family::Number) => Digits::of(right).map(|digits| digits.union(TEXT_AS_NUMBER).data_type()),
        (Family::Number, Family::Text) => Digits::of(left).map(|digits| digits.union(TEXT_AS_NUMBER).data_type()),
        (Family::Text, _) if is_implicit(Family::Text, other) => Some(right.clone()),
        (_, Family::Text) if is_implicit(Family::Text, one) => Some(left.clone()),
        _ => None,
    }
}

fn common_instant(left: &DataType, right: &DataType) -> Option<DataType> {
    let (one, other) = (place(left)?, place(right)?);
    let scale = one.scale.max(other.scale);
    Some(match one.rank.max(other.rank) {
        0 => DataType::Date,
        1 => DataType::TimestampNtz { scale },
        2 => DataType::TimestampLtz { scale },
        _ => DataType::TimestampTz { scale },
    })
}

struct Instant {
    rank: u8,
    scale: u8,
}

fn place(data_type: &DataType) -> Option<Instant> {
    let (rank, scale) = match data_type {
        DataType::Date => (0, 0),
        DataType::TimestampNtz { scale } => (1, *scale),
        DataType::TimestampLtz { scale } => (2, *scale),
        DataType::TimestampTz { scale } => (3, *scale),
        _ => return None,
    };
    Some(Instant { rank, scale })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use firn_sql::data_type_of_text;

    use super::*;

    fn read(text: &str) -> Type {
        if text == "null" { Type::Null } else { Type::Of(data_type_of_text(text).unwrap()) }
    }

    #[test]
    fn the_common_type_holds_both() {
        for (left, right, expected) in [
            ("number(10,2)", "number(5,4)", "NUMBER(12,4)"),
            ("int", "number(5,4)", "NUMBER(38,4)"),
            ("int", "float", "FLOAT"),
            ("varchar(3)", "varchar(5)", "VARCHAR(5)"),
            ("varchar(3)", "varchar", "VARCHAR(16777216)"),
            ("varchar(3)", "number(4,1)", "NUMBER(18,5)"),
            ("varchar(3)", "date", "DATE"),
            ("boolean", "varchar(5)", "BOOLEAN"),
            ("null", "date", "DATE"),
            ("date", "timestamp_ntz(3)", "TIMESTAMP_NTZ(3)"),
            ("timestamp_ltz(3)", "timestamp_ntz(6)", "TIMESTAMP_LTZ(6)"),
            ("timestamp_tz", "date", "TIMESTAMP_TZ(9)"),
            ("time(3)", "time(0)", "TIME(3)"),
            ("variant", "number(3,0)", "VARIANT"),
            ("array", "variant", "VARIANT"),
            ("array", "array", "ARRAY"),
            ("binary(3)", "binary(5)", "BINARY(5)"),
            ("binary(3)", "number(3,0)", "UNKNOWN"),
            ("date", "number(3,0)", "UNKNOWN"),
        ] {
            assert_eq!(common_type(&read(left), &read(right)).to_string(), expected, "{left}, {right}");
            assert_eq!(common_type(&read(right), &read(left)).to_string(), expected, "{right}, {left}");
        }
    }

    #[test]
    fn coercions_are_those_of_the_table() {
        for (from, to, expected) in [
            (Number, Text, true),
            (Text, Number, true),
            (Text, Variant, false),
            (Variant, Text, true),
            (Date, Number, false),
            (Date, TimestampTz, true),
            (Family::Binary, Text, false),
            (Family::Null, Family::Geography, true),
            (Family::Geography, Family::Geography, true),
            (Boolean, Float, false),
        ] {
            assert_eq!(is_implicit(from, to), expected, "{from:?} to {to:?}");
        }
    }
}
