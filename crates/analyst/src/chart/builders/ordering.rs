//! Orders, superlatives and limits.

use super::Parts;
use crate::chart::Context;
use crate::chart::entities::adjective_columns;
use crate::chart::fragment::{Fragment, Kind, OrderBy, Ordering};
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Direction, Expr, Function};
use crate::links::model_index::ColumnId;

type Made = Vec<Kind>;

fn order(by: Expr, direction: Direction, limit: Option<u64>) -> Kind {
    Kind::Order(Ordering { by: OrderBy::Expr(by), direction, limit })
}

fn direction_of(operator: Option<Operator>) -> Option<Direction> {
    match operator? {
        Operator::Superlative(direction) | Operator::MostCommon(direction) | Operator::Top(direction) => {
            Some(direction)
        }
        Operator::Sorted(direction) => Some(direction),
        Operator::Alphabetical => Some(Direction::Ascending),
        Operator::Aggregate(Function::Maximum) => Some(Direction::Descending),
        Operator::Aggregate(Function::Minimum) => Some(Direction::Ascending),
        _ => None,
    }
}

fn limit_of(number: Option<f64>) -> Option<u64> {
    number.filter(|number| number.fract() == 0.0 && (1.0..=1000.0).contains(number)).map(|number| number as u64)
}

fn by_column(parts: &Parts<'_>, operator: usize, column: usize, limit: Option<u64>) -> Made {
    match (direction_of(parts.operator(operator)), parts.column(column)) {
        (Some(direction), Some(column)) => vec![order(Expr::Column(column), direction, limit)],
        _ => Vec::new(),
    }
}

pub fn superlative_column(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    by_column(&Parts(parts), 0, 1, Some(1))
}

pub fn column_superlative(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    by_column(&Parts(parts), 1, 0, Some(1))
}

pub fn several_superlative_column(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match limit_of(parts.number(0)) {
        Some(limit) => by_column(&parts, 1, 2, Some(limit)),
        None => Vec::new(),
    }
}

fn by_rows(parts: &Parts<'_>, operator: usize, table: usize, limit: Option<u64>) -> Made {
    match (direction_of(parts.operator(operator)), parts.table(table)) {
        (Some(direction), Some(table)) => vec![order(Expr::CountRows(table), direction, limit)],
        _ => Vec::new(),
    }
}

pub fn superlative_rows(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    by_rows(&Parts(parts), 0, 1, Some(1))
}

pub fn several_superlative_rows(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match limit_of(parts.number(0)) {
        Some(limit) => by_rows(&parts, 1, 2, Some(limit)),
        None => Vec::new(),
    }
}

fn by_measure(parts: &Parts<'_>, operator: usize, measure: usize) -> Made {
    match (direction_of(parts.operator(operator)), parts.kind(measure)) {
        (Some(direction), Some(Kind::Measure(measure))) => vec![order(measure.clone(), direction, Some(1))],
        _ => Vec::new(),
    }
}

pub fn superlative_measure(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    by_measure(&Parts(parts), 0, 1)
}

pub fn measure_superlative(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    by_measure(&Parts(parts), 1, 0)
}

/// `oldest`: every column that the adjective may measure.
fn by_adjective(context: &Context<'_>, operator: Option<Operator>, limit: u64) -> Made {
    let Some(Operator::SuperlativeBy(adjectives)) = operator else { return Vec::new() };
    let columns = adjective_columns(context.index, adjectives);
    let kinds = columns.into_iter().map(|(column, is_larger)| {
        let direction = if is_larger { Direction::Descending } else { Direction::Ascending };
        order(Expr::Column(column), direction, Some(limit))
    });
    kinds.collect()
}

pub fn superlative_by(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    by_adjective(context, Parts(parts).operator(0), 1)
}

pub fn several_superlative_by(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    limit_of(parts.number(0)).map(|limit| by_adjective(context, parts.operator(1), limit)).unwrap_or_default()
}

/// `longest duration`: the column is named, the adjective tells the direction.
pub fn superlative_by_column(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let (Some(Operator::SuperlativeBy(adjectives)), Some(column)) = (parts.operator(0), parts.column(1)) else {
        return Vec::new();
    };
    let Some(measure) = adjectives.measures().next() else { return Vec::new() };
    let direction = if adjectives.wants_larger(measure) { Direction::Descending } else { Direction::Ascending };
    vec![order(Expr::Column(column), direction, Some(1))]
}

pub fn top_number(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (direction_of(parts.operator(0)), limit_of(parts.number(1))) {
        (Some(direction), Some(limit)) => vec![Kind::Limit(limit, direction)],
        _ => Vec::new(),
    }
}

pub fn first_number(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    limit_of(Parts(parts).number(1)).map(|limit| Kind::Limit(limit, Direction::Ascending)).into_iter().collect()
}

fn common(parts: &Parts<'_>, operator: usize, column: usize, limit: u64) -> Made {
    match (direction_of(parts.operator(operator)), parts.column(column)) {
        (Some(direction), Some(column)) => vec![Kind::Common(column, direction, limit)],
        _ => Vec::new(),
    }
}

pub fn most_common(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    common(&Parts(parts), 0, 1, 1)
}

pub fn several_most_common(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    limit_of(parts.number(0)).map(|limit| common(&parts, 1, 2, limit)).unwrap_or_default()
}

pub fn most_common_rows(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    match (direction_of(parts.operator(0)), parts.table(1)) {
        (Some(direction), Some(table)) => vec![Kind::CommonRows(table, direction, 1)],
        _ => Vec::new(),
    }
}

fn named(kind: Option<&Kind>) -> Option<Expr> {
    match kind? {
        Kind::Column(column) => Some(Expr::Column(*column)),
        Kind::Measure(measure) => Some(measure.clone()),
        _ => None,
    }
}

pub fn order_by(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    named(Parts(parts).kind(1)).map(|expr| order(expr, Direction::Ascending, None)).into_iter().collect()
}

pub fn order_by_sorted(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let direction = direction_of(parts.operator(2)).unwrap_or(Direction::Ascending);
    named(parts.kind(1)).map(|expr| order(expr, direction, None)).into_iter().collect()
}

pub fn order_by_rows(context: &Context<'_>, parts: &[&Fragment]) -> Made {
    let label: Option<ColumnId> = Parts(parts).table(1).and_then(|table| context.index.label(table).first().copied());
    label.map(|column| order(Expr::Column(column), Direction::Ascending, None)).into_iter().collect()
}

pub fn sorted_by(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let direction = direction_of(parts.operator(0)).unwrap_or(Direction::Ascending);
    named(parts.kind(1)).map(|expr| order(expr, direction, None)).into_iter().collect()
}

/// `their ages in descending order`: shown, and ordered by.
pub fn column_sorted(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    let parts = Parts(parts);
    let direction = direction_of(parts.operator(1)).unwrap_or(Direction::Ascending);
    named(parts.kind(0)).map(|expr| order(expr, direction, None)).into_iter().collect()
}

pub fn sorted_alone(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    sorted_as(Parts(parts).operator(1))
}

pub fn sorted_only(_: &Context<'_>, parts: &[&Fragment]) -> Made {
    sorted_as(Parts(parts).operator(0))
}

fn sorted_as(operator: Option<Operator>) -> Made {
    let direction = direction_of(operator).unwrap_or(Direction::Ascending);
    vec![Kind::Order(Ordering { by: OrderBy::Shown, direction, limit: None })]
}
