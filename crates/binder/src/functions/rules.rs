//! Return types that depend on the arguments.

use firn_sql::ast::{BinaryOperator, Expr, UnaryOperator, Value};
use firn_sql::command::DataType;
use firn_sql::functions::types::{ARRAY, BINARY, FLOAT, TIME, TIMESTAMP_LTZ, TIMESTAMP_NTZ, TIMESTAMP_TZ, text};
use firn_sql::functions::{Returns, Rule, find};
use firn_sql::{Part, StructuredType};

use super::Call;
use crate::arithmetic::{self, Digits};
use crate::coercion::common_of;
use crate::operators;
use crate::types::{DATE_PARTS, Family, INTEGER, PRECISION_MAX, TEXT, Type, number, of_part};

/// The parts whose differences have nine digits; there may be more of the smaller ones.
const LARGE_PARTS: &[&str] = &["day", "hour", "month", "quarter", "week", "year"];
const DIFFERENCE: DataType = number(9, 0);

pub(super) fn apply(rule: Rule, call: &Call<'_>) -> Type {
    match rule {
        Rule::Absolute => absolute(call),
        Rule::AddMonths => add_months(call),
        Rule::Average => average(call),
        Rule::Bits => bits(call),
        Rule::ChangedText => TEXT.into(),
        Rule::Concatenation => concatenation(call),
        Rule::ConvertedZone => converted_zone(call),
        Rule::DateAdd => date_add(call),
        Rule::DateDifference => date_difference(call),
        Rule::DatePart => date_part(call),
        Rule::Decode => decode(call),
        Rule::Digest => digest(call),
        Rule::Element => element(call),
        Rule::Geo => geo(call),
        Rule::MapKeys => map_keys(call),
        Rule::Median => median(call),
        Rule::PartOfText => part_of_text(call),
        Rule::Percentile => percentile(call),
        Rule::PercentileValue => percentile_value(call),
        Rule::Quotient => quotient(call),
        Rule::RandomNumber => random_number(call),
        Rule::Ratio => ratio(call),
        Rule::Reduced => reduced(call),
        Rule::Remainder => remainder(call),
        Rule::Rounded => rounded(call),
        Rule::SameText => same_text(call),
        Rule::Shifted => shifted(call),
        Rule::Sum => sum(call),
        Rule::TextOrBinary => text_or_binary(call),
        Rule::ToNumber => to_number(call),
        Rule::TruncatedInstant => truncated_instant(call),
        Rule::ValueBy => value_by(call),
        Rule::Variance => variance(call),
        Rule::Vector => vector(call),
        Rule::ZeroIfNull => zero_if_null(call),
    }
}

/// Applies a rule to the digits of an argument; of any other number the result is a FLOAT.
fn of_digits(argument: &Type, rule: fn(Digits) -> DataType) -> Type {
    match argument {
        Type::Of(data_type) => Digits::of(data_type).map_or(FLOAT, rule).into(),
        Type::Null | Type::Unknown => Type::Unknown,
    }
}

fn sum(call: &Call<'_>) -> Type {
    of_digits(call.argument(0), arithmetic::sum)
}

fn average(call: &Call<'_>) -> Type {
    of_digits(call.argument(0), arithmetic::average)
}

fn median(call: &Call<'_>) -> Type {
    of_digits(call.argument(0), arithmetic::median)
}

fn percentile(call: &Call<'_>) -> Type {
    call.ordered.map_or(Type::Unknown, |ordered| of_digits(&ordered.data_type, arithmetic::median))
}

fn percentile_value(call: &Call<'_>) -> Type {
    call.ordered.map_or(Type::Unknown, |ordered| ordered.data_type.clone())
}

fn variance(call: &Call<'_>) -> Type {
    of_digits(call.argument(0), arithmetic::variance)
}

/// RATIO_TO_REPORT is a quotient of numbers of one scale.
fn ratio(call: &Call<'_>) -> Type {
    of_digits(call.argument(0), arithmetic::average)
}

fn quotient(call: &Call<'_>) -> Type {
    let known = |index: usize| match call.argument(index) {
        Type::Null => Type::Of(number(1, 0)),
        other => other.clone(),
    };
    match operators::binary(&known(0), &BinaryOperator::Divide, &known(1)) {
        Type::Of(DataType::Number { scale, .. }) => number(PRECISION_MAX, scale).into(),
        other => other,
    }
}

fn remainder(call: &Call<'_>) -> Type {
    operators::binary(call.argument(0), &BinaryOperator::Modulo, call.argument(1))
}

fn absolute(call: &Call<'_>) -> Type {
    operators::sign(call.argument(0))
}

fn zero_if_null(call: &Call<'_>) -> Type {
    match call.argument(0) {
        Type::Null => INTEGER.into(),
        argument => operators::sign(argument),
    }
}

/// Bytes of bytes, else a number.
fn bits(call: &Call<'_>) -> Type {
    match call.argument(0).family() {
        Family::Binary => BINARY.into(),
        Family::Unknown => Type::Unknown,
        _ => INTEGER.into(),
    }
}

/// The length of the argument; other types are cast to text.
fn same_text(call: &Call<'_>) -> Type {
    match call.argument(0) {
        text @ Type::Of(DataType::Varchar { .. }) => text.clone(),
        Type::Unknown => Type::Unknown,
        _ => TEXT.into(),
    }
}

/// NULL is taken for a GEOGRAPHY.
fn geo(call: &Call<'_>) -> Type {
    match call.argument(0) {
        Type::Null => DataType::Geography.into(),
        argument => argument.clone(),
    }
}

/// To as many digits after the point as are asked for, and to whole numbers where nothing is. A date or a timestamp
/// keeps its type.
fn rounded(call: &Call<'_>) -> Type {
    let argument = call.argument(0);
    if argument.family().is_instant() {
        return argument.clone();
    }
    let Type::Of(operand) = operators::sign(argument) else { return Type::Unknown };
    let Some(digits) = Digits::of(&operand) else { return operand.into() };
    let scale = match call.expr(1) {
        None => 0,
        Some(asked) => match integer_of(asked) {
            Some(asked) => u8::try_from(asked.max(0)).unwrap_or(PRECISION_MAX).min(digits.scale),
            None => digits.scale,
        },
    };
    match digits.scale {
        0 => INTEGER.into(),
        _ => number((digits.whole + digits.scale).min(PRECISION_MAX), scale).into(),
    }
}

fn integer_of(expr: &Expr) -> Option<i64> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => digits.parse().ok(),
            _ => None,
        },
        Expr::Nested(inside) => integer_of(inside),
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => integer_of(expr).map(|number| -number),
        _ => None,
    }
}

pub(super) fn text_of(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

/// `TO_NUMBER(x [, format] [, precision [, scale]])`: whole numbers where nothing is asked for.
fn to_number(call: &Call<'_>) -> Type {
    let numbers: Vec<Option<i64>> = (1..call.arguments.len())
        .filter(|index| !matches!(call.argument(*index), Type::Of(DataType::Varchar { .. })))
        .map(|index| call.expr(index).and_then(integer_of))
        .collect();
    let digits = |place: usize, default: u8| match numbers.get(place) {
        None => Some(default),
        Some(Some(digits)) => u8::try_from(*digits).ok(),
        Some(None) => None,
    };
    match (digits(0, PRECISION_MAX), digits(1, 0)) {
        (Some(precision), Some(scale)) if scale <= precision => number(precision, scale).into(),
        _ => Type::Unknown,
    }
}

fn random_number(call: &Call<'_>) -> Type {
    match (call.argument(0).family(), call.argument(1).family()) {
        (Family::Number, Family::Number) if Digits::of_both(call) == Some(0) => INTEGER.into(),
        (Family::Number | Family::Float, Family::Number | Family::Float) => FLOAT.into(),
        _ => Type::Unknown,
    }
}

impl Digits {
    /// The larger scale of the first two arguments.
    fn of_both(call: &Call<'_>) -> Option<u8> {
        let scale = |index: usize| call.argument(index).data_type().and_then(Self::of).map(|digits| digits.scale);
        Some(scale(0)?.max(scale(1)?))
    }
}

/// LAG and LEAD: the value, or the default where there is no row.
fn shifted(call: &Call<'_>) -> Type {
    match call.arguments.len() {
        3 => common_of([call.argument(0), call.argument(2)]),
        _ => call.argument(0).clone(),
    }
}

/// Whether a text that the rule is for has the collation of an argument.
pub(super) fn keeps_collation(rule: Rule) -> bool {
    use Rule::{ChangedText, Concatenation, Decode, PartOfText, SameText, Shifted, TextOrBinary};
    matches!(rule, ChangedText | Concatenation | Decode | PartOfText | SameText | Shifted | TextOrBinary)
}

/// MAX_BY and MIN_BY: asked for several, they are an array.
fn value_by(call: &Call<'_>) -> Type {
    match call.arguments.len() {
        3 => ARRAY.into(),
        _ => call.argument(0).clone(),
    }
}

fn decode(call: &Call<'_>) -> Type {
    let count = call.arguments.len();
    // A subject, pairs of a value and its result, and maybe a result for all others.
    let is_result = |index: usize| index >= 2 && (index.is_multiple_of(2) || index == count - 1);
    common_of((0..count).filter(|index| is_result(*index)).map(|index| call.argument(index)))
}

/// Like `||` of all arguments.
fn concatenation(call: &Call<'_>) -> Type {
    let mut arguments = call.arguments.iter().map(|argument| &argument.value.data_type);
    match (arguments.next(), arguments.len()) {
        (Some(only @ Type::Of(DataType::Varchar { .. })), 0) => only.clone(),
        (Some(first), 1..) => {
            arguments.fold(first.clone(), |whole, next| operators::binary(&whole, &BinaryOperator::StringConcat, next))
        }
        _ => text_or_binary(call),
    }
}

/// At most the length of the argument.
fn part_of_text(call: &Call<'_>) -> Type {
    match call.argument(0) {
        text @ Type::Of(DataType::Varchar { .. }) => text.clone(),
        _ => text_or_binary(call),
    }
}

/// Two digits for each byte of a digest: of 256 bits where nothing else is asked for, at most of 512.
fn digest(call: &Call<'_>) -> Type {
    let bits = match call.expr(1) {
        None => 256,
        Some(bits) => {
            integer_of(bits).and_then(|bits| u64::try_from(bits).ok()).filter(|bits| *bits > 0).unwrap_or(512)
        }
    };
    text(bits.min(512) / 4).into()
}

fn text_or_binary(call: &Call<'_>) -> Type {
    match call.argument(0).family() {
        Family::Binary => BINARY.into(),
        Family::Unknown => Type::Unknown,
        _ => TEXT.into(),
    }
}

/// A date and hours are a timestamp.
fn date_add(call: &Call<'_>) -> Type {
    let part = call.expr(0).and_then(text_of);
    match call.argument(2) {
        Type::Null | Type::Of(DataType::Varchar { .. }) => TIMESTAMP_NTZ.into(),
        Type::Of(DataType::Date) => match part {
            Some(part) if DATE_PARTS.contains(&part) => DataType::Date.into(),
            Some(_) => TIMESTAMP_NTZ.into(),
            None => Type::Unknown,
        },
        other if other.family().is_temporal() => with_all_digits(other),
        _ => Type::Unknown,
    }
}

fn add_months(call: &Call<'_>) -> Type {
    match call.argument(0) {
        Type::Null | Type::Of(DataType::Varchar { .. }) => TIMESTAMP_NTZ.into(),
        other if other.family().is_instant() => with_all_digits(other),
        _ => Type::Unknown,
    }
}

/// What is computed from a timestamp has nine digits after the second.
fn with_all_digits(data_type: &Type) -> Type {
    match data_type.family() {
        Family::Time => TIME.into(),
        Family::TimestampNtz => TIMESTAMP_NTZ.into(),
        Family::TimestampLtz => TIMESTAMP_LTZ.into(),
        Family::TimestampTz => TIMESTAMP_TZ.into(),
        _ => data_type.clone(),
    }
}

fn truncated_instant(call: &Call<'_>) -> Type {
    let instants = (0..call.arguments.len()).map(|index| call.argument(index));
    match instants.into_iter().find(|argument| argument.family().is_temporal()) {
        Some(instant) => with_all_digits(instant),
        None => match call.argument(1) {
            Type::Null | Type::Of(DataType::Varchar { .. }) => TIMESTAMP_NTZ.into(),
            _ => Type::Unknown,
        },
    }
}

fn date_difference(call: &Call<'_>) -> Type {
    match call.expr(0).and_then(text_of) {
        Some(part) if LARGE_PARTS.contains(&part) => DIFFERENCE.into(),
        _ => INTEGER.into(),
    }
}

/// Like the function of the part's name.
fn date_part(call: &Call<'_>) -> Type {
    let part = call.expr(0).and_then(text_of).map(str::to_ascii_uppercase);
    let entry = part.and_then(|part| find(&part));
    match entry.map(|entry| &entry.returns) {
        Some(Returns::Fixed(data_type @ DataType::Number { .. })) => data_type.clone().into(),
        _ => INTEGER.into(),
    }
}

/// With the zone it comes from, the result has none.
fn converted_zone(call: &Call<'_>) -> Type {
    match call.arguments.len() {
        3 => TIMESTAMP_NTZ.into(),
        _ => TIMESTAMP_TZ.into(),
    }
}

/// GET: a part of a structured value has its declared type, of any other it is a VARIANT.
fn element(call: &Call<'_>) -> Type {
    let part = match call.argument(0) {
        Type::Of(DataType::Structured(structured)) => structured.part(call.expr(1).and_then(text_of)),
        _ => None,
    };
    part.map_or(Type::Of(DataType::Variant), of_part)
}

/// REDUCE: a text where it begins with one, else a VARIANT.
fn reduced(call: &Call<'_>) -> Type {
    match call.argument(1).family() {
        Family::Text => TEXT.into(),
        _ => DataType::Variant.into(),
    }
}

/// Keys that are numbers have their type, those that are texts are elements of an ARRAY.
fn map_keys(call: &Call<'_>) -> Type {
    match call.argument(0) {
        Type::Of(DataType::Structured(structured)) => match &**structured {
            StructuredType::Map { key, .. } if Family::of(key) == Family::Number => {
                let element = Part { kind: StructuredType::Plain(key.clone()), is_required: true };
                DataType::Structured(Box::new(StructuredType::Array(Box::new(element)))).into()
            }
            StructuredType::Map { .. } => ARRAY.into(),
            _ => Type::Unknown,
        },
        _ => ARRAY.into(),
    }
}

fn vector(call: &Call<'_>) -> Type {
    match call.argument(0) {
        vector @ Type::Of(DataType::Vector { .. }) => vector.clone(),
        _ => Type::Unknown,
    }
}
