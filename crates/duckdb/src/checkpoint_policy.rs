//! Checkpoints by memory use and by the length of the replay. Rows that are in a database's write-ahead log but not yet in
//! its file stay in memory, and a small table takes as much as one of thousands of rows. The engine checkpoints when a log is
//! long, which the logs of many databases with many small tables never are; so a checkpoint also runs when such rows take too
//! much memory. After a crash every commit in a log is replayed one by one before the server is ready, however few bytes it
//! has; so a checkpoint also runs after a number of changes.

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, RwLock, TryLockError};
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

/// How often a change that waits for a checkpoint or a backup checks for its end and for an interruption.
const ROOM_CHECK: Duration = Duration::from_millis(5);

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
    /// Read while a database is checkpointed, by whatever asks for it. The engine frees one that is detached meanwhile.
    attached: RwLock<()>,
    /// A checkpoint runs because too much is held: every change checks the memory meanwhile.
    makes_room: AtomicBool,
}

/// While it lives, no checkpoint of the policy's runs.
pub(crate) struct HeldCheckpoints<'a>(#[expect(dead_code, reason = "held until it is dropped")] MutexGuard<'a, ()>);

/// While it lives, changes wait for the checkpoint that runs if too much is held.
struct MakesRoom<'a>(&'a AtomicBool);

impl<'a> MakesRoom<'a> {
    fn begin(makes_room: &'a AtomicBool) -> Self {
        makes_room.store(true, Ordering::SeqCst);
        Self(makes_room)
    }
}

impl Drop for MakesRoom<'_> {
    fn drop(&mut self) {
        self.0.store(false, Ordering::SeqCst);
    }
}

/// Whether all databases could be checkpointed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Checkpointed {
    All,
    /// Transactions are writing to others.
    Some,
    /// The disk is full, or a database was detached meanwhile.
    Failed,
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
            attached: RwLock::new(()),
            makes_room: AtomicBool::new(false),
        }
    }

    /// Waits for a checkpoint that runs.
    pub(crate) fn hold(&self) -> HeldCheckpoints<'_> {
        HeldCheckpoints(self.checkpointing.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Detaches a database while none is checkpointed.
    pub(crate) fn detach<T>(&self, work: impl FnOnce() -> T) -> T {
        let _no_checkpoint = self.attached.write().unwrap_or_else(PoisonError::into_inner);
        work()
    }

    pub(crate) fn checkpoint(&self, connection: &Connection, database: &str) -> Result<(), EngineError> {
        let _stays_attached = self.attached.read().unwrap_or_else(PoisonError::into_inner);
        connection.checkpoint(database)
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
        let is_check = (self.changes.fetch_add(1, Ordering::Relaxed) + 1).is_multiple_of(self.changes_per_check)
            || self.makes_room.load(Ordering::SeqCst);
        let holds_too_much = is_check && self.holds_too_much(connection)?;
        if to_replay < REPLAYED_CHANGES_MAX && !holds_too_much {
            return Ok(());
        }
        let one_at_a_time = match holds_too_much {
            true => self.wait_for_room(connection)?,
            false => self.unless_running(),
        };
        // Another session does it, or a backup holds it up.
        let Some(_one_at_a_time) = one_at_a_time else { return Ok(()) };
        let _makes_room = holds_too_much.then(|| MakesRoom::begin(&self.makes_room));
        prune();
        match self.checkpoint_all(connection, databases())? {
            Checkpointed::All => {
                self.to_replay.store(0, Ordering::Relaxed);
                self.left.store(bytes_held(connection)?, Ordering::Relaxed);
            }
            // What is left now can be checkpointed soon: the next change tries it again.
            Checkpointed::Some => self.changes.store(self.changes_per_check - 1, Ordering::Relaxed),
            // The change itself reports it, and the next checkpoint comes after as many changes as this one.
            Checkpointed::Failed => {}
        }
        Ok(())
    }

    /// A checkpoint of one database, unless another one runs or a backup holds it up.
    pub(crate) fn checkpoint_now(&self, connection: &Connection, database: &str) -> Result<Checkpointed, EngineError> {
        let Ok(_one_at_a_time) = self.checkpointing.try_lock() else { return Ok(Checkpointed::Some) };
        match self.checkpoint(connection, database) {
            Ok(()) => Ok(Checkpointed::All),
            Err(EngineError::Conflict(_) | EngineError::Outdated) => Ok(Checkpointed::Some),
            Err(error) => Err(error),
        }
    }

    /// Memory is not there for more rows until a checkpoint has run: waits for the one that runs, or for the backup that
    /// holds it up. `None` if there is room then.
    fn wait_for_room(&self, connection: &Connection) -> Result<Option<MutexGuard<'_, ()>>, EngineError> {
        if let Some(guard) = self.unless_running() {
            return Ok(Some(guard));
        }
        loop {
            if connection.was_interrupted() {
                return Err(EngineError::Interrupted);
            }
            std::thread::sleep(ROOM_CHECK);
            if let Some(guard) = self.unless_running() {
                return Ok(self.holds_too_much(connection)?.then_some(guard));
            }
        }
    }

    fn checkpoint_all(&self, connection: &Connection, databases: Vec<String>) -> Result<Checkpointed, EngineError> {
        let mut outcome = Checkpointed::All;
        for database in databases {
            match self.checkpoint(connection, &database) {
                Ok(()) => {}
                Err(EngineError::Failed(_) | EngineError::Lost | EngineError::Internal(_)) => {
                    outcome = Checkpointed::Failed
                }
                Err(EngineError::Conflict(_) | EngineError::Outdated) if outcome == Checkpointed::All => {
                    outcome = Checkpointed::Some;
                }
                Err(EngineError::Conflict(_) | EngineError::Outdated) => {}
                Err(EngineError::Interrupted) => return Err(EngineError::Interrupted),
            }
        }
        Ok(outcome)
    }

    fn unless_running(&self) -> Option<MutexGuard<'_, ()>> {
        match self.checkpointing.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn holds_too_much(&self, connection: &Connection) -> Result<bool, EngineError> {
        let held = bytes_held(connection)?;
        // What was left may be gone since.
        let left = self.left.fetch_min(held, Ordering::Relaxed).min(held);
        Ok(held >= left + self.bytes_max)
    }
}

fn bytes_held(connection: &Connection) -> Result<u64, EngineError> {
    const QUERY: &str = "SELECT memory_usage_bytes FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE'";
    let rows = connection.rows(QUERY)?;
    Ok(rows.into_iter().flatten().flatten().find_map(|bytes| bytes.parse().ok()).unwrap_or(0))
}
