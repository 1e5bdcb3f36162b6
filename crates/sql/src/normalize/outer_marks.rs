//! `WHERE a.x = b.x(+)`: the marked relation becomes the right side of a left join, on the conditions
//! that carry its mark.

use std::ops::ControlFlow;

use super::refusals::refuse;
use crate::Failure;
use crate::ast::{
    BinaryOperator, Expr, Ident, Join, JoinConstraint, JoinOperator, Select, SelectItem,
    SelectItemQualifiedWildcardKind, TableFactor, TableWithJoins, Visitor, VisitorMut,
};
use crate::query_parts::{name_of, same_name};
use crate::tree::Tree;

/// A relation of the FROM clause, and the conditions that mark it.
struct Marked {
    relation: TableFactor,
    name: Ident,
    conditions: Vec<Expr>,
}

pub(super) fn rewrite(select: &mut Select) -> Result<(), Failure> {
    let Some(selection) = &select.selection else { return Ok(()) };
    if !has_mark(selection) {
        return Ok(());
    }
    refuse(select.from.iter().any(|table| !table.joins.is_empty()), "(+) together with JOIN")?;
    let mut plain: Vec<Expr> = Vec::new();
    let mut relations: Vec<Marked> = Vec::new();
    for table in std::mem::take(&mut select.from) {
        let name =
            name_of(&table.relation).ok_or_else(|| Failure::unsupported("(+) with a relation without a name"))?;
        relations.push(Marked { relation: table.relation, name, conditions: Vec::new() });
    }
    let order: Vec<Ident> = relations.iter().map(|marked| marked.name.clone()).collect();
    for mut condition in conjuncts(select.selection.take()) {
        match marked_relation(&mut condition, &order)? {
            Some(index) => relations[index].conditions.push(condition),
            None => plain.push(condition),
        }
    }
    select.selection = plain.into_iter().reduce(and);
    select.from = vec![joined(relations)?];
    if select.from.iter().any(|table| !keeps_order(table, &order)) {
        spell_wildcards(select, &order);
    }
    Ok(())
}

fn conjuncts(selection: Option<Expr>) -> Vec<Expr> {
    let mut found = Vec::new();
    let mut open: Vec<Expr> = selection.into_iter().collect();
    while let Some(expr) = open.pop() {
        match expr {
            Expr::BinaryOp { left, op: BinaryOperator::And, right } => {
                open.push(*right);
                open.push(*left);
            }
            Expr::Nested(inside) if matches!(*inside, Expr::BinaryOp { op: BinaryOperator::And, .. }) => {
                open.push(*inside);
            }
            other => found.push(other),
        }
    }
    found
}

fn and(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::And, right: Box::new(right) }
}

/// Removes the marks from a condition and returns the relation they mark.
fn marked_relation(condition: &mut Expr, relations: &[Ident]) -> Result<Option<usize>, Failure> {
    let mut marks = Marks { qualifiers: Vec::new(), unqualified: false };
    // The visitor never breaks.
    let _ = condition.walk_mut(&mut marks);
    refuse(marks.unqualified && relations.len() != 1, "(+) after a column without its table's name")?;
    let Some(first) = marks.qualifiers.first() else { return Ok(None) };
    refuse(marks.qualifiers.iter().any(|other| !same_name(first, other)), "(+) on both sides of a condition")?;
    match relations.iter().position(|name| same_name(name, first)) {
        Some(index) => Ok(Some(index)),
        None => Err(Failure::missing_object("Object", &first.value)),
    }
}

struct Marks {
    qualifiers: Vec<Ident>,
    unqualified: bool,
}

impl VisitorMut for Marks {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::OuterJoin(column) = expr {
            match column.as_ref() {
                Expr::CompoundIdentifier(parts) if parts.len() > 1 => {
                    self.qualifiers.extend(parts.get(parts.len() - 2).cloned());
                }
                _ => self.unqualified = true,
            }
            let column = std::mem::replace(column.as_mut(), Expr::value(crate::ast::Value::Null));
            *expr = column;
        }
        ControlFlow::Continue(())
    }
}

fn has_mark(expr: &Expr) -> bool {
    struct Search(bool);
    impl Visitor for Search {
        type Break = Failure;

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
            self.0 |= matches!(expr, Expr::OuterJoin(_));
            ControlFlow::Continue(())
        }
    }
    let mut search = Search(false);
    // The visitor never breaks.
    let _ = expr.walk(&mut search);
    search.0
}

/// Unmarked relations first, then each marked one after those its conditions name.
fn joined(relations: Vec<Marked>) -> Result<TableWithJoins, Failure> {
    let (inner, mut outer): (Vec<_>, Vec<_>) = relations.into_iter().partition(|marked| marked.conditions.is_empty());
    let mut inner = inner.into_iter();
    let first = inner.next().ok_or_else(|| Failure::unsupported("(+) on every relation"))?;
    let mut present = vec![first.name];
    let mut table = TableWithJoins { relation: first.relation, joins: Vec::new() };
    for other in inner {
        present.push(other.name);
        table.joins.push(join(other.relation, JoinOperator::CrossJoin(JoinConstraint::None)));
    }
    while !outer.is_empty() {
        let ready = |marked: &Marked| {
            let others = outer.iter().filter(|other| !same_name(&other.name, &marked.name));
            !others.into_iter().any(|other| marked.conditions.iter().any(|condition| names(condition, &other.name)))
        };
        let next = outer.iter().position(ready).ok_or_else(|| Failure::unsupported("(+) in a circle"))?;
        let marked = outer.remove(next);
        let condition = marked.conditions.into_iter().reduce(and);
        let constraint = condition.map_or(JoinConstraint::None, JoinConstraint::On);
        table.joins.push(join(marked.relation, JoinOperator::LeftOuter(constraint)));
    }
    Ok(table)
}

fn join(relation: TableFactor, join_operator: JoinOperator) -> Join {
    Join { relation, global: false, join_operator }
}

fn names(expr: &Expr, relation: &Ident) -> bool {
    struct Search<'a>(&'a Ident, bool);
    impl Visitor for Search<'_> {
        type Break = Failure;

        fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
            if let Expr::CompoundIdentifier(parts) = expr {
                self.1 |= parts.iter().rev().nth(1).is_some_and(|qualifier| same_name(qualifier, self.0));
            }
            ControlFlow::Continue(())
        }
    }
    let mut search = Search(relation, false);
    // The visitor never breaks.
    let _ = expr.walk(&mut search);
    search.1
}

fn keeps_order(table: &TableWithJoins, order: &[Ident]) -> bool {
    let relations = std::iter::once(&table.relation).chain(table.joins.iter().map(|join| &join.relation));
    relations.zip(order).all(|(relation, name)| name_of(relation).is_some_and(|found| same_name(&found, name)))
}

/// `*` shows the relations in the order of the text.
fn spell_wildcards(select: &mut Select, order: &[Ident]) {
    let projection = std::mem::take(&mut select.projection);
    select.projection = projection
        .into_iter()
        .flat_map(|item| match item {
            SelectItem::Wildcard(options) => order
                .iter()
                .map(|name| {
                    let kind = SelectItemQualifiedWildcardKind::ObjectName(vec![name.clone()].into());
                    SelectItem::QualifiedWildcard(kind, options.clone())
                })
                .collect(),
            other => vec![other],
        })
        .collect();
}
