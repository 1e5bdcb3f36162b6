//! The readings of questions that were just read: the ways to mean a question and its suggestions are read several times each.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::sync::Arc;

use chrono::NaiveDate;

use super::JudgedReading;
use crate::question::words::Word;

/// Older questions are read again.
const QUESTIONS_MAX: usize = 16;

struct Read {
    words: Vec<Word>,
    today: NaiveDate,
    readings: Arc<Vec<JudgedReading>>,
}

/// The latest questions that stand alone, with their readings.
#[derive(Default)]
pub(super) struct ReadBefore {
    questions: RefCell<VecDeque<Read>>,
}

impl ReadBefore {
    /// The readings of a question, made anew where it is not among the latest.
    pub(super) fn find_or_read(
        &self,
        words: &[Word],
        today: NaiveDate,
        read: impl FnOnce() -> Vec<JudgedReading>,
    ) -> Arc<Vec<JudgedReading>> {
        let is_same = |known: &&Read| known.words == words && known.today == today;
        if let Some(known) = self.questions.borrow().iter().find(is_same) {
            return Arc::clone(&known.readings);
        }
        let readings = Arc::new(read());
        let mut questions = self.questions.borrow_mut();
        questions.push_back(Read { words: words.to_vec(), today, readings: Arc::clone(&readings) });
        if questions.len() > QUESTIONS_MAX {
            questions.pop_front();
        }
        readings
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use chrono::NaiveDate;

    use super::{QUESTIONS_MAX, ReadBefore};
    use crate::question::words::words;

    #[test]
    fn a_question_is_read_once_while_it_is_among_the_latest() {
        let (before, count, today) = (ReadBefore::default(), Cell::new(0), NaiveDate::default());
        let ask = |question: &str, day: NaiveDate| {
            before.find_or_read(&words(question), day, || {
                count.set(count.get() + 1);
                Vec::new()
            });
            count.get()
        };
        assert_eq!([ask("all ships", today), ask("all ships", today)], [1, 1]);
        assert_eq!(ask("all ships", NaiveDate::MAX), 2);
        let others = (0..QUESTIONS_MAX).map(|number| ask(&format!("ship {number}"), today)).max();
        assert_eq!(others, Some(2 + QUESTIONS_MAX));
        assert_eq!(ask("all ships", today), 3 + QUESTIONS_MAX);
    }
}
