//! Checkpoints by memory use. Rows that are in a database's write-ahead log but not yet in its file stay in memory, and a
//! small table takes as much as one of thousands of rows. The engine checkpoints when a log is long, which the logs of
//! many databases with many small tables never are; so a checkpoint also runs when such rows take too much memory.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use firn_engine::EngineError;
use firn_sql::names::quote_identifier;

use super::connection::Connection;

/// Changes between two checks of the memory.
const CHANGES_PER_CHECK: u32 = 16;

/// The share of the engine's memory limit that such rows may take.
const SHARE: u64 = 4;

/// What they may take where no limit is set.
const BYTES_MAX: u64 = 1 << 30;

pub(crate) struct CheckpointPolicy {
    changes: AtomicU32,
    bytes_max: u64,
    /// The memory in use after the last checkpoint: temporary tables cannot be checkpointed.
    left: AtomicU64,
}

impl CheckpointPolicy {
    pub(crate) fn new(memory_limit_bytes: Option<u64>) -> Self {
        let bytes_max = memory_limit_bytes.map_or(BYTES_MAX, |bytes| (bytes / SHARE).min(BYTES_MAX));
        Self { changes: AtomicU32::new(0), bytes_max, left: AtomicU64::new(0) }
    }

    /// Counts a change that is about to be made outside of a transaction.
    pub(crate) fn note_change(
        &self,
        connection: &Connection,
        databases: impl FnOnce() -> Vec<String>,
    ) -> Result<(), EngineError> {
        if self.changes.fetch_add(1, Ordering::Relaxed) % CHANGES_PER_CHECK != CHANGES_PER_CHECK - 1 {
            return Ok(());
        }
        let held = bytes_held(connection)?;
        // What was left may be gone since.
        let left = self.left.fetch_min(held, Ordering::Relaxed).min(held);
        if held < left + self.bytes_max {
            return Ok(());
        }
        for database in databases() {
            match connection.execute(&format!("CHECKPOINT {}", quote_identifier(&database))) {
                // Another transaction is writing to that database; the next check comes soon.
                Ok(_) | Err(EngineError::Failed(_)) => {}
                Err(error) => return Err(error),
            }
        }
        self.left.store(bytes_held(connection)?, Ordering::Relaxed);
        Ok(())
    }
}

fn bytes_held(connection: &Connection) -> Result<u64, EngineError> {
    const QUERY: &str = "SELECT memory_usage_bytes FROM duckdb_memory() WHERE tag = 'IN_MEMORY_TABLE'";
    let rows = connection.rows(QUERY)?;
    Ok(rows.into_iter().flatten().flatten().find_map(|bytes| bytes.parse().ok()).unwrap_or(0))
}
