//! The conditions that the arguments of QUERY_HISTORY have become, and their values.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, Expr, FunctionArg, FunctionArgExpr, FunctionArguments, GroupByExpr, LimitClause, OrderByKind,
    OrderByOptions, OrderBySort, Query, Select, SelectItem, TableFactor, UnaryOperator, Value, Visitor,
};
use firn_sql::names::INFORMATION_SCHEMA;
use firn_sql::owners_views::reader_of;
use firn_sql::tree::{Tree, complete_name};
use firn_sql::{ObjectName, print};

const VIEW: &str = "QUERY_HISTORY";
pub const INSTANT_FUNCTION: &str = "TO_TIMESTAMP_LTZ";

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    EndedFrom,
    EndedUntil,
    Session,
    User,
    Warehouse,
    WithClients,
}

/// Whether all conditions of a select are those of arguments.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Conditions {
    Known,
    Others,
}

pub fn is_view(name: &ObjectName) -> bool {
    name.schema() == INFORMATION_SCHEMA && reader_of(&name.name).0 == VIEW
}

/// `SELECT * FROM` the view alone. In others the name of a column may be that of something else.
pub fn is_over_history(select: &Select) -> bool {
    let [from] = select.from.as_slice() else { return false };
    let [SelectItem::Wildcard(_)] = select.projection.as_slice() else { return false };
    let TableFactor::Table { name, .. } = &from.relation else { return false };
    let has_groups = !matches!(&select.group_by, GroupByExpr::Expressions(by, _) if by.is_empty());
    let is_plain = select.distinct.is_none() && select.having.is_none() && select.qualify.is_none() && !has_groups;
    is_plain && from.joins.is_empty() && complete_name(name).is_some_and(|name| is_view(&name))
}

/// Finds the arguments in the conditions that they are.
pub fn read_conditions<'tree>(condition: &'tree mut Expr, found: &mut Vec<(Parameter, &'tree mut Expr)>) -> Conditions {
    let argument = match condition {
        Expr::Nested(inner) => return read_conditions(inner, found),
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            let parts = [read_conditions(left, found), read_conditions(right, found)];
            return if parts.contains(&Conditions::Others) { Conditions::Others } else { Conditions::Known };
        }
        Expr::BinaryOp { left, op: BinaryOperator::Or, right } => alternative(left, right),
        Expr::BinaryOp { left, op, right } => match (column_of(left).as_deref(), &*op) {
            (Some("END_TIME"), BinaryOperator::LtEq) => Some((Parameter::EndedUntil, &mut **right)),
            (Some("USER_NAME"), BinaryOperator::Eq) => Some((Parameter::User, &mut **right)),
            (Some("WAREHOUSE_NAME"), BinaryOperator::Eq) => Some((Parameter::Warehouse, &mut **right)),
            (Some("SESSION_ID"), BinaryOperator::Eq) => {
                only_argument(right, "TO_NUMBER").map(|number| (Parameter::Session, number))
            }
            _ => None,
        },
        _ => None,
    };
    match argument {
        Some(argument) => {
            found.push(argument);
            Conditions::Known
        }
        None => Conditions::Others,
    }
}

/// `END_TIME >= … OR END_TIME IS NULL`, `NOT IS_CLIENT_GENERATED_STATEMENT OR …`.
fn alternative<'tree>(left: &'tree mut Expr, right: &'tree mut Expr) -> Option<(Parameter, &'tree mut Expr)> {
    match (left, right) {
        (Expr::BinaryOp { left: column, op: BinaryOperator::GtEq, right: from }, Expr::IsNull(other)) => {
            let is_end = |expr: &Expr| column_of(expr).as_deref() == Some("END_TIME");
            (is_end(column) && is_end(other)).then_some((Parameter::EndedFrom, &mut **from))
        }
        (Expr::UnaryOp { op: UnaryOperator::Not, expr }, with_clients) => {
            let is_mark = column_of(expr).as_deref() == Some("IS_CLIENT_GENERATED_STATEMENT");
            is_mark.then_some((Parameter::WithClients, with_clients))
        }
        _ => None,
    }
}

fn column_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(name) => Some(name.value.to_ascii_uppercase()),
        _ => None,
    }
}

/// The argument of a call of this function.
fn only_argument<'tree>(expr: &'tree mut Expr, name: &str) -> Option<&'tree mut Expr> {
    let Expr::Function(function) = expr else { return None };
    if !function.name.to_string().eq_ignore_ascii_case(name) {
        return None;
    }
    let FunctionArguments::List(list) = &mut function.args else { return None };
    match list.args.as_mut_slice() {
        [FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))] => Some(argument),
        _ => None,
    }
}

/// Whether nothing has to be evaluated.
pub fn is_value(parameter: Parameter, expr: &Expr) -> bool {
    is_null(expr)
        || match parameter {
            Parameter::EndedFrom | Parameter::EndedUntil => instant_of(expr).is_some(),
            Parameter::Session | Parameter::User | Parameter::Warehouse => text_of(expr).is_some(),
            Parameter::WithClients => boolean_of(expr).is_some(),
        }
}

/// Whether it reads nothing: no column and no relation.
pub fn is_constant(expr: &Expr) -> bool {
    struct Reading;
    impl Visitor for Reading {
        type Break = Failure;

        fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Failure> {
            ControlFlow::Break(Failure::new("000603", "XX000", "a subquery"))
        }

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
            match expr {
                Expr::Identifier(_) | Expr::CompoundIdentifier(_) => {
                    ControlFlow::Break(Failure::new("000603", "XX000", "a column"))
                }
                _ => ControlFlow::Continue(()),
            }
        }
    }
    expr.walk(&mut Reading).is_continue()
}

pub fn is_null(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inner) | Expr::Cast { expr: inner, .. } => is_null(inner),
        Expr::Value(value) => value.value == Value::Null,
        _ => false,
    }
}

/// Of `TO_TIMESTAMP_LTZ(milliseconds, 3)`.
pub fn instant_of(expr: &Expr) -> Option<i64> {
    let printed = print::sql(expr);
    let arguments = printed.strip_prefix(INSTANT_FUNCTION)?.strip_prefix('(')?.strip_suffix(", 3)")?;
    arguments.parse().ok()
}

pub fn text_of(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Nested(inner) => text_of(inner),
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text.clone()),
            Value::Number(digits, _) => Some(digits.clone()),
            _ => None,
        },
        _ => None,
    }
}

pub fn boolean_of(expr: &Expr) -> Option<bool> {
    match expr {
        Expr::Value(value) => match value.value {
            Value::Boolean(value) => Some(value),
            _ => None,
        },
        _ => None,
    }
}

/// Of `ORDER BY START_TIME DESC LIMIT number`.
pub fn limit_of(query: &Query) -> Option<usize> {
    let OrderByKind::Expressions(by) = &query.order_by.as_ref()?.kind else { return None };
    let [by] = by.as_slice() else { return None };
    let is_newest_first = column_of(&by.expr).as_deref() == Some("START_TIME")
        && matches!(by.options, OrderByOptions { sort: Some(OrderBySort::Desc), .. });
    match query.limit_clause.as_ref()? {
        LimitClause::LimitOffset { limit: Some(limit), offset: None, limit_by } if limit_by.is_empty() => {
            text_of(limit)?.parse().ok().filter(|_| is_newest_first && query.fetch.is_none())
        }
        _ => None,
    }
}
