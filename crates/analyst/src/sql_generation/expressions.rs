//! Expressions as SQL text.

use crate::interpretation::query::{ClockPart, Expr, Function, Lapse, Query, TimeUnit};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex};
use crate::question::time::TimeRange;
use crate::restatement::default_function;

use super::conditions::Conditions;
use super::identifiers::{identifier, table_alias};
use super::model_expressions::qualified;
use super::restricted::over_rows_with;

pub fn column(index: &ModelIndex, id: ColumnId) -> String {
    let entry = &index.columns[id];
    if entry.kind == ColumnKind::Metric {
        return qualified(index, entry.table, &entry.expression);
    }
    if entry.kind == ColumnKind::Filter {
        return format!("({})", qualified(index, entry.table, &entry.expression));
    }
    format!("{}.{}", table_alias(&index.tables[entry.table].name), identifier(&entry.name))
}

/// An aggregate over the rows of a range: what is aggregated is absent outside it.
fn within(
    index: &ModelIndex,
    inner: &Expr,
    time: ColumnId,
    range: TimeRange,
    counting: &dyn Fn(usize) -> Counting,
) -> String {
    let date = column(index, time);
    let condition = format!("{date} >= '{}' AND {date} < '{}'", range.start, range.end);
    restricted(&expression(index, inner, counting), &condition)
}

/// No reading is answered whose aggregates cannot be restricted.
fn restricted(aggregate: &str, condition: &str) -> String {
    over_rows_with(aggregate, condition).unwrap_or_else(|| "NULL".to_owned())
}

/// A column to compare with numbers.
pub fn comparable(index: &ModelIndex, expr: &Expr, counting: &dyn Fn(usize) -> Counting) -> String {
    let text = expression(index, expr, counting);
    match expr {
        Expr::Column(id) if index.columns[*id].is_number_as_text => format!("TRY_CAST({text} AS DOUBLE)"),
        _ => text,
    }
}

/// How the expression counts rows of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Counting {
    AllRows,
    /// Joins multiply rows: only different keys count.
    DistinctKeys,
}

pub fn expression(index: &ModelIndex, expr: &Expr, counting: &dyn Fn(usize) -> Counting) -> String {
    let nested = |inner: &Expr| expression(index, inner, counting);
    match expr {
        Expr::Column(id) => column(index, *id),
        Expr::Aggregate(function, id) => aggregate(index, *function, *id),
        Expr::CountRows(table) => match (counting(*table), index.tables[*table].key.as_slice()) {
            (Counting::DistinctKeys, [key]) => format!("COUNT(DISTINCT {})", column(index, *key)),
            _ => "COUNT(*)".to_string(),
        },
        Expr::Everything(table) => format!("{}.*", table_alias(&index.tables[*table].name)),
        Expr::Truncated(unit, id) => format!("DATE_TRUNC('{}', {})", unit_name(*unit), column(index, *id)),
        Expr::Part(unit, id) => part(index, *unit, *id),
        Expr::Share(inner) => {
            let inner = nested(inner);
            format!("100.0 * {inner} / NULLIF(SUM({inner}) OVER (), 0)")
        }
        Expr::RunningTotal(inner) | Expr::Growth(inner) | Expr::Increase(inner) | Expr::MovingAverage(inner, _) => {
            nested(inner)
        }
        Expr::Clock(part, id) => format!("{}({})", clock_function(*part), column(index, *id)),
        Expr::Within(inner, time, range) => within(index, inner, *time, *range, counting),
        Expr::Change(now, then) => {
            let (now, then) = (nested(now), nested(then));
            format!("100.0 * ({now} - {then}) / NULLIF({then}, 0)")
        }
        Expr::Portion(inner, conditions) => {
            let whole = nested(inner);
            let queries = |_: &Query| "NULL".to_string();
            let text = Conditions { index, counting, nested: &queries }.joined(conditions);
            format!("100.0 * {} / NULLIF({whole}, 0)", restricted(&whole, &text))
        }
        Expr::Referred(reference, id) => {
            format!("{}.{}", referred_alias(index, *reference), identifier(&index.columns[*id].name))
        }
        Expr::Elapsed(function, lapse, first, last) => aggregate_of(*function, &length(index, *lapse, *first, *last)),
        Expr::Age(function, born, day) => {
            let years = format!("FLOOR(MONTHS_BETWEEN('{day}', {}) / 12)", column(index, *born));
            aggregate_of(*function, &years)
        }
        Expr::Holds(condition) => {
            let queries = |_: &Query| "NULL".to_string();
            Conditions { index, counting, nested: &queries }.joined(std::slice::from_ref(condition))
        }
        Expr::Span(lapse, first, last) => length(index, *lapse, *first, *last),
        Expr::Difference(first, second) => format!("{} - {}", nested(first), nested(second)),
        Expr::Ratio(first, second) => {
            // What is divided by is counted once, however often the joins show it.
            let once = |table: usize| match counting(table) {
                Counting::AllRows if counts_itself(first, table) => Counting::AllRows,
                _ => Counting::DistinctKeys,
            };
            format!("{} * 1.0 / NULLIF({}, 0)", nested(first), expression(index, second, &once))
        }
        Expr::Percentage(first, second) => format!("100.0 * {} / NULLIF({}, 0)", nested(first), nested(second)),
    }
}

/// The length of time between two columns of a row.
fn length(index: &ModelIndex, lapse: Lapse, first: ColumnId, last: ColumnId) -> String {
    let difference = |unit: &str| format!("DATEDIFF('{unit}', {}, {})", column(index, first), column(index, last));
    match lapse {
        Lapse::Units(unit) => difference(unit_name(unit)),
        Lapse::Hours => format!("{} / 3600", difference("SECOND")),
        Lapse::Minutes => format!("{} / 60", difference("SECOND")),
    }
}

/// Whether an expression counts rows of a table.
fn counts_itself(expr: &Expr, table: usize) -> bool {
    let mut tables = Vec::new();
    expr.tables(&mut tables);
    tables.contains(&table)
}

fn clock_function(part: ClockPart) -> &'static str {
    match part {
        ClockPart::WeekdayName => "DAYNAME",
        ClockPart::WeekdayNumber => "DAYOFWEEKISO",
        ClockPart::Hour => "HOUR",
    }
}

/// The name under which a table is joined with itself.
pub fn referred_alias(index: &ModelIndex, reference: ColumnId) -> String {
    let entry = &index.columns[reference];
    identifier(&format!("__{}_of_{}", entry.name, index.tables[entry.table].name))
}

fn aggregate(index: &ModelIndex, function: Function, id: ColumnId) -> String {
    let plain = column(index, id);
    let numeric = matches!(
        function,
        Function::Sum | Function::Average | Function::Median | Function::Percentile(_) | Function::Metric
    );
    let is_text = (index.columns[id].data == DataKind::Text || index.columns[id].is_number_as_text)
        && index.columns[id].kind != ColumnKind::Metric;
    let column = if numeric && is_text { format!("TRY_CAST({plain} AS DOUBLE)") } else { plain };
    if function == Function::Metric && index.columns[id].kind == ColumnKind::Metric {
        return column;
    }
    let function = match (function, index.columns[id].aggregation) {
        (Function::Metric, Some(default)) => default_function(default),
        (function, _) => function,
    };
    aggregate_of(function, &column)
}

fn aggregate_of(function: Function, argument: &str) -> String {
    match function {
        Function::Count => format!("COUNT({argument})"),
        Function::CountDistinct => format!("COUNT(DISTINCT {argument})"),
        Function::Sum | Function::Metric => format!("SUM({argument})"),
        Function::Average => format!("AVG({argument})"),
        Function::Minimum => format!("MIN({argument})"),
        Function::Maximum => format!("MAX({argument})"),
        Function::Median => format!("MEDIAN({argument})"),
        Function::Percentile(percent) => {
            format!("PERCENTILE_CONT(0.{percent:02}) WITHIN GROUP (ORDER BY {argument})")
        }
    }
}

pub fn unit_name(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Day => "DAY",
        TimeUnit::Week => "WEEK",
        TimeUnit::Month => "MONTH",
        TimeUnit::Quarter => "QUARTER",
        TimeUnit::Year => "YEAR",
    }
}

fn part(index: &ModelIndex, unit: TimeUnit, id: ColumnId) -> String {
    let text = column(index, id);
    let date = match index.columns[id].data {
        DataKind::Text => format!("TRY_TO_DATE({text})"),
        _ => text,
    };
    format!("{}({date})", unit_name(unit))
}
