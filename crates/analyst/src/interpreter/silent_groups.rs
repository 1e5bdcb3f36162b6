//! Groups that a reading chooses in silence: `revenue per rider type` by the rider, `turnover per guest by restaurant` by both.

use crate::accounting::Usage;
use crate::interpretation::query::{Expr, Query};
use crate::links::model_index::ModelIndex;
use crate::links::phrase_match::Target;
use crate::question::time::unit;
use crate::question::words::Word;

/// Nouns for what rows are sorted into.
const KINDS: &[&str] = &["type", "kind", "category", "class", "group", "segment", "sort", "tier"];

/// Whether a noun for a kind stands behind another noun, and nothing of the query is called so.
pub(super) fn drops_kind(index: &ModelIndex, words: &[Word], usage: &Usage) -> bool {
    let is_led = |at: usize| at > 1 && matches!(words[at - 2].lower.as_str(), "by" | "per" | "each" | "every" | "for");
    let kinds = (2..words.len()).filter(|at| KINDS.contains(&words[*at].lemma.as_str()) && is_led(*at));
    let names_kind = |kind: &str| {
        let phrases = index.vocabulary.phrases.iter().filter(|phrase| phrase.words.iter().any(|word| word == kind));
        let mut targets = phrases.map(|phrase| phrase.target);
        targets.any(|target| match target {
            Target::Column(column) => usage.has_column(column),
            Target::Table(table) => usage.tables.contains(&table),
        })
    };
    let is_dimension = |noun: &Word| {
        let used = usage.selected.iter().chain(&usage.grouped);
        used.into_iter().any(|column| {
            index.columns[*column].words.contains(&noun.lemma)
                && !index.label(index.columns[*column].table).contains(column)
        })
    };
    kinds.into_iter().any(|at| !names_kind(&words[at].lemma) && !is_dimension(&words[at - 1]))
}

/// Whether `per` may divide where the query groups by it and by something else.
pub(super) fn groups_or_divides(words: &[Word], query: &Query) -> bool {
    let divides = |pair: &[Word]| pair[0].lower == "per" && unit(&pair[1].lemma).is_none();
    let is_grouped_otherwise = words.iter().any(|word| word.lower == "by");
    let groups = query.select.iter().filter(|expr| matches!(expr, Expr::Column(_) | Expr::Referred(..))).count();
    groups > 1 && is_grouped_otherwise && words.windows(2).any(divides)
}
