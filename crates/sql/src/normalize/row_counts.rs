//! The counts of LIMIT, FETCH, TOP and OFFSET: whole numbers that are written, or none at all. What is computed or bound
//! is the engine's to check.

use crate::Failure;
use crate::ast::{Expr, LimitClause, UnaryOperator, Value};

/// The error's code, and what the clause is called in it.
type Clause = (&'static str, &'static str);

const LIMIT: Clause = ("002010", "limit");
const OFFSET: Clause = ("002011", "result offset");

pub(super) fn admit(clause: &mut LimitClause) -> Result<(), Failure> {
    let LimitClause::LimitOffset { limit, offset, limit_by } = clause else {
        return Err(Failure::unsupported("LIMIT offset, count"));
    };
    super::refusals::refuse(!limit_by.is_empty(), "LIMIT BY")?;
    limit.take_if(|limit| is_none(limit));
    offset.take_if(|offset| is_none(&offset.value));
    limit.as_ref().map_or(Ok(()), |limit| check(limit, LIMIT))?;
    offset.as_ref().map_or(Ok(()), |offset| check(&offset.value, OFFSET))
}

/// NULL and an empty text stand for none at all.
fn is_none(count: &Expr) -> bool {
    let Expr::Value(value) = count else { return false };
    match &value.value {
        Value::Null => true,
        Value::SingleQuotedString(text) => text.is_empty(),
        Value::DollarQuotedString(text) => text.value.is_empty(),
        _ => false,
    }
}

fn check(count: &Expr, (code, clause): Clause) -> Result<(), Failure> {
    let is_count = match count {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) | Value::SingleQuotedString(digits) => is_whole(digits),
            Value::DollarQuotedString(digits) => is_whole(&digits.value),
            Value::Boolean(_) => false,
            _ => true,
        },
        Expr::UnaryOp { op: UnaryOperator::Minus, expr } => !matches!(**expr, Expr::Value(_)),
        _ => true,
    };
    if is_count {
        return Ok(());
    }
    let message = format!("SQL compilation error:\nInvalid row count '{count}' in {clause} clause");
    Err(Failure::new(code, "42601", message))
}

fn is_whole(digits: &str) -> bool {
    digits.parse::<i64>().is_ok_and(|count| count >= 0)
}
