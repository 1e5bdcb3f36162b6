//! The entrance: a question in, a reading with its SQL and its restatement out, or what could be asked instead.

use chrono::NaiveDate;

use crate::evidence::Evidence;
use crate::interpretation::query::Query;
use crate::interpretation::{Reading, read};
use crate::links::mentions::{Chunk, ChunkKind, chunks};
use crate::links::model_index::ModelIndex;
use crate::question::words::words;
use crate::restatement::restate;
use crate::semantic_model::SemanticModel;
use crate::sql_generation::sql;

/// Reads questions about one model.
pub struct Interpreter<'a> {
    model: &'a SemanticModel,
    index: ModelIndex,
}

/// What kind of answer it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Category {
    /// The SQL answers the question.
    ClearSql,
    /// The question speaks of the model's things, but not clearly enough.
    Ambiguous,
    /// Nothing in the question is in the model.
    OutOfScope,
}

/// What a question was understood as.
#[derive(Debug, Clone)]
pub struct Answer {
    pub category: Category,
    pub sql: Option<String>,
    /// The query in plain English; empty without SQL.
    pub restatement: String,
    /// Questions that can be answered, where this one cannot.
    pub suggestions: Vec<String>,
    /// How sure the reading is, from 0 to 1.
    pub score: f32,
    pub query: Option<Query>,
    pub links: Vec<Link>,
    /// Values of the data that the question names.
    pub values: Vec<FoundValue>,
}

/// A part of the question and what it was linked to.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub text: String,
    /// Names of tables, `table.column`s or values, best first.
    pub targets: Vec<String>,
}

/// A value found in the data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundValue {
    pub text: String,
    pub table: String,
    pub column: String,
    pub value: String,
}

impl<'a> Interpreter<'a> {
    #[must_use]
    pub fn new(model: &'a SemanticModel, evidence: &dyn Evidence) -> Self {
        Self { model, index: ModelIndex::new(model, evidence) }
    }

    /// Understands a question; `history` holds the user's questions before it, the oldest first.
    #[must_use]
    pub fn interpret(&self, question: &str, history: &[String], today: NaiveDate) -> Answer {
        let _ = (history, today);
        let words = words(question);
        let chunks = chunks(&self.index, &words);
        let reading = read(&self.index, &words, chunks.clone());
        self.answer(reading, &chunks)
    }

    fn answer(&self, reading: Option<Reading>, chunks: &[Chunk]) -> Answer {
        let links: Vec<Link> = chunks.iter().filter_map(|chunk| self.link(chunk)).collect();
        let values = chunks.iter().flat_map(|chunk| self.found_values(chunk)).collect();
        let statement = reading.as_ref().and_then(|reading| sql(self.model, &self.index, &reading.query));
        match (reading, statement) {
            (Some(reading), Some(statement)) => Answer {
                category: Category::ClearSql,
                sql: Some(statement),
                restatement: restate(&self.index, &reading.query),
                suggestions: Vec::new(),
                score: reading.explained,
                query: Some(reading.query),
                links,
                values,
            },
            _ => Answer {
                category: if links.is_empty() { Category::OutOfScope } else { Category::Ambiguous },
                sql: None,
                restatement: String::new(),
                suggestions: Vec::new(),
                score: 0.0,
                query: None,
                links,
                values,
            },
        }
    }

    fn link(&self, chunk: &Chunk) -> Option<Link> {
        let ChunkKind::Mention(mention) = &chunk.kind else { return None };
        let tables = mention.tables.iter().map(|(table, _)| self.index.tables[*table].name.clone());
        let columns = mention.columns.iter().map(|(column, _)| self.column_name(*column));
        let values = mention.values.iter().map(|(column, value, _)| format!("{} = {value}", self.column_name(*column)));
        Some(Link { text: chunk.text.clone(), targets: tables.chain(columns).chain(values).take(8).collect() })
    }

    fn found_values(&self, chunk: &Chunk) -> Vec<FoundValue> {
        let ChunkKind::Mention(mention) = &chunk.kind else { return Vec::new() };
        let found = mention.values.iter().map(|(column, value, _)| {
            let entry = &self.index.columns[*column];
            FoundValue {
                text: chunk.text.clone(),
                table: self.index.tables[entry.table].name.clone(),
                column: entry.name.clone(),
                value: value.clone(),
            }
        });
        found.collect()
    }

    fn column_name(&self, column: usize) -> String {
        let entry = &self.index.columns[column];
        format!("{}.{}", self.index.tables[entry.table].name, entry.name)
    }
}
