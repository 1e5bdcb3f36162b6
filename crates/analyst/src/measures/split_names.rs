//! Facts whose name a question splits: `how many hours did Ann work` for HOURS_WORKED, `spend on parts` for PARTS_COST.

use super::cues::Cue;
use super::pieces::{Kind, Origin, Piece, VERB_NOUNS};
use crate::frame::is_form_of;
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex};
use crate::links::phrase_match::{Phrase, Target};
use crate::question::words::{Word, WordKind};

/// A name that only resembles the column's is not put together.
const WORTH_MIN: f32 = 0.9;
/// What a fact costs that is put together: less than rows that are called by its noun alone.
const COST: f32 = 0.02;

/// The pieces of every split name: the fact where its noun stands, and its verb, which says nothing more.
pub fn split_names(index: &ModelIndex, words: &[Word]) -> Vec<Piece> {
    let mut found = Vec::new();
    for phrase in &index.vocabulary.phrases {
        let (Some(fact), [first, second]) = (fact_of(index, phrase), phrase.words.as_slice()) else { continue };
        for (noun, verb_of) in [(first, second), (second, first)] {
            let Some(at) = words.iter().position(|word| word.lemma == *noun && word.kind == WordKind::Plain) else {
                continue;
            };
            let verb =
                verb_behind(words, at, verb_of).map(|verb| (at, verb)).or_else(|| verb_before(words, at, verb_of));
            let Some((start, verb)) = verb else { continue };
            found.push(piece(start, at + 1, Kind::Fact(fact), COST));
            found.push(piece(verb, verb + 1, Kind::Cue(Cue::Filler), 0.0));
        }
    }
    found
}

fn fact_of(index: &ModelIndex, phrase: &Phrase) -> Option<ColumnId> {
    match phrase.target {
        Target::Column(column) if phrase.worth >= WORTH_MIN && index.columns[column].kind == ColumnKind::Fact => {
            Some(column)
        }
        _ => None,
    }
}

/// `how many hours did Ann work`: the verb behind the noun and an auxiliary.
fn verb_behind(words: &[Word], noun: usize, verb_of: &str) -> Option<usize> {
    let is_auxiliary = |word: &Word| matches!(word.lower.as_str(), "did" | "do" | "does" | "have" | "has");
    let auxiliary = noun + 1 + words[noun + 1..].iter().position(is_auxiliary)?;
    let verb = auxiliary + 1 + words[auxiliary + 1..].iter().position(|word| is_form_of(verb_of, word))?;
    (auxiliary == noun + 1).then_some(verb)
}

/// `spend on parts`: the verb before the noun, for whose noun the column is called. Where the fact begins, and the verb.
fn verb_before(words: &[Word], noun: usize, verb_of: &str) -> Option<(usize, usize)> {
    let led = noun.checked_sub(1).filter(|before| matches!(words[*before].lower.as_str(), "on" | "for"))?;
    let tells = |word: &Word| VERB_NOUNS.iter().any(|(verb, nouns)| *verb == word.lemma && nouns.contains(&verb_of));
    words[..led].iter().position(tells).map(|verb| (led, verb))
}

fn piece(start: usize, end: usize, kind: Kind, cost: f32) -> Piece {
    Piece { start, end, kind, cost, origin: Origin::Name }
}
