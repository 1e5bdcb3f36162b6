//! Readings whose SQL the engine would refuse: a number compared with a date, a condition on rows that needs their sum.

use super::Interpreter;
use crate::interpretation::query::{Comparison, Condition, Expr, Function, Literal, Operand, Query, TimeUnit};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex};
use crate::semantic_model::DefaultAggregation;
use crate::sql_generation::join_paths::connect;
use crate::sql_generation::{
    is_side_by_side, joins_factors, multiplies_measures, needed_tables, over_rows_with, qualified,
};

impl Interpreter<'_> {
    /// Whether the tables of a query can be joined and its comparisons be made.
    pub(super) fn can_run(&self, query: &Query) -> bool {
        let is_joined = connect(&self.index, &needed_tables(&self.index, query)).is_some();
        (is_joined || self.is_curated() && is_side_by_side(&self.index, query))
            && is_plausible(&self.index, query)
            && !(self.is_curated() && multiplies_measures(&self.index, query))
            && joins_factors(&self.index, query)
    }
}

/// Other numbers are no years.
const CALENDAR_YEARS: std::ops::Range<f64> = 1000.0..3000.0;

/// Whether every comparison of the query is between things of one kind, and every condition is where it can be asked.
pub(super) fn is_plausible(index: &ModelIndex, query: &Query) -> bool {
    let of_rows = query.conditions.iter().all(|condition| can_hold(index, condition, Of::Rows));
    let of_groups = query.having.iter().all(|condition| can_hold(index, condition, Of::Groups));
    let other = query.combined.as_ref().is_none_or(|(_, other)| is_plausible(index, other));
    let adds_up = query.select.iter().all(|expr| can_add_up(index, expr));
    let rest_adds_up = !query.has_rest || query.select.last().is_some_and(|expr| is_additive(index, expr));
    of_rows && of_groups && other && adds_up && rest_adds_up
}

/// A share of everything in everything is no answer.
pub(super) fn is_whole(query: &Query) -> bool {
    matches!(query.select.as_slice(), [Expr::Share(_)])
}

/// Days, texts and keys have no sum, and no average either.
fn can_add_up(index: &ModelIndex, expr: &Expr) -> bool {
    match expr {
        Expr::Aggregate(Function::Sum | Function::Average | Function::Median | Function::Percentile(_), column) => {
            let entry = &index.columns[*column];
            let is_name = index.is_key(*column) || index.is_reference(*column);
            entry.data == DataKind::Number && !is_name || entry.kind == ColumnKind::Metric
        }
        Expr::Share(inner) | Expr::RunningTotal(inner) | Expr::Portion(inner, _) => is_additive(index, inner),
        Expr::Within(inner, ..) => over_rows_with(&aggregate_of(index, inner), "TRUE").is_some(),
        Expr::Change(now, then) => can_add_up(index, now) && can_add_up(index, then),
        _ => true,
    }
}

/// The model's expression behind a measure, or a stand-in for a plain aggregate.
fn aggregate_of(index: &ModelIndex, expr: &Expr) -> String {
    match expr {
        Expr::Aggregate(Function::Metric, column) if index.columns[*column].kind == ColumnKind::Metric => {
            qualified(index, index.columns[*column].table, &index.columns[*column].expression)
        }
        _ => "COUNT(*)".to_owned(),
    }
}

/// Whether the measures of parts make that of the whole: sums and counts do, averages, ratios and different values do not.
fn is_additive(index: &ModelIndex, expr: &Expr) -> bool {
    match expr {
        Expr::Aggregate(Function::Sum | Function::Count, _) | Expr::CountRows(_) => true,
        Expr::Aggregate(Function::Metric, column) if index.columns[*column].kind == ColumnKind::Fact => {
            matches!(
                index.columns[*column].aggregation,
                None | Some(DefaultAggregation::Sum | DefaultAggregation::Count)
            )
        }
        Expr::Aggregate(Function::Metric, _) => is_sum(&aggregate_of(index, expr)),
        Expr::Within(inner, ..) => is_additive(index, inner),
        Expr::Difference(first, second) => is_additive(index, first) && is_additive(index, second),
        _ => false,
    }
}

/// Whether an expression only adds and subtracts sums and counts of rows.
fn is_sum(expression: &str) -> bool {
    let mut outside = String::new();
    let mut depth = 0_usize;
    let is_call = |text: &str| text.ends_with("SUM") || text.ends_with("COUNT");
    for character in expression.chars() {
        match character {
            '(' if depth > 0 || is_call(&outside) => depth += 1,
            ')' if depth > 0 => depth -= 1,
            _ if depth == 0 => outside.push(character.to_ascii_uppercase()),
            _ => {}
        }
    }
    let distinct = expression.to_ascii_uppercase().contains("DISTINCT");
    let rest = outside.replace("SUM", "").replace("COUNT", "");
    !distinct && rest.chars().all(|character| matches!(character, '+' | '-' | '(' | ')') || character.is_whitespace())
}

/// A metric is a sum wherever it is shown or ordered by.
pub(super) fn sum_metrics_up(index: &ModelIndex, query: &mut Query) {
    let shown = query.select.iter_mut().chain(query.order.iter_mut().map(|(expr, _)| expr));
    for expr in shown {
        if let Expr::Column(column) = expr
            && index.columns[*column].kind == ColumnKind::Metric
        {
            *expr = Expr::Aggregate(Function::Metric, *column);
        }
        if let Expr::Aggregate(Function::Metric, column) = expr
            && let Some(quotient) = quotient_of_tables(index, *column)
        {
            *expr = quotient;
        }
    }
    if let Some((_, other)) = &mut query.combined {
        sum_metrics_up(index, other);
    }
}

/// A metric of the model that divides a measure of one table by one of another: each is summed up over its own rows.
pub(super) fn quotient_of_tables(index: &ModelIndex, metric: ColumnId) -> Option<Expr> {
    let (dividend, divisor) = index.columns[metric].expression.split_once('/')?;
    let measure = |part: &str| {
        let plain = part.trim().trim_start_matches("NULLIF(").trim_end_matches(", 0)").trim_end_matches(",0)");
        let (table, name) = plain.split_once('.')?;
        let column = index.column_named(index.table_named(table.trim())?, name.trim())?;
        let is_measure = matches!(index.columns[column].kind, ColumnKind::Metric | ColumnKind::Fact);
        is_measure.then_some((column, Expr::Aggregate(Function::Metric, column)))
    };
    let ((first, dividend), (second, divisor)) = (measure(dividend)?, measure(divisor)?);
    let is_of_two = index.columns[first].table != index.columns[second].table;
    is_of_two.then(|| Expr::Ratio(Box::new(dividend), Box::new(divisor)))
}

#[derive(Clone, Copy, PartialEq)]
enum Of {
    Rows,
    Groups,
}

fn can_hold(index: &ModelIndex, condition: &Condition, of: Of) -> bool {
    let fits = |expr: &Expr| of == Of::Groups || !sums_up(index, expr);
    match condition {
        Condition::Compare(left, comparison, right) => {
            let is_order = !matches!(comparison, Comparison::Equal | Comparison::NotEqual);
            let right_fits = match right {
                Operand::Literal(literal) => is_comparable(index, left, literal, is_order),
                Operand::Expr(right) => fits(right) && are_alike(index, left, right),
                Operand::Query(query) | Operand::PercentOf(_, query) => {
                    is_plausible(index, query) && query.select.first().is_none_or(|right| are_alike(index, left, right))
                }
            };
            fits(left) && right_fits
        }
        Condition::Between(left, low, high) => {
            fits(left) && is_comparable(index, left, low, true) && is_comparable(index, left, high, true)
        }
        Condition::In(column, query) => fits(&Expr::Column(*column)) && is_plausible(index, query),
        Condition::Like(column, _) | Condition::Missing(column) | Condition::Named(column) => {
            fits(&Expr::Column(*column))
        }
        Condition::Any(conditions) | Condition::All(conditions) => {
            conditions.iter().all(|condition| can_hold(index, condition, of))
        }
        Condition::Not(condition) => can_hold(index, condition, of),
    }
}

/// Whether the expression needs several rows.
fn sums_up(index: &ModelIndex, expr: &Expr) -> bool {
    let mut columns = Vec::new();
    expr.columns(&mut columns);
    expr.is_aggregate() || columns.into_iter().any(|column| index.columns[column].kind == ColumnKind::Metric)
}

/// Whether two expressions can be compared: what is plainly a number goes with no text, date or flag.
fn are_alike(index: &ModelIndex, left: &Expr, right: &Expr) -> bool {
    match (kind_of(index, left), kind_of(index, right)) {
        (Some(left), Some(right)) => left == right,
        _ => true,
    }
}

/// The kind of what an expression gives, where that is plain.
fn kind_of(index: &ModelIndex, expr: &Expr) -> Option<DataKind> {
    match expr {
        Expr::Column(column) | Expr::Aggregate(Function::Minimum | Function::Maximum, column) => {
            let entry = &index.columns[*column];
            if entry.is_number_as_text { Some(DataKind::Number) } else { Some(entry.data) }
        }
        Expr::Aggregate(..)
        | Expr::CountRows(_)
        | Expr::Ratio(..)
        | Expr::Share(_)
        | Expr::Part(..)
        | Expr::Span(..) => Some(DataKind::Number),
        _ => None,
    }
}

fn is_comparable(index: &ModelIndex, expr: &Expr, literal: &Literal, is_order: bool) -> bool {
    if let (Expr::Part(TimeUnit::Year, _), Literal::Number(year)) = (expr, literal) {
        return CALENDAR_YEARS.contains(year);
    }
    let Expr::Column(column) = expr else { return true };
    let entry = &index.columns[*column];
    match (entry.data, literal) {
        (DataKind::Text, Literal::Number(_)) => entry.is_number_as_text || !is_order,
        (DataKind::Number, Literal::Date(_)) | (DataKind::Boolean, Literal::Date(_) | Literal::Number(_)) => false,
        (DataKind::Number, Literal::Text(text)) => entry.is_number_as_text || text.trim().parse::<f64>().is_ok(),
        (DataKind::Boolean, Literal::Text(text)) => ["true", "false", "yes", "no", "t", "f", "y", "n", "1", "0"]
            .iter()
            .any(|word| text.trim().eq_ignore_ascii_case(word)),
        (DataKind::Date, Literal::Text(text)) => text.starts_with(|first: char| first.is_ascii_digit()),
        (DataKind::Date, Literal::Number(_)) => false,
        _ => true,
    }
}

/// How many joins a query needs.
pub(super) fn joins_of(index: &ModelIndex, query: &Query) -> usize {
    connect(index, &needed_tables(index, query)).map_or(0, |steps| steps.len())
}
