//! Relationships that the model declares as left outer: where rows are summed up for each of what they refer to, those that
//! refer to nothing are a group of their own.

use crate::interpretation::query::{Expr, Query};
use crate::links::model_index::{ModelIndex, TableId};

use super::join_paths::Step;

/// The same joins from the table whose rows are summed up, where one of them is declared to keep rows without a partner.
pub fn from_summed_rows(index: &ModelIndex, query: &Query, first: TableId, steps: Vec<Step>) -> (TableId, Vec<Step>) {
    if !is_plain_summary(query) || !steps.iter().any(|step| index.joins[step.join].is_left_outer) {
        return (first, steps);
    }
    let owner = query.select.iter().find(|expr| expr.is_aggregate()).and_then(|expr| expr.owner(index));
    let is_reached = |table: &TableId| *table == first || steps.iter().any(|step| step.to == *table);
    match owner.filter(is_reached) {
        Some(owner) => (owner, rooted_at(owner, &steps)),
        None => (first, steps),
    }
}

/// Rows summed up for each group; where groups are ranked or compared, one without a name is no answer.
fn is_plain_summary(query: &Query) -> bool {
    let is_grouped =
        query.select.iter().any(Expr::is_aggregate) && query.select.iter().any(|expr| !expr.is_aggregate());
    is_grouped && query.limit.is_none() && query.having.is_empty() && query.combined.is_none()
}

fn rooted_at(root: TableId, steps: &[Step]) -> Vec<Step> {
    let mut open: Vec<Step> = steps.to_vec();
    let mut reached = vec![root];
    let mut turned = Vec::new();
    while let Some(at) = open.iter().position(|step| reached.contains(&step.from) || reached.contains(&step.to)) {
        let step = open.remove(at);
        let (from, to) = if reached.contains(&step.from) { (step.from, step.to) } else { (step.to, step.from) };
        reached.push(to);
        turned.push(Step { join: step.join, from, to });
    }
    turned
}

/// For each step whether it is an outer join: the model declares it so, or it continues one.
pub fn outer_steps(index: &ModelIndex, query: &Query, steps: &[Step]) -> Vec<bool> {
    let mut nullable: Vec<TableId> = Vec::new();
    let mut outer = Vec::new();
    for step in steps {
        let edge = &index.joins[step.join];
        let is_declared = edge.is_left_outer && edge.left == step.from && is_plain_summary(query);
        let is_outer = is_declared || nullable.contains(&step.from);
        if is_outer {
            nullable.push(step.to);
        }
        outer.push(is_outer);
    }
    outer
}
