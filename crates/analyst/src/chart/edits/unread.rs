//! Neighbours of a query that use a word of the question which it leaves out.

use super::is_plain;
use crate::accounting::Usage;
use crate::interpretation::operators::Operator;
use crate::interpretation::query::{Comparison, Condition, Expr, Function, Literal, Operand, Query};
use crate::lattice::{Item, Lattice, Meaning};
use crate::links::model_index::{ColumnId, DataKind, ModelIndex};
use crate::question::time::YEARS;

/// A weaker link names no column to show.
const NAMED_MIN: f32 = 0.75;
/// Neighbours of one kind.
const NEIGHBOURS_MAX: usize = 3;
/// Functions that are computed over the numbers of a column.
const NUMERIC: &[Function] = &[Function::Sum, Function::Average, Function::Maximum, Function::Minimum];
/// Words for a part of a text, beside the operators for it.
const PART_WORDS: &[&str] = &["include", "part", "word", "phrase", "substring", "letter", "prefix"];

pub(super) fn unread(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, found: &mut Vec<Query>) {
    let usage = Usage::of(index, query);
    with_columns(lattice, query, &usage, found);
    with_years(index, lattice, query, &usage, found);
    with_aggregate(index, lattice, query, &usage, found);
    with_further_function(lattice, query, &usage, found);
    with_second_order(lattice, query, found);
    if usage.negations + usage.exceptions == 0 && lattice.says(&[Operator::Not, Operator::Without, Operator::Except]) {
        texts_compared(query, not_equal, found);
    }
    if usage.patterns.is_empty() && says_part(lattice) {
        texts_compared(query, |column, text| Condition::Like(column, format!("%{text}%")), found);
    }
    if query.conditions.len() > 1 && usage.disjunctions + usage.unions == 0 && lattice.says(&[Operator::Or]) {
        found.push(Query { conditions: vec![Condition::Any(query.conditions.clone())], ..query.clone() });
    }
}

/// Whether the question speaks of a part of a text.
#[must_use]
pub fn says_part(lattice: &Lattice<'_>) -> bool {
    let has_part = lattice.words.iter().any(|word| PART_WORDS.contains(&word.lemma.as_str()));
    has_part || says_within(lattice) || lattice.says(&[Operator::Contains])
}

/// `'Express' in their names`: a quoted text before `in`.
fn says_within(lattice: &Lattice<'_>) -> bool {
    let is_quoted = |item: &&Item| matches!(item.meaning, Meaning::Quoted(_));
    let mut quoted = lattice.items.iter().filter(is_quoted);
    quoted.any(|item| lattice.words.get(item.end).is_some_and(|word| word.lower == "in"))
}

/// A column that the question names is shown too.
fn with_columns(lattice: &Lattice<'_>, query: &Query, usage: &Usage, found: &mut Vec<Query>) {
    if !is_plain(query) {
        return;
    }
    let is_used = |item: &Item| match &item.meaning {
        Meaning::Column(column) | Meaning::Value(column, _) => usage.has_column(*column),
        _ => false,
    };
    let is_free = |item: &Item| {
        !lattice.items.iter().any(|other| other.start < item.end && item.start < other.end && is_used(other))
    };
    let named = lattice.items.iter().filter(|item| item.quality >= NAMED_MIN && is_free(item));
    let columns = named.filter_map(|item| match item.meaning {
        Meaning::Column(column) => Some(column),
        _ => None,
    });
    for column in columns.take(NEIGHBOURS_MAX) {
        let mut other = query.clone();
        other.select.push(Expr::Column(column));
        found.push(other);
    }
}

/// A bare year is the year of a table in use.
fn with_years(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, usage: &Usage, found: &mut Vec<Query>) {
    if !usage.dates.is_empty() {
        return;
    }
    let is_year = |column: &ColumnId| {
        let entry = &index.columns[*column];
        let is_named = entry.words.iter().any(|word| word == "year");
        is_named && entry.data == DataKind::Number && usage.tables.contains(&entry.table)
    };
    let columns: Vec<ColumnId> = (0..index.columns.len()).filter(is_year).take(NEIGHBOURS_MAX).collect();
    for item in &lattice.items {
        let Meaning::Number(number) = item.meaning else { continue };
        if !YEARS.contains(&number) || number.fract() != 0.0 || usage.numbers.contains(&number) {
            continue;
        }
        for column in &columns {
            let mut other = query.clone();
            let year = Operand::Literal(Literal::Number(number));
            other.conditions.push(Condition::Compare(Expr::Column(*column), Comparison::Equal, year));
            found.push(other);
        }
    }
}

/// A function that the question asks for is applied to a number that is shown as it is.
fn with_aggregate(index: &ModelIndex, lattice: &Lattice<'_>, query: &Query, usage: &Usage, found: &mut Vec<Query>) {
    let asked = lattice.items.iter().find_map(|item| match item.meaning {
        Meaning::Operator(Operator::Aggregate(function)) => Some(function),
        _ => None,
    });
    let Some(function) = asked.filter(|function| !usage.has_function(&[*function])) else { return };
    if !NUMERIC.contains(&function) {
        return;
    }
    for (place, expr) in query.select.iter().enumerate() {
        let Expr::Column(column) = expr else { continue };
        let is_code = index.is_key(*column) || index.is_reference(*column);
        if index.columns[*column].data != DataKind::Number || is_code {
            continue;
        }
        let measure = Expr::Aggregate(function, *column);
        let mut other = Query { distinct: false, ..query.clone() };
        other.order.iter_mut().filter(|(by, _)| by == expr).for_each(|(by, _)| *by = measure.clone());
        other.select[place] = measure;
        found.push(other);
    }
}

/// `the maximum and minimum price` where only one of them is computed: the other one is shown beside it.
fn with_further_function(lattice: &Lattice<'_>, query: &Query, usage: &Usage, found: &mut Vec<Query>) {
    let asked = lattice.items.iter().filter_map(|item| match item.meaning {
        Meaning::Operator(Operator::Aggregate(function)) => Some(function),
        _ => None,
    });
    let mut further: Vec<Function> = Vec::new();
    for function in asked.filter(|function| NUMERIC.contains(function) && !usage.has_function(&[*function])) {
        if !further.contains(&function) {
            further.push(function);
        }
    }
    let place =
        query.select.iter().rposition(|expr| matches!(expr, Expr::Aggregate(known, _) if NUMERIC.contains(known)));
    let Some(place) = place.filter(|_| query.combined.is_none() && query.summary.is_none()) else { return };
    let Expr::Aggregate(_, column) = query.select[place] else { return };
    if !further.is_empty() {
        let mut other = query.clone();
        let measures = further.into_iter().map(|function| Expr::Aggregate(function, column));
        other.select.splice(place + 1..place + 1, measures);
        found.push(other);
    }
}

/// `ordered by city, then name`: a column named behind the one that rows are ordered by orders them too.
fn with_second_order(lattice: &Lattice<'_>, query: &Query, found: &mut Vec<Query>) {
    let ([(Expr::Column(first), direction)], None) = (query.order.as_slice(), query.limit) else { return };
    let is_order = |item: &&Item| {
        matches!(
            item.meaning,
            Meaning::Operator(Operator::OrderBy | Operator::Sorted(_) | Operator::Alphabetical | Operator::SortedBy(_))
        )
    };
    let Some(opened) = lattice.items.iter().find(is_order).map(|item| item.end) else { return };
    let of_first = |item: &&Item| item.start >= opened && item.meaning == Meaning::Column(*first);
    let Some(end) = lattice.items.iter().find(of_first).map(|item| item.end) else { return };
    let behind = lattice.items.iter().filter(|item| item.start >= end && item.quality >= NAMED_MIN);
    let columns = behind.filter_map(|item| match item.meaning {
        Meaning::Column(column) if column != *first => Some(column),
        _ => None,
    });
    for column in columns.take(NEIGHBOURS_MAX) {
        let mut other = query.clone();
        other.order.push((Expr::Column(column), *direction));
        found.push(other);
    }
}

fn not_equal(column: ColumnId, text: &str) -> Condition {
    let literal = Operand::Literal(Literal::Text(text.to_string()));
    Condition::Compare(Expr::Column(column), Comparison::NotEqual, literal)
}

/// Each condition that a column equals a text, made another one.
fn texts_compared(query: &Query, condition: impl Fn(ColumnId, &str) -> Condition, found: &mut Vec<Query>) {
    for (place, known) in query.conditions.iter().enumerate() {
        let Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(Literal::Text(text))) = known
        else {
            continue;
        };
        let mut other = query.clone();
        other.conditions[place] = condition(*column, text);
        found.push(other);
    }
}
