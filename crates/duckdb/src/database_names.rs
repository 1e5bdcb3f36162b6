//! Changes of the names that databases are attached under. While it binds a statement, the engine reads these names without
//! a lock of its own, so statements bind under a shared lock and a name changes under an exclusive one.
//!
//! A transaction of the engine has one database for each name that it has used. Finding another one under that name closes all
//! databases. Looking names up never finds one, as a transaction looks among its own first; functions that list the objects of
//! all databases do. They run under the shared lock, and not at all in a transaction that is older than a change of names.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use firn_engine::EngineError;

/// A change of names never queues for the lock, since statements would queue behind it for as long as the slowest is planned.
const CHANGE_WAIT: Duration = Duration::from_secs(10);
const CHANGE_RETRY: Duration = Duration::from_micros(200);

const BETWEEN_NAMES: char = '~';

/// The functions that are used and list all databases.
const LISTING: [&str; 4] = ["duckdb_columns()", "duckdb_sequences()", "duckdb_tables()", "duckdb_views()"];

#[derive(Default)]
pub(crate) struct DatabaseNames {
    lock: RwLock<()>,
    /// Counts the changes.
    age: AtomicU64,
    /// Of these, those that gave a name to another database.
    renames: AtomicU64,
}

/// The permission to change names.
pub(crate) struct NameChange<'a>(#[expect(dead_code, reason = "released on drop")] RwLockWriteGuard<'a, ()>);

pub(crate) fn lists_all_databases(sql: &str) -> bool {
    LISTING.iter().any(|function| sql.contains(function))
}

/// What a transaction ends with that needs the names as they were.
pub(crate) fn changed() -> EngineError {
    let message = "databases were created or renamed since the transaction began; repeat the transaction";
    EngineError::Conflict(message.to_owned())
}

/// The name of a database that was replaced, or is to replace another one; nobody gave it.
pub(crate) fn between_names(number: u32) -> String {
    format!("{BETWEEN_NAMES}{number}")
}

pub(crate) fn is_between_names(database: &str) -> bool {
    let number = database.strip_prefix(BETWEEN_NAMES);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

impl DatabaseNames {
    pub(crate) fn age(&self) -> u64 {
        self.age.load(Ordering::SeqCst)
    }

    pub(crate) fn renames(&self) -> u64 {
        self.renames.load(Ordering::SeqCst)
    }

    /// A database is about to be attached, maybe under a name that another one had.
    pub(crate) fn note_attached(&self) {
        self.age.fetch_add(1, Ordering::SeqCst);
    }

    /// Fails in a transaction that began when the names had that age, if they have changed since.
    pub(crate) fn check_unchanged_since(&self, age: u64) -> Result<(), EngineError> {
        match age == self.age() {
            true => Ok(()),
            false => Err(changed()),
        }
    }

    pub(crate) fn bind(&self) -> RwLockReadGuard<'_, ()> {
        self.lock.read().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn change(&self) -> Result<NameChange<'_>, EngineError> {
        let deadline = Instant::now() + CHANGE_WAIT;
        loop {
            match self.lock.try_write() {
                Ok(guard) => return Ok(self.changing(guard)),
                Err(TryLockError::Poisoned(poisoned)) => return Ok(self.changing(poisoned.into_inner())),
                Err(TryLockError::WouldBlock) if Instant::now() > deadline => {
                    return Err(EngineError::Conflict(
                        "other statements are being planned; rename the database when they are done".to_owned(),
                    ));
                }
                Err(TryLockError::WouldBlock) => thread::sleep(CHANGE_RETRY),
            }
        }
    }

    fn changing<'a>(&self, guard: RwLockWriteGuard<'a, ()>) -> NameChange<'a> {
        self.age.fetch_add(1, Ordering::SeqCst);
        self.renames.fetch_add(1, Ordering::SeqCst);
        NameChange(guard)
    }
}
