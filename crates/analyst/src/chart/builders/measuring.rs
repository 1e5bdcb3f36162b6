//! Measures, groups and what is shown.

use super::Parts;
use crate::chart::Context;
use crate::chart::entities::adjective_columns;
use crate::chart::fragment::{Fragment, Kind};
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Direction, Expr, Function};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind};

type Made = Vec<Kind>;

fn made(kind: Option<Kind>) -> Made {
    kind.into_iter().collect()
}

fn can_aggregate(context: &Context<'_>, function: Function, column: ColumnId) -> bool {
    let entry = &context.index.columns[column];
    match function {
        Function::Sum | Function::Average | Function::Median | Function::Percentile(_) => {
            entry.data == DataKind::Number && entry.kind != ColumnKind::Metric
        }
        _ => entry.kind != ColumnKind::Filter,
    }
}

pub fn aggregate_of_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    aggregate(context, parts, 0, 1)
}

pub fn aggregate_behind_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    aggregate(context, parts, 1, 0)
}

fn aggregate(context: &Context<'_>, parts: &[&Fragment], operator: usize, column: usize) -> Made {
    let parts = Parts(parts);
    let (Some(Operator::Aggregate(function)), Some(column)) = (parts.operator(operator), parts.column(column)) else {
        return Vec::new();
    };
    let measured = can_aggregate(context, function, column);
    made(measured.then_some(Kind::Measure(Expr::Aggregate(function, column))))
}

/// `the average price and score`.
pub fn aggregate_of_columns(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let (Some(Operator::Aggregate(function)), Some(first), Some(second)) =
        (parts.operator(0), parts.column(1), parts.column(3))
    else {
        return Vec::new();
    };
    let measured = can_aggregate(context, function, first) && can_aggregate(context, function, second);
    let both = vec![Expr::Aggregate(function, first), Expr::Aggregate(function, second)];
    made((measured && first != second).then_some(Kind::Measures(both)))
}

/// `the minimum and maximum price`.
pub fn aggregates_of_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let (Some(Operator::Aggregate(first)), Some(Operator::Aggregate(second)), Some(column)) =
        (parts.operator(0), parts.operator(2), parts.column(3))
    else {
        return Vec::new();
    };
    let measured = can_aggregate(context, first, column) && can_aggregate(context, second, column);
    let both = vec![Expr::Aggregate(first, column), Expr::Aggregate(second, column)];
    made((measured && first != second).then_some(Kind::Measures(both)))
}

fn extreme(direction: Direction) -> Function {
    if direction == Direction::Descending { Function::Maximum } else { Function::Minimum }
}

/// `the highest and lowest price`.
pub fn extremes_of_column(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let (Some(Operator::Superlative(first)), Some(Operator::Superlative(second)), Some(column)) =
        (parts.operator(0), parts.operator(2), parts.column(3))
    else {
        return Vec::new();
    };
    let both = vec![Expr::Aggregate(extreme(first), column), Expr::Aggregate(extreme(second), column)];
    made((first != second).then_some(Kind::Measures(both)))
}

/// `the highest, lowest and average price`: each function of the column named last.
pub fn functions_of_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let places = Parts(parts);
    let Some(column) = places.column(parts.len() - 1) else { return Vec::new() };
    let mut functions: Vec<Function> = Vec::new();
    for operator in (0..parts.len()).filter_map(|at| places.operator(at)) {
        let function = match operator {
            Operator::Aggregate(function) => function,
            Operator::Superlative(direction) => extreme(direction),
            _ => return Vec::new(),
        };
        let is_number = context.index.columns[column].data != DataKind::Text;
        if functions.contains(&function) || !is_number || !can_aggregate(context, function, column) {
            return Vec::new();
        }
        functions.push(function);
    }
    let all = functions.into_iter().map(|function| Expr::Aggregate(function, column)).collect();
    vec![Kind::Measures(all)]
}

/// `the longest and the shortest`: of each column that both adjectives may measure.
pub fn extremes_by(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let (Some(Operator::SuperlativeBy(first)), Some(Operator::SuperlativeBy(second))) =
        (parts.operator(0), parts.operator(2))
    else {
        return Vec::new();
    };
    let seconds = adjective_columns(context.index, second);
    let pairs = adjective_columns(context.index, first).into_iter().filter_map(|(column, is_larger)| {
        let (_, other) = seconds.iter().find(|(other, _)| *other == column)?;
        let function = |is_larger| if is_larger { Function::Maximum } else { Function::Minimum };
        (is_larger != *other).then(|| {
            Kind::Measures(vec![
                Expr::Aggregate(function(is_larger), column),
                Expr::Aggregate(function(*other), column),
            ])
        })
    });
    pairs.collect()
}

/// `how many furniture components`: the column of the table named before it.
pub fn count_of_column_of(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let (table, column) = (Parts(parts).table(1), Parts(parts).column(2));
    match (table, column) {
        (Some(table), Some(column)) if context.index.columns[column].table == table => {
            count_of_column(context, &[parts[0], parts[2]])
        }
        _ => Vec::new(),
    }
}

pub fn count_of_rows(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    made(Parts(parts).table(1).map(|table| Kind::Measure(Expr::CountRows(table))))
}

/// `number of pages` is a column of numbers, or its sum; `number of cities` counts the different ones.
pub fn count_of_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let Some(column) = Parts(parts).column(1) else { return Vec::new() };
    let entry = &context.index.columns[column];
    let is_quantity =
        entry.data == DataKind::Number && !context.index.is_key(column) && !context.index.is_reference(column);
    let mut found = vec![Kind::Measure(Expr::Aggregate(Function::CountDistinct, column))];
    if is_quantity {
        found.push(Kind::Column(column));
        found.push(Kind::Measure(Expr::Aggregate(Function::Sum, column)));
    } else {
        found.push(Kind::Measure(Expr::CountRows(entry.table)));
    }
    found
}

pub fn count_distinct(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    made(Parts(parts).column(2).map(|column| Kind::Measure(Expr::Aggregate(Function::CountDistinct, column))))
}

pub fn count_of_main(_: &Context<'_>, _: &[&Fragment]) -> Made {
    vec![Kind::CountOfMain]
}

pub fn extreme_of_column(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let (Some(Operator::Superlative(direction)), Some(column)) = (parts.operator(0), parts.column(1)) else {
        return Vec::new();
    };
    let function = if direction == Direction::Descending { Function::Maximum } else { Function::Minimum };
    let is_number = context.index.columns[column].data != DataKind::Text;
    made(is_number.then_some(Kind::Measure(Expr::Aggregate(function, column))))
}

/// `total number of`: the first word adds nothing to a count.
pub fn measure_alone(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (parts.operator(0), parts.kind(1)) {
        (Some(Operator::Aggregate(Function::Sum)), Some(measure @ Kind::Measure(Expr::CountRows(_)))) => {
            vec![measure.clone()]
        }
        _ => Vec::new(),
    }
}

pub fn each_column(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    made(Parts(parts).column(1).map(|column| Kind::Group(Expr::Column(column))))
}

pub fn each_row(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    made(Parts(parts).table(1).map(Kind::GroupRows))
}

pub fn each_unit(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    match Parts(parts).operator(0) {
        Some(Operator::Grain(unit)) => vec![Kind::GroupUnit(unit)],
        _ => Vec::new(),
    }
}

pub fn everything_of(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    made(Parts(parts).table(1).map(Kind::Everything))
}
