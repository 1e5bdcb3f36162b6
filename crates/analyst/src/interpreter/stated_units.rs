//! Units that a question wants its figures in: `yield in tonnes`. Nothing is converted, so that a unit which the model does not
//! state for what is measured is named, and the answer is not sure.

use super::Interpreter;
use crate::interpretation::query::{Expr, Query};
use crate::links::model_index::{ColumnEntry, ColumnKind};
use crate::links::phrase_match::Target;
use crate::question::units::{is_currency, is_same_unit, is_stated_unit};
use crate::question::words::{Word, WordKind};

impl Interpreter<'_> {
    /// The place of a unit that figures are asked for in, and whether the model says that they are in it.
    pub(super) fn unit_of_figures(&self, words: &[Word], query: &Query) -> Option<(usize, bool)> {
        let at = (1..words.len()).find(|at| is_asked_unit(words, *at))?;
        let unit = words[at].lower.as_str();
        let mut measured = Vec::new();
        let exprs = query.select.iter().chain(query.order.iter().map(|(expr, _)| expr));
        exprs.filter(|expr: &&Expr| expr.is_aggregate()).for_each(|expr| expr.columns(&mut measured));
        let is_counted = measured.is_empty() && query.select.iter().any(|expr| matches!(expr, Expr::CountRows(_)));
        let is_stated = measured.iter().any(|column| self.states_unit(*column, unit))
            || is_currency(unit) && self.texts_of_model().any(|text| says_unit(text, unit));
        (!is_counted).then_some((at, is_stated))
    }

    /// Whether the name, a synonym, the description or the expression of a column has the unit, or what it is computed from.
    fn states_unit(&self, column: usize, unit: &str) -> bool {
        let entry = &self.index.columns[column];
        let phrases = self.index.vocabulary.phrases.iter().filter(|phrase| phrase.target == Target::Column(column));
        let is_called = phrases.flat_map(|phrase| &phrase.words).any(|word| is_same_unit(word, unit));
        let is_inside = |inner: &&ColumnEntry| {
            inner.table == entry.table && inner.kind == ColumnKind::Fact && says_word(&entry.expression, &inner.name)
        };
        let parts = self.index.columns.iter().filter(is_inside);
        let mut described = parts.chain([entry]).filter_map(|entry| self.description_of(entry));
        is_called || says_unit(&entry.expression, unit) || described.any(|text| says_unit(text, unit))
    }

    fn description_of(&self, entry: &ColumnEntry) -> Option<&str> {
        let table = self.model.table(&self.index.tables[entry.table].name)?;
        let facts = table.facts.iter().map(|fact| (&fact.name, &fact.description));
        let metrics = table.metrics.iter().chain(&self.model.metrics).map(|metric| (&metric.name, &metric.description));
        facts.chain(metrics).find(|(name, _)| **name == entry.name).and_then(|(_, text)| text.as_deref())
    }

    /// What the model says of all its figures.
    fn texts_of_model(&self) -> impl Iterator<Item = &str> {
        let module = &self.model.module_custom_instructions;
        let texts = [&self.model.description, &self.model.custom_instructions, &module.sql_generation];
        texts.into_iter().flatten().map(String::as_str)
    }
}

/// A unit behind `in`, which is neither a name nor the unit of a number.
fn is_asked_unit(words: &[Word], at: usize) -> bool {
    let word = &words[at];
    let is_plain = word.kind == WordKind::Plain && !word.capitalised();
    is_plain && words[at - 1].lower == "in" && is_stated_unit(&word.lower)
}

fn says_unit(text: &str, unit: &str) -> bool {
    words_in(text).any(|word| is_same_unit(&word, unit))
}

fn says_word(text: &str, wanted: &str) -> bool {
    let names = text.split(|character: char| !character.is_alphanumeric() && character != '_');
    names.into_iter().any(|name| name.eq_ignore_ascii_case(wanted))
}

fn words_in(text: &str) -> impl Iterator<Item = String> + '_ {
    text.split(|character: char| !character.is_alphanumeric()).map(str::to_lowercase)
}
