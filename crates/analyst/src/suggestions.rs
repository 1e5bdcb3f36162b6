//! Questions a model can answer, for when one cannot be: those about the things it named come first.

use crate::links::model_index::{ColumnKind, DataKind, ModelIndex, TableId};
use crate::semantic_model::DefaultAggregation;

/// Candidate questions, the most telling first; `named` holds the tables the user spoke of.
#[must_use]
pub fn candidates(index: &ModelIndex, named: &[TableId]) -> Vec<String> {
    let mut tables: Vec<TableId> = Vec::new();
    named.iter().for_each(|table| {
        if !tables.contains(table) {
            tables.push(*table)
        }
    });
    tables.extend((0..index.tables.len()).filter(|table| !named.contains(table) && !index.is_bridge(*table)));
    let mut questions = Vec::new();
    for table in tables {
        let name = index.tables[table].words.join(" ");
        let columns = &index.tables[table].columns;
        let measure = columns.iter().find(|&&column| {
            let entry = &index.columns[column];
            matches!(entry.kind, ColumnKind::Metric | ColumnKind::Fact)
        });
        let group = columns.iter().find(|&&column| {
            let entry = &index.columns[column];
            let few = entry.distinct_count.is_none_or(|count| (2..=50).contains(&count));
            entry.kind == ColumnKind::Dimension && entry.data == DataKind::Text && few && !entry.unique
        });
        if let (Some(&measure), Some(&group)) = (measure, group) {
            let (measure, group) = (&index.columns[measure], &index.columns[group]);
            let aggregate = if measure.kind == ColumnKind::Metric { "" } else { aggregate_word(measure.aggregation) };
            let measured = without_unit(&measure.words).join(" ");
            questions.push(format!("What is the {aggregate}{measured} by {}?", group.words.join(" ")));
        }
        questions.push(format!("How many {} are there?", crate::restatement::plural(&name)));
        if let Some(&group) = group {
            let group = index.columns[group].words.join(" ");
            questions.push(format!("How many {} are there for each {group}?", crate::restatement::plural(&name)));
        }
    }
    questions
}

/// `capacity l`, `temperature c`: the unit at the end of a name is not said.
fn without_unit(words: &[String]) -> &[String] {
    match words {
        [rest @ .., last] if !rest.is_empty() && UNITS.contains(&last.as_str()) => rest,
        _ => words,
    }
}

/// Units that names of columns end in.
const UNITS: &[&str] =
    &["l", "c", "f", "m", "g", "kg", "km", "cm", "mm", "ml", "pct", "eur", "usd", "gbp", "kwh", "min"];

/// How a fact is summed up by default.
fn aggregate_word(aggregation: Option<DefaultAggregation>) -> &'static str {
    match aggregation {
        Some(DefaultAggregation::Avg) => "average ",
        Some(DefaultAggregation::Median) => "median ",
        Some(DefaultAggregation::Min) => "lowest ",
        Some(DefaultAggregation::Max) => "highest ",
        Some(DefaultAggregation::Count | DefaultAggregation::CountDistinct) => "number of ",
        Some(DefaultAggregation::Sum) | None => "total ",
    }
}
