//! Questions a model can answer, for when one cannot be: those about the things it named come first.

use crate::links::model_index::{ColumnKind, DataKind, ModelIndex, TableId};

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
            let opening = if measure.kind == ColumnKind::Metric { "What is the" } else { "What is the total" };
            questions.push(format!("{opening} {} by {}?", measure.words.join(" "), group.words.join(" ")));
        }
        questions.push(format!("How many {} are there?", crate::restatement::plural(&name)));
        if let Some(&group) = group {
            let group = index.columns[group].words.join(" ");
            questions.push(format!("How many {} are there for each {group}?", crate::restatement::plural(&name)));
        }
    }
    questions
}
