//! The pipe operator: statements one after the other, each of which may read the results of those before.

use firn_sql::blocks::{self, Fragment, pipes};
use firn_sql::lookups::{self, Answer, Lookup, Rows};
use firn_sql::scripting::substitution::{self, SubstitutionContext};
use firn_sql::{Failure, Statement};

use super::Interpreter;
use super::errors::ScriptError;
use super::memory::StatementMemory;
use crate::limits::parse_limits;

impl Interpreter<'_> {
    /// The last statement's rows and how many rows it changed.
    pub(super) fn chain(&mut self, statements: &[Fragment]) -> Result<(Rows, Option<u64>), ScriptError> {
        let mut results: Vec<Rows> = Vec::new();
        let mut changed = None;
        for statement in statements {
            let rows;
            (rows, changed) = self.link(statement, &results)?;
            results.push(rows);
        }
        let last = results.pop().ok_or_else(|| Failure::unsupported("->> without a statement"))?;
        Ok((last, changed))
    }

    fn link(&mut self, fragment: &Fragment, before: &[Rows]) -> Result<(Rows, Option<u64>), ScriptError> {
        if blocks::special(fragment)?.is_some() {
            return self.statement(fragment, &[]);
        }
        let limits = parse_limits(&self.services.limits);
        let memory = self.memory();
        let (mut statement, _) = {
            let lookup = |name: &str| self.scopes.value_for(&memory, name);
            let variables = &self.state.variables.values;
            let rules = self.state.settings.rules;
            let around = SubstitutionContext { limits: &limits, variables, lookup: &lookup, using: &[], rules };
            substitution::statement(fragment, &around)?
        };
        fill(&mut statement, before, &memory)?;
        self.run(statement)
    }
}

/// Puts the results of those before in the place of their names.
fn fill(statement: &mut Statement, before: &[Rows], memory: &StatementMemory<'_>) -> Result<(), Failure> {
    while let Some(Lookup::Result(name)) = lookups::next(statement)? {
        let Some(distance) = pipes::reference(&name) else { return Ok(()) };
        let place = before.len().checked_sub(distance).and_then(|place| before.get(place));
        let rows = place.ok_or_else(|| {
            let way_out = format!("{} statements come before this one", before.len());
            Failure::invalid_value("a result of the chain", &name, &way_out)
        })?;
        memory.take_rows(rows)?;
        lookups::fill(statement, Answer::Result(rows.clone()))?;
    }
    Ok(())
}
