//! Conditions.

use super::Parts;
use crate::chart::Context;
use crate::chart::entities::{adjective_columns, year_columns};
use crate::chart::fragment::{Bound, Fragment, Kind};
use crate::interpretation::operators::{Adjectives, Operator};
use crate::interpretation::query::{Comparison, Condition, Expr, Function, Literal, Operand, Query};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, TableId};
use crate::question::time::TimeRange;

type Made = Vec<Kind>;

pub(super) fn literal(column: ColumnId, comparison: Comparison, value: Literal) -> Condition {
    Condition::Compare(Expr::Column(column), comparison, Operand::Literal(value))
}

fn is_number(context: &Context<'_>, column: ColumnId) -> bool {
    let entry = &context.index.columns[column];
    entry.data == DataKind::Number && !matches!(entry.kind, ColumnKind::Filter)
}

/// A metric is compared once rows are grouped.
fn compared(context: &Context<'_>, column: ColumnId, comparison: Comparison, number: f64) -> Kind {
    let value = Operand::Literal(Literal::Number(number));
    match context.index.columns[column].kind {
        ColumnKind::Metric => {
            Kind::Having(Condition::Compare(Expr::Aggregate(Function::Metric, column), comparison, value))
        }
        _ => Kind::Condition(Condition::Compare(Expr::Column(column), comparison, value)),
    }
}

pub(super) fn comparison_of(operator: Option<Operator>) -> Option<Comparison> {
    match operator? {
        Operator::Compare(comparison) | Operator::OrMore(comparison) => Some(comparison),
        _ => None,
    }
}

fn number_condition(context: &Context<'_>, parts: &Parts<'_>, places: [usize; 3]) -> Made {
    let [column, operator, number] = places;
    let found = (parts.column(column), comparison_of(parts.operator(operator)), parts.number(number));
    let (Some(column), Some(comparison), Some(number)) = found else { return Vec::new() };
    if !is_number(context, column) {
        return Vec::new();
    }
    vec![compared(context, column, comparison, number)]
}

pub fn column_compare_number(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    number_condition(context, &Parts(parts), [0, 1, 2])
}

pub fn compare_number_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    number_condition(context, &Parts(parts), [2, 0, 1])
}

pub fn number_or_more_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    number_condition(context, &Parts(parts), [2, 1, 0])
}

pub fn column_number_or_more(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    number_condition(context, &Parts(parts), [0, 2, 1])
}

pub fn column_equals_number(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let (Some(column), Some(number)) = (parts.column(0), parts.number(1)) else { return Vec::new() };
    let entry = &context.index.columns[column];
    match entry.data {
        DataKind::Number => vec![compared(context, column, Comparison::Equal, number)],
        DataKind::Text => vec![Kind::Condition(literal(column, Comparison::Equal, Literal::Number(number)))],
        DataKind::Date | DataKind::Boolean => Vec::new(),
    }
}

/// `age 24 or 25`, `age either 24 or 25`.
pub fn column_either_number(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let places = Parts(parts);
    let numbers = (0..parts.len()).filter_map(|at| places.number(at));
    match places.column(0) {
        Some(column) if context.index.columns[column].data == DataKind::Number => {
            let equal = |number| literal(column, Comparison::Equal, Literal::Number(number));
            vec![Kind::Condition(Condition::Any(numbers.map(equal).collect()))]
        }
        _ => Vec::new(),
    }
}

fn is_year(number: f64) -> bool {
    number.fract() == 0.0 && (1000.0..2100.0).contains(&number)
}

/// `after 2010`: any column of years.
pub fn compare_year(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (comparison_of(parts.operator(0)), parts.number(1)) {
        (Some(comparison), Some(number)) if is_year(number) => year_columns(context.index)
            .into_iter()
            .map(|column| compared(context, column, comparison, number))
            .collect(),
        _ => Vec::new(),
    }
}

pub fn year_alone(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    match Parts(parts).number(0).filter(|number| is_year(*number)) {
        Some(number) => year_columns(context.index)
            .into_iter()
            .map(|column| compared(context, column, Comparison::Equal, number))
            .collect(),
        None => Vec::new(),
    }
}

pub fn between_years(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (parts.number(1), parts.number(3)) {
        (Some(low), Some(high)) if is_year(low) && is_year(high) => year_columns(context.index)
            .into_iter()
            .map(|column| {
                let (low, high) = (Literal::Number(low), Literal::Number(high));
                Kind::Condition(Condition::Between(Expr::Column(column), low, high))
            })
            .collect(),
        _ => Vec::new(),
    }
}

/// `over 80 or under 50`: the column of the first comparison.
fn further_comparison(parts: &Parts<'_>) -> Option<(Condition, Condition)> {
    let first = condition_of(parts, 0)?;
    let Condition::Compare(Expr::Column(column), _, Operand::Literal(Literal::Number(_))) = first else { return None };
    let second = literal(*column, comparison_of(parts.operator(2))?, Literal::Number(parts.number(3)?));
    Some((first.clone(), second))
}

pub fn or_compare_number(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let both = further_comparison(&Parts(parts));
    both.map(|(first, second)| Kind::Condition(Condition::Any(vec![first, second]))).into_iter().collect()
}

pub fn and_compare_number(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let both = further_comparison(&Parts(parts));
    both.map(|(first, second)| Kind::Condition(Condition::All(vec![first, second]))).into_iter().collect()
}

fn count_condition(table: TableId, comparison: Comparison, number: f64) -> Kind {
    let value = Operand::Literal(Literal::Number(number));
    Kind::Having(Condition::Compare(Expr::CountRows(table), comparison, value))
}

fn rows_condition(parts: &Parts<'_>, places: [usize; 3]) -> Made {
    let [table, operator, number] = places;
    match (parts.table(table), comparison_of(parts.operator(operator)), parts.number(number)) {
        (Some(table), Some(comparison), Some(number)) => vec![count_condition(table, comparison, number)],
        _ => Vec::new(),
    }
}

pub fn compare_number_rows(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    rows_condition(&Parts(parts), [2, 0, 1])
}

pub fn number_or_more_rows(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    rows_condition(&Parts(parts), [2, 1, 0])
}

pub fn number_of_rows(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (parts.number(0), parts.table(1)) {
        (Some(number), Some(table)) => vec![count_condition(table, Comparison::Equal, number)],
        _ => Vec::new(),
    }
}

pub fn multiple_rows(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    Parts(parts).table(1).map(|table| count_condition(table, Comparison::Greater, 1.0)).into_iter().collect()
}

fn measure_condition(parts: &Parts<'_>, places: [usize; 3]) -> Made {
    let [measure, operator, number] = places;
    match (parts.kind(measure), comparison_of(parts.operator(operator)), parts.number(number)) {
        (Some(Kind::Measure(measure)), Some(comparison), Some(number)) => {
            let value = Operand::Literal(Literal::Number(number));
            vec![Kind::Having(Condition::Compare(measure.clone(), comparison, value))]
        }
        _ => Vec::new(),
    }
}

pub fn measure_compare_number(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    measure_condition(&Parts(parts), [0, 1, 2])
}

pub fn compare_number_measure(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    measure_condition(&Parts(parts), [2, 0, 1])
}

fn is_date(context: &Context<'_>, column: ColumnId) -> bool {
    matches!(context.index.columns[column].data, DataKind::Date | DataKind::Text)
}

pub fn column_compare_date(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (parts.column(0), comparison_of(parts.operator(1)), parts.kind(2)) {
        (Some(column), Some(comparison), Some(Kind::Date(date))) if is_date(context, column) => {
            vec![Kind::Condition(literal(column, comparison, Literal::Date(date.clone())))]
        }
        _ => Vec::new(),
    }
}

pub fn column_on_date(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (parts.column(0), parts.kind(1)) {
        (Some(column), Some(Kind::Date(date))) if is_date(context, column) => {
            vec![Kind::Condition(literal(column, Comparison::Equal, Literal::Date(date.clone())))]
        }
        _ => Vec::new(),
    }
}

/// A period as a condition on a column of dates.
pub fn period_condition(column: ColumnId, range: TimeRange, bound: Bound) -> Condition {
    let (start, end) = (Literal::Date(range.start.to_string()), Literal::Date(range.end.to_string()));
    match bound {
        Bound::Inside => Condition::All(vec![
            literal(column, Comparison::GreaterOrEqual, start),
            literal(column, Comparison::Less, end),
        ]),
        Bound::Before => literal(column, Comparison::Less, start),
        Bound::After => literal(column, Comparison::GreaterOrEqual, end),
    }
}

fn bound_of(comparison: Comparison) -> Option<Bound> {
    match comparison {
        Comparison::Less => Some(Bound::Before),
        Comparison::Greater => Some(Bound::After),
        _ => None,
    }
}

pub fn column_compare_period(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let bound = comparison_of(parts.operator(1)).and_then(bound_of);
    match (parts.column(0), bound, parts.kind(2)) {
        (Some(column), Some(bound), Some(Kind::Period(range)))
            if context.index.columns[column].data == DataKind::Date =>
        {
            vec![Kind::Condition(period_condition(column, *range, bound))]
        }
        _ => Vec::new(),
    }
}

pub fn column_in_period(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (parts.column(0), parts.kind(1)) {
        (Some(column), Some(Kind::Period(range))) if context.index.columns[column].data == DataKind::Date => {
            vec![Kind::Condition(period_condition(column, *range, Bound::Inside))]
        }
        _ => Vec::new(),
    }
}

pub fn compare_period(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (comparison_of(parts.operator(0)).and_then(bound_of), parts.kind(1)) {
        (Some(bound), Some(Kind::Period(range))) => vec![Kind::During(*range, bound)],
        _ => Vec::new(),
    }
}

pub fn in_period(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    match Parts(parts).kind(0) {
        Some(Kind::Period(range)) => vec![Kind::During(*range, Bound::Inside)],
        _ => Vec::new(),
    }
}

fn between(context: &Context<'_>, parts: &Parts<'_>, places: [usize; 3]) -> Made {
    let [column, low, high] = places;
    match (parts.column(column), parts.number(low), parts.number(high)) {
        (Some(column), Some(low), Some(high)) if is_number(context, column) => {
            let condition = Condition::Between(Expr::Column(column), Literal::Number(low), Literal::Number(high));
            vec![Kind::Condition(condition)]
        }
        _ => Vec::new(),
    }
}

pub fn column_between(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    between(context, &Parts(parts), [0, 2, 4])
}

pub fn between_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    between(context, &Parts(parts), [4, 1, 3])
}

pub fn column_between_dates(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (parts.column(0), parts.kind(2), parts.kind(4)) {
        (Some(column), Some(Kind::Date(low)), Some(Kind::Date(high))) if is_date(context, column) => {
            let (low, high) = (Literal::Date(low.clone()), Literal::Date(high.clone()));
            vec![Kind::Condition(Condition::Between(Expr::Column(column), low, high))]
        }
        _ => Vec::new(),
    }
}

/// `older than`: the comparison that an adjective makes on each column it may measure.
fn adjective_comparisons(context: &Context<'_>, adjectives: Adjectives) -> Vec<(ColumnId, Comparison)> {
    let columns = adjective_columns(context.index, adjectives).into_iter();
    columns
        .map(|(column, is_larger)| (column, if is_larger { Comparison::Greater } else { Comparison::Less }))
        .collect()
}

pub fn compare_by_number(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let (Some(Operator::CompareBy(adjectives)), Some(number)) = (parts.operator(0), parts.number(1)) else {
        return Vec::new();
    };
    let fitting =
        adjective_comparisons(context, adjectives).into_iter().filter(|(column, _)| is_number(context, *column));
    fitting.map(|(column, comparison)| compared(context, column, comparison, number)).collect()
}

fn beside_average(column: ColumnId, comparison: Comparison, averaged: ColumnId) -> Kind {
    let average = Query { select: vec![Expr::Aggregate(Function::Average, averaged)], ..Query::default() };
    Kind::Condition(Condition::Compare(Expr::Column(column), comparison, Operand::Query(Box::new(average))))
}

pub fn above_average(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (parts.operator(0), parts.column(1)) {
        (Some(Operator::AboveAverage(comparison)), Some(column)) if is_number(context, column) => {
            vec![beside_average(column, comparison, column)]
        }
        _ => Vec::new(),
    }
}

pub fn column_above_average(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (parts.column(0), parts.operator(1)) {
        (Some(column), Some(Operator::AboveAverage(comparison))) if is_number(context, column) => {
            let averaged = parts.column(2).filter(|other| is_number(context, *other)).unwrap_or(column);
            vec![beside_average(column, comparison, averaged)]
        }
        _ => Vec::new(),
    }
}

fn beside_measure(column: ColumnId, comparison: Comparison, measure: &Expr) -> Kind {
    let nested = Query { select: vec![measure.clone()], ..Query::default() };
    Kind::Condition(Condition::Compare(Expr::Column(column), comparison, Operand::Query(Box::new(nested))))
}

pub fn column_compare_measure(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (parts.column(0), comparison_of(parts.operator(1)), parts.kind(2)) {
        (Some(column), Some(comparison), Some(Kind::Measure(measure))) if is_number(context, column) => {
            vec![beside_measure(column, comparison, measure)]
        }
        _ => Vec::new(),
    }
}

pub fn compare_by_measure(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let (Some(Operator::CompareBy(adjectives)), Some(Kind::Measure(measure))) = (parts.operator(0), parts.kind(1))
    else {
        return Vec::new();
    };
    let fitting =
        adjective_comparisons(context, adjectives).into_iter().filter(|(column, _)| is_number(context, *column));
    fitting.map(|(column, comparison)| beside_measure(column, comparison, measure)).collect()
}

pub fn column_compare_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (parts.column(0), comparison_of(parts.operator(1)), parts.column(2)) {
        (Some(left), Some(comparison), Some(right))
            if left != right && context.index.columns[left].data == context.index.columns[right].data =>
        {
            let right = Operand::Expr(Expr::Column(right));
            vec![Kind::Condition(Condition::Compare(Expr::Column(left), comparison, right))]
        }
        _ => Vec::new(),
    }
}

pub fn flag_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let column = Parts(parts).column(0).filter(|column| context.index.holds_or_not(*column));
    column.map(|column| Kind::Condition(Condition::Named(column))).into_iter().collect()
}

pub fn column_missing(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    Parts(parts).column(0).map(|column| Kind::Condition(Condition::Missing(column))).into_iter().collect()
}

pub(super) fn condition_of<'a>(parts: &Parts<'a>, at: usize) -> Option<&'a Condition> {
    match parts.kind(at)? {
        Kind::Condition(condition) => Some(condition),
        _ => None,
    }
}

pub fn not_condition(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let negated = condition_of(&parts, 1).map(|condition| match condition {
        Condition::Compare(left, comparison, right) => {
            Condition::Compare(left.clone(), comparison.negated(), right.clone())
        }
        other => Condition::Not(Box::new(other.clone())),
    });
    negated.map(Kind::Condition).into_iter().collect()
}

pub fn either_condition(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (condition_of(&parts, 0), condition_of(&parts, 2)) {
        (Some(first), Some(second)) => {
            vec![Kind::Condition(Condition::Any(vec![first.clone(), second.clone()]))]
        }
        _ => Vec::new(),
    }
}

pub fn without_rows(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    Parts(parts).table(1).map(|table| Kind::Absent(table, Vec::new())).into_iter().collect()
}

pub fn without_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let column = Parts(parts).column(1).filter(|column| context.index.columns[*column].has_gaps);
    column.map(|column| Kind::Condition(Condition::Missing(column))).into_iter().collect()
}

pub fn without_rows_that(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    absent_with(&Parts(parts), 1, 2)
}

pub fn without_those_rows(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    absent_with(&Parts(parts), 2, 1)
}

fn absent_with(parts: &Parts<'_>, table: usize, condition: usize) -> Made {
    match (parts.table(table), condition_of(parts, condition)) {
        (Some(table), Some(condition)) => vec![Kind::Absent(table, vec![condition.clone()])],
        _ => Vec::new(),
    }
}
