//! Checkpoints by memory use and by the length of the replay. Rows that are in a database's write-ahead log but not yet in
//! its file stay in memory, and a small table takes as much as one of thousands of rows. The engine checkpoints when a log is
//! long, which the logs of many databases with many small tables never are; so a checkpoint also runs when such rows take too
//! much memory. After a crash every commit in a log is replayed one by one before the server is ready, however few bytes it
//! has; so a checkpoint also runs after a number of changes.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use firn_engine::EngineError;

use super::connection::Connection;

/// The most changes between two checks of the memory.
const CHANGES_PER_CHECK_MAX: u64 = 16;

/// What the first row of a table of hundreds of columns takes.
const WIDE_TABLE_BYTES: u64 = 12 << 20;

/// Changes whose replay takes about half a second.
const REPLAYED_CHANGES_MAX: u32 = 2_500;

/// The share of the engine's memory limit that such rows may take.
const SHARE: u64 = 4;

/// What they may take where no limit is set.
const BYTES_MAX: u64 = 1 << 30;

/// How often a change that waits for the end of a backup checks for an interruption.
const HOLD_CHECK: Duration = Duration::from_millis(20);

pub(crate) struct CheckpointPolicy {
    changes: AtomicU32,
    /// Changes since the last checkpoint. What an earlier process left in the logs is unknown, so the first change counts
    /// as the last one before a checkpoint.
    to_replay: AtomicU32,
    bytes_max: u64,
    /// So few that they do not exceed `bytes_max` by much, even if each is the first row of a wide table.
    changes_per_check: u32,
    /// The memory in use after the last checkpoint: temporary tables cannot be checkpointed.
    left: AtomicU64,
    checkpointing: Mutex<()>,
    is_held: AtomicBool,
}

/// While it lives, no checkpoint of the policy's runs.
pub(crate) struct HeldCheckpoints<'a> {
    policy: &'a CheckpointPolicy,
    _guard: MutexGuard<'a, ()>,
}

impl Drop for HeldCheckpoints<'_> {
    fn drop(&mut self) {
        self.policy.is_held.store(false, Ordering::SeqCst);
    }
}

/// Whether all databases could be checkpointed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checkpointed {
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
            changes_per_check: (bytes_max / WIDE_TABLE_BYTES).clamp(1, CHANGES_PER_CHECK_MAX) as u32,
            left: AtomicU64::new(0),
            checkpointing: Mutex::new(()),
            is_held: AtomicBool::new(false),
        }
    }

    /// Waits for a checkpoint that runs.
    pub(crate) fn hold(&self) -> HeldCheckpoints<'_> {
        let guard = self.checkpointing.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_held.store(true, Ordering::SeqCst);
        HeldCheckpoints { policy: self, _guard: guard }
    }

    /// Counts a change inside of a transaction.
    pub(crate) fn count_change(&self) {
        self.to_replay.fetch_add(1, Ordering::Relaxed);
    }

    /// Counts a change that is about to be made outside of a transaction. `prune` runs before a checkpoint.
    pub(crate) fn note_change(
        &self,
        connection: &Connection,
        databases: impl FnOnce() -> Vec<String>,
        prune: impl FnOnce(),
    ) -> Result<(), EngineError> {
        let to_replay = self.to_replay.fetch_add(1, Ordering::Relaxed) + 1;
        let is_check = (self.changes.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(self.changes_per_check);
        let holds_too_much = is_check && self.holds_too_much(connection)?;
        if to_replay < REPLAYED_CHANGES_MAX && !holds_too_much {
            return Ok(());
        }
        if holds_too_much {
            self.wait_while_held(connection)?;
        }
        let _one_at_a_time = match self.checkpointing.try_lock() {
            Ok(guard) => guard,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // Another session does it, or a backup holds it up.
            Err(TryLockError::WouldBlock) => return Ok(()),
        };
        prune();
        if checkpoint(connection, databases())? == Checkpointed::All {
            self.to_replay.store(0, Ordering::Relaxed);
        }
        self.left.store(bytes_held(connection)?, Ordering::Relaxed);
        Ok(())
    }

    /// A checkpoint of one database, unless another one runs or a backup holds it up.
    pub(crate) fn checkpoint_now(&self, connection: &Connection, database: &str) -> Result<Checkpointed, EngineError> {
        let Ok(_one_at_a_time) = self.checkpointing.try_lock() else { return Ok(Checkpointed::Some) };
        match connection.checkpoint(database) {
            Ok(()) => Ok(Checkpointed::All),
            Err(EngineError::Conflict(_) | EngineError::Outdated) => Ok(Checkpointed::Some),
            Err(error) => Err(error),
        }
    }

    /// Memory is not there for more rows until a checkpoint can run again.
    fn wait_while_held(&self, connection: &Connection) -> Result<(), EngineError> {
        while self.is_held.load(Ordering::SeqCst) {
            if connection.was_interrupted() {
                return Err(EngineError::Interrupted);
            }
            std::thread::sleep(HOLD_CHECK);
        }
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
        match connection.checkpoint(&database) {
            // A full disk or a database that was detached meanwhile: the change itself will report it, and the next
            // checkpoint comes after as many changes as this one.
            Ok(_) | Err(EngineError::Failed(_) | EngineError::Lost | EngineError::Internal(_)) => {}
            // The next change comes soon.
            Err(EngineError::Conflict(_) | EngineError::Outdated) => outcome = Checkpointed::Some,
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
