//! The entrance: a question in, a reading with its SQL out.

use crate::evidence::Evidence;
use crate::interpretation::{Reading, read};
use crate::links::mentions::{Chunk, chunks};
use crate::links::model_index::ModelIndex;
use crate::question::words::words;
use crate::semantic_model::SemanticModel;
use crate::sql_generation::sql;

/// Reads questions about one model.
pub struct Interpreter<'a> {
    model: &'a SemanticModel,
    index: ModelIndex,
}

/// What a question was understood as.
#[derive(Debug, Clone)]
pub struct Answer {
    pub sql: Option<String>,
    pub reading: Option<Reading>,
    pub links: Vec<Chunk>,
}

impl<'a> Interpreter<'a> {
    #[must_use]
    pub fn new(model: &'a SemanticModel, evidence: &dyn Evidence) -> Self {
        Self { model, index: ModelIndex::new(model, evidence) }
    }

    #[must_use]
    pub fn interpret(&self, question: &str) -> Answer {
        let words = words(question);
        let links = chunks(&self.index, &words);
        let reading = read(&self.index, &words, links.clone());
        let sql = reading.as_ref().and_then(|reading| sql(self.model, &self.index, &reading.query));
        Answer { sql, reading, links }
    }
}

impl Interpreter<'_> {
    /// What a part of the question was linked to, for a reader.
    #[must_use]
    pub fn describe(&self, chunk: &Chunk) -> String {
        let name = |column: usize| {
            let entry = &self.index.columns[column];
            format!("{}.{}", self.index.tables[entry.table].name, entry.name)
        };
        let crate::links::mentions::ChunkKind::Mention(mention) = &chunk.kind else {
            return format!("{}={:?}", chunk.text, chunk.kind);
        };
        let tables =
            mention.tables.iter().map(|(table, score)| format!("{}:{score:.2}", self.index.tables[*table].name));
        let columns = mention.columns.iter().map(|(column, score)| format!("{}:{score:.2}", name(*column)));
        let values = mention.values.iter().map(|(column, value, _)| format!("{}={value}", name(*column)));
        let all: Vec<String> = tables.chain(columns).chain(values).take(6).collect();
        format!("{}[{}]", chunk.text, all.join(" "))
    }
}
