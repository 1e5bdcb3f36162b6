//! `rent per square metre` divides by the column that holds square metres; nobody groups by the size of a flat.

use crate::interpretation::query::{Expr, Function, Query};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex};
use crate::question::units::spelled_out;
use crate::question::words::Word;

/// Divides the only measure of a query by the number of the unit that stands behind `per`, where the query groups by it.
pub(super) fn divide_by_units(index: &ModelIndex, words: &[Word], query: &mut Query) {
    let is_per = |at: &usize| words[*at].lower == "per";
    let behind = (0..words.len()).filter(is_per).map(|at| &words[at + 1..]);
    let units: Vec<ColumnId> = behind.flat_map(|rest| held_in(index, rest)).collect();
    let is_unit = |expr: &Expr| matches!(expr, Expr::Column(column) if units.contains(column));
    let Some(Expr::Column(unit)) = query.select.iter().find(|expr| is_unit(expr)).cloned() else { return };
    let [measure] = query.select.iter().filter(|expr| expr.is_aggregate()).collect::<Vec<_>>()[..] else { return };
    let Some(quotient) = quotient(index, measure, unit) else { return };
    let measure = measure.clone();
    query.select.retain(|expr| !is_unit(expr));
    query.group.retain(|expr| !is_unit(expr));
    query.order.retain(|(expr, _)| !is_unit(expr));
    let ordered = query.order.iter_mut().map(|(expr, _)| expr);
    for expr in query.select.iter_mut().chain(ordered).filter(|expr| **expr == measure) {
        *expr = quotient.clone();
    }
}

/// The facts whose names end with the unit that words begin with.
fn held_in(index: &ModelIndex, words: &[Word]) -> Vec<ColumnId> {
    let is_spelled = |unit: &&&[&str]| {
        words.len() >= unit.len() && words.iter().zip(unit.iter()).all(|(word, part)| word.lemma == **part)
    };
    let is_held = |column: &ColumnId| {
        let entry = &index.columns[*column];
        let name = entry.name.to_lowercase();
        let Some((_, last)) = name.rsplit_once('_') else { return false };
        entry.kind == ColumnKind::Fact && spelled_out(last).iter().any(|unit| is_spelled(&unit))
    };
    (0..index.columns.len()).filter(is_held).collect()
}

/// All of a measure over all of a number of the same rows.
fn quotient(index: &ModelIndex, measure: &Expr, unit: ColumnId) -> Option<Expr> {
    let Expr::Aggregate(function, column) = measure else { return None };
    let is_metric = index.columns[*column].kind == ColumnKind::Metric;
    let function = match function {
        Function::Metric if is_metric => Function::Metric,
        Function::Sum | Function::Average | Function::Metric => Function::Sum,
        _ => return None,
    };
    let is_same = index.columns[*column].table == index.columns[unit].table;
    let whole = Expr::Aggregate(function, *column);
    is_same.then(|| Expr::Ratio(Box::new(whole), Box::new(Expr::Aggregate(Function::Sum, unit))))
}
