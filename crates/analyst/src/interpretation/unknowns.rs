//! Words that ask for something the model does not have: better no answer than one that leaves them out.

use super::parser::{DETERMINERS, Parser};
use crate::links::mentions::ChunkKind;
use crate::links::phrase_match::is_function_word;

impl Parser<'_> {
    /// `orders by weekday`, `the return rate`: a group or a measure that nothing is known of.
    pub(super) fn leaves_out(&self) -> bool {
        let per_group_twice = self.shape.summary.is_some() && self.shape.is_per && self.groups.len() > 1;
        let unknown = |at: usize| self.is_unknown_group(at) || self.is_unknown_measure(at) || self.is_unknown_time(at);
        per_group_twice || (0..self.chunks.len()).any(unknown)
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

    /// Parts of days and weeks cannot be asked for.
    fn is_unknown_time(&self, at: usize) -> bool {
        const TIMES: &[&str] = &["weekday", "weekend", "morning", "afternoon", "evening", "night", "hour", "holiday"];
        self.is_unknown(at) && TIMES.contains(&self.words[self.chunks[at].start].lemma.as_str())
    }

    fn is_unknown(&self, at: usize) -> bool {
        let Some(chunk) = self.chunks.get(at) else { return false };
        let known = is_function_word(&chunk.text) || !chunk.text.chars().all(char::is_alphabetic);
        chunk.kind == ChunkKind::Word && !known && !self.used[at]
    }
}
