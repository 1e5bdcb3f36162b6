//! Whole numbers with all 38 digits: sums, differences, products and casts that are the engine's 64 bits otherwise.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{BinaryOperator, Expr, VisitorMut};

use super::build::{call, call_name, cast_as, null, plain_name};

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

fn widen(operand: &mut Expr) {
    *operand = call("firn_wide", vec![std::mem::replace(operand, null())]);
}
