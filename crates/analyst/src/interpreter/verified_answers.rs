//! Verified queries that answer a question: those of its very words, and those that are understood alike.

use chrono::NaiveDate;

use super::{Interpreter, Understood, is_sure};
use crate::verified_queries;

/// More verified questions than these are found by their words only.
const VERIFIED_READ_MAX: usize = 50;

impl<'a> Interpreter<'a> {
    /// The verified query that answers the question, if the model has one.
    #[must_use]
    pub fn verified(&self, question: &str, today: NaiveDate) -> Option<verified_queries::Found<'a>> {
        let said = verified_queries::find(self.model, &self.index.values, question);
        said.or_else(|| self.verified_in_other_words(question, self.today(today)))
    }

    /// A verified question that is understood as the very same query and says the same in other words.
    fn verified_in_other_words(&self, question: &str, today: NaiveDate) -> Option<verified_queries::Found<'a>> {
        let queries = &self.model.verified_queries;
        if queries.is_empty() || queries.len() > VERIFIED_READ_MAX {
            return None;
        }
        let understood = |text: &str| {
            let Understood { reading, unused, .. } = self.understand(text, None, today);
            let reading = reading.filter(|reading| is_sure(reading) && !reading.is_fragment)?;
            Some((reading.query, unused))
        };
        let asked = understood(question)?;
        let says_it = |verified: &str| self.says_the_same(verified, question, today);
        let is_same = |verified: &str| says_it(verified) && understood(verified).as_ref() == Some(&asked);
        let query = queries.iter().find(|query| is_same(&query.question))?;
        Some(verified_queries::Found { query, question: query.question.clone(), sql: query.sql.clone() })
    }
}
