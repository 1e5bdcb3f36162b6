//! Rows on their way into the trail. The engine refuses them while other statements take all of its memory or change the same
//! table: what failed so is tried again, and rows that are still refused stay for the next batch.

use std::time::Duration;

use firn_engine::error::MEMORY_STATE;
use firn_engine::{EngineError, Session};
use firn_sql::ObjectName;

use super::record_sql::{self, Row};
use crate::clock::now_ms;
use crate::run_error::RunError;

/// The pauses before what failed is tried again.
const PAUSES_MS: [u64; 5] = [20, 40, 80, 160, 320];
/// Past this many rows all of them are given up: they would take the memory that the engine lacks.
const ROWS_MAX: usize = 100_000;

#[derive(Default)]
pub struct Unwritten {
    tables: Vec<(ObjectName, Vec<Row>)>,
    /// When the first of them came.
    since_ms: Option<i64>,
}

impl Unwritten {
    pub fn add(&mut self, table: &str, mut rows: Vec<Row>) {
        if rows.is_empty() {
            return;
        }
        self.since_ms.get_or_insert_with(now_ms);
        let name = record_sql::table(table);
        match self.tables.iter_mut().find(|(found, _)| *found == name) {
            Some((_, waiting)) => waiting.append(&mut rows),
            None => self.tables.push((name, rows)),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    /// All rows, or none of them.
    pub fn write(&mut self, session: &mut dyn Session) -> Result<(), RunError> {
        self.write_by(|tables| session.append(tables))
    }

    fn write_by(
        &mut self,
        append: impl FnOnce(&[(ObjectName, Vec<Row>)]) -> Result<(), EngineError>,
    ) -> Result<(), RunError> {
        if !self.is_empty() {
            append(&self.tables)?;
            *self = Self::default();
        }
        Ok(())
    }

    /// Gives up what has become too much, and returns when the first of it came.
    pub fn give_up_excess(&mut self) -> Option<i64> {
        let rows: usize = self.tables.iter().map(|(_, rows)| rows.len()).sum();
        match rows > ROWS_MAX {
            true => std::mem::take(self).since_ms,
            false => None,
        }
    }
}

/// Tries what failed for lack of memory or by a conflict a few times.
pub fn retried<T>(mut attempt: impl FnMut() -> Result<T, RunError>, pause: impl Fn(Duration)) -> Result<T, RunError> {
    for wait_ms in PAUSES_MS {
        match attempt() {
            Err(error) if may_pass(&error) => {
                tracing::debug!(%error, "the audit trail is written again");
                pause(Duration::from_millis(wait_ms));
            }
            outcome => return outcome,
        }
    }
    attempt()
}

/// Failures because of what other statements do at the moment.
fn may_pass(error: &RunError) -> bool {
    const CONFLICT: &str = "40001";
    match error {
        RunError::Failed(failure) => [MEMORY_STATE, CONFLICT].contains(&failure.sql_state),
        RunError::Outdated => true,
        RunError::Stopped | RunError::Internal(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use firn_sql::Failure;

    use super::*;

    fn row(cell: &str) -> Row {
        vec![Some(cell.to_owned())]
    }

    fn out_of_memory() -> EngineError {
        EngineError::Failed(Failure::new("300010", MEMORY_STATE, "more memory"))
    }

    #[test]
    fn rows_are_appended_once_when_the_engine_takes_them_again() {
        let mut unwritten = Unwritten::default();
        unwritten.add("STATEMENTS", vec![row("a")]);
        unwritten.add("LOGINS", vec![row("b")]);
        unwritten.add("STATEMENTS", vec![row("c")]);
        let (mut tries, mut written) = (0, Vec::new());
        let mut append = |tables: &[(ObjectName, Vec<Row>)]| {
            tries += 1;
            match tries {
                1 => return Err(out_of_memory()),
                2 => return Err(EngineError::Conflict("another".to_owned())),
                _ => written.extend(tables.iter().map(|(table, rows)| (table.name.clone(), rows.len()))),
            }
            Ok(())
        };
        assert!(retried(|| unwritten.write_by(&mut append), |_| ()).is_ok());
        assert!(retried(|| unwritten.write_by(&mut append), |_| ()).is_ok());
        assert!(unwritten.is_empty());
        assert_eq!(written, [("STATEMENTS".to_owned(), 2), ("LOGINS".to_owned(), 1)]);
    }

    #[test]
    fn rows_that_are_refused_stay_for_the_next_batch() {
        let mut unwritten = Unwritten::default();
        unwritten.add("ACCESSES", vec![row("a")]);
        let (mut tries, paused) = (0, Cell::new(Duration::ZERO));
        let mut refuse = |_: &[_]| {
            tries += 1;
            Err(out_of_memory())
        };
        let refused = retried(|| unwritten.write_by(&mut refuse), |wait| paused.set(paused.get() + wait));
        assert!(matches!(refused, Err(RunError::Failed(_))));
        assert_eq!((tries, paused.get() < Duration::from_secs(1)), (PAUSES_MS.len() + 1, true));
        unwritten.add("ACCESSES", vec![row("b")]);
        let mut written = 0;
        let appended = unwritten.write_by(|tables| {
            written = tables.iter().map(|(_, rows)| rows.len()).sum();
            Ok(())
        });
        assert!(appended.is_ok());
        assert_eq!(written, 2);
    }

    #[test]
    fn other_failures_are_reported_at_once() {
        let mut tries = 0;
        let failed: Result<(), RunError> = retried(
            || {
                tries += 1;
                Err(RunError::Internal("a bug".to_owned()))
            },
            |_| (),
        );
        assert!(failed.is_err());
        assert_eq!(tries, 1);
    }

    #[test]
    fn too_many_rows_are_given_up() {
        let mut unwritten = Unwritten::default();
        unwritten.add("STATEMENTS", vec![row("a"); ROWS_MAX]);
        assert_eq!(unwritten.give_up_excess(), None);
        unwritten.add("STATEMENTS", vec![row("a")]);
        assert!(unwritten.give_up_excess().is_some() && unwritten.is_empty());
    }
}
