//! ASOF JOIN by the engine's own join, which sorts both sides once. The front makes a LATERAL subquery of it that finds the closest
//! row for every row of the left side, and marks the join as GLOBAL. Where the conditions of the lowered subquery are one inequality
//! and equations, each between the two sides, it becomes the condition of an ASOF join; else the subquery stays.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectNamePart, Query, Select, SetExpr,
    TableFactor, TableWithJoins, Value, VisitorMut,
};
use firn_sql::tree::Tree;

/// Whether the front has marked a join of the select.
pub fn is_in(select: &Select) -> bool {
    select.from.iter().flat_map(|tables| &tables.joins).any(|join| join.global)
}

/// After all other passes: what they make of a comparison decides.
pub struct AsofJoins;

impl VisitorMut for AsofJoins {
    type Break = Failure;

    fn post_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        select.from.iter_mut().for_each(rewrite);
        ControlFlow::Continue(())
    }
}

fn rewrite(tables: &mut TableWithJoins) {
    let mut left: Vec<Ident> = name_of(&tables.relation).into_iter().collect();
    for join in &mut tables.joins {
        let right = name_of(&join.relation);
        // The query of a view may be lowered already.
        if join.global && matches!(join.relation, TableFactor::Derived { lateral: true, .. }) {
            join.global = right.as_ref().is_some_and(|right| by_engine(join, &left, right));
        }
        left.extend(right);
    }
}

/// Whether the join is the engine's from here on.
fn by_engine(join: &mut Join, left: &[Ident], right: &Ident) -> bool {
    let JoinOperator::LeftOuter(JoinConstraint::On(on)) = &mut join.join_operator else { return false };
    let TableFactor::Derived { lateral, subquery, .. } = &mut join.relation else { return false };
    if !matches!(on, Expr::Value(value) if value.value == Value::Boolean(true)) {
        return false;
    }
    let Some(select) = select_of(subquery) else { return false };
    let mut parts = Vec::new();
    conjuncts(select.selection.clone(), &mut parts);
    let sides = Sides { left, right };
    let (own, between): (Vec<Expr>, Vec<Expr>) =
        parts.into_iter().partition(|part| sides.of(part) == Some(Side::Right));
    let inequalities = between.iter().filter(|part| !sides.is_equation(part)).count();
    if inequalities != 1 || !between.iter().all(|part| sides.is_between(part)) {
        return false;
    }
    select.selection = own.into_iter().reduce(and);
    subquery.order_by = None;
    subquery.limit_clause = None;
    *lateral = false;
    if let Some(condition) = between.into_iter().reduce(and) {
        *on = condition;
    }
    true
}

fn select_of(query: &mut Query) -> Option<&mut Select> {
    match query.body.as_mut() {
        SetExpr::Select(select) if query.with.is_none() => Some(select),
        _ => None,
    }
}

fn conjuncts(condition: Option<Expr>, parts: &mut Vec<Expr>) {
    match condition {
        Some(Expr::BinaryOp { left, op: BinaryOperator::And, right }) => {
            conjuncts(Some(*left), parts);
            conjuncts(Some(*right), parts);
        }
        Some(Expr::Nested(inner)) => conjuncts(Some(*inner), parts),
        Some(part) => parts.push(part),
        None => {}
    }
}

fn and(left: Expr, right: Expr) -> Expr {
    let nested = |expr: Expr| Box::new(Expr::Nested(Box::new(expr)));
    Expr::BinaryOp { left: nested(left), op: BinaryOperator::And, right: nested(right) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

struct Sides<'a> {
    left: &'a [Ident],
    right: &'a Ident,
}

impl Sides<'_> {
    /// The side that all columns of an expression are of. `None` for both, for none, and where that is not known.
    fn of(&self, expr: &Expr) -> Option<Side> {
        let mut search = Search { sides: self, parameters: Vec::new(), found: Vec::new() };
        if expr.clone().walk_mut(&mut search).is_break() {
            return None;
        }
        let first = *search.found.first()?;
        search.found.iter().all(|side| *side == first).then_some(first)
    }

    fn is_between(&self, part: &Expr) -> bool {
        let Expr::BinaryOp { left, op, right } = part else { return false };
        let is_comparison = matches!(
            op,
            BinaryOperator::Eq | BinaryOperator::Gt | BinaryOperator::GtEq | BinaryOperator::Lt | BinaryOperator::LtEq
        );
        let sides = (self.of(left), self.of(right));
        is_comparison && matches!(sides, (Some(Side::Left), Some(Side::Right)) | (Some(Side::Right), Some(Side::Left)))
    }

    fn is_equation(&self, part: &Expr) -> bool {
        matches!(part, Expr::BinaryOp { op: BinaryOperator::Eq, .. })
    }
}

struct Search<'a> {
    sides: &'a Sides<'a>,
    /// Those of the lambdas around, by which some passes compute a value once.
    parameters: Vec<Ident>,
    found: Vec<Side>,
}

impl VisitorMut for Search<'_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        ControlFlow::Break(Failure::unsupported("a subquery"))
    }

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let unknown = || ControlFlow::Break(Failure::unsupported("a name of an unknown relation"));
        match expr {
            Expr::Lambda(lambda) => {
                self.parameters.extend(lambda.params.iter().map(|parameter| parameter.name.clone()));
                ControlFlow::Continue(())
            }
            Expr::Identifier(name) if self.parameters.contains(name) => ControlFlow::Continue(()),
            Expr::Identifier(_) => unknown(),
            Expr::CompoundIdentifier(parts) => {
                let Some(table) = parts.len().checked_sub(2).and_then(|place| parts.get(place)) else {
                    return unknown();
                };
                if table == self.sides.right {
                    self.found.push(Side::Right);
                } else if self.sides.left.contains(table) {
                    self.found.push(Side::Left);
                } else {
                    return unknown();
                }
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Continue(()),
        }
    }
}

/// What the columns of a relation are qualified with.
fn name_of(factor: &TableFactor) -> Option<Ident> {
    match factor {
        TableFactor::Table { alias: Some(alias), .. } | TableFactor::Derived { alias: Some(alias), .. } => {
            Some(alias.name.clone())
        }
        TableFactor::Table { name, alias: None, .. } => match name.0.last() {
            Some(ObjectNamePart::Identifier(name)) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    }
}
