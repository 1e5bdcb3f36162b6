//! The state file: one connection that writes, a small pool that reads beside it.
//!
//! The file is in WAL mode, so that a reader never waits for a writer. Ordinary writes survive a
//! killed process; what must survive power loss as well is written with `Durability::Synced`.

mod checkpointer;
mod index_check;
mod log_frames;
mod snapshot;
#[cfg(test)]
mod upgrade_test;

use std::fs::OpenOptions;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use rusqlite::{Connection, OpenFlags, Transaction, TransactionBehavior};

use crate::error::CatalogError;
use checkpointer::Checkpointer;
use index_check::IndexCheck;
pub use snapshot::{DatabaseFile, StateCopied, StateSnapshot};

pub const STATE_FILE: &str = "firn.sqlite";

const MIGRATIONS: &[&str] = &[
    include_str!("store/001_state.sql"),
    include_str!("store/002_handovers.sql"),
    include_str!("store/003_analyst.sql"),
    include_str!("store/004_formatted_cells.sql"),
    include_str!("store/005_semantic_views.sql"),
    concat!(include_str!("store/006_privileges.sql"), include_str!("store/built_in_privileges.sql")),
    include_str!("store/007_logins.sql"),
    include_str!("store/008_resource_monitors.sql"),
    include_str!("store/009_login_policies.sql"),
    include_str!("store/010_tags.sql"),
    include_str!("store/011_statement_reads.sql"),
    include_str!("store/012_token_parents.sql"),
    include_str!("store/013_statement_history.sql"),
    include_str!("store/014_org_admin.sql"),
    include_str!("store/015_kept_sessions.sql"),
    include_str!("store/016_history_by_time.sql"),
    include_str!("store/017_queued_time.sql"),
    include_str!("store/018_linked_databases.sql"),
];
/// The version of the state's tables that this server writes.
pub const STATE_VERSION: u32 = MIGRATIONS.len() as u32;

const BUSY_WAIT: Duration = Duration::from_secs(10);
/// How long a check waits for a writer.
const CHECK_WAIT: Duration = Duration::from_secs(2);
const READERS_POOLED_MAX: usize = 8;
const CACHED_STATEMENTS: usize = 64;
const WRITES_PER_CHECKPOINT: u64 = 500;
/// The log's length at which a commit checkpoints by itself: 64 MB.
const LOG_PAGES_MAX: u32 = 16_000;

#[derive(Clone, Copy)]
pub(crate) enum Durability {
    /// Outlives the process, also when it is killed.
    Process,
    /// Outlives the machine's power.
    Synced,
}

#[derive(Debug)]
pub(crate) struct Store {
    path: PathBuf,
    writer: Mutex<Connection>,
    readers: Mutex<Vec<Connection>>,
    writes: AtomicU64,
    checkpointer: Checkpointer,
    index_check: IndexCheck,
}

impl Store {
    pub(crate) fn open(path: PathBuf) -> Result<Self, CatalogError> {
        create_private(&path)?;
        log_frames::report_damage(&path)?;
        let mut connection = connect(&path)?;
        require_sound(&connection)?;
        connection.pragma_update(None, "journal_mode", "WAL")?;
        connection.pragma_update(None, "synchronous", "NORMAL")?;
        connection.pragma_update(None, "wal_autocheckpoint", LOG_PAGES_MAX)?;
        migrate(&mut connection)?;
        let beside = connect(&path)?;
        // So that all frames of the log are of this process. Another process that reads the file is not waited for.
        beside.busy_timeout(Duration::ZERO)?;
        beside.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))?;
        beside.busy_timeout(BUSY_WAIT)?;
        let checkpointer = Checkpointer::start(beside)?;
        let index_check = IndexCheck::start(connect_reader(&path)?)?;
        Ok(Self {
            path,
            writer: Mutex::new(connection),
            readers: Mutex::new(Vec::new()),
            writes: AtomicU64::new(0),
            checkpointer,
            index_check,
        })
    }

    /// One transaction: all of it happens or, when `work` fails, none of it.
    pub(crate) fn write<T>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, CatalogError>,
    ) -> Result<T, CatalogError> {
        self.write_then(durability, work, |_| ())
    }

    /// As `write`; `publish` runs after the commit and before the next writer, so that the state in memory changes in the
    /// order of the commits.
    pub(crate) fn write_then<T>(
        &self,
        durability: Durability,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, CatalogError>,
        publish: impl FnOnce(&mut T),
    ) -> Result<T, CatalogError> {
        let mut connection = self.writer();
        if let Durability::Synced = durability {
            connection.pragma_update(None, "synchronous", "FULL")?;
        }
        let written = write_once(&mut connection, work);
        if let Durability::Synced = durability
            && let Err(error) = connection.pragma_update(None, "synchronous", "NORMAL")
        {
            // What is written is written; until the next one of these, others are as safe.
            tracing::warn!(%error, "the state file's durability cannot be set");
        }
        let mut value = written?;
        publish(&mut value);
        drop(connection);
        self.count_write();
        Ok(value)
    }

    /// For work of a single statement, which is a transaction by itself.
    pub(crate) fn write_one<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, CatalogError>,
    ) -> Result<T, CatalogError> {
        let outcome = work(&self.writer())?;
        self.count_write();
        Ok(outcome)
    }

    /// As `write_one`, for work that replaces what no file may have any more: free space is filled with zeros, and the log is
    /// truncated as soon as nobody reads it.
    pub(crate) fn overwrite<T>(
        &self,
        work: impl FnOnce(&Connection) -> Result<T, CatalogError>,
    ) -> Result<T, CatalogError> {
        let connection = self.writer();
        connection.pragma_update(None, "secure_delete", "ON")?;
        let outcome = work(&connection);
        connection.pragma_update(None, "secure_delete", "OFF")?;
        drop(connection);
        self.checkpointer.truncate();
        outcome
    }

    pub(crate) fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T, CatalogError>) -> Result<T, CatalogError> {
        let pooled = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let connection = match pooled {
            Some(connection) => connection,
            None => connect_reader(&self.path)?,
        };
        let outcome = work(&connection);
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < READERS_POOLED_MAX {
            readers.push(connection);
        }
        outcome
    }

    /// A snapshot of the moment at which `work` runs: nobody writes meanwhile.
    pub(crate) fn freeze<T>(&self, work: impl FnOnce() -> T) -> Result<(StateSnapshot, T), CatalogError> {
        let _no_writes = self.writer();
        let snapshot = StateSnapshot::begin(&self.path)?;
        Ok((snapshot, work()))
    }

    /// Whether the file is sound and in its place, can be read and takes a write, seen through a connection of its own: one that is
    /// open goes on with a file that was removed.
    pub(crate) fn check(&self) -> Result<(), CatalogError> {
        self.index_check.outcome()?;
        let mut connection = connect(&self.path)?;
        connection.busy_timeout(CHECK_WAIT)?;
        write_once(&mut connection, |transaction| {
            transaction.execute("UPDATE settings SET value = value WHERE name = 'ACCOUNT'", [])?;
            Ok(())
        })
    }

    fn writer(&self) -> MutexGuard<'_, Connection> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn count_write(&self) {
        let writes = self.writes.fetch_add(1, Ordering::Relaxed) + 1;
        if writes.is_multiple_of(WRITES_PER_CHECKPOINT) {
            self.checkpointer.wake();
        }
    }
}

fn write_once<T>(
    connection: &mut Connection,
    work: impl FnOnce(&Transaction<'_>) -> Result<T, CatalogError>,
) -> Result<T, CatalogError> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let value = work(&transaction)?;
    transaction.commit()?;
    Ok(value)
}

/// SQLite gives its log and index files the mode of the main file.
fn create_private(path: &Path) -> Result<(), CatalogError> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut options = OpenOptions::new();
    options.create(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    drop(file);
    Ok(())
}

fn connect(path: &Path) -> Result<Connection, CatalogError> {
    let connection =
        Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(BUSY_WAIT)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.set_prepared_statement_cache_capacity(CACHED_STATEMENTS);
    Ok(connection)
}

fn connect_reader(path: &Path) -> Result<Connection, CatalogError> {
    let connection = connect(path)?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// A damaged page would be noticed only when it is read, and then by whoever needs it. Indexes are compared with their tables later.
pub(super) fn require_sound(connection: &Connection) -> Result<(), CatalogError> {
    let found: String = connection.query_row("PRAGMA quick_check(1)", [], |row| row.get(0))?;
    if found == "ok" { Ok(()) } else { Err(CatalogError::Corrupt(found)) }
}

fn migrate(connection: &mut Connection) -> Result<(), CatalogError> {
    let version: u32 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let version = version as usize;
    if version > MIGRATIONS.len() {
        return Err(CatalogError::Corrupt(format!(
            "its version is {version}, this server knows versions up to {}; start the newer server",
            MIGRATIONS.len()
        )));
    }
    for (index, migration) in MIGRATIONS.iter().enumerate().skip(version) {
        write_once(connection, |transaction| {
            transaction.execute_batch(migration)?;
            transaction.pragma_update(None, "user_version", index as u32 + 1)?;
            Ok(())
        })?;
    }
    Ok(())
}
