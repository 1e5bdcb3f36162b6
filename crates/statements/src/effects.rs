//! What the procedures and system functions in a statement have answered. A statement that is authorised again because
//! definitions changed gets these answers again: what has effects is not run twice.

use std::cell::Cell;

use firn_engine::EngineError;
use firn_sql::lookups::Rows;

use crate::run_error::RunError;

/// In the order of the calls.
#[derive(Clone, Debug, Default)]
pub struct Effects {
    answers: Vec<(String, Answer)>,
    /// How many of the answers this run of the statement has got.
    given: usize,
    /// The audit trail has all that came before the statement. Looking again would let definitions change meanwhile.
    has_audit_trail: Cell<bool>,
}

#[derive(Clone, Debug)]
pub enum Answer {
    /// Of a procedure.
    Rows(Rows),
    /// Of a system function.
    Value(Option<String>),
}

impl Effects {
    /// Whether the audit trail has to be written for the statement; once.
    pub fn asks_for_audit_trail(&self) -> bool {
        !self.has_audit_trail.replace(true)
    }

    /// To be called before the statement is run again.
    pub fn rewind(&mut self) {
        self.given = 0;
    }

    /// What the next call has answered before; `None` if it was not run yet. Another call than before is none of the statement
    /// that has run.
    pub fn next(&mut self, call: &str) -> Result<Option<Answer>, RunError> {
        let Some((known, answer)) = self.answers.get(self.given) else { return Ok(None) };
        if known != call {
            let message =
                "definitions changed after procedures or system functions of the statement were run; run it again";
            return Err(EngineError::Conflict(message.to_owned()).into());
        }
        self.given += 1;
        Ok(Some(answer.clone()))
    }

    pub fn note(&mut self, call: &str, answer: Answer) {
        self.answers.push((call.to_owned(), answer));
        self.given = self.answers.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_answered_as_before_when_the_statement_is_run_again() {
        let mut effects = Effects::default();
        assert!(matches!(effects.next("a()"), Ok(None)));
        effects.note("a()", Answer::Value(Some("1".to_owned())));
        assert!(matches!(effects.next("b()"), Ok(None)));
        effects.note("b()", Answer::Value(None));
        effects.rewind();
        assert!(matches!(effects.next("a()"), Ok(Some(Answer::Value(Some(value)))) if value == "1"));
        assert!(effects.next("c()").is_err(), "the statement calls something else now");
        assert!(matches!(effects.next("b()"), Ok(Some(Answer::Value(None)))));
        assert!(matches!(effects.next("d()"), Ok(None)));
    }
}
