//! Joins that merge columns of both sides (USING, NATURAL). A FULL JOIN coalesces both sides, so both are cast to the
//! larger of their scales where the engine would drop digits; a qualified reference to one side is cast back. A NATURAL
//! JOIN of relations without a common column, which the engine refuses, becomes a cross join. Semi-structured columns that
//! are merged are equal by their values, so both sides become canonical.

use std::ops::ControlFlow;

use firn_binder::{QueryScopes, SelectRelation};
use firn_engine::EngineError;
use firn_sql::ast::{
    Expr, Ident, Join, JoinConstraint, JoinOperator, ObjectNamePart, Query, Select, SelectItem, SetExpr, TableAlias,
    TableFactor, TableWithJoins, Value, VisitorMut,
};
use firn_sql::join_constraints::{join_constraint, join_constraint_mut};
use firn_sql::tree::Walk;
use firn_sql::{Failure, print};

use super::build::{call, null, quoted};
use super::decimal_scale::DIGITS_MAX;
use super::kinds::branches_of;
use super::numbers::decimal;
use super::set_branches::shown_value;
use super::set_columns::digits;

pub(super) fn applies_to(query: &Query) -> bool {
    let mut selects = Vec::new();
    branches_of(&query.body, &mut selects);
    let mut joins = selects.into_iter().flat_map(|select| &select.from).flat_map(|table| &table.joins);
    joins.any(merges_columns)
}

pub(super) fn rewrite(query: &mut Query, scopes: &QueryScopes<'_>) -> Result<(), EngineError> {
    let mut pass = Pass { scopes, replaced: Vec::new() };
    let narrowed = pass.body(&mut query.body)?;
    // The visitors never break.
    let _ = query.order_by.rewrite(&mut DeclaredScales(&narrowed));
    if !pass.replaced.is_empty() {
        let _ = query.rewrite(&mut ShortQualifiers(&pass.replaced));
    }
    Ok(())
}

fn merges_columns(join: &Join) -> bool {
    let constraint = join_constraint(&join.join_operator);
    matches!(constraint, Some(JoinConstraint::Using(_) | JoinConstraint::Natural))
}

fn is_natural(join: &Join) -> bool {
    join_constraint(&join.join_operator).is_some_and(|constraint| matches!(constraint, JoinConstraint::Natural))
}

struct Pass<'scopes, 'lookup> {
    scopes: &'scopes QueryScopes<'lookup>,
    /// The names of the relations that have become subqueries.
    replaced: Vec<String>,
}

/// A column that was cast to a larger scale, and its declared scale.
struct Widened {
    relation: String,
    column: String,
    declared: u8,
}

impl Pass<'_, '_> {
    fn body(&mut self, body: &mut SetExpr) -> Result<Vec<Widened>, EngineError> {
        match body {
            SetExpr::Select(select) => self.select(select),
            SetExpr::SetOperation { left, right, .. } => {
                self.body(left)?;
                self.body(right)?;
                Ok(Vec::new())
            }
            _ => Ok(Vec::new()),
        }
    }

    fn select(&mut self, select: &mut Select) -> Result<Vec<Widened>, EngineError> {
        let mut widened = Vec::new();
        for table in &mut select.from {
            self.table(table, &mut widened)?;
        }
        if !widened.is_empty() {
            for item in select.projection.iter_mut().filter(|item| shows_widened(item, &widened)) {
                shown_value(item);
            }
            let mut from = std::mem::take(&mut select.from);
            // The visitor never breaks.
            let _ = select.rewrite(&mut DeclaredScales(&widened));
            std::mem::swap(&mut from, &mut select.from);
        }
        Ok(widened)
    }

    fn table(&mut self, table: &mut TableWithJoins, widened: &mut Vec<Widened>) -> Result<(), EngineError> {
        let all = self.scopes.relations(std::slice::from_ref(table))?;
        // Brackets in FROM hold several relations.
        if all.len() != table.joins.len() + 1 {
            return Ok(());
        }
        let mut canonical = Vec::new();
        for place in 1..all.len() {
            let (left, right) = (&all[..place], &all[place]);
            let join = &mut table.joins[place - 1];
            if is_natural(join) && common_columns(left, right).is_some_and(|common| common.is_empty()) {
                join_all(&mut join.join_operator);
            }
            let is_full = matches!(&join.join_operator, JoinOperator::FullOuter(_));
            for column in merged_columns(join, left, right) {
                if is_full {
                    widen(table, &all[..=place], &column, widened)?;
                }
                make_canonical(table, &all[..=place], &column, &mut canonical)?;
            }
        }
        self.replaced.extend(canonical.into_iter().map(|(place, _)| all[place].name.clone()));
        self.replaced.extend(widened.iter().map(|widened| widened.relation.clone()));
        Ok(())
    }
}

fn merged_columns(join: &Join, left: &[SelectRelation], right: &SelectRelation) -> Vec<String> {
    match join_constraint(&join.join_operator) {
        Some(JoinConstraint::Using(names)) => {
            let name = |part: &ObjectNamePart| part.as_ident().map(|name| name.value.clone());
            names.iter().filter_map(|full| full.0.last().and_then(name)).collect()
        }
        Some(JoinConstraint::Natural) => common_columns(left, right).unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// `None` where the columns of a side are not known.
fn common_columns(left: &[SelectRelation], right: &SelectRelation) -> Option<Vec<String>> {
    if left.iter().any(|relation| relation.columns.is_none()) {
        return None;
    }
    let is_common = |name: &String| left.iter().any(|relation| relation.has(name));
    Some(right.columns.as_ref()?.iter().map(|column| column.name.to_string()).filter(is_common).collect())
}

fn join_all(operator: &mut JoinOperator) {
    if let Some(constraint) = join_constraint_mut(operator) {
        *constraint = JoinConstraint::On(Expr::value(Value::Boolean(true)));
    }
}

/// Casts the columns of this name to their common scale, where the engine would use a smaller one.
fn widen(
    table: &mut TableWithJoins,
    relations: &[SelectRelation],
    column: &str,
    widened: &mut Vec<Widened>,
) -> Result<(), EngineError> {
    let known = relations.iter().enumerate().filter_map(|(place, relation)| {
        let found = relation.columns.as_ref()?.iter().find(|known| *known.name == *column)?;
        Some((place, digits(found.value.data_type.data_type()?)?))
    });
    let known: Vec<(usize, (u8, u8))> = known.collect();
    let whole = known.iter().map(|(_, (whole, _))| *whole).max().unwrap_or_default();
    let scale = known.iter().map(|(_, (_, scale))| *scale).max().unwrap_or_default();
    if whole + scale <= DIGITS_MAX {
        return Ok(());
    }
    for (place, (_, declared)) in known.into_iter().filter(|(_, (_, declared))| *declared < scale) {
        let name = &relations[place].name;
        if widened.iter().any(|known| known.relation == *name && known.column == column) {
            continue;
        }
        let factor = if place == 0 { &mut table.relation } else { &mut table.joins[place - 1].relation };
        *factor = with_scale(factor, name, column, scale)?;
        widened.push(Widened { relation: name.clone(), column: column.to_owned(), declared });
    }
    Ok(())
}

/// Makes the semi-structured columns of this name canonical, where all columns of the name are semi-structured. `done` has
/// the relations and columns that are.
fn make_canonical(
    table: &mut TableWithJoins,
    relations: &[SelectRelation],
    column: &str,
    done: &mut Vec<(usize, String)>,
) -> Result<(), EngineError> {
    let known = relations.iter().enumerate().filter_map(|(place, relation)| {
        let found = relation.columns.as_ref()?.iter().find(|known| *known.name == *column)?;
        Some((place, found.value.family().is_semi_structured()))
    });
    let known: Vec<(usize, bool)> = known.collect();
    if !known.iter().all(|(_, is_semi_structured)| *is_semi_structured) {
        return Ok(());
    }
    for (place, _) in known {
        let factor = if place == 0 { &mut table.relation } else { &mut table.joins[place - 1].relation };
        if reads_by_itself(factor) && !done.iter().any(|(known, name)| *known == place && name == column) {
            let value = call("__CANONICAL", vec![Expr::Identifier(quoted(column))]);
            *factor = with_value(factor, &relations[place].name, column, &value)?;
            done.push((place, column.to_owned()));
        }
    }
    Ok(())
}

fn with_scale(factor: &TableFactor, name: &str, column: &str, scale: u8) -> Result<TableFactor, EngineError> {
    let value = decimal(Expr::Identifier(quoted(column)), scale);
    Ok(with_value(factor, name, column, &value)?)
}

/// False for a relation that may read those before it, and has to stay where it is.
pub(super) fn reads_by_itself(factor: &TableFactor) -> bool {
    matches!(factor, TableFactor::Table { args: None, .. } | TableFactor::Derived { lateral: false, .. })
}

/// The relation with another value of a column.
pub(super) fn with_value(factor: &TableFactor, name: &str, column: &str, value: &Expr) -> Result<TableFactor, Failure> {
    let column = quoted(column);
    let mut query = print::read_query(&format!("SELECT * REPLACE ({value} AS {column}) FROM x"))?;
    if let SetExpr::Select(select) = &mut *query.body
        && let Some(from) = select.from.first_mut()
    {
        from.relation = factor.clone();
    }
    let alias = TableAlias { explicit: true, name: quoted(name), columns: Vec::new(), at: None };
    let alias = Some(alias).filter(|_| !name.is_empty());
    Ok(TableFactor::Derived { lateral: false, subquery: Box::new(query), alias, sample: None })
}

/// Casts qualified references back to the column's declared scale.
struct DeclaredScales<'a>(&'a [Widened]);

impl VisitorMut for DeclaredScales<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let Expr::CompoundIdentifier(parts) = expr else { return ControlFlow::Continue(()) };
        if let [.., relation, column] = parts.as_slice()
            && let Some(widened) = self.0.iter().find(|widened| widened.names(relation, column))
        {
            let declared = widened.declared;
            *expr = decimal(std::mem::replace(expr, null()), declared);
        }
        ControlFlow::Continue(())
    }
}

/// A subquery has no database and no schema that its columns could be qualified with.
struct ShortQualifiers<'a>(&'a [String]);

impl VisitorMut for ShortQualifiers<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let [_, .., relation, _] = parts.as_slice()
            && self.0.contains(&relation.value)
        {
            parts.drain(..parts.len() - 2);
        }
        ControlFlow::Continue(())
    }
}

/// True for a column that is shown by itself, and has to keep its name when it is cast.
fn shows_widened(item: &SelectItem, widened: &[Widened]) -> bool {
    let SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) = item else { return false };
    matches!(parts.as_slice(), [.., relation, column] if widened.iter().any(|known| known.names(relation, column)))
}

impl Widened {
    fn names(&self, relation: &Ident, column: &Ident) -> bool {
        self.relation == relation.value && self.column == column.value
    }
}
