//! Words that ask for something the model does not have: better no answer than one that leaves them out.

use super::parser::{DETERMINERS, Parser};
use crate::links::mentions::ChunkKind;
use crate::links::phrase_match::is_function_word;
use crate::question::lemma::is_past;
use crate::question::words::Word;

impl Parser<'_> {
    /// `orders by weekday`, `the return rate`: a group or a measure that nothing is known of.
    pub(super) fn leaves_out(&self) -> bool {
        let per_group_twice = self.shape.summary.is_some() && self.shape.per_groups.len() > 1;
        let unknown = |at: usize| {
            self.is_unknown_group(at)
                || self.is_unknown_measure(at)
                || self.is_unknown_time(at)
                || self.is_unknown_state(at)
                || self.is_unknown_name(at)
                || self.is_unknown_place(at)
        };
        per_group_twice || self.shape.is_unclear || (0..self.chunks.len()).any(unknown)
    }

    fn is_unknown_group(&self, at: usize) -> bool {
        let groups =
            self.text(at) == "by" && at > 0 && (self.mention(at - 1).is_some() || self.number(at - 1).is_some());
        let verb = at > 0 && (self.text(at - 1).ends_with("ed") || self.text(at - 1).ends_with("ing"));
        let next = self.skip(at + 1, DETERMINERS);
        groups && !verb && self.is_unknown(next) && matches!(self.text(next + 1), "" | "." | "?" | "," | "and" | "in")
    }

    fn is_unknown_measure(&self, at: usize) -> bool {
        let measure = matches!(self.text(at), "rate" | "rates" | "ratio" | "frequency" | "probability" | "trend");
        let of_rows = |place: usize| self.tables_named.iter().any(|(named, _)| *named == place);
        let compound = at > 0 && (of_rows(at - 1) || self.is_unknown(at - 1));
        measure && compound && self.chunks[at].kind == ChunkKind::Word && !self.shape.ratio && !self.shape.share
    }

    /// `invoices that are overdue`: a state that nothing is known of.
    fn is_unknown_state(&self, at: usize) -> bool {
        let text = self.text(at);
        let is_verb = text.ends_with("ed") || text.ends_with("ing") || text.ends_with("en") || is_past(text);
        let small = ["not", "still", "yet", "already", "currently", "now", "all", "very", "too", "so"];
        let before = (0..at).rev().find(|&place| !small.contains(&self.text(place)));
        let is_state = before.is_some_and(|place| matches!(self.text(place), "is" | "are" | "was" | "were"));
        is_state && !is_verb && self.is_unknown(at) && matches!(self.text(at + 1), "" | "." | "?" | ",")
    }

    /// `revenue in Atlantis`: a name that is none of the data's.
    fn is_unknown_name(&self, at: usize) -> bool {
        let word = &self.words[self.chunks[at].start];
        let spelled_large = |word: &Word| word.capitalised() && is_function_word(&word.lower) && word.text.len() > 1;
        let is_title = self.words.iter().skip(1).any(spelled_large);
        let opens = at == self.sentence_start(at);
        word.capitalised() && word.text.len() > 2 && !opens && !is_title && self.is_unknown(at)
    }

    /// `patients who are in hospital`, `orders placed by robots`: where, or by whom, is a thing that nothing is known of.
    fn is_unknown_place(&self, at: usize) -> bool {
        let ends = matches!(self.text(at + 1), "" | "." | "?" | ",")
            || matches!(self.chunks.get(at + 1).map(|chunk| &chunk.kind), Some(ChunkKind::Time(_)));
        let place = (0..at).rev().find(|&place| !DETERMINERS.contains(&self.text(place)));
        let led = place.and_then(|place| Some((self.text(place), self.text(place.checked_sub(1)?))));
        let is_place = match led {
            Some(("by", verb)) => verb.ends_with("ed") || is_past(verb),
            Some(("in" | "at" | "from", state)) => matches!(state, "is" | "are" | "was" | "were" | "still"),
            _ => false,
        };
        is_place && ends && self.is_unknown(at)
    }

    /// Parts of days and weeks cannot be asked for.
    fn is_unknown_time(&self, at: usize) -> bool {
        const TIMES: &[&str] = &["weekday", "weekend", "morning", "afternoon", "evening", "night", "hour", "holiday"];
        self.is_unknown(at) && TIMES.contains(&self.words[self.chunks[at].start].lemma.as_str())
    }

    fn is_unknown(&self, at: usize) -> bool {
        let Some(chunk) = self.chunks.get(at) else { return false };
        let is_word = chunk.text.chars().all(|character| character.is_alphabetic() || character == '-');
        let known = is_function_word(&chunk.text) || !is_word;
        chunk.kind == ChunkKind::Word && !known && !self.used[at]
    }
}
