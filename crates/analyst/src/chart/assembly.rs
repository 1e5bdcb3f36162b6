//! Sequences of fragments that cover the question, the cheapest first. Words that no fragment takes cost what they say;
//! fragments of tables that lie far apart cost their distance.

use super::Context;
use super::fragment::{Fragment, Kind};
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Condition, Expr};
use crate::links::model_index::{ModelIndex, TableId};
use crate::sql_generation::join_paths::distance;

/// Partial sequences that are followed from one word.
const BEAM: usize = 40;
/// Whole sequences that are composed.
const SEQUENCES_MAX: usize = 28;
/// What a join between two fragments costs.
const JOIN_COST: f32 = 0.25;
/// What each fragment costs, so that one of many words is preferred to many of few.
const FRAGMENT_COST: f32 = 0.12;

#[derive(Clone)]
struct Partial<'a> {
    cost: f32,
    parts: Vec<&'a Fragment>,
    tables: Vec<TableId>,
}

/// The cheapest sequences of fragments that can stand by themselves.
pub fn best_sequences<'a>(context: &Context<'_>, fragments: &'a [Vec<Fragment>]) -> Vec<Vec<&'a Fragment>> {
    let count = fragments.len();
    let mut open: Vec<Vec<Partial<'a>>> = vec![Vec::new(); count + 1];
    open[0].push(Partial { cost: 0.0, parts: Vec::new(), tables: Vec::new() });
    for at in 0..count {
        let mut here = std::mem::take(&mut open[at]);
        keep_best(&mut here, BEAM);
        for partial in &here {
            let mut skipped = partial.clone();
            skipped.cost += skip_cost(context, at);
            open[at + 1].push(skipped);
            for fragment in fragments[at].iter().filter(|fragment| stands_alone(fragment)) {
                open[fragment.end].push(extended(context, partial, fragment));
            }
        }
    }
    let mut whole = std::mem::take(&mut open[count]);
    keep_best(&mut whole, SEQUENCES_MAX);
    whole.into_iter().map(|partial| partial.parts).filter(|parts| !parts.is_empty()).collect()
}

fn keep_best(partials: &mut Vec<Partial<'_>>, most: usize) {
    partials.sort_by(|left, right| left.cost.total_cmp(&right.cost));
    partials.truncate(most);
}

fn skip_cost(context: &Context<'_>, at: usize) -> f32 {
    use crate::accounting::Loss;
    match context.losses[at] {
        Loss::Nothing => 0.0,
        Loss::Weak => 0.1,
        Loss::Connective => 0.2,
        Loss::Content => 0.9,
        _ => 1.2,
    }
}

/// Whether a fragment says something without being part of a larger one.
fn stands_alone(fragment: &Fragment) -> bool {
    match &fragment.kind {
        Kind::Value(..) | Kind::Text(_) | Kind::Number(_) | Kind::Date(_) | Kind::Period(_) | Kind::Word(_) => false,
        Kind::Operator(operator) => {
            matches!(
                operator,
                Operator::Distinct | Operator::Both | Operator::Once | Operator::Everything | Operator::Full
            )
        }
        _ => true,
    }
}

fn extended<'a>(context: &Context<'_>, partial: &Partial<'a>, fragment: &'a Fragment) -> Partial<'a> {
    let mut next = partial.clone();
    next.cost += fragment.cost + FRAGMENT_COST;
    for table in tables_of(context.index, fragment) {
        if next.tables.contains(&table) {
            continue;
        }
        let nearest = next.tables.iter().map(|known| distance(context.index, *known, table)).min();
        next.cost += JOIN_COST * nearest.unwrap_or(0) as f32;
        next.tables.push(table);
    }
    next.parts.push(fragment);
    next
}

/// The tables that a fragment speaks of.
pub fn tables_of(index: &ModelIndex, fragment: &Fragment) -> Vec<TableId> {
    let of_expr = |expr: &Expr| {
        let (mut columns, mut tables) = (Vec::new(), Vec::new());
        expr.columns(&mut columns);
        expr.tables(&mut tables);
        tables.extend(columns.into_iter().map(|column| index.columns[column].table));
        tables
    };
    let of_condition = |condition: &Condition| {
        let (mut columns, mut tables) = (Vec::new(), Vec::new());
        condition.columns(&mut columns);
        condition.tables(&mut tables);
        tables.extend(columns.into_iter().map(|column| index.columns[column].table));
        tables
    };
    match &fragment.kind {
        Kind::Table(table) | Kind::GroupRows(table) | Kind::Everything(table) | Kind::CommonRows(table, ..) => {
            vec![*table]
        }
        Kind::Absent(table, _) => vec![*table],
        Kind::Column(column) | Kind::Common(column, ..) => vec![index.columns[*column].table],
        Kind::Measure(expr) | Kind::Group(expr) => of_expr(expr),
        Kind::Measures(all) => all.iter().flat_map(of_expr).collect(),
        Kind::Condition(condition) | Kind::Having(condition) => of_condition(condition),
        Kind::Order(ordering) => match &ordering.by {
            super::fragment::OrderBy::Expr(expr) => of_expr(expr),
            super::fragment::OrderBy::Shown => Vec::new(),
        },
        _ => Vec::new(),
    }
}
