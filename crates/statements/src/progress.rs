//! How far a running statement is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

/// What a running statement does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// It waits for its turn on the warehouse.
    Queued,
    Planning,
    Running,
    /// Its first rows are there.
    Writing,
}

impl Phase {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Planning => "planning",
            Self::Running => "running",
            Self::Writing => "writing",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Progress {
    pub phase: Phase,
    /// The engine's estimate, where it has one.
    pub percent: Option<f64>,
    /// Rows of the result that are written so far.
    pub rows: u64,
    /// Which of several statements it is about, from 1.
    pub statement: Option<u64>,
}

/// What the thread of a statement notes for those who ask.
#[derive(Debug, Default)]
pub struct Noted {
    has_begun: AtomicBool,
    rows: Arc<AtomicU64>,
    queued_ms: AtomicI64,
    /// How many statements of a set have begun.
    statements: AtomicU64,
}

impl Noted {
    pub fn begin(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    /// The next statement of a set has its own rows.
    pub fn begin_statement(&self) {
        self.rows.store(0, Ordering::Relaxed);
        self.statements.fetch_add(1, Ordering::Relaxed);
    }

    pub fn set_queued(&self, waited: Duration) {
        self.queued_ms.store(i64::try_from(waited.as_millis()).unwrap_or(i64::MAX), Ordering::Relaxed);
    }

    /// How long it waited for its turn.
    pub fn queued_ms(&self) -> i64 {
        self.queued_ms.load(Ordering::Relaxed)
    }

    /// Where rows are counted as they are written.
    pub fn rows(&self) -> Arc<AtomicU64> {
        Arc::clone(&self.rows)
    }

    pub fn progress(&self, is_planning: bool, percent: Option<f64>) -> Progress {
        let rows = self.rows.load(Ordering::Relaxed);
        let phase = match (self.has_begun.load(Ordering::Relaxed), rows > 0, is_planning) {
            (false, ..) => Phase::Queued,
            (true, true, _) => Phase::Writing,
            (true, false, true) => Phase::Planning,
            (true, false, false) => Phase::Running,
        };
        let statement = Some(self.statements.load(Ordering::Relaxed)).filter(|number| *number > 0);
        Progress { phase, percent, rows, statement }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phases_follow_each_other() {
        let noted = Noted::default();
        let phase = |is_planning| noted.progress(is_planning, None).phase;
        assert_eq!(phase(false), Phase::Queued);
        noted.begin();
        assert_eq!(phase(true), Phase::Planning);
        assert_eq!(phase(false), Phase::Running);
        noted.rows().fetch_add(3, Ordering::Relaxed);
        let writing = Progress { phase: Phase::Writing, percent: Some(40.0), rows: 3, statement: None };
        assert_eq!(noted.progress(true, Some(40.0)), writing);
        noted.begin_statement();
        let next = Progress { phase: Phase::Running, percent: None, rows: 0, statement: Some(1) };
        assert_eq!(noted.progress(false, None), next);
    }
}
