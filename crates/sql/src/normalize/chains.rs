//! Balances long chains of ANDs, ORs and set operations, which the parser builds as deep as they
//! are long. Printed, a balanced tree reads as the chain did.

use crate::Failure;
use crate::ast::{BinaryOperator, Expr, SetExpr, SetOperator, Value, Values};

/// Chains up to this length stay as they are.
const SHORT: usize = 16;

/// The longest chain of set operations that cannot be balanced.
const MIXED_SET_OPERATIONS_MAX: usize = 100;

pub(super) fn balance_condition(expr: &mut Expr) {
    let Expr::BinaryOp { op: operator @ (BinaryOperator::And | BinaryOperator::Or), .. } = expr else { return };
    let operator = operator.clone();
    let (mut length, mut next) = (0, &*expr);
    while let Expr::BinaryOp { left, op, .. } = next
        && *op == operator
    {
        (length, next) = (length + 1, left);
    }
    if length <= SHORT {
        return;
    }
    let mut terms = Vec::with_capacity(length + 1);
    let mut rest = std::mem::replace(expr, Expr::value(Value::Null));
    loop {
        match rest {
            Expr::BinaryOp { left, op, right } if op == operator => {
                terms.push(*right);
                rest = *left;
            }
            first => {
                terms.push(first);
                break;
            }
        }
    }
    terms.reverse();
    if let Some(balanced) = joined(terms, &operator) {
        *expr = balanced;
    }
}

/// A balanced tree of ANDs or ORs; `None` only for no terms at all.
pub(super) fn joined(terms: Vec<Expr>, operator: &BinaryOperator) -> Option<Expr> {
    let join = |left, right| Expr::BinaryOp { left: Box::new(left), op: operator.clone(), right: Box::new(right) };
    balance(terms, &join)
}

pub(super) fn balance_set_operations(body: &mut SetExpr) -> Result<(), Failure> {
    let SetExpr::SetOperation { op, set_quantifier, .. } = &*body else { return Ok(()) };
    let (operator, quantifier) = (*op, *set_quantifier);
    let (mut length, mut uniform, mut next) = (0, operator == SetOperator::Union, &*body);
    while let SetExpr::SetOperation { left, op, set_quantifier, .. } = next {
        uniform &= *op == operator && *set_quantifier == quantifier;
        (length, next) = (length + 1, left);
    }
    if length <= SHORT {
        return Ok(());
    }
    if !uniform {
        return match length > MIXED_SET_OPERATIONS_MAX {
            true => {
                let what = "number of mixed set operations in a query";
                Err(Failure::limit_exceeded(what, MIXED_SET_OPERATIONS_MAX))
            }
            false => Ok(()),
        };
    }
    let branches = take_branches(body, length);
    let join = |left, right| SetExpr::SetOperation {
        left: Box::new(left),
        op: operator,
        set_quantifier: quantifier,
        right: Box::new(right),
    };
    if let Some(balanced) = balance(branches, &join) {
        *body = balanced;
    }
    Ok(())
}

fn take_branches(body: &mut SetExpr, length: usize) -> Vec<SetExpr> {
    let nothing = SetExpr::Values(Values { explicit_row: false, value_keyword: false, rows: Vec::new() });
    let mut branches = Vec::with_capacity(length + 1);
    let mut rest = std::mem::replace(body, nothing);
    loop {
        match rest {
            SetExpr::SetOperation { left, right, .. } => {
                branches.push(*right);
                rest = *left;
            }
            first => {
                branches.push(first);
                break;
            }
        }
    }
    branches.reverse();
    branches
}

/// `None` only for no parts at all.
fn balance<T>(mut parts: Vec<T>, join: &impl Fn(T, T) -> T) -> Option<T> {
    if parts.len() <= 1 {
        return parts.pop();
    }
    let right = parts.split_off(parts.len() / 2);
    match (balance(parts, join), balance(right, join)) {
        (Some(left), Some(right)) => Some(join(left, right)),
        (left, right) => left.or(right),
    }
}
