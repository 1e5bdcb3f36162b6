//! The types of operators.

use firn_sql::ast::{BinaryOperator, Expr, Interval, Value};
use firn_sql::command::DataType;
use firn_sql::date_parts;

use crate::arithmetic::{self, Digits, TEXT_AS_NUMBER};
use crate::types::{DATE_PARTS, FRACTION_DIGITS_MAX, Family, PRECISION_MAX, TEXT, TEXT_LENGTH_MAX, Type, number};

/// The days between two dates.
const DAYS: DataType = number(9, 0);

pub(crate) fn binary(left: &Type, op: &BinaryOperator, right: &Type) -> Type {
    match op {
        BinaryOperator::StringConcat => concatenation(left, right),
        BinaryOperator::Plus
        | BinaryOperator::Minus
        | BinaryOperator::Multiply
        | BinaryOperator::Divide
        | BinaryOperator::Modulo => calculation(left, op, right),
        _ => Type::Of(DataType::Boolean),
    }
}

/// Whether an arithmetic operator has an operand that is neither a number nor coerced to one. Arithmetic on dates and
/// times is not checked here.
pub(crate) fn refuses(operands: &[&Type]) -> bool {
    let is_no_number = |operand: &&Type| {
        use Family::{Array, Binary, Boolean, Geography, Geometry, Object, Structured};
        matches!(operand.family(), Array | Binary | Boolean | Geography | Geometry | Object | Structured)
    };
    operands.iter().any(is_no_number) && !operands.iter().any(|operand| operand.family().is_temporal())
}

/// Whether a value has no parts that a path could lead to.
pub(crate) fn has_no_parts(value: &Type) -> bool {
    let family = value.family();
    matches!(family, Family::Number | Family::Float | Family::Text | Family::Boolean | Family::Binary)
        || family.is_temporal()
}

pub(crate) fn is_for_numbers(op: &BinaryOperator) -> bool {
    use BinaryOperator::{Divide, Minus, Modulo, Multiply, Plus};
    matches!(op, Divide | Minus | Modulo | Multiply | Plus)
}

/// A literal of an interval to the right of `+` or `-`: a date stays one if the interval is one of whole days.
pub(crate) fn plus_interval(left: &Type, interval: &Interval) -> Type {
    match left {
        Type::Of(DataType::Date) if has_whole_days(interval) => DataType::Date.into(),
        Type::Of(DataType::Date) => DataType::TimestampNtz { scale: FRACTION_DIGITS_MAX }.into(),
        Type::Of(data_type) if Family::of(data_type).is_temporal() => left.clone(),
        _ => Type::Unknown,
    }
}

/// `'1 year, 2 days'`, or `'1' DAY`.
fn has_whole_days(interval: &Interval) -> bool {
    let is_day = |unit: &str| date_parts::canonical(unit).is_some_and(|part| DATE_PARTS.contains(&part));
    if let Some(field) = &interval.leading_field {
        return is_day(&field.to_string());
    }
    let Expr::Value(value) = &*interval.value else { return false };
    let Value::SingleQuotedString(text) = &value.value else { return false };
    text.split(',').all(|part| part.split_whitespace().nth(1).is_some_and(is_day))
}

pub(crate) fn sign(operand: &Type) -> Type {
    match operand {
        Type::Of(data_type) => match Family::of(data_type) {
            Family::Number | Family::Float => operand.clone(),
            Family::Text => TEXT_AS_NUMBER.data_type().into(),
            Family::Variant => DataType::Float.into(),
            _ => Type::Unknown,
        },
        Type::Null | Type::Unknown => operand.clone(),
    }
}

fn concatenation(left: &Type, right: &Type) -> Type {
    match (left, right) {
        (Type::Unknown, _) | (_, Type::Unknown) => Type::Unknown,
        (Type::Of(DataType::Binary { .. }), Type::Of(DataType::Binary { .. })) => {
            DataType::Binary { length: None }.into()
        }
        (Type::Of(DataType::Varchar { length: Some(left) }), Type::Of(DataType::Varchar { length: Some(right) })) => {
            DataType::Varchar { length: Some((left + right).min(TEXT_LENGTH_MAX)) }.into()
        }
        _ => TEXT.into(),
    }
}

fn calculation(left: &Type, op: &BinaryOperator, right: &Type) -> Type {
    let (one, other) = (left.family(), right.family());
    match (one, other) {
        (Family::Unknown, _) | (_, Family::Unknown) => Type::Unknown,
        (Family::Date, Family::Date) if *op == BinaryOperator::Minus => DAYS.into(),
        (instant, Family::Number | Family::Text) if instant.is_instant() && is_sum(op) => left.clone(),
        (Family::Number | Family::Text, Family::Date) if *op == BinaryOperator::Plus => right.clone(),
        _ if one.is_temporal() || other.is_temporal() => Type::Unknown,
        (Family::Float | Family::Variant, _) | (_, Family::Float | Family::Variant) => DataType::Float.into(),
        _ => match (digits(left), digits(right)) {
            (Some(left), Some(right)) => arithmetic::operation(left, op, right).map_or(Type::Unknown, Type::Of),
            _ => Type::Unknown,
        },
    }
}

fn is_sum(op: &BinaryOperator) -> bool {
    matches!(op, BinaryOperator::Plus | BinaryOperator::Minus)
}

/// The digits of an operand as a number.
fn digits(operand: &Type) -> Option<Digits> {
    match operand {
        Type::Of(DataType::Varchar { .. }) => Some(TEXT_AS_NUMBER),
        Type::Of(data_type) => Digits::of(data_type),
        Type::Null => Some(Digits { whole: PRECISION_MAX, scale: 0 }),
        Type::Unknown => None,
    }
}
