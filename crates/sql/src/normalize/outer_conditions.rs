//! `LEFT JOIN t ON … EXISTS (…)`: the engine takes few subqueries in the condition of an outer join, so the relation and
//! the condition become a lateral subquery, of which every row is joined. Only where all columns of the condition are
//! named with their relation: without it, one of the left side could become one of the right.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{Expr, Ident, JoinConstraint, JoinOperator, Query, TableFactor, TableWithJoins, Value, Visitor};
use crate::query_parts::{derived, name_of, same_name, select_all};
use crate::tree::Walk;

pub(super) fn rewrite(table: &mut TableWithJoins) -> Result<(), Failure> {
    let mut left: Vec<Ident> = name_of(&table.relation).into_iter().collect();
    for join in &mut table.joins {
        let name = name_of(&join.relation);
        if let (JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint), Some(name)) =
            (&mut join.join_operator, &name)
            && let JoinConstraint::On(condition) = constraint
            && matches!(join.relation, TableFactor::Table { args: None, .. } | TableFactor::Derived { .. })
            && Found::in_condition(condition, &left).is_to_be_changed()
        {
            let always = Expr::value(Value::Boolean(true));
            let condition = std::mem::replace(condition, always);
            let mut lateral = derived(select_all(join.relation.clone(), Some(condition))?, name.clone());
            if let TableFactor::Derived { lateral, .. } = &mut lateral {
                *lateral = true;
            }
            join.relation = lateral;
        }
        left.extend(name);
    }
    Ok(())
}

/// What the condition of a join has.
struct Found<'names> {
    left: &'names [Ident],
    /// How many subqueries stand around.
    depth: usize,
    has_test: bool,
    reads_left: bool,
    has_bare_name: bool,
}

impl<'names> Found<'names> {
    fn in_condition(condition: &Expr, left: &'names [Ident]) -> Self {
        let mut found = Self { left, depth: 0, has_test: false, reads_left: false, has_bare_name: false };
        // The visitor never breaks.
        let _ = condition.inspect(&mut found);
        found
    }

    /// The engine supports uncorrelated scalar subqueries.
    fn is_to_be_changed(&self) -> bool {
        (self.has_test || self.reads_left) && !self.has_bare_name
    }
}

impl Visitor for Found<'_> {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Exists { .. } | Expr::InSubquery { .. } | Expr::AnyOp { .. } | Expr::AllOp { .. } => {
                self.has_test = true;
            }
            Expr::Identifier(_) if self.depth == 0 => self.has_bare_name = true,
            Expr::CompoundIdentifier(parts) if self.depth > 0 => {
                let table = parts.len().checked_sub(2).and_then(|place| parts.get(place));
                self.reads_left |= table.is_some_and(|table| self.left.iter().any(|name| same_name(name, table)));
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
