//! Loops.

use firn_sql::blocks::{Fragment, Loop, Source};
use firn_sql::command::DataType;
use firn_sql::lookups::Rows;
use firn_sql::{Constant, Failure};

use super::errors::ScriptError;
use super::scopes::{Named, VariableType};
use super::{Flow, Interpreter};

/// What a loop does after one round.
enum Round {
    Again,
    Over(Flow),
}

impl Interpreter<'_> {
    /// One round of a loop, in a scope of its own.
    fn round(&mut self, body: &Loop, variable: Option<(&str, Named)>) -> Result<Round, ScriptError> {
        self.check_stopped()?;
        self.scopes.enter();
        if let Some((name, value)) = variable {
            self.scopes.declare(name, value);
        }
        let flow = self.steps(&body.steps);
        self.scopes.leave();
        let is_mine = |label: &Option<String>| label.is_none() || *label == body.label;
        Ok(match flow? {
            Flow::Next => Round::Again,
            Flow::Continue(label) if is_mine(&label) => Round::Again,
            Flow::Break(label) if is_mine(&label) => Round::Over(Flow::Next),
            other => Round::Over(other),
        })
    }

    pub(super) fn for_range(
        &mut self,
        variable: &str,
        from: &Fragment,
        to: &Fragment,
        reverse: bool,
        body: &Loop,
    ) -> Result<Flow, ScriptError> {
        let (first, last) = (self.whole_number(from)?, self.whole_number(to)?);
        let count = last.checked_sub(first).and_then(|span| span.checked_add(1)).unwrap_or(0).max(0);
        for index in 0..count {
            let value = Constant::integer(if reverse { last - index } else { first + index });
            let named = Named::Variable { data_type: VariableType::Unknown, value };
            if let Round::Over(flow) = self.round(body, Some((variable, named)))? {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    fn whole_number(&mut self, bound: &Fragment) -> Result<i64, ScriptError> {
        let value = self.evaluate(bound, Some(&DataType::Integer))?;
        let number = value.text.as_deref().and_then(|text| text.parse().ok());
        number.ok_or_else(|| Failure::invalid_value("a bound of FOR", &bound.text, "give a whole number").into())
    }

    pub(super) fn for_rows(&mut self, variable: &str, source: &Source, body: &Loop) -> Result<Flow, ScriptError> {
        let rows: Rows = match source {
            Source::Statement(_) => self.rows_of(source, &[])?,
            Source::ResultSet(name) => match self.scopes.find(name) {
                Some(Named::ResultSet(Some(rows))) => self.copied(rows)?,
                Some(Named::Cursor(_)) => self.rows_left(name)?,
                _ => return Err(Failure::new("000904", "42000", format!("{name} is no cursor or result set")).into()),
            },
        };
        for values in rows.rows {
            let row = Named::Row { columns: rows.columns.clone(), values };
            if let Round::Over(flow) = self.round(body, Some((variable, row)))? {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    pub(super) fn while_holds(&mut self, condition: &Fragment, body: &Loop) -> Result<Flow, ScriptError> {
        while self.holds(condition)? {
            if let Round::Over(flow) = self.round(body, None)? {
                return Ok(flow);
            }
        }
        Ok(Flow::Next)
    }

    pub(super) fn endless(&mut self, body: &Loop) -> Result<Flow, ScriptError> {
        loop {
            if let Round::Over(flow) = self.round(body, None)? {
                return Ok(flow);
            }
        }
    }

    pub(super) fn repeat_until(&mut self, until: &Fragment, body: &Loop) -> Result<Flow, ScriptError> {
        loop {
            if let Round::Over(flow) = self.round(body, None)? {
                return Ok(flow);
            }
            if self.holds(until)? {
                return Ok(Flow::Next);
            }
        }
    }
}
