//! The changes of an open transaction, for replay. A statement that fails aborts the engine's transaction, while in the
//! dialect only that statement is undone: the earlier changes are then replayed in a new transaction. That is only
//! correct where no difference is visible, so volatile values that were read since, and what others have changed
//! meanwhile, leave the transaction lost.

use std::ops::ControlFlow;

use firn_duckdb_lower::dialect;
use firn_engine::{DmlCounts, EngineError, ExecutionContext, ObjectDescription};
use firn_sql::ast::{Expr, Query, TableFactor, Value, ValueWithSpan, Visitor};
use firn_sql::command::{Dml, DmlKind, InsertMany, ObjectKind};
use firn_sql::determinism::{is_current_time, is_volatile};
use firn_sql::tree::Tree;
use firn_sql::{Failure, ObjectName};

use super::describe::Lookup;
use super::dml::{self, Prepared};
use super::locks::HeldLocks;
use super::session_state::SessionState;
use super::{ddl, insert_many};

#[derive(Default)]
pub(crate) struct TransactionReplay {
    /// The clock of the locks when the transaction began.
    began: u64,
    done: Vec<Done>,
    /// Rows were written with volatile values.
    has_volatile_values: bool,
    /// Something was done that cannot be replayed.
    unrepeatable: bool,
    /// How large the statements so far are, in expressions.
    size: usize,
}

/// A longer transaction is not replayed, as its statements would have to be held in memory.
const STATEMENTS_MAX: usize = 10_000;
const EXPRESSIONS_MAX: usize = 200_000;
/// A literal counts as one more expression for every so many bytes, about what an expression takes in memory.
const BYTES_PER_EXPRESSION: usize = 128;

struct Done {
    change: Change,
    context: ExecutionContext,
    /// Its CURRENT_TIMESTAMP.
    moment: Option<i64>,
    reads: Reads,
}

/// A change of tables, with the row counts that its replay must reproduce.
pub(crate) enum Change {
    One { command: Dml, prepared: Box<Prepared>, counts: DmlCounts },
    Many { command: InsertMany, counts: Vec<(ObjectName, u64)> },
}

enum Reads {
    Tables(Vec<ObjectName>),
    /// Through views, which may read anything.
    Anything,
}

impl TransactionReplay {
    pub(crate) fn begin(clock: u64) -> Self {
        Self { began: clock, ..Self::default() }
    }

    pub(crate) fn began_again(&mut self, clock: u64) {
        self.began = clock;
    }

    pub(crate) fn forbid(&mut self) {
        self.unrepeatable = true;
    }

    /// Volatile values that a query has returned may not change in a replay.
    pub(crate) fn note_read(&mut self, query: &Query) {
        self.unrepeatable |= self.has_volatile_values && !dialect::relations_of(query).is_empty();
    }

    pub(crate) fn note(
        &mut self,
        change: Change,
        session: &SessionState,
        context: &ExecutionContext,
    ) -> Result<(), EngineError> {
        if self.unrepeatable {
            return Ok(());
        }
        self.size += size(&change.nodes());
        if self.done.len() >= STATEMENTS_MAX || self.size > EXPRESSIONS_MAX {
            self.unrepeatable = true;
            self.done = Vec::new();
            return Ok(());
        }
        self.has_volatile_values |= change.is_volatile(session)?;
        let reads = change.reads(session)?;
        let moment = session.connection.moment();
        self.done.push(Done { change, context: context.clone(), moment, reads });
        Ok(())
    }

    /// Whether a replay would reproduce everything.
    pub(crate) fn is_possible(&self, held: &HeldLocks) -> bool {
        let unchanged = |done: &Done| match &done.reads {
            Reads::Tables(tables) => tables.iter().all(|table| held.is_unchanged_since(table, self.began)),
            Reads::Anything => held.is_everything_unchanged_since(self.began),
        };
        !self.unrepeatable && self.done.iter().all(unchanged)
    }

    /// Replays everything in a transaction that has just begun.
    pub(crate) fn repeat(&self, session: &mut SessionState) -> Result<(), EngineError> {
        for Done { change, context, moment, .. } in &self.done {
            session.connection.set_moment(*moment)?;
            session.connection.set_timezone(&context.timezone)?;
            session.connection.set_caller(&context.user, &context.role)?;
            session.connection.set_inputs(&context.inputs)?;
            if !change.is_the_same_again(session, context)? {
                return Err(EngineError::Internal("a repeated statement changed other rows".to_owned()));
            }
        }
        Ok(())
    }
}

impl Change {
    fn is_the_same_again(&self, session: &mut SessionState, context: &ExecutionContext) -> Result<bool, EngineError> {
        Ok(match self {
            Self::One { command, prepared, counts } => {
                dml::run(&session.connection, command, prepared, None)? == *counts
            }
            Self::Many { command, counts } => {
                *counts
                    == ddl::with_work(session, context, ddl::Transaction::Open, |connection, work| {
                        insert_many::run(connection, work, command)
                    })?
            }
        })
    }

    fn nodes(&self) -> Vec<&dyn Tree> {
        match self {
            Self::One { command, .. } => vec![&*command.statement],
            Self::Many { command, .. } => {
                let source: &dyn Tree = &*command.source;
                std::iter::once(source).chain(command.expressions().map(|expr| expr as &dyn Tree)).collect()
            }
        }
    }

    /// Whether the rows have volatile values.
    fn is_volatile(&self, lookup: &dyn Lookup) -> Result<bool, EngineError> {
        let mut search = VolatileCalls { found: false };
        // The visitor never breaks.
        self.nodes().iter().for_each(|node| drop(node.walk(&mut search)));
        for table in self.tables_with_new_rows() {
            search.found |= lookup.find(&table)?.is_some_and(|table| has_volatile_defaults(&table));
        }
        Ok(search.found)
    }

    fn tables_with_new_rows(&self) -> Vec<ObjectName> {
        match self {
            Self::One { command, .. } => match command.kind {
                DmlKind::Insert | DmlKind::Overwrite | DmlKind::Merge => vec![command.target.clone()],
                DmlKind::Update | DmlKind::Delete | DmlKind::Truncate => Vec::new(),
            },
            Self::Many { command, .. } => insert_many::targets(command),
        }
    }

    fn reads(&self, lookup: &dyn Lookup) -> Result<Reads, EngineError> {
        let mut tables = Vec::new();
        for name in self.nodes().into_iter().flat_map(dialect::relations_of) {
            match lookup.find(&name)? {
                Some(found) if found.kind == ObjectKind::Table => tables.push(name),
                _ => return Ok(Reads::Anything),
            }
        }
        Ok(Reads::Tables(tables))
    }
}

/// Whether a column has a default that may be volatile.
fn has_volatile_defaults(table: &ObjectDescription) -> bool {
    let computed = |default: &String| default.contains(['(', '.']) || is_volatile(default);
    let mut columns = table.columns.iter();
    columns.any(|column| column.autoincrement.is_some() || column.default.as_ref().is_some_and(computed))
}

/// How many expressions the trees hold; a long literal counts as many.
fn size(nodes: &[&dyn Tree]) -> usize {
    let mut counter = Counter(0);
    // The visitor never breaks.
    nodes.iter().for_each(|node| drop(node.walk(&mut counter)));
    counter.0
}

struct Counter(usize);

impl Visitor for Counter {
    type Break = Failure;

    fn pre_visit_expr(&mut self, _: &Expr) -> ControlFlow<Failure> {
        self.0 += 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_value(&mut self, value: &ValueWithSpan) -> ControlFlow<Failure> {
        let bytes = match &value.value {
            Value::SingleQuotedString(text) | Value::Number(text, _) => text.len(),
            Value::DollarQuotedString(text) => text.value.len(),
            _ => 0,
        };
        self.0 += bytes / BYTES_PER_EXPRESSION;
        ControlFlow::Continue(())
    }
}

struct VolatileCalls {
    found: bool,
}

impl Visitor for VolatileCalls {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        if let Expr::Function(function) = expr {
            let name = function.name.to_string();
            self.found |= is_volatile(&name) && !is_current_time(&name);
        }
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

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use firn_sql::print;

    use super::{BYTES_PER_EXPRESSION, size};

    #[test]
    fn long_literals_count_by_their_length() {
        let size_of = |literal: &str| {
            let statement = print::read_statement(&format!("insert into t values ({literal})")).unwrap();
            size(&[&statement])
        };
        let short = size_of("'x'");
        assert_eq!(size_of("1"), short);
        assert_eq!(size_of(&format!("'{}'", "x".repeat(100 * BYTES_PER_EXPRESSION))), short + 100);
        assert_eq!(size_of(&format!("$${}$$", "x".repeat(100 * BYTES_PER_EXPRESSION))), short + 100);
    }
}
