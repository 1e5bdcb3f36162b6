//! Integers of 38 digits: sums, differences, products and casts of integers that the engine would otherwise compute in 64
//! bits.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{BinaryOperator, Expr, Value, VisitorMut};

use super::build::{call, call_name, cast_as, null, plain_name};

/// So many digits fit the engine's smallest type of whole numbers that literals have.
const SMALL_DIGITS: usize = 9;

pub(super) struct WideIntegers;

impl VisitorMut for WideIntegers {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::BinaryOp {
                left,
                op: BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Multiply,
                right,
            } => {
                widen(left);
                widen(right);
            }
            Expr::Cast { kind, expr: inside, data_type, .. } if data_type.to_string() == "BIGINT" => {
                let (kind, inside) = (kind.clone(), std::mem::replace(&mut **inside, null()));
                *expr = cast_as(kind, inside, "HUGEINT");
            }
            Expr::Function(function) if call_name(function).is_some_and(|name| name == "firn_integer") => {
                function.name = plain_name("firn_wide_integer");
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Not small integers, which may be days that are added to a date, nor operands that may be that date: the engine does not
/// know the type of an aggregate when it chooses an overload.
fn widen(operand: &mut Expr) {
    if is_small_literal(operand) || is_one_of_many(operand) {
        return;
    }
    *operand = call("firn_wide", vec![std::mem::replace(operand, null())]);
}

fn is_small_literal(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if matches!(&value.value, Value::Number(digits, _)
        if digits.len() <= SMALL_DIGITS && digits.bytes().all(|byte| byte.is_ascii_digit())))
}

fn is_one_of_many(expr: &Expr) -> bool {
    let name = match expr {
        Expr::Function(function) => call_name(function),
        _ => None,
    };
    name.is_some_and(|name| ["max", "min"].iter().any(|known| name.eq_ignore_ascii_case(known)))
}
