//! Measures of different tables side by side: each is computed over the rows of its own table and grouped by itself, and
//! the groups are joined afterwards, so that no row counts twice.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use crate::frame::states::is_deadline;
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand, Query, TimeUnit};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex, TableId};
use crate::links::targets::is_target_noun;

use super::conditions::sign;
use super::identifiers::literal;
use super::join_paths::{connect, distance, leads_to_one};
use super::layout::{in_brackets, listed};
use super::statement::{Naming, Writer, group_columns, needed_tables, with_names};

/// One measure's query: the groups, then what is measured.
pub struct Part {
    query: Query,
    measures: Vec<Expr>,
}

/// The parts of a query whose measures belong to different tables; `None` where one table has them all.
pub fn parts_of_grain(index: &ModelIndex, query: &Query) -> Option<Vec<Part>> {
    let mut leaves = Vec::new();
    query.select.iter().filter(|expr| expr.is_aggregate()).for_each(|expr| leaves_of(expr, &mut leaves));
    ranking_measures(query).for_each(|expr| leaves_of(expr, &mut leaves));
    let owners: BTreeSet<TableId> = leaves.iter().filter_map(|leaf| owner(index, leaf)).collect();
    let is_literal = |condition: &Condition| matches!(condition, Condition::Compare(_, _, Operand::Literal(_)));
    let plain = query.having.iter().all(is_literal) && query.limit_within.is_empty() && query.combined.is_none();
    let is_written = |expr: &Expr| {
        let mut own = Vec::new();
        leaves_of(expr, &mut own);
        own.iter().all(|leaf| leaves.contains(leaf))
    };
    let is_compared = |condition: &Condition| matches!(condition, Condition::Compare(expr, ..) if is_written(expr));
    let plain = plain && query.having.iter().all(is_compared);
    if owners.len() < 2 || !plain || leaves.iter().any(|leaf| owner(index, leaf).is_none()) {
        return None;
    }
    let groups = group_columns(query);
    let mut parts = Vec::new();
    for table in owners {
        let measures: Vec<Expr> = leaves.iter().filter(|leaf| owner(index, leaf) == Some(table)).cloned().collect();
        let own = |group: &Expr| own_group(index, table, group);
        let groups: Vec<Expr> = groups.iter().map(own).collect::<Option<_>>()?;
        let conditions = query.conditions.iter().map(|condition| own_condition(index, table, condition));
        parts.push(Part {
            query: Query {
                select: groups.into_iter().chain(measures.iter().cloned()).collect(),
                conditions: conditions.collect::<Option<_>>()?,
                ..Query::default()
            },
            measures,
        });
    }
    Some(parts)
}

/// Whether measures of several tables would be multiplied by each other's rows: some of them is a sum, and what groups or
/// restricts does not belong to the rows of each.
pub fn multiplies_measures(index: &ModelIndex, query: &Query) -> bool {
    let mut leaves = Vec::new();
    query.select.iter().filter(|expr| expr.is_aggregate()).for_each(|expr| leaves_of(expr, &mut leaves));
    ranking_measures(query).for_each(|expr| leaves_of(expr, &mut leaves));
    let owners: BTreeSet<TableId> = leaves.iter().filter_map(|leaf| owner(index, leaf)).collect();
    let is_count = |leaf: &Expr| matches!(leaf, Expr::CountRows(_));
    if owners.len() < 2 || leaves.iter().all(is_count) {
        return false;
    }
    let belongs = |columns: &[ColumnId]| {
        let is_time = columns.iter().all(|column| tells_time(index, *column));
        let is_of = |owner: &TableId| tables_of(index, columns).iter().all(|table| leads_to_one(index, *owner, *table));
        is_time || owners.iter().all(is_of)
    };
    let is_shared = |condition: &Condition| {
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        belongs(&columns)
    };
    !query.conditions.iter().all(is_shared) || parts_of_grain(index, query).is_none()
}

/// Whether every metric that reads a further table is joined with it by its own reference, and by no other way.
pub fn joins_factors(index: &ModelIndex, query: &Query) -> bool {
    let mut columns = Vec::new();
    query.select.iter().for_each(|expr| expr.columns(&mut columns));
    query.order.iter().for_each(|(expr, _)| expr.columns(&mut columns));
    let factors: Vec<(TableId, TableId)> = columns
        .iter()
        .map(|column| &index.columns[*column])
        .filter(|entry| entry.formula.is_some())
        .flat_map(|entry| entry.reads.iter().map(|read| (entry.table, *read)))
        .collect();
    if factors.is_empty() {
        return true;
    }
    let steps = connect(index, &needed_tables(index, query)).unwrap_or_default();
    let is_joined = |(rows, read): &(TableId, TableId)| steps.iter().any(|step| (step.from, step.to) == (*rows, *read));
    factors.iter().all(is_joined)
}

/// Measures of two tables that groups are ranked by or compared with a number.
fn ranking_measures(query: &Query) -> impl Iterator<Item = &Expr> {
    let compared = query.having.iter().filter_map(|condition| match condition {
        Condition::Compare(expr, ..) => Some(expr),
        _ => None,
    });
    let ordered = query.order.iter().map(|(expr, _)| expr);
    compared.chain(ordered).filter(|expr| matches!(expr, Expr::Ratio(..) | Expr::Percentage(..) | Expr::Difference(..)))
}

/// The aggregates inside an expression, each once.
fn leaves_of(expr: &Expr, leaves: &mut Vec<Expr>) {
    match expr {
        Expr::Share(inner) => leaves_of(inner, leaves),
        Expr::Ratio(first, second)
        | Expr::Percentage(first, second)
        | Expr::Difference(first, second)
        | Expr::Change(first, second) => {
            leaves_of(first, leaves);
            leaves_of(second, leaves);
        }
        other if !leaves.contains(other) => leaves.push(other.clone()),
        _ => {}
    }
}

/// The table whose rows an aggregate sums up.
fn owner(index: &ModelIndex, leaf: &Expr) -> Option<TableId> {
    match leaf {
        Expr::Aggregate(_, column) | Expr::Elapsed(_, _, column, _) | Expr::Age(_, column, _) => {
            Some(index.columns[*column].table)
        }
        Expr::CountRows(table) => Some(*table),
        Expr::Within(inner, ..) => owner(index, inner),
        _ => None,
    }
}

fn tables_of(index: &ModelIndex, columns: &[ColumnId]) -> Vec<TableId> {
    columns.iter().map(|column| index.columns[*column].table).collect()
}

/// The group as the measure's table has it: a time of another table becomes its own.
fn own_group(index: &ModelIndex, table: TableId, group: &Expr) -> Option<Expr> {
    let mut columns = Vec::new();
    group.columns(&mut columns);
    if tables_of(index, &columns).iter().all(|other| leads_to_one(index, table, *other)) {
        return Some(group.clone());
    }
    match (group, year_column(index, table)) {
        (Expr::Part(TimeUnit::Year, _), Some(year)) => return Some(Expr::Column(year)),
        (Expr::Truncated(..) | Expr::Part(..), Some(_)) => return None,
        _ => {}
    }
    match group {
        Expr::Truncated(unit, _) | Expr::Part(unit, _) => Some(Expr::unit_of_time(*unit, own_time(index, table)?)),
        Expr::Clock(part, _) => Some(Expr::Clock(*part, own_time(index, table)?)),
        Expr::Column(column) => namesake(index, table, *column).map(Expr::Column),
        _ => None,
    }
}

/// The dimension of a table that is called like one of another: yield and revenue by honey type, which both tables have.
fn namesake(index: &ModelIndex, table: TableId, column: ColumnId) -> Option<ColumnId> {
    let entry = &index.columns[column];
    let is_text = |column: &ColumnId| {
        let entry = &index.columns[*column];
        entry.kind == ColumnKind::Dimension && entry.data == DataKind::Text && !entry.unique
    };
    let same = index.column_named(table, &entry.name)?;
    let is_shared = is_text(&same) && is_text(&column) && !index.is_reference(same) && !index.is_reference(column);
    (index.is_curated() && is_shared).then_some(same)
}

/// Whether the measures of a query are computed apart, each over tables that are related.
pub fn is_side_by_side(index: &ModelIndex, query: &Query) -> bool {
    let is_joined = |part: &Part| connect(index, &needed_tables(index, &part.query)).is_some();
    parts_of_grain(index, query).is_some_and(|parts| parts.iter().all(is_joined))
}

/// A condition that single rows meet, or that speaks of time; the latter is led to the table's own time.
fn own_condition(index: &ModelIndex, table: TableId, condition: &Condition) -> Option<Condition> {
    let mut columns = Vec::new();
    condition.columns(&mut columns);
    let tables = tables_of(index, &columns);
    let is_time = columns.iter().all(|column| tells_time(index, *column));
    if tables.iter().all(|other| leads_to_one(index, table, *other)) || !is_time {
        return Some(condition.clone());
    }
    match (condition, year_column(index, table)) {
        (Condition::Compare(Expr::Part(TimeUnit::Year, _), comparison, number), Some(year)) => {
            Some(Condition::Compare(Expr::Column(year), *comparison, number.clone()))
        }
        (_, Some(year)) => {
            let number = Operand::Literal(Literal::Number(f64::from(whole_year(condition)?)));
            Some(Condition::Compare(Expr::Column(year), Comparison::Equal, number))
        }
        (Condition::Compare(Expr::Column(year), comparison, number), None) if !index.is_time(*year) => {
            let year = Expr::Part(TimeUnit::Year, own_time(index, table)?);
            Some(Condition::Compare(year, *comparison, number.clone()))
        }
        (_, None) => Some(with_time(condition, own_time(index, table)?)),
    }
}

/// The year whose days are all that a condition lets through.
fn whole_year(condition: &Condition) -> Option<i32> {
    let Condition::All(bounds) = condition else { return None };
    let [
        Condition::Compare(_, Comparison::GreaterOrEqual, Operand::Literal(Literal::Date(first))),
        Condition::Compare(_, Comparison::Less, Operand::Literal(Literal::Date(end))),
    ] = bounds.as_slice()
    else {
        return None;
    };
    let begin = |day: &str| day.strip_suffix("-01-01").and_then(|year| year.parse::<i32>().ok());
    begin(first).filter(|year| begin(end) == Some(year + 1))
}

/// Whether a column is a time, or the year of rows without one.
fn tells_time(index: &ModelIndex, column: ColumnId) -> bool {
    index.is_time(column) || year_column(index, index.columns[column].table) == Some(column)
}

/// The column that tells when what a table measures happened: the first time of its own that is neither a birthday nor
/// a deadline, else that of the nearest table its rows belong to.
pub fn own_time(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    let mut near: Vec<TableId> = (0..index.tables.len()).filter(|other| leads_to_one(index, table, *other)).collect();
    // Of tables equally near, one of events tells when; a thing with a name has days of its own life.
    let rows = |other: TableId| Reverse(index.tables[other].row_count);
    near.sort_by_key(|other| (distance(index, table, *other), !index.is_event(*other), rows(*other)));
    near.into_iter().find_map(|near| {
        let is_birth = |column: &ColumnId| index.columns[*column].words.iter().any(|word| word.starts_with("birth"));
        let is_day = |column: &ColumnId| index.columns[*column].kind == ColumnKind::Time && !is_birth(column);
        let days = || index.tables[near].columns.iter().copied().filter(is_day);
        // What was expected on a day may have happened on another.
        days().find(|column| !is_deadline(index, *column)).or_else(|| days().next())
    })
}

/// The number of the year that rows are of, where they have no day of their own: TARGET_YEAR, but not BUILT_YEAR.
pub fn year_column(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    let columns = || index.tables[table].columns.iter().copied();
    let is_of_rows = |word: &String| {
        let is_kind =
            matches!(word.as_str(), "fiscal" | "calendar" | "financial" | "business" | "accounting" | "report");
        is_kind || is_target_noun(word) || index.tables[table].words.contains(word)
    };
    let is_year = |column: &ColumnId| {
        let entry = &index.columns[*column];
        let Some((last, rest)) = entry.words.split_last() else { return false };
        let is_number = entry.kind == ColumnKind::Dimension && entry.data == DataKind::Number;
        is_number && last == "year" && (!index.is_curated() || rest.iter().all(is_of_rows))
    };
    let has_day = columns().any(|column| index.columns[column].kind == ColumnKind::Time);
    let mut years = columns().filter(is_year);
    years.next().filter(|_| !has_day && years.next().is_none())
}

/// The column that tells when the rows of a table happened: the time that is called after them, else as `own_time`.
pub fn time_of_rows(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    let mut columns = index.tables[table].columns.iter().copied();
    columns.find(|column| index.columns[*column].is_tables_own_time).or_else(|| own_time(index, table))
}

/// The column that tells when what is measured happened: the one that a metric's own expression names, else that of its
/// table.
pub fn time_of_measure(index: &ModelIndex, expr: &Expr, table: TableId) -> Option<ColumnId> {
    let metric = match expr {
        Expr::Aggregate(_, metric) => metric,
        Expr::CountRows(counted) if *counted == table => return time_of_rows(index, table),
        _ => return own_time(index, table),
    };
    let entry = &index.columns[*metric];
    let text = entry.expression.to_lowercase();
    let names: Vec<&str> = text.split(|character: char| !character.is_alphanumeric() && character != '_').collect();
    let is_named = |column: &ColumnId| {
        let time = &index.columns[*column];
        time.kind == ColumnKind::Time && names.contains(&time.expression.to_lowercase().as_str())
    };
    let mut named = index.tables[entry.table].columns.iter().copied().filter(is_named);
    let only = named.next().filter(|_| named.next().is_none() && entry.kind == ColumnKind::Metric);
    let counts_rows = entry.kind == ColumnKind::Metric && text.starts_with("count(") && entry.table == table;
    only.or_else(|| if counts_rows { time_of_rows(index, table) } else { own_time(index, table) })
}

/// A condition on a time as one on another time.
pub fn with_time(condition: &Condition, time: ColumnId) -> Condition {
    let exchanged = |expr: &Expr| match expr {
        Expr::Part(unit, _) => Expr::Part(*unit, time),
        Expr::Truncated(unit, _) => Expr::Truncated(*unit, time),
        Expr::Clock(part, _) => Expr::Clock(*part, time),
        _ => Expr::Column(time),
    };
    match condition {
        Condition::Compare(left, comparison, right) => Condition::Compare(exchanged(left), *comparison, right.clone()),
        Condition::Between(left, low, high) => Condition::Between(exchanged(left), low.clone(), high.clone()),
        Condition::Any(any) => Condition::Any(any.iter().map(|one| with_time(one, time)).collect()),
        Condition::All(all) => Condition::All(all.iter().map(|one| with_time(one, time)).collect()),
        Condition::Not(inner) => Condition::Not(Box::new(with_time(inner, time))),
        other => other.clone(),
    }
}

impl Writer<'_> {
    /// The parts joined by their groups; without groups each part is one row.
    pub(super) fn side_by_side(&self, query: &Query, parts: &[Part], naming: Naming) -> String {
        let groups = group_columns(query);
        let from: Vec<String> = parts.iter().enumerate().map(|(at, part)| self.part(part, at, groups.len())).collect();
        let (first, join) = match dividend_part(query, parts) {
            Some(first) => (first, "LEFT JOIN"),
            None => (0, "FULL OUTER JOIN"),
        };
        let group_name = |group: usize| {
            if join == "LEFT JOIN" {
                return format!("part_{first}.group_{group}");
            }
            let names: Vec<String> = (0..parts.len()).map(|part| format!("part_{part}.group_{group}")).collect();
            format!("COALESCE({})", names.join(", "))
        };
        let write = |expr: &Expr| match groups.iter().position(|group| group == expr) {
            Some(group) => group_name(group),
            None => outer(expr, parts),
        };
        let names = self.names_of_groups(query, naming);
        let mut text =
            format!("{}\nFROM {}", listed("SELECT", &with_names(self.index, query, &names, &write)), from[first]);
        for (at, part) in from.iter().enumerate().filter(|(at, _)| *at != first) {
            let on: Vec<String> = (0..groups.len())
                .map(|group| format!("part_{first}.group_{group} IS NOT DISTINCT FROM part_{at}.group_{group}"))
                .collect();
            match on.is_empty() {
                true => text.push_str(&format!("\nCROSS JOIN {part}")),
                false => text.push_str(&format!("\n{join} {part} ON {}", on.join(" AND "))),
            }
        }
        let compared = query.having.iter().filter_map(|condition| match condition {
            Condition::Compare(expr, comparison, Operand::Literal(value)) => {
                Some(format!("{} {} {}", write(expr), sign(*comparison), literal(value)))
            }
            _ => None,
        });
        let compared: Vec<String> = compared.collect();
        if !compared.is_empty() {
            text.push_str(&format!("\nWHERE {}", compared.join(" AND ")));
        }
        text + &self.order_and_limit(query, &names, &write)
    }

    fn part(&self, part: &Part, at: usize, groups: usize) -> String {
        let columns = (0..groups)
            .map(|group| format!("group_{group}"))
            .chain((0..part.measures.len()).map(|measure| format!("measure_{measure}")));
        let columns: Vec<String> = columns.collect();
        let rows = in_brackets(&self.query(&part.query, Naming::Plain));
        format!("{rows} AS part_{at} ({})", columns.join(", "))
    }
}

/// The part whose groups a quotient is stated for: those that have something to divide.
fn dividend_part(query: &Query, parts: &[Part]) -> Option<usize> {
    let shown = query.select.iter().filter(|expr| expr.is_aggregate());
    let mut measures: Vec<&Expr> = shown.collect();
    ranking_measures(query).for_each(|expr| measures.extend((!measures.contains(&expr)).then_some(expr)));
    let mut measures = measures.into_iter();
    let (Some(Expr::Ratio(dividend, _) | Expr::Percentage(dividend, _)), None) = (measures.next(), measures.next())
    else {
        return None;
    };
    parts.iter().position(|part| part.measures.contains(dividend))
}

/// A measure in terms of the parts.
fn outer(expr: &Expr, parts: &[Part]) -> String {
    let nested = |inner: &Expr| outer(inner, parts);
    match expr {
        Expr::Share(inner) => {
            let inner = nested(inner);
            format!("100.0 * {inner} / NULLIF(SUM({inner}) OVER (), 0)")
        }
        Expr::Ratio(first, second) => format!("{} * 1.0 / NULLIF({}, 0)", nested(first), nested(second)),
        Expr::Percentage(first, second) => format!("100.0 * {} / NULLIF({}, 0)", nested(first), nested(second)),
        // A group without rows has reached nothing.
        Expr::Difference(first, second) => format!("COALESCE({}, 0) - {}", nested(first), nested(second)),
        Expr::Change(now, then) => {
            let (now, then) = (nested(now), nested(then));
            format!("100.0 * ({now} - {then}) / NULLIF({then}, 0)")
        }
        leaf => {
            let place = parts.iter().enumerate().find_map(|(at, part)| {
                let measure = part.measures.iter().position(|measure| measure == leaf)?;
                Some(format!("part_{at}.measure_{measure}"))
            });
            place.unwrap_or_default()
        }
    }
}
