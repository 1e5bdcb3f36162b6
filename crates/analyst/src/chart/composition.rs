//! A sequence of fragments as a whole query. Where a sequence leaves open how rows are shown or which tables take part, it
//! becomes several queries.

use super::Context;
use super::assembly::tables_of;
use super::builders::period_condition;
use super::entities::{among, time_of};
use super::fragment::{Bound, Fragment, Kind, OrderBy, Ordering};
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{
    Comparison, Condition, Direction, Expr, Function, Literal, Operand, Query, SetOperation, TimeUnit,
};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::question::time::TimeRange;
use crate::sql_generation::join_paths::distance;

/// Queries that one sequence may stand for.
const VARIANTS_MAX: usize = 10;

/// All queries of a sequence.
pub fn compose(context: &Context<'_>, sequence: &[&Fragment]) -> Vec<Query> {
    let parts = Collected::of(context, sequence);
    let mut found: Vec<Query> = Vec::new();
    for choice in parts.choices() {
        let Some(query) = parts.query(context.index, &choice) else { continue };
        let variants =
            [either(&query), either_all(context, &query), both(context, &query), but_not(context, &query), Some(query)];
        for query in variants.into_iter().flatten() {
            if !found.contains(&query) {
                found.push(query);
            }
        }
        if found.len() >= VARIANTS_MAX {
            break;
        }
    }
    found
}

/// How rows that are named without a column are shown.
#[derive(Clone, Copy, PartialEq)]
enum Rows {
    Label,
    Key,
    Everything,
    /// A table that is named beside columns that are asked for.
    NotShown,
}

/// Which named tables are joined though nothing of them is used.
#[derive(Clone, Copy, PartialEq)]
enum Named {
    Joined,
    Ignored,
}

/// What becomes of columns in a relative clause that nothing is compared with.
#[derive(Clone, Copy, PartialEq)]
enum Late {
    Shown,
    Ignored,
}

#[derive(Clone, Copy)]
struct Choice {
    rows: Rows,
    named: Named,
    late: Late,
}

/// The fragments of a sequence by what they do.
struct Collected {
    shown: Vec<(Expr, Zone)>,
    tables: Vec<(TableId, Zone)>,
    conditions: Vec<Condition>,
    havings: Vec<Condition>,
    during: Vec<(TimeRange, Bound)>,
    absent: Vec<(TableId, Vec<Condition>)>,
    groups: Vec<Expr>,
    group_rows: Vec<TableId>,
    units: Vec<TimeUnit>,
    orders: Vec<Ordering>,
    limit: Option<(u64, Direction)>,
    common: Option<(Expr, Direction, u64)>,
    everything: Option<TableId>,
    counts_main: bool,
    distinct: bool,
    main: Option<TableId>,
}

/// Before or behind the first word that opens a relative clause.
#[derive(Clone, Copy, PartialEq)]
enum Zone {
    Head,
    Clause,
}

impl Collected {
    fn of(context: &Context<'_>, sequence: &[&Fragment]) -> Self {
        let index = context.index;
        let mut parts = Self {
            shown: Vec::new(),
            tables: Vec::new(),
            conditions: Vec::new(),
            havings: Vec::new(),
            during: Vec::new(),
            absent: Vec::new(),
            groups: Vec::new(),
            group_rows: Vec::new(),
            units: Vec::new(),
            orders: Vec::new(),
            limit: None,
            common: None,
            everything: None,
            counts_main: false,
            distinct: false,
            main: None,
        };
        let clause = clause_start(context);
        for fragment in sequence {
            let zone = if fragment.start > clause { Zone::Clause } else { Zone::Head };
            parts.collect(index, fragment, zone);
        }
        parts.main = parts.main_table(index, sequence);
        parts
    }

    fn collect(&mut self, index: &ModelIndex, fragment: &Fragment, zone: Zone) {
        match &fragment.kind {
            Kind::Table(table) => self.tables.push((*table, zone)),
            Kind::Column(column) if index.columns[*column].kind == ColumnKind::Metric => {
                self.shown.push((Expr::Aggregate(Function::Metric, *column), zone));
            }
            Kind::Column(column) => self.shown.push((Expr::Column(*column), zone)),
            Kind::Measure(measure) => self.shown.push((measure.clone(), zone)),
            Kind::Measures(all) => self.shown.extend(all.iter().map(|measure| (measure.clone(), zone))),
            Kind::CountOfMain => self.counts_main = true,
            Kind::Condition(condition) => self.conditions.push(condition.clone()),
            Kind::Having(condition) => self.havings.push(condition.clone()),
            Kind::During(range, bound) => self.during.push((*range, *bound)),
            Kind::Absent(table, conditions) => self.absent.push((*table, conditions.clone())),
            Kind::Group(expr) => self.groups.push(expr.clone()),
            Kind::GroupRows(table) => self.group_rows.push(*table),
            Kind::GroupUnit(unit) => self.units.push(*unit),
            Kind::Order(ordering) => self.orders.push(ordering.clone()),
            Kind::Limit(limit, direction) => self.limit = Some((*limit, *direction)),
            Kind::Common(column, direction, limit) => self.common = Some((Expr::Column(*column), *direction, *limit)),
            Kind::CommonRows(table, direction, limit) => {
                let label = index.label(*table).first().copied();
                self.common = label.map(|column| (Expr::Column(column), *direction, *limit));
            }
            Kind::Everything(table) => self.everything = Some(*table),
            Kind::Operator(Operator::Distinct | Operator::Once) => self.distinct = true,
            _ => {}
        }
    }

    /// What the question is about: the first table or column that is asked for.
    fn main_table(&self, index: &ModelIndex, sequence: &[&Fragment]) -> Option<TableId> {
        let first_table = self.tables.first().map(|(table, _)| *table);
        let first_shown = self.shown.iter().find_map(|(expr, _)| match expr {
            Expr::Column(column) => Some(index.columns[*column].table),
            _ => None,
        });
        let any = sequence.iter().find_map(|fragment| tables_of(index, fragment).first().copied());
        first_table.or(first_shown).or(any)
    }

    fn choices(&self) -> Vec<Choice> {
        let has_shown = !self.shown.is_empty() || self.common.is_some();
        let rows: &[Rows] =
            if has_shown { &[Rows::NotShown, Rows::Label] } else { &[Rows::Label, Rows::Key, Rows::Everything] };
        let has_late = self.shown.iter().any(|(expr, zone)| *zone == Zone::Clause && !expr.is_aggregate());
        let late: &[Late] = if has_late { &[Late::Shown, Late::Ignored] } else { &[Late::Shown] };
        let named: &[Named] = if self.tables.is_empty() { &[Named::Ignored] } else { &[Named::Joined, Named::Ignored] };
        let mut choices = Vec::new();
        for &rows in rows {
            for &late in late {
                for &named in named {
                    choices.push(Choice { rows, named, late });
                }
            }
        }
        choices
    }

    fn query(&self, index: &ModelIndex, choice: &Choice) -> Option<Query> {
        let main = self.main?;
        let mut query = Query { conditions: self.conditions.clone(), having: self.havings.clone(), ..Query::default() };
        query.select = self.select(index, choice);
        if self.counts_main {
            query.select.push(Expr::CountRows(self.counted_main(index, main)));
        }
        if let Some((common, direction, limit)) = &self.common {
            query.select.insert(0, common.clone());
            query.order.push((Expr::CountRows(common.owner(index)?), *direction));
            query.limit = Some(*limit);
        }
        self.add_groups(index, main, &mut query)?;
        if query.select.is_empty() {
            query.select = rows_shown(index, main, choice.rows);
        } else if choice.rows == Rows::Label {
            let label = index.label(main).into_iter().map(Expr::Column).filter(|expr| !query.select.contains(expr));
            let label: Vec<Expr> = label.collect();
            query.select.splice(0..0, label);
        }
        self.add_orders(&mut query);
        for (range, bound) in &self.during {
            let measured = query.select.iter().find(|expr| expr.is_aggregate()).and_then(|expr| expr.owner(index));
            let time = time_of(index, measured.unwrap_or(main))?;
            query.conditions.push(period_condition(time, *range, *bound));
        }
        for (table, conditions) in &self.absent {
            let about = if *table == main { self.nearest_other(index, *table)? } else { main };
            query.conditions.push(absence(index, among(index, about, *table, conditions.clone())?));
        }
        if choice.named == Named::Joined {
            let absent: Vec<TableId> = self.absent.iter().map(|(table, _)| *table).collect();
            query.joined =
                self.tables.iter().map(|(table, _)| *table).filter(|table| !absent.contains(table)).collect();
        } else if let [(only, _)] = self.tables.as_slice() {
            query.joined = vec![*only];
        }
        query.distinct = self.distinct && !query.select.iter().any(Expr::is_aggregate);
        add_keys(index, main, &mut query);
        (!query.select.is_empty()).then_some(query)
    }

    fn select(&self, index: &ModelIndex, choice: &Choice) -> Vec<Expr> {
        let mut select: Vec<Expr> = Vec::new();
        if let Some(table) = self.everything {
            select.push(Expr::Everything(table));
        }
        for (expr, zone) in &self.shown {
            let is_ignored = *zone == Zone::Clause && choice.late == Late::Ignored && !expr.is_aggregate();
            let is_filter = matches!(expr, Expr::Column(column) if index.columns[*column].kind == ColumnKind::Filter);
            if !is_ignored && !is_filter && !select.contains(expr) {
                select.push(expr.clone());
            }
        }
        select
    }

    /// `how many are there`: rows of the first table named, else of what is restricted.
    fn counted_main(&self, index: &ModelIndex, main: TableId) -> TableId {
        let mut columns = Vec::new();
        self.conditions.iter().for_each(|condition| condition.columns(&mut columns));
        let restricted = columns.first().map(|column| index.columns[*column].table);
        self.tables.first().map(|(table, _)| *table).or(restricted).unwrap_or(main)
    }

    fn nearest_other(&self, index: &ModelIndex, table: TableId) -> Option<TableId> {
        let others = self.tables.iter().map(|(other, _)| *other).filter(|other| *other != table);
        others.min_by_key(|other| distance(index, *other, table))
    }

    fn add_groups(&self, index: &ModelIndex, main: TableId, query: &mut Query) -> Option<()> {
        let mut groups: Vec<Expr> = self.groups.clone();
        for table in &self.group_rows {
            let own = query
                .select
                .iter()
                .any(|expr| matches!(expr, Expr::Column(column) if index.columns[*column].table == *table));
            if !own {
                groups.extend(index.label(*table).into_iter().map(Expr::Column));
            }
        }
        for unit in &self.units {
            let measured = query.select.iter().find(|expr| expr.is_aggregate()).and_then(|expr| expr.owner(index));
            groups.push(Expr::unit_of_time(*unit, time_of(index, measured.unwrap_or(main))?));
        }
        if groups.is_empty() {
            return Some(());
        }
        let measured = query.select.iter().any(Expr::is_aggregate);
        let counted = self.tables.iter().map(|(table, _)| *table).next();
        if !measured && self.havings.is_empty() && self.orders.is_empty() && query.select.is_empty() {
            query.select.push(Expr::CountRows(counted.unwrap_or(main)));
        }
        let missing: Vec<Expr> = groups.into_iter().filter(|group| !query.select.contains(group)).collect();
        query.select.splice(0..0, missing);
        Some(())
    }

    fn add_orders(&self, query: &mut Query) {
        for ordering in &self.orders {
            let by = match &ordering.by {
                OrderBy::Expr(expr) => expr.clone(),
                OrderBy::Shown => match query.select.first() {
                    Some(first) => first.clone(),
                    None => continue,
                },
            };
            query.order.push((by, ordering.direction));
            query.limit = ordering.limit.or(query.limit);
        }
        if let Some((limit, direction)) = self.limit {
            query.limit = Some(limit);
            if query.order.is_empty() {
                let by = query.select.iter().find(|expr| expr.is_aggregate()).or_else(|| query.select.last());
                query.order.extend(by.cloned().map(|by| (by, direction)));
            } else {
                query.order.iter_mut().for_each(|(_, own)| *own = direction);
            }
        }
    }
}

/// Where the first relative clause or condition of the question opens.
fn clause_start(context: &Context<'_>) -> usize {
    let opens = |at: &usize| {
        let word = context.lattice.words[*at].lower.as_str();
        *at > 1
            && matches!(
                word,
                "whose" | "who" | "that" | "with" | "where" | "having" | "have" | "has" | "which" | "when"
            )
    };
    (0..context.lattice.words.len()).find(opens).unwrap_or(usize::MAX)
}

fn rows_shown(index: &ModelIndex, table: TableId, rows: Rows) -> Vec<Expr> {
    match rows {
        Rows::Label | Rows::NotShown => index.label(table).into_iter().map(Expr::Column).collect(),
        Rows::Key => index.tables[table].key.iter().map(|column| Expr::Column(*column)).collect(),
        Rows::Everything => vec![Expr::Everything(table)],
    }
}

/// Rows that are not among others; a reference that is missing must not make the comparison unknown for all of them.
fn absence(index: &ModelIndex, mut present: Condition) -> Condition {
    if let Condition::In(_, nested) = &mut present
        && let [Expr::Column(reference)] = nested.select.as_slice()
        && !index.is_key(*reference)
    {
        nested.conditions.push(Condition::Not(Box::new(Condition::Missing(*reference))));
    }
    Condition::Not(Box::new(present))
}

/// Two conditions that ask one column for different values.
fn rivals(query: &Query) -> Option<(usize, usize)> {
    let value = |condition: &Condition| match condition {
        Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(Literal::Text(text))) => {
            Some((*column, text.clone()))
        }
        _ => None,
    };
    let values: Vec<Option<(ColumnId, String)>> = query.conditions.iter().map(value).collect();
    (1..values.len()).find_map(|second| {
        let (column, text) = values[second].as_ref()?;
        let is_rival =
            |first: &usize| values[*first].as_ref().is_some_and(|(other, value)| other == column && value != text);
        (0..second).find(is_rival).map(|first| (first, second))
    })
}

/// Rows with one value or the other.
fn either(query: &Query) -> Option<Query> {
    let (first, second) = rivals(query)?;
    let mut other = query.clone();
    let last = other.conditions.remove(second);
    let before = other.conditions.remove(first);
    other.conditions.insert(first, Condition::Any(vec![before, last]));
    Some(other)
}

/// Where the conditions turn to a column that was compared already: its two places.
fn turn(query: &Query) -> Option<(usize, usize)> {
    let compared = |condition: &Condition| match condition {
        Condition::Compare(Expr::Column(column), _, Operand::Literal(_)) => Some(*column),
        _ => None,
    };
    let columns: Vec<Option<ColumnId>> = query.conditions.iter().map(compared).collect();
    (1..columns.len()).find_map(|second| {
        let column = columns[second]?;
        (0..second).find(|first| columns[*first] == Some(column)).map(|first| (first, second))
    })
}

/// The rows before the turn and those behind it; conditions before both hold for both.
fn combined(query: &Query, operation: SetOperation) -> Option<Query> {
    let (first, second) = turn(query)?;
    if query.limit.is_some() || !query.order.is_empty() || query.select.iter().any(Expr::is_aggregate) {
        return None;
    }
    let (mut one, mut other) = (query.clone(), query.clone());
    one.conditions.truncate(second);
    other.conditions.drain(first..second);
    one.combined = Some((operation, Box::new(other)));
    Some(one)
}

/// `in Fall 2009 or in Spring 2010`: rows that meet all conditions before the turn, or all behind it.
fn either_all(context: &Context<'_>, query: &Query) -> Option<Query> {
    let (first, second) = turn(query)?;
    let (before, behind) = (&query.conditions[first..second], &query.conditions[second..]);
    if before.len() < 2 || behind.len() < 2 || !context.lattice.says(&[Operator::Or]) {
        return None;
    }
    let sides = [before, behind].map(|side| Condition::All(side.to_vec()));
    let mut other = query.clone();
    other.conditions.truncate(first);
    other.conditions.push(Condition::Any(sides.to_vec()));
    Some(other)
}

/// What rows with one value and rows with the other have in common; bounds of one range need no such thing.
fn both(context: &Context<'_>, query: &Query) -> Option<Query> {
    let is_said = context.lattice.says(&[Operator::Both, Operator::And]);
    (is_said || rivals(query).is_some()).then(|| combined(query, SetOperation::Intersect)).flatten()
}

/// `in Oslo but not in Bergen`.
fn but_not(context: &Context<'_>, query: &Query) -> Option<Query> {
    let is_said = context.lattice.says(&[Operator::Not, Operator::Except, Operator::Without]);
    is_said.then(|| combined(query, SetOperation::Except)).flatten()
}

/// Rows of a table that share a name are still different rows, where they are grouped.
fn add_keys(index: &ModelIndex, main: TableId, query: &mut Query) {
    let aggregated = query.select.iter().any(Expr::is_aggregate)
        || !query.having.is_empty()
        || query.order.iter().any(|(expr, _)| expr.is_aggregate());
    if !aggregated {
        return;
    }
    let label: Vec<ColumnId> = index.label(main);
    let shows_label = query.select.iter().any(|expr| matches!(expr, Expr::Column(column) if label.contains(column)));
    let counts_main = query.select.contains(&Expr::CountRows(main))
        || query.order.iter().any(|(expr, _)| *expr == Expr::CountRows(main))
        || query
            .having
            .iter()
            .any(|having| matches!(having, Condition::Compare(Expr::CountRows(table), ..) if *table == main));
    let unique = label.iter().any(|column| index.columns[*column].unique);
    if shows_label && !counts_main && !unique {
        query.group.extend(index.tables[main].key.iter().map(|key| Expr::Column(*key)));
    }
}
