//! Neighbours of a query that reach rows another way: as a semi-join instead of a join, by the role that the question names
//! among several references to one table, by the group that has the most rows.

use super::is_plain;
use crate::chart::entities::among;
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Comparison, Condition, Expr, Query, SetOperation};
use crate::lattice::{Lattice, Meaning};
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::sql_generation::needed_tables;

/// A weaker link names no table or role.
const NAMED_MIN: f32 = 0.6;
/// Tables and roles that are tried.
const TRIED_MAX: usize = 3;
/// Words that may stand between `most common` and what is so.
const NEAR_WORDS_MAX: usize = 2;

pub(super) fn rows_in(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, found: &mut Vec<Query>) {
    if query.combined.is_some() {
        return;
    }
    by_role(index, lattice, query, found);
    by_most_rows(index, lattice, query, found);
    by_most_common(index, lattice, query, found);
    meeting_both(index, lattice, query, found);
    semi_joined(index, lattice, query, found);
    joined(index, query, found);
    except(lattice, query, found);
}

fn tables_of(index: &ModelIndex, condition: &Condition) -> Vec<TableId> {
    let (mut columns, mut tables) = (Vec::new(), Vec::new());
    condition.columns(&mut columns);
    condition.tables(&mut tables);
    tables.extend(columns.into_iter().map(|column| index.columns[column].table));
    tables
}

/// Columns that refer to a table which another column of theirs refers to as well, and that the question names.
#[must_use]
pub fn named_roles(index: &ModelIndex, lattice: &Lattice<'_>) -> Vec<(ColumnId, TableId)> {
    let mut found: Vec<(ColumnId, TableId)> = Vec::new();
    for item in lattice.items.iter().filter(|item| item.quality >= NAMED_MIN) {
        let Meaning::Column(column) = item.meaning else { continue };
        let own = index.columns[column].table;
        if index.joins.iter().filter(|join| join.left == own).count() < 2 {
            continue;
        }
        let Some(referred) = index.referred_table(column).filter(|referred| *referred != own) else { continue };
        let others = index.joins.iter().filter(|join| join.left == own && join.right == referred).count();
        if others > 1 && !found.contains(&(column, referred)) {
            found.push((column, referred));
        }
    }
    found.truncate(TRIED_MAX);
    found
}

/// Rows are those that a reference named in the question refers to.
fn by_role(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, found: &mut Vec<Query>) {
    let needed = needed_tables(index, query);
    for (role, referred) in named_roles(index, lattice).into_iter().filter(|(_, referred)| needed.contains(referred)) {
        let own = index.columns[role].table;
        let mut other = query.clone();
        if is_plain(query) {
            let refer = |expr: &mut Expr| {
                if let Expr::Column(column) = expr
                    && index.columns[*column].table == referred
                {
                    *expr = Expr::Referred(role, *column);
                }
            };
            other.select.iter_mut().for_each(refer);
            other.order.iter_mut().for_each(|(expr, _)| refer(expr));
            other.conditions.iter_mut().for_each(|condition| refer_compared(condition, &refer));
            other.joined.retain(|table| *table != referred);
        } else {
            let inside = |condition: &Condition| !tables_of(index, condition).contains(&referred);
            let (inner, outer) = other.conditions.into_iter().partition(inside);
            let Some(key) = referred_column(index, role) else { continue };
            let select = vec![Expr::Column(role)];
            let nested = Query { select, conditions: inner, ..Query::default() };
            other.conditions = outer;
            other.conditions.push(Condition::In(key, Box::new(nested)));
            other.joined.retain(|table| *table == referred);
        }
        if !needed_tables(index, &other).contains(&own) && is_plain(query) {
            other.joined.push(own);
        }
        found.push(other);
    }
}

fn refer_compared(condition: &mut Condition, refer: &impl Fn(&mut Expr)) {
    match condition {
        Condition::Compare(left, ..) | Condition::Between(left, ..) => refer(left),
        Condition::Any(all) | Condition::All(all) => all.iter_mut().for_each(|inner| refer_compared(inner, refer)),
        Condition::Not(inner) => refer_compared(inner, refer),
        _ => {}
    }
}

/// The column of the other table that a reference is compared with.
fn referred_column(index: &ModelIndex, reference: ColumnId) -> Option<ColumnId> {
    let join = index.reference_join(reference)?;
    let name = &index.columns[reference].name;
    let (_, right) = join.columns.iter().find(|(left, _)| left.eq_ignore_ascii_case(name))?;
    index.column_named(join.right, right)
}

/// `projects of the owner with the most projects`: the rows of the largest group, not one row each.
fn by_most_rows(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, found: &mut Vec<Query>) {
    let ([(by, direction)], Some(limit)) = (query.order.as_slice(), query.limit) else { return };
    let Expr::CountRows(counted) = by else { return };
    if query.select.iter().any(Expr::is_aggregate) || !query.having.is_empty() {
        return;
    }
    let Some(shown) = query.select.first().and_then(|expr| expr.owner(index)) else { return };
    let is_named = |table: TableId| {
        lattice.items.iter().any(|item| item.meaning == Meaning::Table(table) && item.quality >= NAMED_MIN)
    };
    let references =
        index.joins.iter().filter(|join| join.left == shown && join.right != shown && is_named(join.right));
    for join in references.take(TRIED_MAX) {
        let Some(column) = join.columns.first().and_then(|(left, _)| index.column_named(shown, left)) else { continue };
        let counted = if *counted == join.right { shown } else { *counted };
        let nested = Query {
            select: vec![Expr::Column(column)],
            order: vec![(Expr::CountRows(counted), *direction)],
            limit: Some(limit),
            ..Query::default()
        };
        let mut other =
            Query { order: Vec::new(), limit: None, group: Vec::new(), joined: Vec::new(), ..query.clone() };
        other.conditions.push(Condition::In(column, Box::new(nested)));
        found.push(other);
    }
}

/// `customers who use the most common payment`: the rows with the value that most rows have, not that value.
fn by_most_common(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, found: &mut Vec<Query>) {
    let ([(Expr::CountRows(counted), direction)], Some(limit)) = (query.order.as_slice(), query.limit) else { return };
    if query.select.len() < 2 || !query.select.iter().all(|expr| matches!(expr, Expr::Column(_))) {
        return;
    }
    let is_denied = lattice.says(&[Operator::Not, Operator::Except]);
    for (place, expr) in query.select.iter().enumerate() {
        let Expr::Column(column) = expr else { continue };
        if !follows_most_common(lattice, *column) {
            continue;
        }
        let own = index.columns[*column].table;
        let counted = if index.is_reference(*column) || index.is_key(*column) { *counted } else { own };
        let nested = Query {
            select: vec![expr.clone()],
            order: vec![(Expr::CountRows(counted), *direction)],
            limit: Some(limit),
            ..Query::default()
        };
        let mut other = Query { order: Vec::new(), limit: None, group: Vec::new(), ..query.clone() };
        other.select.remove(place);
        let among = Condition::In(*column, Box::new(nested));
        other.conditions.push(if is_denied { Condition::Not(Box::new(among)) } else { among });
        found.push(other);
    }
}

/// Whether a column is named behind `most common` or the like.
fn follows_most_common(lattice: &Lattice<'_>, column: ColumnId) -> bool {
    let said = lattice.items.iter().filter(|item| matches!(item.meaning, Meaning::Operator(Operator::MostCommon(_))));
    let mut ends = said.map(|item| item.end);
    ends.any(|end| {
        let is_near = |start: usize| (end..=end + NEAR_WORDS_MAX).contains(&start);
        lattice.items.iter().any(|item| item.meaning == Meaning::Column(column) && is_near(item.start))
    })
}

/// `how many students have both cats and dogs`: what is summed up meets rows with the one value and rows with the other.
fn meeting_both(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, found: &mut Vec<Query>) {
    let is_said = lattice.says(&[Operator::Both, Operator::And]);
    let is_measure = query.select.iter().all(Expr::is_aggregate) && query.having.is_empty() && query.order.is_empty();
    let Some(main) = query.select.first().and_then(|expr| expr.owner(index)).filter(|_| is_said && is_measure) else {
        return;
    };
    for (place, condition) in query.conditions.iter().enumerate() {
        let Condition::Any(all) = condition else { continue };
        let [first, second] = all.as_slice() else { continue };
        let [table] = tables_of(index, first)[..] else { continue };
        if table == main || tables_of(index, second) != [table] {
            continue;
        }
        let meets = |one: &Condition| among(index, main, table, vec![one.clone()]);
        let (Some(first), Some(second)) = (meets(first), meets(second)) else { continue };
        let mut other = Query { joined: vec![main], ..query.clone() };
        other.conditions.splice(place..=place, [first, second]);
        found.push(other);
    }
}

/// Conditions on other tables become one on the rows that are shown; a table that the question names leads there.
fn semi_joined(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, found: &mut Vec<Query>) {
    let shown: Vec<TableId> = query.select.iter().filter_map(|expr| expr.owner(index)).collect();
    let Some(&main) = shown.first() else { return };
    let of_shown = |condition: &Condition| tables_of(index, condition).iter().all(|table| shown.contains(table));
    let (own, others): (Vec<Condition>, Vec<Condition>) = query.conditions.iter().cloned().partition(of_shown);
    let is_grouped = !query.having.is_empty() || query.order.iter().any(|(expr, _)| expr.is_aggregate());
    if others.is_empty() || is_grouped {
        return;
    }
    let mut through: Vec<TableId> = Vec::new();
    for item in lattice.items.iter().filter(|item| item.quality >= NAMED_MIN) {
        if let Meaning::Table(table) = item.meaning
            && !shown.contains(&table)
            && !through.contains(&table)
        {
            through.push(table);
        }
    }
    through
        .extend(others.iter().flat_map(|condition| tables_of(index, condition)).filter(|table| *table != main).take(1));
    through.dedup();
    for table in through.into_iter().take(TRIED_MAX) {
        let Some(present) = among(index, main, table, others.clone()) else { continue };
        let mut other = Query { joined: Vec::new(), ..query.clone() };
        other.conditions.clone_from(&own);
        other.conditions.push(present);
        found.push(other);
    }
}

/// A semi-join as a join, which shows a row once for each that it meets.
fn joined(index: &ModelIndex, query: &Query, found: &mut Vec<Query>) {
    for (place, condition) in query.conditions.iter().enumerate() {
        let Condition::In(_, nested) = condition else { continue };
        let is_simple = nested.order.is_empty() && nested.having.is_empty() && nested.combined.is_none();
        if !is_simple {
            continue;
        }
        let mut other = query.clone();
        other.conditions.remove(place);
        other.conditions.extend(nested.conditions.iter().cloned());
        other.joined.extend(needed_tables(index, nested));
        other.joined.dedup();
        found.push(other);
    }
}

/// `… but not …`: rows with the first conditions, without the values of rows with the denied one.
fn except(lattice: &Lattice<'_>, query: &Query, found: &mut Vec<Query>) {
    let is_denied = lattice.says(&[Operator::Not, Operator::Except, Operator::Without]);
    if !is_denied || !is_plain(query) || !query.order.is_empty() || query.limit.is_some() {
        return;
    }
    for (place, condition) in query.conditions.iter().enumerate() {
        let positive = match condition {
            Condition::Compare(left, Comparison::NotEqual, right) => {
                Condition::Compare(left.clone(), Comparison::Equal, right.clone())
            }
            Condition::Not(inner) if !matches!(**inner, Condition::In(..)) => (**inner).clone(),
            _ => continue,
        };
        let mut other = query.clone();
        other.conditions.remove(place);
        let denied = Query { conditions: vec![positive], ..query.clone() };
        other.combined = Some((SetOperation::Except, Box::new(denied)));
        found.push(other);
    }
}
