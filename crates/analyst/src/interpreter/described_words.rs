//! Words that the model uses in its descriptions: they are not unknown, though nothing is called by them alone.

use super::Interpreter;
use crate::question::lemma::lemma;
use crate::question::words::Word;
use crate::semantic_model::LogicalTable;

impl Interpreter<'_> {
    pub(super) fn is_described(&self, word: &Word) -> bool {
        let model = self.model.description.iter().map(String::as_str);
        model.chain(self.model.tables.iter().flat_map(said_of)).any(|text| says(text, word))
    }
}

fn says(text: &str, word: &Word) -> bool {
    let words = text.split(|character: char| !character.is_alphanumeric()).map(str::to_lowercase);
    words.filter(|said| !said.is_empty()).any(|said| said == word.lower || lemma(&said) == word.lemma)
}

/// The descriptions and synonyms of a table and its columns.
fn said_of(table: &LogicalTable) -> impl Iterator<Item = &str> {
    let own = std::iter::once((&table.description, &table.synonyms));
    let dimensions = table.dimensions.iter().map(|column| (&column.description, &column.synonyms));
    let times = table.time_dimensions.iter().map(|column| (&column.description, &column.synonyms));
    let facts = table.facts.iter().map(|column| (&column.description, &column.synonyms));
    let metrics = table.metrics.iter().map(|column| (&column.description, &column.synonyms));
    let filters = table.filters.iter().map(|column| (&column.description, &column.synonyms));
    let all = own.chain(dimensions).chain(times).chain(facts).chain(metrics).chain(filters);
    all.flat_map(|(description, synonyms)| description.iter().chain(synonyms).map(String::as_str))
}
