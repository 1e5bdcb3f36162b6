//! Facts that state what is to be reached, each with the measure of another table that states what was: PREMIUM_TARGET and
//! the premium income.

use super::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use super::phrase_match::{Phrase, Target};
use crate::interpretation::query::{Expr, Function};
use crate::question::lemma::lemma;
use crate::semantic_model::{DefaultAggregation, SemanticModel};

/// Nouns for what is to be reached.
const NOUNS: &[&str] = &["target", "goal", "plan", "budget", "quota", "objective"];
/// Words that only say that something is to be reached.
const TO_BE_REACHED: &[&str] = &["planned", "targeted", "budgeted", "expected", "required", "to", "reach", "of", "for"];
/// A phrase from here on is the name itself or a synonym.
const NAME_WORTH: f32 = 0.9;

#[derive(Debug, Clone, PartialEq)]
pub struct TargetMeasure {
    /// What is to be reached.
    pub fact: ColumnId,
    /// What was reached.
    pub actual: Expr,
    pub owner: TableId,
}

impl TargetMeasure {
    /// Whether an expression is one of the two sides.
    #[must_use]
    pub fn is_side(&self, expr: &Expr) -> bool {
        match (expr, &self.actual) {
            (Expr::Aggregate(_, column), Expr::Aggregate(_, actual)) => column == actual || *column == self.fact,
            (Expr::Aggregate(_, column), _) => *column == self.fact,
            (expr, actual) => expr == actual,
        }
    }
}

/// Whether a word names what is to be reached.
#[must_use]
pub fn is_target_noun(lemma: &str) -> bool {
    NOUNS.contains(&lemma)
}

/// The targets of a model whose actual measure is known.
pub(super) fn target_measures(index: &ModelIndex, model: &SemanticModel) -> Vec<TargetMeasure> {
    let facts = (0..index.columns.len()).filter(|column| is_target(index, *column));
    let pairs = facts.filter_map(|fact| {
        let actual = actual_of(index, model, fact)?;
        let owner = actual.owner(index)?;
        Some(TargetMeasure { fact, actual, owner })
    });
    pairs.collect()
}

/// The parts of a name in their base forms.
fn parts(name: &str) -> impl Iterator<Item = String> + '_ {
    name.split('_').map(|part| lemma(&part.to_lowercase()))
}

fn is_target(index: &ModelIndex, column: ColumnId) -> bool {
    let entry = &index.columns[column];
    let is_called = parts(&entry.name).any(|part| is_target_noun(&part));
    let is_of_targets = index.tables[entry.table].words.iter().any(|word| is_target_noun(word));
    entry.kind == ColumnKind::Fact && (is_called || is_of_targets)
}

/// The only measure of another table that its description names in full, else the only one that is called like the target, else
/// the only one that has its words in the name.
fn actual_of(index: &ModelIndex, model: &SemanticModel, fact: ColumnId) -> Option<Expr> {
    let says = |part: &String| !is_target_noun(part) && !TO_BE_REACHED.contains(&part.as_str());
    let own: Vec<String> = parts(&index.columns[fact].name).filter(says).collect();
    let described = described_words(index, model, fact);
    let is_described = |phrase: &&Phrase| {
        let words = lemmas(&phrase.words);
        let is_named = own.is_empty() || words.iter().any(|word| own.contains(word));
        phrase.worth >= NAME_WORTH && is_named && words.iter().all(|word| described.contains(word))
    };
    let phrases = || index.vocabulary.phrases.iter();
    // `premium income` says more than `premium`.
    let is_whole = |phrase: &&Phrase| is_described(phrase) && phrase.words.len() > 1;
    let is_called = |phrase: &&Phrase| phrase.worth >= NAME_WORTH && lemmas(&phrase.words) == own;
    let said = only(measures_of(index, fact, phrases().filter(is_whole)))
        .or_else(|| only(measures_of(index, fact, phrases().filter(is_called))))
        .or_else(|| only(measures_of(index, fact, phrases().filter(is_described))));
    let has_name = |column: &ColumnId| {
        let name: Vec<String> = parts(&index.columns[*column].name).collect();
        !own.is_empty()
            && index.columns[*column].table != index.columns[fact].table
            && own.iter().all(|word| name.contains(word))
    };
    said.or_else(|| {
        only((0..index.columns.len()).filter(has_name).filter_map(|column| measure_of(index, column)).collect())
    })
}

/// What phrases measure in other tables than that of a target.
fn measures_of<'a>(index: &ModelIndex, fact: ColumnId, phrases: impl Iterator<Item = &'a Phrase>) -> Vec<Expr> {
    let own = index.columns[fact].table;
    let mut found = Vec::new();
    for phrase in phrases {
        let measure = match phrase.target {
            Target::Table(table) if table != own => Some(Expr::CountRows(table)),
            Target::Column(column) if index.columns[column].table != own => measure_of(index, column),
            _ => None,
        };
        found.extend(measure.filter(|measure| !found.contains(measure)));
    }
    // A sum that the model defines goes before a number of rows.
    let is_sum = |expr: &Expr| matches!(expr, Expr::Aggregate(..));
    if found.iter().any(is_sum) {
        found.retain(is_sum);
    }
    found
}

fn measure_of(index: &ModelIndex, column: ColumnId) -> Option<Expr> {
    let entry = &index.columns[column];
    let is_sum = entry.kind == ColumnKind::Fact && entry.aggregation == Some(DefaultAggregation::Sum);
    let is_measure = is_sum || entry.kind == ColumnKind::Metric;
    (is_measure && !is_target(index, column)).then_some(Expr::Aggregate(Function::Metric, column))
}

fn only(mut found: Vec<Expr>) -> Option<Expr> {
    found.pop().filter(|_| found.is_empty())
}

fn lemmas(words: &[String]) -> Vec<String> {
    words.iter().map(|word| lemma(word)).collect()
}

fn described_words(index: &ModelIndex, model: &SemanticModel, fact: ColumnId) -> Vec<String> {
    let entry = &index.columns[fact];
    let table = model.tables.iter().find(|table| table.name == index.tables[entry.table].name);
    let mut facts = table.into_iter().flat_map(|table| &table.facts);
    let description = facts.find(|column| column.name == entry.name).and_then(|column| column.description.as_deref());
    let words = description.unwrap_or_default().split(|character: char| !character.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(|word| lemma(&word.to_lowercase())).collect()
}
