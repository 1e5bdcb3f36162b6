//! Loops; a label stands after their end.

use sqlparser::tokenizer::Token;

use super::reader::BlockReader;
use super::{Action, Loop, Source};
use crate::Failure;
use crate::tokens::is_word;

impl BlockReader<'_> {
    pub(super) fn for_loop(&mut self) -> Result<Action, Failure> {
        self.expect("FOR")?;
        let variable = self.identifier()?;
        self.expect("IN")?;
        let over_rows = matches!(self.peek(), Token::Word(_))
            && !self.at("REVERSE")
            && (self.at_nth(1, "DO") || self.at_nth(1, "LOOP"));
        if over_rows {
            let source = Source::ResultSet(self.identifier()?);
            let body = self.loop_body("FOR")?;
            return Ok(Action::ForRows { variable, source, body });
        }
        if *self.peek() == Token::LParen && (self.at_nth(1, "SELECT") || self.at_nth(1, "WITH")) {
            let source = Source::Statement(self.statement_in_brackets()?);
            let body = self.loop_body("FOR")?;
            return Ok(Action::ForRows { variable, source, body });
        }
        let reverse = self.eat("REVERSE");
        let from = self.fragment_until_word("TO")?;
        let to = self.fragment_until(|token| is_word(token, "DO") || is_word(token, "LOOP"))?;
        let body = self.loop_body("FOR")?;
        Ok(Action::ForRange { variable, from, to, reverse, body })
    }

    pub(super) fn while_loop(&mut self) -> Result<Action, Failure> {
        self.expect("WHILE")?;
        let condition = self.fragment_until(|token| is_word(token, "DO") || is_word(token, "LOOP"))?;
        let body = self.loop_body("WHILE")?;
        Ok(Action::While { condition, body })
    }

    /// `DO … END FOR`, or `LOOP … END LOOP`, with its label.
    fn loop_body(&mut self, kind: &str) -> Result<Loop, Failure> {
        let closing = if self.eat("DO") {
            kind
        } else {
            self.expect("LOOP")?;
            "LOOP"
        };
        let steps = self.steps(&["END"])?;
        self.expect("END")?;
        self.expect(closing)?;
        Ok(Loop { steps, label: self.label()? })
    }

    pub(super) fn plain_loop(&mut self) -> Result<Action, Failure> {
        self.expect("LOOP")?;
        let steps = self.steps(&["END"])?;
        self.expect("END")?;
        self.expect("LOOP")?;
        Ok(Action::Loop(Loop { steps, label: self.label()? }))
    }

    pub(super) fn repeat_loop(&mut self) -> Result<Action, Failure> {
        self.expect("REPEAT")?;
        let steps = self.steps(&["UNTIL"])?;
        self.expect("UNTIL")?;
        let until = self.fragment_until_word("END")?;
        self.expect("REPEAT")?;
        Ok(Action::Repeat { until, body: Loop { steps, label: self.label()? } })
    }

    fn label(&mut self) -> Result<Option<String>, Failure> {
        let label = if *self.peek() == Token::SemiColon { None } else { Some(self.identifier()?) };
        self.expect_token(&Token::SemiColon)?;
        Ok(label)
    }
}
