//! Predicts which statements are short, by how long recent ones that read the same tables took. They run on the thread that
//! read the request; one that takes longer than expected is interrupted and restarted elsewhere, so only statements
//! that can be restarted without visible effect are considered.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use firn_sql::ast::{ObjectName, Query, TableFactor, Visitor};
use firn_sql::command::Command;
use firn_sql::function_checks::check_functions;
use firn_sql::tree::Tree;
use firn_sql::{Failure, Namespace, Statement, system_functions};

use crate::mutex::lock;
use crate::settings::{Commits, SessionSettings};

/// A statement that takes no longer is short.
const SHORT_MICROS_MAX: u64 = 4_000;
/// Longer texts are no small statements.
const TEXT_BYTES_MAX: usize = 4 << 10;
/// Joins of more relations may take long.
const RELATIONS_MAX: usize = 4;
/// Past this number of sets of tables everything is forgotten.
const SETS_MAX: usize = 1_024;

/// By the tables that are read, how many microseconds statements took at most, as far as that was seen lately.
#[derive(Default)]
pub struct ShortStatements(Mutex<HashMap<Arc<str>, u64>>);

impl ShortStatements {
    pub fn is_short(&self, tables: &str) -> bool {
        lock(&self.0).get(tables).is_some_and(|micros| *micros <= SHORT_MICROS_MAX)
    }

    /// A long time decays slowly.
    pub fn note_time(&self, tables: &Arc<str>, taken: Duration) {
        let mut by_tables = lock(&self.0);
        if by_tables.len() >= SETS_MAX && !by_tables.contains_key(tables) {
            by_tables.clear();
        }
        let micros = by_tables.entry(tables.clone()).or_default();
        *micros = (*micros - *micros / 8).max(taken.as_micros() as u64);
    }
}

/// The tables that a query reads, as they are written, if it may begin again: it does nothing but read tables.
pub fn tables(statement: &Statement, settings: &SessionSettings, namespace: &Namespace) -> Option<Arc<str>> {
    let Command::Query(query) = &statement.command else { return None };
    let begins_again = statement.text.len() <= TEXT_BYTES_MAX
        && !statement.needs_lookup
        && !statement.has_variables
        && settings.commits != Commits::WhenAsked
        && !system_functions::may_be_in(&statement.text)
        && check_functions(statement).is_ok();
    if !begins_again {
        return None;
    }
    let mut relations = Relations { names: format!("{:?}", namespace), count: 0 };
    let reads_tables = query.walk(&mut relations).is_continue();
    (reads_tables && relations.count <= RELATIONS_MAX).then(|| relations.names.into())
}

/// Collects names of relations; breaks at what makes rows by itself.
struct Relations {
    names: String,
    count: usize,
}

impl Visitor for Relations {
    type Break = Failure;

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Failure> {
        match query.with.as_ref().is_some_and(|with| with.recursive) {
            true => ControlFlow::Break(not_a_table()),
            false => ControlFlow::Continue(()),
        }
    }

    fn pre_visit_table_factor(&mut self, factor: &TableFactor) -> ControlFlow<Failure> {
        match factor {
            TableFactor::Table { args: None, .. } | TableFactor::Derived { .. } | TableFactor::NestedJoin { .. } => {
                ControlFlow::Continue(())
            }
            _ => ControlFlow::Break(not_a_table()),
        }
    }

    fn pre_visit_relation(&mut self, name: &ObjectName) -> ControlFlow<Failure> {
        self.count += 1;
        self.names.push_str(&format!(" {name}"));
        ControlFlow::Continue(())
    }
}

/// Never shown: what is no table is simply not judged.
fn not_a_table() -> Failure {
    Failure::unsupported("anything but tables")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_statement_is_forgotten_slowly() {
        let (short, tables) = (ShortStatements::default(), Arc::from("T"));
        assert!(!short.is_short(&tables), "nothing is known yet");
        short.note_time(&tables, Duration::from_micros(500));
        assert!(short.is_short(&tables));
        short.note_time(&tables, Duration::from_millis(30));
        assert!(!short.is_short(&tables));
        let again = (1..).find(|_| {
            short.note_time(&tables, Duration::from_micros(500));
            short.is_short(&tables)
        });
        assert_eq!(again, Some(16));
    }

    #[test]
    fn sets_of_tables_are_bounded() {
        let short = ShortStatements::default();
        for number in 0..3 * SETS_MAX {
            short.note_time(&number.to_string().into(), Duration::ZERO);
        }
        assert!(lock(&short.0).len() <= SETS_MAX);
    }
}
