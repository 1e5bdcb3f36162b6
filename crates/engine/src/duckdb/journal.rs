//! What an open transaction has done so far. A statement that fails takes the engine's transaction with it, while the
//! dialect's loses that statement alone: what was done before is then done again in a transaction anew. That is only
//! right where nobody can tell the difference, so drawn values that were read since, and what others have changed
//! meanwhile, leave the transaction lost.

use std::ops::ControlFlow;

use firn_sql::ast::{Expr, Query, TableFactor, Visitor};
use firn_sql::command::{Dml, DmlKind, ObjectKind};
use firn_sql::repeatable::is_volatile;
use firn_sql::tree::Tree;
use firn_sql::{Failure, ObjectName};

use super::describe::Lookup;
use super::dialect;
use super::dml::{self, Prepared};
use super::locks::HeldLocks;
use super::pool::PooledConnection;
use crate::{DmlCounts, EngineError, ExecutionContext, InputFormats, ObjectDescription};

#[derive(Default)]
pub(crate) struct Journal {
    /// The clock of the locks when the transaction began.
    began: u64,
    done: Vec<Done>,
    /// Rows were made with values that would be others the next time.
    drawn: bool,
    /// Something was done that would not be the same again.
    unrepeatable: bool,
}

struct Done {
    command: Dml,
    prepared: Prepared,
    timezone: String,
    inputs: InputFormats,
    counts: DmlCounts,
    reads: Reads,
}

enum Reads {
    Tables(Vec<ObjectName>),
    /// Through views, which may read anything.
    Anything,
}

impl Journal {
    pub(crate) fn begin(clock: u64) -> Self {
        Self { began: clock, ..Self::default() }
    }

    pub(crate) fn began_again(&mut self, clock: u64) {
        self.began = clock;
    }

    pub(crate) fn note_unrepeatable(&mut self) {
        self.unrepeatable = true;
    }

    /// Drawn values that were seen once may not become others.
    pub(crate) fn note_read(&mut self, query: &Query) {
        self.unrepeatable |= self.drawn && !dialect::relations_of(query).is_empty();
    }

    pub(crate) fn note(
        &mut self,
        command: &Dml,
        prepared: Prepared,
        (target, lookup): (&ObjectDescription, &dyn Lookup),
        context: &ExecutionContext,
        counts: DmlCounts,
    ) -> Result<(), EngineError> {
        self.drawn |= is_drawn(command, target);
        let reads = reads_of(command, lookup)?;
        let (timezone, inputs) = (context.timezone.clone(), context.inputs.clone());
        self.done.push(Done { command: command.clone(), prepared, timezone, inputs, counts, reads });
        Ok(())
    }

    /// Whether everything would come out the same again.
    pub(crate) fn is_repeatable(&self, held: &HeldLocks) -> bool {
        let unchanged = |done: &Done| match &done.reads {
            Reads::Tables(tables) => tables.iter().all(|table| held.is_unchanged_since(table, self.began)),
            Reads::Anything => held.is_everything_unchanged_since(self.began),
        };
        !self.unrepeatable && self.done.iter().all(unchanged)
    }

    /// Does everything again, in a transaction that has just begun.
    pub(crate) fn repeat(&self, connection: &mut PooledConnection) -> Result<(), EngineError> {
        for done in &self.done {
            connection.set_timezone(&done.timezone)?;
            connection.set_inputs(&done.inputs)?;
            if dml::run(connection, &done.command, &done.prepared)? != done.counts {
                return Err(EngineError::Internal("a repeated statement changed other rows".to_owned()));
            }
        }
        Ok(())
    }
}

/// Whether the rows have values that are drawn or measured when they are made.
fn is_drawn(command: &Dml, target: &ObjectDescription) -> bool {
    let makes_rows = matches!(command.kind, DmlKind::Insert | DmlKind::Overwrite | DmlKind::Merge);
    let computed = |default: &String| default.contains(['(', '.']) || is_volatile(default);
    let numbered = target
        .columns
        .iter()
        .any(|column| column.autoincrement.is_some() || column.default.as_ref().is_some_and(computed));
    let mut search = Drawn { found: false };
    // The visitor never breaks.
    let _ = command.statement.walk(&mut search);
    search.found || (makes_rows && numbered)
}

struct Drawn {
    found: bool,
}

impl Visitor for Drawn {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        self.found |= matches!(expr, Expr::Function(function) if is_volatile(&function.name.to_string()));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        self.found |= match factor {
            TableFactor::Table { sample, .. } | TableFactor::Derived { sample, .. } => sample.is_some(),
            _ => false,
        };
        ControlFlow::Continue(())
    }
}

fn reads_of(command: &Dml, lookup: &dyn Lookup) -> Result<Reads, EngineError> {
    let mut tables = Vec::new();
    for name in dialect::relations_of(&*command.statement) {
        match lookup.find(&name)? {
            Some(found) if found.kind == ObjectKind::Table => tables.push(name),
            _ => return Ok(Reads::Anything),
        }
    }
    Ok(Reads::Tables(tables))
}
