//! The dialect's rules for the digits of exact numbers. A NUMBER(p,s) has p - s digits before the point and s after it;
//! results keep the digits they may need, up to 38 in all.
//!
//! | operation | digits before the point | scale |
//! |---|---|---|
//! | `+` `-` | the larger one + 1 | the larger one |
//! | `*` | both | both, but products do not grow past 12 |
//! | `/` | dividend's + divisor's scale | dividend's + 6, but quotients do not grow past 12 |
//! | `%` | all that remain of 38 | the larger one |
//! | SUM | + 12 | the same |
//! | AVG | all that remain of 38 | like a quotient |
//! | CASE, COALESCE, UNION … | the larger one | the larger one |

use firn_sql::ast::BinaryOperator;
use firn_sql::command::DataType;

use crate::types::{PRECISION_MAX, number};

/// The scale that products and quotients do not grow past.
const GROWTH_MAX: u8 = 12;
const QUOTIENT_GROWTH: u8 = 6;
const SUM_GROWTH: u8 = 12;
/// Medians and variances of numbers of a larger scale are FLOATs.
const MEDIAN_SCALE_MAX: u8 = 18;

/// What a text is read as where a number is required: NUMBER(18,5).
pub(crate) const TEXT_AS_NUMBER: Digits = Digits { whole: 13, scale: 5 };

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Digits {
    pub(crate) whole: u8,
    pub(crate) scale: u8,
}

impl Digits {
    /// `None` for what is no exact number.
    pub(crate) fn of(data_type: &DataType) -> Option<Self> {
        match data_type {
            DataType::Number { precision, scale } => Some(Self { whole: precision - scale, scale: *scale }),
            DataType::Integer => Some(Self { whole: PRECISION_MAX, scale: 0 }),
            _ => None,
        }
    }

    /// The digits of a literal, written without an exponent.
    pub(crate) fn of_literal(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let is_digits = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
        if !is_digits(whole) || !is_digits(fraction) {
            return None;
        }
        let whole = if whole.is_empty() { 0 } else { u8::try_from(whole.trim_start_matches('0').len().max(1)).ok()? };
        let scale = u8::try_from(fraction.len()).ok()?;
        (whole.checked_add(scale)? <= PRECISION_MAX).then_some(Self { whole, scale })
    }

    pub(crate) fn data_type(self) -> DataType {
        let precision = self.whole.saturating_add(self.scale).min(PRECISION_MAX);
        number(precision, self.scale.min(precision))
    }

    /// What holds the values of both.
    pub(crate) fn union(self, other: Self) -> Self {
        Self { whole: self.whole.max(other.whole), scale: self.scale.max(other.scale) }
    }

    fn plus(self, other: Self) -> Self {
        let Self { whole, scale } = self.union(other);
        Self { whole: whole + 1, scale }
    }

    fn times(self, other: Self) -> Self {
        let limit = self.scale.max(other.scale).max(GROWTH_MAX);
        Self { whole: self.whole + other.whole, scale: (self.scale + other.scale).min(limit) }
    }

    fn divided_by(self, other: Self) -> Self {
        Self { whole: self.whole + other.scale, scale: quotient_scale(self.scale) }
    }
}

/// The type of `left op right` for exact numbers.
pub(crate) fn operation(left: Digits, op: &BinaryOperator, right: Digits) -> Option<DataType> {
    Some(match op {
        BinaryOperator::Plus | BinaryOperator::Minus => left.plus(right).data_type(),
        BinaryOperator::Multiply => left.times(right).data_type(),
        BinaryOperator::Divide => left.divided_by(right).data_type(),
        BinaryOperator::Modulo => number(PRECISION_MAX, left.scale.max(right.scale)),
        _ => return None,
    })
}

pub(crate) fn quotient_scale(dividend_scale: u8) -> u8 {
    dividend_scale.max((dividend_scale + QUOTIENT_GROWTH).min(GROWTH_MAX))
}

pub(crate) fn sum(Digits { whole, scale }: Digits) -> DataType {
    Digits { whole: whole.saturating_add(SUM_GROWTH), scale }.data_type()
}

pub(crate) fn average(Digits { scale, .. }: Digits) -> DataType {
    number(PRECISION_MAX, quotient_scale(scale))
}

/// MEDIAN and PERCENTILE_CONT lie between two values.
pub(crate) fn median(Digits { scale, .. }: Digits) -> DataType {
    if scale > MEDIAN_SCALE_MAX {
        return DataType::Float;
    }
    number(PRECISION_MAX, scale + 3)
}

pub(crate) fn variance(Digits { scale, .. }: Digits) -> DataType {
    if scale > MEDIAN_SCALE_MAX {
        return DataType::Float;
    }
    number(PRECISION_MAX, quotient_scale((2 * scale).min(GROWTH_MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digits(text: &str) -> Digits {
        let (precision, scale) = text.split_once(',').unwrap_or((text, "0"));
        Digits::of(&number(precision.parse().unwrap_or(0), scale.parse().unwrap_or(0)))
            .unwrap_or(Digits { whole: 0, scale: 0 })
    }

    #[test]
    fn operations_keep_the_digits_they_may_need() {
        use BinaryOperator::{Divide, Minus, Modulo, Multiply, Plus};
        for (left, op, right, expected) in [
            ("10,2", Plus, "5,4", "NUMBER(13,4)"),
            ("38,0", Plus, "1,0", "NUMBER(38,0)"),
            ("1,0", Minus, "2,1", "NUMBER(3,1)"),
            ("10,2", Multiply, "10,2", "NUMBER(20,4)"),
            ("20,8", Multiply, "20,8", "NUMBER(36,12)"),
            ("20,13", Multiply, "2,1", "NUMBER(21,13)"),
            ("38,0", Multiply, "38,0", "NUMBER(38,0)"),
            ("10,2", Divide, "10,2", "NUMBER(18,8)"),
            ("1,0", Divide, "9,0", "NUMBER(7,6)"),
            ("20,8", Divide, "1,0", "NUMBER(24,12)"),
            ("20,13", Divide, "1,0", "NUMBER(20,13)"),
            ("38,20", Divide, "9,0", "NUMBER(38,20)"),
            ("38,20", Multiply, "38,20", "NUMBER(38,20)"),
            ("10,2", Modulo, "5,4", "NUMBER(38,4)"),
        ] {
            let found = operation(digits(left), &op, digits(right)).map(|found| found.full_name());
            assert_eq!(found.as_deref(), Some(expected), "{left} {op} {right}");
        }
    }

    #[test]
    fn aggregates_have_room() {
        for (of, rule, expected) in [
            ("10,2", sum as fn(Digits) -> DataType, "NUMBER(22,2)"),
            ("38,4", sum, "NUMBER(38,4)"),
            ("10,2", average, "NUMBER(38,8)"),
            ("10,9", average, "NUMBER(38,12)"),
            ("38,20", average, "NUMBER(38,20)"),
            ("38,20", median, "FLOAT"),
            ("10,2", median, "NUMBER(38,5)"),
            ("10,2", variance, "NUMBER(38,10)"),
            ("10,9", variance, "NUMBER(38,12)"),
        ] {
            assert_eq!(rule(digits(of)).full_name(), expected, "{of}");
        }
    }

    #[test]
    fn literals_have_the_digits_they_are_written_with() {
        for (text, expected) in [
            ("5", Some("NUMBER(1,0)")),
            ("007", Some("NUMBER(1,0)")),
            ("1.50", Some("NUMBER(3,2)")),
            ("0.5", Some("NUMBER(2,1)")),
            (".5", Some("NUMBER(1,1)")),
            ("12345678901234567890123456789012345678", Some("NUMBER(38,0)")),
            ("1e2", None),
        ] {
            let found = Digits::of_literal(text).map(|digits| digits.data_type().full_name());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
