//! Checkpoints by memory use and by the length of the replay. Rows that are in a database's write-ahead log but not yet in
//! its file stay in memory, and a small table takes as much as one of thousands of rows. The engine checkpoints when a log is
//! long, which the logs of many databases with many small tables never are; so a checkpoint also runs when such rows take too
//! much memory. After a crash every commit in a log is replayed one by one before the server is ready, however few bytes it
//! has; so a checkpoint also runs after a number of changes.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, TryLockError};

use firn_engine::EngineError;
use firn_sql::names::quote_identifier;

use super::connection::Connection;

/// Changes between two checks of the memory.
const CHANGES_PER_CHECK: u32 = 16;

/// Changes whose replay takes about half a second.
const REPLAYED_CHANGES_MAX: u32 = 2_500;

/// The share of the engine's memory limit that such rows may take.
const SHARE: u64 = 4;

/// What they may take where no limit is set.
const BYTES_MAX: u64 = 1 << 30;

pub(crate) struct CheckpointPolicy {
    changes: AtomicU32,
    /// Changes since the last checkpoint. What an earlier process left in the logs is unknown, so the first change counts
    /// as the last one before a checkpoint.
    to_replay: AtomicU32,
    bytes_max: u64,
    /// The memory in use after the last checkpoint: temporary tables cannot be checkpointed.
    left: AtomicU64,
    checkpointing: Mutex<()>,
}

/// Whether all databases could be checkpointed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Checkpointed {
    All,
    /// Transactions are writing to others.
    Some,
}

impl CheckpointPolicy {
    pub(crate) fn new(memory_limit_bytes: Option<u64>) -> Self {
        let bytes_max = memory_limit_bytes.map_or(BYTES_MAX, |bytes| (bytes / SHARE).min(BYTES_MAX));
        Self {
            changes: AtomicU32::new(0),
            to_replay: AtomicU32::new(REPLAYED_CHANGES_MAX - 1),
            bytes_max,
            left: AtomicU64::new(0),
            checkpointing: Mutex::new(()),
        }
    }

    /// Counts a change inside of a transaction.
    pub(crate) fn count_change(&self) {
        self.to_replay.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a change that is about to be made outside of a transaction.
    pub(crate) fn note_change(
        &self,
        connection: &Connection,
        databases: impl FnOnce() -> Vec<String>,
    ) -> Result<(), EngineError> {
        let to_replay = self.to_replay.fetch_add(1, Ordering::Relaxed) + 1;
        let is_check = self.changes.fetch_add(1, Ordering::Relaxed) % CHANGES_PER_CHECK == CHANGES_PER_CHECK - 1;
        let is_due = to_replay >= REPLAYED_CHANGES_MAX || (is_check && self.holds_too_much(connection)?);
        if !is_due {
            return Ok(());
        }
        let _one_at_a_time = match self.checkpointing.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // Another session does it.
            Err(TryLockError::WouldBlock) => return Ok(()),
        };
        if checkpoint(connection, databases())? == Checkpointed::All {
            self.to_replay.store(0, Ordering::Relaxed);
        }
        self.left.store(bytes_held(connection)?, Ordering::Relaxed);
        Ok(())
    }

    fn holds_too_much(&self, connection: &Connection) -> Result<bool, EngineError> {
        let held = bytes_held(connection)?;
        // What was left may be gone since.
        let left = self.left.fetch_min(held, Ordering::Relaxed).min(held);
        Ok(held >= left + self.bytes_max)
    }
}

fn checkpoint(connection: &Connection, databases: Vec<String>) -> Result<Checkpointed, EngineError> {
    let mut outcome = Checkpointed::All;
    for database in databases {
        match connection.execute(&format!("CHECKPOINT {}", quote_identifier(&database))) {
            // A full disk or a database that was detached meanwhile: the change itself will report it, and the next
            // checkpoint comes after as many changes as this one.
            Ok(_) | Err(EngineError::Failed(_) | EngineError::Internal(_)) => {}
            // The next change comes soon.
            Err(EngineError::Conflict(_)) => outcome = Checkpointed::Some,
            Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
        }
    }
    Ok(outcome)
}

fn bytes_held(connection: &Connection) -> Result<u64, EngineError> {
    const QUERY: &str = "SELECT memory_usage_bytes FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE'";
    let rows = connection.rows(QUERY)?;
    Ok(rows.into_iter().flatten().flatten().find_map(|bytes| bytes.parse().ok()).unwrap_or(0))
}
