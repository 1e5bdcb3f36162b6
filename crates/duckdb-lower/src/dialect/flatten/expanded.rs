//! Relations in FROM that are expanded into rows, and the joins and conditions beside them.

use std::ops::ControlFlow;

use firn_sql::ast::{
    BinaryOperator, ExcludeSelectItem, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart,
    TableFactor, TableWithJoins, Visitor, WildcardAdditionalOptions,
};
use firn_sql::tree::Walk;

use crate::dialect::build::nested;

pub fn is_flatten(table: &TableFactor) -> bool {
    function_of(table).is_some_and(|name| name == "FLATTEN")
}

/// GENERATOR has no columns that a statement could name.
pub fn is_generator(table: &TableFactor) -> bool {
    function_of(table).is_some_and(|name| name == "GENERATOR")
}

/// The function that makes a list of the pieces of a text, for the functions in FROM that do so.
pub(in crate::dialect) fn pieces_of(table: &TableFactor) -> Option<&'static str> {
    match function_of(table)? {
        "SPLIT_TO_TABLE" => Some("firn_split"),
        "STRTOK_SPLIT_TO_TABLE" => Some("firn_strtok_split"),
        _ => None,
    }
}

fn function_of(table: &TableFactor) -> Option<&str> {
    let TableFactor::Function { name, .. } = table else { return None };
    match &name.0[..] {
        [ObjectNamePart::Identifier(name)] => Some(&name.value),
        _ => None,
    }
}

pub(super) fn is_expanded(table: &TableFactor) -> bool {
    is_flatten(table) || pieces_of(table).is_some()
}

pub(super) fn is_list(table: &TableWithJoins) -> bool {
    is_expanded(&table.relation) || table.joins.iter().any(|join| is_expanded(&join.relation))
}

/// Whether the join may become part of the join chain before the comma: it preserves the rows of its left side, and its
/// condition qualifies all columns.
pub(super) fn can_follow(join: &Join) -> bool {
    struct Finder;
    impl Visitor for Finder {
        type Break = ();

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
            if matches!(expr, Expr::Identifier(_)) { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }
    }
    match &join.join_operator {
        JoinOperator::Join(JoinConstraint::On(condition))
        | JoinOperator::Inner(JoinConstraint::On(condition))
        | JoinOperator::Left(JoinConstraint::On(condition))
        | JoinOperator::LeftOuter(JoinConstraint::On(condition)) => condition.inspect(&mut Finder).is_continue(),
        JoinOperator::Join(JoinConstraint::None)
        | JoinOperator::Inner(JoinConstraint::None)
        | JoinOperator::CrossJoin(JoinConstraint::None) => true,
        _ => false,
    }
}

pub(super) fn cross_join(relation: TableFactor) -> Join {
    Join { relation, global: false, join_operator: JoinOperator::CrossJoin(JoinConstraint::None) }
}

pub(super) fn also(one: Expr, other: Expr) -> Expr {
    let (left, right) = (Box::new(nested(one)), Box::new(nested(other)));
    Expr::BinaryOp { left, op: BinaryOperator::And, right }
}

pub(super) fn is_there(table: &Ident, column: &Ident) -> Expr {
    Expr::IsNotNull(Box::new(Expr::CompoundIdentifier(vec![table.clone(), column.clone()])))
}

pub(super) fn exclude(options: &mut WildcardAdditionalOptions, hidden: &[Ident]) {
    if hidden.is_empty() {
        return;
    }
    let mut excluded = match options.opt_exclude.take() {
        Some(ExcludeSelectItem::Single(one)) => vec![one],
        Some(ExcludeSelectItem::Multiple(several)) => several,
        None => Vec::new(),
    };
    excluded.extend(hidden.iter().map(|column| ObjectName::from(vec![column.clone()])));
    options.opt_exclude = Some(ExcludeSelectItem::Multiple(excluded));
}
