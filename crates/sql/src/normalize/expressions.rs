//! Expressions. Every kind of node that is taken is named here, so that a new one in the library does not
//! slip through.

use super::chains::joined;
use super::refusals::refuse;
use super::{concatenations, functions, literal_types, repetitions, row_comparisons};
use crate::ast::{
    AccessExpr, BinaryOperator, CastKind, CeilFloorKind, DataType, DateTimeField, Expr, Interval, JsonPath,
    JsonPathElem, LambdaFunction, ObjectNamePart, OneOrManyWithParens, Subscript, TrimWhereField, TypedString,
    UnaryOperator, Value, ValueWithSpan,
};
use crate::build::{call, cast, number, string};
use crate::data_types::type_in_tree;
use crate::exact_numbers::{check_digits, without_exponent};
use crate::naming::is_current_user;
use crate::query_parts::{is_place, is_position};
use crate::reader::declared_type;
use crate::{Failure, date_parts};

/// Called for every expression after its parts.
pub(super) fn admit(expr: &mut Expr) -> Result<(), Failure> {
    match expr {
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
            spell_name(expr);
            Ok(())
        }
        Expr::BinaryOp { op, .. } => {
            admit_operator(op)?;
            concatenations::regroup(expr);
            row_comparisons::spell_out(expr)
        }
        Expr::InList { .. } => row_comparisons::spell_out(expr),
        Expr::AnyOp { compare_op, right, .. } | Expr::AllOp { compare_op, right, .. } => {
            let way_out = "ANY and ALL of what is no subquery; ARRAY_CONTAINS searches an array";
            refuse(!matches!(**right, Expr::Subquery(_)), way_out)?;
            admit_operator(compare_op)
        }
        Expr::UnaryOp { .. } => admit_unary(expr),
        Expr::Like { any: true, .. } | Expr::ILike { any: true, .. } => like_any(expr),
        Expr::Like { pattern, .. } | Expr::ILike { pattern, .. } if is_all(pattern) => like_any(expr),
        Expr::Cast { kind, data_type, format, .. } => {
            refuse(format.is_some() || *kind == CastKind::SafeCast, "CAST … FORMAT")?;
            admit_type(data_type)
        }
        Expr::Value(value) => admit_value(value).map(|replacement| {
            if let Some(replacement) = replacement {
                *expr = replacement;
            }
        }),
        Expr::Function(_) => admit_call(expr),
        Expr::Interval(interval) => admit_interval(interval),
        Expr::JsonAccess { path, .. } => {
            path.path.iter_mut().for_each(plain_key);
            Ok(())
        }
        Expr::CompoundFieldAccess { .. } => path_access(expr),
        Expr::TypedString(_)
        | Expr::Extract { .. }
        | Expr::Ceil { .. }
        | Expr::Floor { .. }
        | Expr::Position { .. }
        | Expr::Substring { .. }
        | Expr::Trim { .. }
        | Expr::Collate { .. }
        | Expr::Dictionary(_)
        | Expr::Array(_) => spell_as_call(expr),
        Expr::Lambda(lambda) => admit_lambda(lambda),
        other => admit_as_it_is(other),
    }
}

/// What is taken as it stands, and what is refused.
fn admit_as_it_is(expr: &Expr) -> Result<(), Failure> {
    match expr {
        Expr::IsFalse(_)
        | Expr::IsNotFalse(_)
        | Expr::IsTrue(_)
        | Expr::IsNotTrue(_)
        | Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsUnknown(_)
        | Expr::IsNotUnknown(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::InSubquery { .. }
        | Expr::Between { .. }
        | Expr::Like { .. }
        | Expr::ILike { .. }
        | Expr::RLike { .. }
        | Expr::Nested(_)
        | Expr::Case { .. }
        | Expr::Exists { .. }
        | Expr::Subquery(_)
        | Expr::GroupingSets(_)
        | Expr::Cube(_)
        | Expr::Rollup(_)
        | Expr::Tuple(_)
        | Expr::Wildcard(_)
        | Expr::QualifiedWildcard(..) => Ok(()),
        // What is left of these once their select is done is refused with the functions.
        Expr::OuterJoin(_) | Expr::Prior(_) => Ok(()),
        Expr::Prefixed { prefix, .. } if prefix.value.eq_ignore_ascii_case("CONNECT_BY_ROOT") => Ok(()),
        Expr::AtTimeZone { .. } => Err(Failure::unsupported("AT TIME ZONE; use CONVERT_TIMEZONE")),
        Expr::Convert { .. } => Err(Failure::unknown_function("CONVERT")),
        Expr::Overlay { .. } => Err(Failure::unknown_function("OVERLAY")),
        Expr::SimilarTo { .. } => Err(Failure::unsupported("SIMILAR TO")),
        other => Err(Failure::unsupported(&other.to_string())),
    }
}

/// `t.$2` is a place, and CURRENT_USER without brackets a call.
fn spell_name(expr: &mut Expr) {
    match expr {
        Expr::CompoundIdentifier(parts) if parts.last().is_some_and(is_place) => {
            let span = parts.first().map(|first| first.span);
            if let (Some(place), Some(span)) = (parts.pop(), span) {
                *expr = Expr::Value(ValueWithSpan { value: Value::Placeholder(place.value), span });
            }
        }
        Expr::Identifier(name) if is_current_user(name) => *expr = call("CURRENT_USER", Vec::new()),
        _ => {}
    }
}

fn admit_call(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::Function(function) = expr else { return Ok(()) };
    if let Some(name) = functions::identifier(function)? {
        *expr = name;
        return Ok(());
    }
    functions::admit(function)?;
    if let Some(constant) = functions::given_collation(function).or_else(|| literal_types::type_of_argument(function)) {
        *expr = string(constant);
    } else if let Some(spelt) = functions::like(function).or_else(|| functions::clock_with_digits(function)) {
        *expr = spelt;
    }
    Ok(())
}

fn take(expr: &mut Expr) -> Expr {
    std::mem::replace(expr, Expr::value(Value::Null))
}

fn admit_operator(operator: &BinaryOperator) -> Result<(), Failure> {
    use BinaryOperator::{And, Divide, Eq, Gt, GtEq, Lt, LtEq, Minus, Modulo, Multiply, NotEq, Or, Plus, StringConcat};
    match operator {
        Plus | Minus | Multiply | Divide | Modulo | StringConcat | Gt | Lt | GtEq | LtEq | Eq | NotEq | And | Or => {
            Ok(())
        }
        other => Err(Failure::unsupported(&format!("operator {other}"))),
    }
}

/// A sign before a sign is bracketed: two dashes in a row would begin a comment when printed.
fn admit_unary(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::UnaryOp { op, expr: operand } = expr else { return Ok(()) };
    match op {
        UnaryOperator::Not => Ok(()),
        UnaryOperator::Plus | UnaryOperator::Minus => {
            if matches!(operand.as_ref(), Expr::UnaryOp { .. } | Expr::Value(_))
                && operand.to_string().starts_with(['-', '+'])
            {
                **operand = Expr::Nested(Box::new(take(operand)));
            }
            Ok(())
        }
        other => Err(Failure::unsupported(&format!("operator {other}"))),
    }
}

/// `LIKE ALL (…)` is read as a call of a function ALL.
fn is_all(pattern: &Expr) -> bool {
    matches!(pattern, Expr::Function(function) if function.name.to_string() == "ALL")
}

/// `x LIKE ANY ('a', 'b')` becomes `(x LIKE 'a' OR x LIKE 'b')`, ALL a chain of ANDs; under NOT the
/// other way round.
fn like_any(expr: &mut Expr) -> Result<(), Failure> {
    let (Expr::Like { negated, pattern, .. } | Expr::ILike { negated, pattern, .. }) = &mut *expr else {
        return Ok(());
    };
    let operator = if *negated == is_all(pattern) { BinaryOperator::Or } else { BinaryOperator::And };
    let not_a_list = || Failure::unsupported("LIKE ANY | ALL of what is not a list");
    let patterns = match take(pattern) {
        Expr::Tuple(patterns) => patterns,
        Expr::Nested(pattern) => vec![*pattern],
        Expr::Function(function) => functions::plain_arguments(function).ok_or_else(not_a_list)?,
        _ => return Err(not_a_list()),
    };
    repetitions::check(expr, patterns.len())?;
    let choices = patterns.into_iter().map(|choice| {
        let mut one = expr.clone();
        if let Expr::Like { any, pattern, .. } | Expr::ILike { any, pattern, .. } = &mut one {
            *any = false;
            **pattern = choice;
        }
        one
    });
    let Some(all) = joined(choices.collect(), &operator) else { return Ok(()) };
    *expr = Expr::Nested(Box::new(all));
    Ok(())
}

fn admit_lambda(lambda: &mut LambdaFunction) -> Result<(), Failure> {
    let params = match &mut lambda.params {
        OneOrManyWithParens::One(one) => std::slice::from_mut(one),
        OneOrManyWithParens::Many(several) => several.as_mut_slice(),
    };
    params.iter_mut().filter_map(|parameter| parameter.data_type.as_mut()).try_for_each(admit_type)
}

fn admit_type(data_type: &mut DataType) -> Result<(), Failure> {
    if is_structured(data_type) {
        return Ok(());
    }
    *data_type = type_in_tree(&declared_type(data_type)?);
    Ok(())
}

/// A structured type is one word, which was read before (`normalize_tokens`).
fn is_structured(data_type: &DataType) -> bool {
    let DataType::Custom(name, arguments) = data_type else { return false };
    match name.0.as_slice() {
        [ObjectNamePart::Identifier(word)] => {
            arguments.is_empty() && word.quote_style.is_none() && word.value.contains('(')
        }
        _ => false,
    }
}

/// What a literal is to be replaced by, if anything.
fn admit_value(value: &mut ValueWithSpan) -> Result<Option<Expr>, Failure> {
    match &mut value.value {
        Value::Number(text, false) => {
            if let Some(exact) = without_exponent(text) {
                *text = exact;
            }
            check_digits(text).map(|()| None)
        }
        Value::SingleQuotedString(_) | Value::Boolean(_) | Value::Null => Ok(None),
        Value::DollarQuotedString(text) => Ok(Some(string(std::mem::take(&mut text.value)))),
        Value::HexStringLiteral(digits) => {
            Ok(Some(call("TO_BINARY", vec![string(digits.to_uppercase()), string("HEX")])))
        }
        Value::Placeholder(name) if name.starts_with(['?', ':']) || names_variable(name) || is_position(name) => {
            Ok(None)
        }
        other => Err(Failure::unsupported(&format!("literal {other}"))),
    }
}

/// `$x`; `$1` is a column.
fn names_variable(placeholder: &str) -> bool {
    placeholder.strip_prefix('$').is_some_and(|name| !name.starts_with(|first: char| first.is_ascii_digit()))
}

fn literal(mut value: ValueWithSpan) -> Result<Expr, Failure> {
    Ok(admit_value(&mut value)?.unwrap_or(Expr::Value(value)))
}

fn admit_interval(interval: &Interval) -> Result<(), Failure> {
    let plain = interval.leading_precision.is_none()
        && interval.last_field.is_none()
        && interval.fractional_seconds_precision.is_none()
        && !matches!(interval.leading_field, Some(DateTimeField::Custom(_) | DateTimeField::Week(Some(_))));
    refuse(!plain, "INTERVAL with a range or precision")
}

/// A key that quotes do not hold safely is written as a string.
fn plain_key(element: &mut JsonPathElem) {
    if let JsonPathElem::Dot { key, quoted: true } = element
        && key.contains(['"', '\\', '\''])
    {
        *element = JsonPathElem::Bracket { key: string(std::mem::take(key)) };
    }
}

/// `f(x)[0].y`: the parser's second shape for what `x[0].y` is.
fn path_access(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::CompoundFieldAccess { root, access_chain } = take(expr) else { return Ok(()) };
    let mut path = Vec::with_capacity(access_chain.len());
    for access in access_chain {
        path.push(match access {
            AccessExpr::Subscript(Subscript::Index { index }) => JsonPathElem::Bracket { key: index },
            AccessExpr::Dot(Expr::Identifier(name)) => {
                JsonPathElem::Dot { quoted: name.quote_style.is_some(), key: name.value }
            }
            AccessExpr::Subscript(Subscript::Slice { .. }) | AccessExpr::Dot(_) => {
                return Err(Failure::unsupported("slice of an array"));
            }
        });
    }
    path.iter_mut().for_each(plain_key);
    *expr = Expr::JsonAccess { value: root, path: JsonPath { path } };
    Ok(())
}

fn spell_as_call(expr: &mut Expr) -> Result<(), Failure> {
    *expr = match take(expr) {
        Expr::TypedString(TypedString { mut data_type, value, .. }) => {
            admit_type(&mut data_type)?;
            cast(literal(value)?, data_type)
        }
        Expr::Extract { field, expr, .. } => {
            let name = field.to_string();
            let part = date_parts::canonical(name.trim_matches(['"', '\'']))
                .ok_or_else(|| functions::unknown_date_part(&name))?;
            call("DATE_PART", vec![string(part), *expr])
        }
        Expr::Ceil { expr, field } => call("CEIL", with_scale(*expr, field)?),
        Expr::Floor { expr, field } => call("FLOOR", with_scale(*expr, field)?),
        Expr::Position { expr, r#in } => call("POSITION", vec![*expr, *r#in]),
        Expr::Substring { expr, substring_from, substring_for, .. } => {
            let first = || Some(Box::new(number("1")));
            let from = substring_from.or_else(|| substring_for.as_ref().and_then(|_| first()));
            call(
                "SUBSTR",
                std::iter::once(*expr).chain(from.into_iter().chain(substring_for).map(|part| *part)).collect(),
            )
        }
        Expr::Trim { trim_where, trim_what, expr, trim_characters } => {
            let name = match trim_where {
                Some(TrimWhereField::Leading) => "LTRIM",
                Some(TrimWhereField::Trailing) => "RTRIM",
                Some(TrimWhereField::Both) | None => "TRIM",
            };
            let characters = trim_what.map(|what| *what).into_iter().chain(trim_characters.into_iter().flatten());
            call(name, std::iter::once(*expr).chain(characters).collect())
        }
        Expr::Dictionary(fields) => {
            let pairs = fields.into_iter().flat_map(|field| [string(field.key.value), *field.value]);
            call("OBJECT_CONSTRUCT", pairs.collect())
        }
        Expr::Collate { expr, collation } => {
            let name = collation.0.iter().filter_map(|part| part.as_ident()).map(|part| part.value.as_str());
            call("COLLATE", vec![*expr, string(name.collect::<Vec<_>>().join("."))])
        }
        Expr::Array(array) => call("ARRAY_CONSTRUCT", array.elem),
        other => other,
    };
    Ok(())
}

fn with_scale(expr: Expr, kind: CeilFloorKind) -> Result<Vec<Expr>, Failure> {
    match kind {
        CeilFloorKind::DateTimeField(DateTimeField::NoDateTime) => Ok(vec![expr]),
        CeilFloorKind::DateTimeField(_) => Err(Failure::unsupported("CEIL and FLOOR to a date part")),
        CeilFloorKind::Scale(scale) => Ok(vec![expr, literal(scale)?]),
    }
}
