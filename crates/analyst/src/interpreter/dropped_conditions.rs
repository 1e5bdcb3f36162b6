//! Conditions and comparisons that a question states and a query drops, though other words of it are used.

use crate::accounting::Usage;
use crate::interpretation::query::{Condition, Expr, Literal, Operand, Query};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex};
use crate::links::phrase_match::Target;
use crate::question::words::Word;

/// Whether a query leaves out what its question states.
pub(super) fn drops_condition(index: &ModelIndex, words: &[Word], query: &Query, usage: &Usage) -> bool {
    drops_filter(index, words, usage)
        || merges_compared(words, query)
        || counts_single_rows(index, query)
        || counts_no_people(index, words, query)
}

/// `vets who work here`: the filter is named by several words, and nothing of the query stands for it.
fn drops_filter(index: &ModelIndex, words: &[Word], usage: &Usage) -> bool {
    let is_said = |phrase: &[String]| {
        words
            .windows(phrase.len())
            .any(|said| said.iter().zip(phrase).all(|(word, part)| word.lower == *part || word.lemma == *part))
    };
    let mut phrases = index.vocabulary.phrases.iter();
    phrases.any(|phrase| {
        let Target::Column(column) = phrase.target else { return false };
        let is_filter = index.columns[column].kind == ColumnKind::Filter && phrase.words.len() > 1;
        is_filter && !usage.compares_like(index, column) && is_said(&phrase.words)
    })
}

/// `compare Oslo and Bergen`: both together, not one beside the other.
fn merges_compared(words: &[Word], query: &Query) -> bool {
    let compares = |word: &Word| matches!(word.lower.as_str(), "compare" | "versus" | "vs");
    let is_shown = |column: ColumnId| {
        query.select.iter().any(|expr| {
            let mut columns = Vec::new();
            expr.columns(&mut columns);
            columns.contains(&column)
        })
    };
    let either = |condition: &Condition| match condition {
        Condition::Any(any) if any.len() == 2 => match any.first() {
            Some(Condition::Compare(Expr::Column(column) | Expr::Referred(_, column), _, Operand::Literal(_))) => {
                Some(*column)
            }
            _ => None,
        },
        _ => None,
    };
    words.iter().any(compares) && query.conditions.iter().filter_map(either).any(|column| !is_shown(column))
}

/// `reservations for more than 8 people`: each reservation is one row, and no number of rows is compared.
fn counts_single_rows(index: &ModelIndex, query: &Query) -> bool {
    let has_key = |table: usize| {
        let key = &index.tables[table].key;
        let is_shown = |column: &ColumnId| {
            query.select.contains(&Expr::Column(*column)) || query.group.contains(&Expr::Column(*column))
        };
        !key.is_empty() && key.iter().all(is_shown)
    };
    let is_single =
        |condition: &Condition| matches!(condition, Condition::Compare(Expr::CountRows(table), ..) if has_key(*table));
    query.having.iter().any(is_single)
}

/// `receipts for more than 8 people` by the number of their payments, which are no people.
fn counts_no_people(index: &ModelIndex, words: &[Word], query: &Query) -> bool {
    let is_people = |word: &Word| matches!(word.lower.as_str(), "people" | "persons");
    let numbers = words.windows(2).filter(|pair| is_people(&pair[1])).filter_map(|pair| pair[0].number());
    let numbers: Vec<f64> = numbers.collect();
    let are_people = |table: usize| {
        let mut phrases = index.vocabulary.phrases.iter();
        phrases.any(|phrase| phrase.target == Target::Table(table) && phrase.words == ["person"])
    };
    query.having.iter().any(|condition| match condition {
        Condition::Compare(Expr::CountRows(table), _, Operand::Literal(Literal::Number(number))) => {
            numbers.contains(number) && !are_people(*table)
        }
        _ => false,
    })
}
