//! The shortest joins that connect a set of tables.

use std::sync::OnceLock;

use crate::links::model_index::{JoinEdge, ModelIndex, TableId};

/// One step of a join: from a table already there to a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Step {
    pub join: usize,
    pub from: TableId,
    pub to: TableId,
}

impl Step {
    /// Whether one row of `from` may meet many rows of `to`.
    #[must_use]
    pub fn multiplies(self, index: &ModelIndex) -> bool {
        let edge = &index.joins[self.join];
        edge.left == self.to && !edge.one_to_one
    }

    /// The compared columns, that of `from` first.
    pub fn columns(self, index: &ModelIndex) -> Vec<(&str, &str)> {
        let JoinEdge { left, columns, .. } = &index.joins[self.join];
        columns
            .iter()
            .map(|(l, r)| if *left == self.from { (l.as_str(), r.as_str()) } else { (r.as_str(), l.as_str()) })
            .collect()
    }
}

/// The shortest ways between any two tables. Readers ask for them at every word, so that each is looked for once.
#[derive(Debug, Default)]
pub struct Ways {
    tables: usize,
    found: Vec<OnceLock<Option<Vec<Step>>>>,
}

impl Ways {
    #[must_use]
    pub fn between(tables: usize) -> Self {
        Self { tables, found: (0..tables * tables).map(|_| OnceLock::new()).collect() }
    }
}

/// The steps from one table to another, if they are connected.
#[must_use]
pub fn path(index: &ModelIndex, from: TableId, to: TableId) -> Option<Vec<Step>> {
    way(index, from, to).map(<[Step]>::to_vec)
}

fn way(index: &ModelIndex, from: TableId, to: TableId) -> Option<&[Step]> {
    index.ways.found[from * index.ways.tables + to].get_or_init(|| best_way(index, from, to)).as_deref()
}

/// Over a curated model references are followed in one direction where they lead there: other ways show rows twice.
fn best_way(index: &ModelIndex, from: TableId, to: TableId) -> Option<Vec<Step>> {
    let usual = nearest(index, &[from], to, Steps::All)?;
    let is_one_way =
        usual.iter().all(|step| !step.multiplies(index)) || usual.iter().all(|step| step.multiplies(index));
    if is_one_way || !index.is_curated() {
        return Some(usual);
    }
    let back = || Some(turned(&nearest(index, &[to], from, Steps::References)?));
    nearest(index, &[from], to, Steps::References).or_else(back).or(Some(usual))
}

/// The same steps the other way round.
fn turned(steps: &[Step]) -> Vec<Step> {
    steps.iter().rev().map(|step| Step { join: step.join, from: step.to, to: step.from }).collect()
}

/// Whether each row of a table leads to at most one row of the other.
#[must_use]
pub fn leads_to_one(index: &ModelIndex, from: TableId, to: TableId) -> bool {
    from == to || way(index, from, to).is_some_and(|steps| steps.iter().all(|step| !step.multiplies(index)))
}

/// Farther than any two tables that are connected count as.
const UNCONNECTED: usize = 9;

/// How many joins lie between two tables; a large number where nothing connects them.
#[must_use]
pub fn distance(index: &ModelIndex, from: TableId, to: TableId) -> usize {
    index.distances[from][to]
}

/// How many joins lie between any two of so many tables.
#[must_use]
pub fn distances(joins: &[JoinEdge], tables: usize) -> Vec<Vec<usize>> {
    let from = |table: TableId| {
        let mut steps = vec![UNCONNECTED; tables];
        steps[table] = 0;
        let mut frontier = vec![table];
        while !frontier.is_empty() {
            let mut next = Vec::new();
            for &at in &frontier {
                for edge in joins.iter().filter(|edge| edge.left == at || edge.right == at) {
                    let other = if edge.left == at { edge.right } else { edge.left };
                    if steps[other] == UNCONNECTED && other != table {
                        steps[other] = steps[at] + 1;
                        next.push(other);
                    }
                }
            }
            frontier = next;
        }
        steps
    };
    (0..tables).map(from).collect()
}

/// Steps that connect all tables, from the first on; `None` where some table cannot be reached.
#[must_use]
pub fn connect(index: &ModelIndex, tables: &[TableId]) -> Option<Vec<Step>> {
    let usual = connect_by(index, tables, Steps::All)?;
    if !index.is_curated() || tables.iter().any(|table| !is_multiplied(index, &usual, *table)) {
        return Some(usual);
    }
    Some(at_grain_of_one(index, tables).unwrap_or(usual))
}

/// Steps by which the rows of one of the tables refer to one row of every other, in the order that starts at the first.
fn at_grain_of_one(index: &ModelIndex, tables: &[TableId]) -> Option<Vec<Step>> {
    let first = *tables.first()?;
    let steps = tables.iter().find_map(|root| {
        let others = tables.iter().filter(|table| *table != root);
        let from_root: Vec<TableId> = std::iter::once(root).chain(others).copied().collect();
        connect_by(index, &from_root, Steps::References)
    })?;
    let mut reached = vec![first];
    let mut rest = steps;
    let mut ordered = Vec::new();
    while let Some(place) = rest.iter().position(|step| reached.contains(&step.from) || reached.contains(&step.to)) {
        let step = rest.remove(place);
        let step =
            if reached.contains(&step.from) { step } else { Step { join: step.join, from: step.to, to: step.from } };
        reached.push(step.to);
        ordered.push(step);
    }
    Some(ordered)
}

/// Which steps may be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Steps {
    All,
    /// From rows to the one row that they refer to.
    References,
}

fn connect_by(index: &ModelIndex, tables: &[TableId], allowed: Steps) -> Option<Vec<Step>> {
    let mut reached: Vec<TableId> = tables.first().copied().into_iter().collect();
    let mut steps = Vec::new();
    let mut missing: Vec<TableId> = tables.iter().copied().skip(1).collect();
    while !missing.is_empty() {
        missing.retain(|table| !reached.contains(table));
        let found = missing.iter().filter_map(|&table| nearest(index, &reached, table, allowed)).min_by_key(Vec::len);
        let Some(found) = found else {
            return missing.is_empty().then_some(steps);
        };
        for step in found {
            reached.push(step.to);
            steps.push(step);
        }
    }
    Some(steps)
}

/// Whether the joins show rows of a table several times.
#[must_use]
pub fn is_multiplied(index: &ModelIndex, steps: &[Step], table: TableId) -> bool {
    let mut reached = vec![table];
    let mut frontier = vec![table];
    while let Some(at) = frontier.pop() {
        for step in steps {
            let (next, multiplies) = if step.from == at {
                (step.to, step.multiplies(index))
            } else if step.to == at {
                let back = Step { join: step.join, from: step.to, to: step.from };
                (step.from, back.multiplies(index))
            } else {
                continue;
            };
            if reached.contains(&next) {
                continue;
            }
            if multiplies {
                return true;
            }
            reached.push(next);
            frontier.push(next);
        }
    }
    false
}

fn nearest(index: &ModelIndex, reached: &[TableId], to: TableId, allowed: Steps) -> Option<Vec<Step>> {
    if reached.contains(&to) {
        return Some(Vec::new());
    }
    let mut before: Vec<Option<Step>> = vec![None; index.tables.len()];
    let mut costs: Vec<usize> = vec![usize::MAX; index.tables.len()];
    reached.iter().for_each(|&table| costs[table] = 0);
    let mut open: Vec<TableId> = reached.to_vec();
    while let Some(place) = (0..open.len()).min_by_key(|&place| costs[open[place]]) {
        let table = open.remove(place);
        if table == to {
            return Some(walk_back(&before, reached, to));
        }
        for (join, edge) in index.joins.iter().enumerate() {
            let next = match (edge.left == table, edge.right == table) {
                (true, _) => edge.right,
                (_, true) => edge.left,
                _ => continue,
            };
            let step = Step { join, from: table, to: next };
            if allowed == Steps::References && step.multiplies(index) {
                continue;
            }
            let cost = costs[table] + step_cost(index, edge, table) + turn_cost(index, before[table], edge, table);
            if cost < costs[next] && !reached.contains(&next) {
                costs[next] = cost;
                before[next] = Some(step);
                if !open.contains(&next) {
                    open.push(next);
                }
            }
        }
    }
    None
}

/// Among equally long ways, one that loses no rows is meant, then one that shows no row twice, then one through a table
/// that only connects others.
fn step_cost(index: &ModelIndex, edge: &JoinEdge, from: TableId) -> usize {
    let to_bridge = edge.right == from && index.is_bridge(edge.left);
    let multiplies = edge.right == from && edge.left != from && !edge.one_to_one;
    100 + 10 * usize::from(edge.has_gaps) + 3 * usize::from(multiplies) - usize::from(to_bridge)
}

/// What two things of one owner share says nothing of each other: students and courses of a department meet in enrolments.
fn turn_cost(index: &ModelIndex, before: Option<Step>, edge: &JoinEdge, from: TableId) -> usize {
    let is_up = before.is_some_and(|step| !step.multiplies(index));
    let is_down = edge.right == from && edge.left != from && !edge.one_to_one;
    if index.is_curated() && is_up && is_down { 15 } else { 0 }
}

fn walk_back(before: &[Option<Step>], reached: &[TableId], to: TableId) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = to;
    while let Some(step) = before[at] {
        steps.push(step);
        at = step.from;
        if reached.contains(&at) {
            break;
        }
    }
    steps.reverse();
    steps
}

#[cfg(test)]
mod tests {
    use super::{connect, leads_to_one};
    use crate::evidence::NoEvidence;
    use crate::links::model_index::ModelIndex;
    use crate::semantic_model::{LogicalTable, Relationship, RelationshipColumns, SemanticModel};

    /// Branches lend copies of items, and each copy stands in a branch.
    fn library() -> ModelIndex {
        let names = ["branches", "loans", "copies", "items"];
        let table = |name: &&str| LogicalTable { name: (*name).to_owned(), ..LogicalTable::default() };
        let refers = |left: &str, right: &str| Relationship {
            left_table: left.to_owned(),
            right_table: right.to_owned(),
            columns: vec![RelationshipColumns { left_column: right.to_owned(), right_column: "id".to_owned() }],
            ..Relationship::default()
        };
        let relationships = vec![
            refers("copies", "branches"),
            refers("copies", "items"),
            refers("loans", "copies"),
            refers("loans", "branches"),
        ];
        let tables = names.iter().map(table).collect();
        ModelIndex::new(&SemanticModel { tables, relationships, ..SemanticModel::default() }, &NoEvidence)
    }

    #[test]
    fn the_way_that_shows_no_row_twice_is_taken() {
        let index = library();
        let steps = connect(&index, &[0, 1, 3]).unwrap_or_default();
        let ways: Vec<(usize, usize)> = steps.iter().map(|step| (step.from, step.to)).collect();
        assert_eq!(ways, [(0, 1), (1, 2), (2, 3)]);
        assert!(leads_to_one(&index, 1, 3) && !leads_to_one(&index, 0, 3));
    }
}
