//! Queries that differ from another one in a single decision that questions often leave open.

mod compared;
mod groups;
mod rows_in;
mod unread;

pub use rows_in::named_roles;
pub use unread::says_part;

use crate::interpretation::query::{Comparison, Condition, Direction, Expr, Function, Operand, Query};
use crate::lattice::{Lattice, Meaning};
use crate::links::model_index::{ColumnId, ModelIndex};
use crate::sql_generation::join_paths::connect;
use crate::sql_generation::needed_tables;

/// The neighbours of a query.
#[must_use]
pub fn edits(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query) -> Vec<Query> {
    let mut found = Vec::new();
    found.extend(distinct(index, query));
    found.extend(ties(query));
    found.extend(first_of_ties(query));
    found.extend(without_named_tables(query));
    found.extend(without_keys(query));
    found.extend(without_groups_shown(query));
    found.extend(with_count_shown(query));
    found.extend(without_measure_shown(query));
    other_columns(index, lattice, query, &mut found);
    other_values(index, lattice, query, &mut found);
    fewer_columns(query, &mut found);
    whole_names(index, query, &mut found);
    unread::unread(index, lattice, query, &mut found);
    rows_in::rows_in(index, lattice, query, &mut found);
    groups::groups(index, query, &mut found);
    compared::compared(index, query, &mut found);
    found.retain(|other| other != query && !other.select.is_empty());
    found
}

fn is_plain(query: &Query) -> bool {
    query.select.iter().all(|expr| matches!(expr, Expr::Column(_))) && query.having.is_empty() && query.group.is_empty()
}

/// Rows that a join may show several times, or values that several rows have.
fn distinct(index: &ModelIndex, query: &Query) -> Option<Query> {
    let ordered = query.order.iter().any(|(expr, _)| expr.is_aggregate());
    let steps = connect(index, &needed_tables(index, query))?;
    let is_multiplied = steps.iter().any(|step| step.multiplies(index));
    let is_unique = |expr: &Expr| matches!(expr, Expr::Column(column) if index.columns[*column].unique);
    let repeats = is_multiplied || (query.select.len() == 1 && !query.select.iter().any(is_unique));
    (repeats && is_plain(query) && !ordered).then(|| Query { distinct: !query.distinct, ..query.clone() })
}

/// All rows with the largest value instead of one of them.
fn ties(query: &Query) -> Option<Query> {
    let ([(Expr::Column(column), direction)], Some(1), true) = (query.order.as_slice(), query.limit, is_plain(query))
    else {
        return None;
    };
    let function = if *direction == Direction::Descending { Function::Maximum } else { Function::Minimum };
    let extreme = Query {
        select: vec![Expr::Aggregate(function, *column)],
        conditions: query.conditions.clone(),
        ..Query::default()
    };
    let mut other = Query { order: Vec::new(), limit: None, ..query.clone() };
    other.conditions.push(Condition::Compare(
        Expr::Column(*column),
        Comparison::Equal,
        Operand::Query(Box::new(extreme)),
    ));
    Some(other)
}

/// One row instead of all with the largest value.
fn first_of_ties(query: &Query) -> Option<Query> {
    let place = query.conditions.iter().position(|condition| {
        matches!(condition, Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Query(nested))
            if matches!(nested.select.as_slice(), [Expr::Aggregate(Function::Maximum | Function::Minimum, other)] if other == column))
    })?;
    let mut other = query.clone();
    let Condition::Compare(by, _, Operand::Query(nested)) = other.conditions.remove(place) else { return None };
    let [Expr::Aggregate(function, _)] = nested.select.as_slice() else { return None };
    let direction = if *function == Function::Maximum { Direction::Descending } else { Direction::Ascending };
    other.order = vec![(by, direction)];
    other.limit = Some(1);
    Some(other)
}

fn without_named_tables(query: &Query) -> Option<Query> {
    (!query.joined.is_empty()).then(|| Query { joined: Vec::new(), ..query.clone() })
}

fn without_keys(query: &Query) -> Option<Query> {
    (!query.group.is_empty()).then(|| Query { group: Vec::new(), ..query.clone() })
}

/// A measure alone, its groups not shown.
fn without_groups_shown(query: &Query) -> Option<Query> {
    let (measures, plain): (Vec<Expr>, Vec<Expr>) = query.select.iter().cloned().partition(Expr::is_aggregate);
    if measures.is_empty() || plain.is_empty() || query.distinct {
        return None;
    }
    let group = query.group.iter().cloned().chain(plain).collect();
    Some(Query { select: measures, group, ..query.clone() })
}

/// What rows are ordered by is shown too.
fn with_count_shown(query: &Query) -> Option<Query> {
    let (by, _) = query.order.iter().find(|(expr, _)| expr.is_aggregate() && !query.select.contains(expr))?;
    let mut other = query.clone();
    other.select.push(by.clone());
    Some(other)
}

/// The groups alone, ordered by a measure that is not shown.
fn without_measure_shown(query: &Query) -> Option<Query> {
    let plain: Vec<Expr> = query.select.iter().filter(|expr| !expr.is_aggregate()).cloned().collect();
    let ordered = query.order.iter().any(|(expr, _)| expr.is_aggregate()) || !query.having.is_empty();
    (ordered && !plain.is_empty() && plain.len() < query.select.len()).then(|| Query { select: plain, ..query.clone() })
}

/// Another column that the same words may name.
fn other_columns(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, found: &mut Vec<Query>) {
    for (place, expr) in query.select.iter().enumerate() {
        let Expr::Column(column) = expr else { continue };
        for rival in rivals(lattice, *column) {
            let mut other = query.clone();
            other.select[place] = Expr::Column(rival);
            found.push(other);
        }
        let key = &index.tables[index.columns[*column].table].key;
        if query.select.len() == 1 && !key.contains(column) && key.len() == 1 {
            let mut other = query.clone();
            other.select[place] = Expr::Column(key[0]);
            found.push(other);
        }
        let label = index.label(index.columns[*column].table);
        if query.select.len() == 1 && !label.contains(column) {
            let select = label.into_iter().map(Expr::Column).collect();
            found.push(Query { select, ..query.clone() });
        }
    }
}

/// Both parts of a name instead of one.
fn whole_names(index: &ModelIndex, query: &Query, found: &mut Vec<Query>) {
    for (place, expr) in query.select.iter().enumerate() {
        let Expr::Column(column) = expr else { continue };
        let entry = &index.columns[*column];
        let (part, other_part) = match entry.words.iter().find(|word| matches!(word.as_str(), "first" | "last")) {
            Some(word) if word == "first" => ("first", "last"),
            Some(_) => ("last", "first"),
            None => continue,
        };
        let wanted: Vec<&str> =
            entry.words.iter().map(|word| if word == part { other_part } else { word.as_str() }).collect();
        let is_other = |other: &&ColumnId| index.columns[**other].words.iter().eq(wanted.iter());
        let Some(sibling) = index.tables[entry.table].columns.iter().find(is_other) else { continue };
        if query.select.contains(&Expr::Column(*sibling)) {
            continue;
        }
        let mut other = query.clone();
        let at = if part == "first" { place + 1 } else { place };
        other.select.insert(at, Expr::Column(*sibling));
        found.push(other);
    }
}

/// Columns named by the same words as another one.
fn rivals(lattice: &Lattice<'_>, column: ColumnId) -> Vec<ColumnId> {
    let mut found = Vec::new();
    for item in lattice.items.iter().filter(|item| item.meaning == Meaning::Column(column)) {
        for other in &lattice.items {
            if let Meaning::Column(rival) = other.meaning
                && (other.start, other.end) == (item.start, item.end)
                && rival != column
                && !found.contains(&rival)
            {
                found.push(rival);
            }
        }
    }
    found.truncate(4);
    found
}

/// The same word as a value of another column.
fn other_values(_: &ModelIndex, lattice: &Lattice<'_>, query: &Query, found: &mut Vec<Query>) {
    use crate::interpretation::query::Literal;
    for (place, condition) in query.conditions.iter().enumerate() {
        let Condition::Compare(Expr::Column(column), comparison, Operand::Literal(Literal::Text(text))) = condition
        else {
            continue;
        };
        let spans = lattice
            .items
            .iter()
            .filter(|item| matches!(&item.meaning, Meaning::Value(own, value) if own == column && value == text));
        let spans: Vec<(usize, usize)> = spans.map(|item| (item.start, item.end)).collect();
        for item in lattice.items.iter().filter(|item| spans.contains(&(item.start, item.end))) {
            let Meaning::Value(rival, value) = &item.meaning else { continue };
            if rival != column {
                let mut other = query.clone();
                let literal = Operand::Literal(Literal::Text(value.clone()));
                other.conditions[place] = Condition::Compare(Expr::Column(*rival), *comparison, literal);
                found.push(other);
            }
        }
    }
}

/// One column less.
fn fewer_columns(query: &Query, found: &mut Vec<Query>) {
    if query.select.len() < 2 || query.select.len() > 5 {
        return;
    }
    for place in 0..query.select.len() {
        let mut other = query.clone();
        let removed = other.select.remove(place);
        let grouped = other.select.iter().any(Expr::is_aggregate) || !other.having.is_empty();
        if grouped && !removed.is_aggregate() {
            continue;
        }
        found.push(other);
    }
}
