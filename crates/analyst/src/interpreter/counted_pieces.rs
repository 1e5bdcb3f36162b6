//! Things that a question counts by a value of rows which are about several of them each: `how many cars` are the cars on the
//! tickets, not the tickets with cars on them.

use super::explanation::compared_texts;
use crate::interpretation::query::{Condition, Expr, Function, Query};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::links::phrase_match::Target;
use crate::measures::PIECES;
use crate::question::lemma::lemma;
use crate::question::words::Word;
use crate::semantic_model::DefaultAggregation;

/// Puts the sum of pieces in the place of a number of rows, where the pieces are counted and the rows are not named.
pub(super) fn count_pieces(index: &ModelIndex, words: &[Word], query: &mut Query) {
    if !index.is_curated() || !counts_value(words, query) {
        return;
    }
    let exprs = query.select.iter_mut().chain(query.order.iter_mut().map(|(expr, _)| expr));
    for expr in exprs {
        count_in(index, words, expr);
    }
    for condition in &mut query.having {
        if let Condition::Compare(expr, ..) = condition {
            count_in(index, words, expr);
        }
    }
}

fn count_in(index: &ModelIndex, words: &[Word], expr: &mut Expr) {
    if let Expr::CountRows(table) = *expr
        && let Some(pieces) = pieces_of(index, table)
        && !names_rows(index, words, table)
    {
        *expr = Expr::Aggregate(Function::Metric, pieces);
    }
}

/// The only fact that says how many pieces a row is about.
fn pieces_of(index: &ModelIndex, table: TableId) -> Option<ColumnId> {
    let is_number = |column: &ColumnId| {
        let entry = &index.columns[*column];
        let is_sum = matches!(entry.aggregation, None | Some(DefaultAggregation::Sum));
        let is_called = entry.words.last().is_some_and(|last| PIECES.contains(&last.as_str()));
        entry.kind == ColumnKind::Fact && is_sum && is_called
    };
    let mut found = index.tables[table].columns.iter().copied().filter(is_number);
    found.next().filter(|_| found.next().is_none())
}

/// Whether what is counted is a value that the query compares with: `how many cars`, `number of adult tickets` is not.
fn counts_value(words: &[Word], query: &Query) -> bool {
    let compared = compared_texts(query);
    let counted = (0..words.len()).filter_map(|at| match words[at].lower.as_str() {
        "many" => words.get(at + 1),
        "number" | "count" => words.get(at + 2).filter(|_| words[at + 1].lower == "of"),
        _ => None,
    });
    let is_value = |word: &Word| {
        let same = |text: &str| text.eq_ignore_ascii_case(&word.lower) || lemma(&text.to_lowercase()) == word.lemma;
        compared.iter().any(|(_, text)| same(text))
    };
    counted.into_iter().any(is_value)
}

/// Whether the question says a name of the table.
fn names_rows(index: &ModelIndex, words: &[Word], table: TableId) -> bool {
    let phrases = index.vocabulary.phrases.iter().filter(|phrase| phrase.target == Target::Table(table));
    let mut said = phrases.flat_map(|phrase| &phrase.words);
    said.any(|part| words.iter().any(|word| word.lemma == *part || word.lower == *part))
}
