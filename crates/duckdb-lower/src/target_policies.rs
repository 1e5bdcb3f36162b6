//! The policies of the table that UPDATE, DELETE or MERGE changes: its masked columns are replaced by their masks, and its rows
//! are those that the row access policy lets through.

use std::ops::ControlFlow;

use firn_binder::{Bound, Reference};
use firn_engine::EngineError;
use firn_sql::Failure;
use firn_sql::ast::{BinaryOperator, CaseWhen, Expr, MergeClauseKind, Query, Statement, Value, VisitorMut};
use firn_sql::command::TargetPolicies;
use firn_sql::print;
use firn_sql::tree::{Tree, outcome};

use crate::bound_schemas::Schemas;
use crate::lookup::Lookup;

/// To be called before the statement is lowered.
pub fn bind(statement: &mut Statement, policies: &TargetPolicies, lookup: &dyn Lookup) -> Result<(), EngineError> {
    let bound =
        firn_binder::bind(statement, &Schemas(lookup)).map_err(|error| EngineError::Internal(error.to_string()))?;
    if let Some(filter) = &policies.filter {
        restrict(statement, filter, policies, &bound)?;
    }
    let mut masking = Masking { bound: &bound, policies, depth: 0 };
    Ok(outcome(statement.walk_mut(&mut masking))?)
}

struct Masking<'a> {
    bound: &'a Bound,
    policies: &'a TargetPolicies,
    /// How many subqueries are around the node.
    depth: usize,
}

impl VisitorMut for Masking<'_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    /// After its parts: the names in a mask are those of stored values.
    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Some(column) = target_column(self.bound, expr) else { return ControlFlow::Continue(()) };
        if self.depth > 0 && self.policies.filter.is_some() {
            // The engine would compute the subquery for hidden rows too, and report what fails there.
            return ControlFlow::Break(Failure::unsupported(
                "a subquery that reads a column of the changed table, which has a row access policy; join in FROM or USING",
            ));
        }
        if let Some((_, mask)) = self.policies.masks.iter().find(|(masked, _)| *masked == column) {
            *expr = mask.clone();
        }
        ControlFlow::Continue(())
    }
}

/// The column of the changed table that a name refers to.
fn target_column(bound: &Bound, expr: &Expr) -> Option<String> {
    if !matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
        return None;
    }
    match bound.node(expr)?.reference? {
        Reference::Column { relation, column } if bound.is_target(relation) => {
            let schema = bound.relation(relation)?.schema.as_ref()?;
            Some(schema.column(usize::try_from(column).ok()?)?.name.to_owned())
        }
        _ => None,
    }
}

/// `CASE WHEN filter THEN condition ELSE FALSE END`: the condition is computed for visible rows alone, so that no error in it
/// shows anything of the others. Comparisons that cannot fail stay outside, for the engine to join by.
fn restrict(statement: &mut Statement, filter: &Expr, policies: &TargetPolicies, bound: &Bound) -> Result<(), Failure> {
    let inserts_by_subquery = inserts(statement) && reads(filter, bound).is_none();
    let restricted = |condition: Option<Expr>| -> Result<Expr, Failure> {
        let mut safe = Vec::new();
        let mut rest = Vec::new();
        if let Some(condition) = condition {
            conjuncts(condition, &mut |part| match cannot_fail(&part, policies, bound) {
                true => safe.push(part),
                false => rest.push(part),
            });
        }
        if inserts_by_subquery {
            return of_outer_join(safe, rest, filter, bound);
        }
        let rest = rest.into_iter().reduce(and).unwrap_or_else(|| boolean(true));
        let visible = if_visible(filter, rest, "FALSE")?;
        Ok(safe.into_iter().fold(visible, |all, part| and(part, all)))
    };
    match statement {
        Statement::Update(update) => update.selection = Some(restricted(update.selection.take())?),
        Statement::Delete(delete) => delete.selection = Some(restricted(delete.selection.take())?),
        Statement::Merge(merge) => {
            let condition = std::mem::replace(&mut *merge.on, boolean(true));
            *merge.on = restricted(Some(condition))?;
        }
        _ => {}
    }
    Ok(())
}

/// MERGE with WHEN NOT MATCHED is an outer join, whose subqueries have to be on one side of a comparison each:
/// `CASE WHEN filter THEN target.column END = source.column`. What could fail for hidden rows is computed inside.
fn of_outer_join(mut safe: Vec<Expr>, mut rest: Vec<Expr>, filter: &Expr, bound: &Bound) -> Result<Expr, Failure> {
    let refused = || {
        Failure::unsupported(
            "MERGE with WHEN NOT MATCHED into a table whose row access policy has a subquery, where ON is more than comparisons of \
             the table with the source; run an UPDATE and an INSERT",
        )
    };
    let restricted = if rest.is_empty() { safe.get_mut(..1).unwrap_or_default() } else { &mut rest };
    for part in restricted {
        let side = target_side(part, bound).ok_or_else(refused)?;
        *side = if_visible(filter, side.clone(), "NULL")?;
    }
    safe.into_iter().chain(rest).reduce(and).ok_or_else(refused)
}

/// The side of a comparison that is computed from the changed table alone, if the other one is not computed from it.
fn target_side<'e>(comparison: &'e mut Expr, bound: &Bound) -> Option<&'e mut Expr> {
    use BinaryOperator::{Eq, Gt, GtEq, Lt, LtEq};
    let Expr::BinaryOp { left, op: Eq | Gt | GtEq | Lt | LtEq, right } = comparison else { return None };
    match (reads(left, bound)?, reads(right, bound)?) {
        (Reads { target: true, source: false }, Reads { target: false, .. }) => Some(left),
        (Reads { target: false, .. }, Reads { target: true, source: false }) => Some(right),
        _ => None,
    }
}

/// Of which relations an expression has columns.
#[derive(Clone, Copy, Default)]
struct Reads {
    target: bool,
    source: bool,
}

/// `None` for a subquery.
fn reads(expr: &Expr, bound: &Bound) -> Option<Reads> {
    struct Search<'a>(&'a Bound, Reads);
    impl VisitorMut for Search<'_> {
        type Break = Failure;

        fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
            ControlFlow::Break(Failure::unsupported("a subquery"))
        }

        fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
            if matches!(expr, Expr::Identifier(_) | Expr::CompoundIdentifier(_)) {
                let is_of_target = target_column(self.0, expr).is_some();
                self.1.target |= is_of_target;
                self.1.source |= !is_of_target;
            }
            ControlFlow::Continue(())
        }
    }
    let mut search = Search(bound, Reads::default());
    expr.clone().walk_mut(&mut search).is_continue().then_some(search.1)
}

/// `CASE WHEN filter THEN value ELSE hidden END`.
fn if_visible(filter: &Expr, value: Expr, hidden: &str) -> Result<Expr, Failure> {
    let mut visible = print::read_expression(&format!("CASE WHEN TRUE THEN TRUE ELSE {hidden} END"))?;
    if let Expr::Case { conditions, .. } = &mut visible {
        *conditions = vec![CaseWhen { condition: filter.clone(), result: value }];
    }
    Ok(visible)
}

fn inserts(statement: &Statement) -> bool {
    let Statement::Merge(merge) = statement else { return false };
    merge.clauses.iter().any(|clause| !matches!(clause.clause_kind, MergeClauseKind::Matched))
}

fn conjuncts(condition: Expr, add: &mut dyn FnMut(Expr)) {
    match condition {
        Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
            conjuncts(*left, add);
            conjuncts(*right, add);
        }
        Expr::Nested(inner) => conjuncts(*inner, add),
        other => add(other),
    }
}

/// An equation of two columns of one type, neither of which is masked.
fn cannot_fail(part: &Expr, policies: &TargetPolicies, bound: &Bound) -> bool {
    let Expr::BinaryOp { left, op: BinaryOperator::Eq, right } = part else { return false };
    let stored = |expr: &Expr| {
        let name = match expr {
            Expr::Identifier(name) => std::slice::from_ref(name),
            Expr::CompoundIdentifier(parts) => parts.as_slice(),
            _ => return None,
        };
        let is_masked =
            target_column(bound, expr).is_some_and(|column| policies.masks.iter().any(|(masked, _)| *masked == column));
        if is_masked { None } else { bound.stored_type(name) }
    };
    match (stored(left), stored(right)) {
        (Some(left), Some(right)) => left == right,
        _ => false,
    }
}

fn and(left: Expr, right: Expr) -> Expr {
    let nested = |expr: Expr| Box::new(Expr::Nested(Box::new(expr)));
    Expr::BinaryOp { left: nested(left), op: BinaryOperator::And, right: nested(right) }
}

fn boolean(value: bool) -> Expr {
    Expr::value(Value::Boolean(value))
}
