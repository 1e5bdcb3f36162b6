//! SQL that somebody else proposes for a question, as an answer of the interpreter's own: with its words, and with what it
//! leaves out of the question.

use chrono::NaiveDate;

use super::explanation::compared_texts;
use super::readings::template;
use super::understanding::{Understood, bound_of, unused_words};
use super::{Answer, Interpreter};
use crate::accounting::{Usage, account, losses};
use crate::interpretation::Reading;
use crate::lattice::Lattice;
use crate::question::words::Word;
use crate::read_back::read_back;

impl Interpreter<'_> {
    /// The answer that the SQL stands for, with SQL of the interpreter's own; `None` where no typed query stands for it. Its
    /// confidence is what the words that it leaves out allow at most.
    #[must_use]
    pub fn proposed(&self, question: &str, sql: &str, today: NaiveDate) -> Option<Answer> {
        let query = read_back(&self.index, sql)?;
        let (words, today) = self.words_of(question, self.today(today));
        let lattice = Lattice::new(&self.index, &words, today);
        let mut accounting = account(&self.index, &lattice, &losses(&lattice), &Usage::of(&self.index, &query));
        let compared = compared_texts(&query);
        let is_compared = |word: &Word| compared.iter().any(|(_, text)| text.eq_ignore_ascii_case(&word.text));
        accounting.unused.retain(|(at, _)| !is_compared(&words[*at]));
        let (reading, chunks) = template(&self.index, &words, today);
        let understood = Understood {
            reading: Some(Reading { query, explained: 1.0, ..reading }),
            chunks: chunks.to_vec(),
            confidence: bound_of(&accounting),
            unused: unused_words(&words, &accounting),
            lost: accounting.unused.clone(),
            rivals: Vec::new(),
            words,
        };
        Some(self.answer(understood, today)).filter(|answer| answer.sql.is_some())
    }
}
