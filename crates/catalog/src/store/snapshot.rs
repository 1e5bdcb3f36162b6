//! The state file as of one moment, copied while others write: the snapshot is a read transaction of a connection of its own.

use std::path::Path;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::{connect, create_private, require_sound};
use crate::error::CatalogError;

const PAGES_PER_STEP: i32 = 1_000;

#[derive(Debug)]
pub struct StateSnapshot {
    connection: Connection,
}

impl StateSnapshot {
    /// Of the state file of a folder that no server holds.
    pub fn of_stopped_server(data_dir: &Path) -> Result<Self, CatalogError> {
        Self::begin(&data_dir.join(super::STATE_FILE))
    }

    /// The moment is that of the call.
    pub(super) fn begin(path: &Path) -> Result<Self, CatalogError> {
        let connection = connect(path)?;
        connection.execute_batch("BEGIN")?;
        // The transaction sees the file as it is at its first read.
        connection.query_row("SELECT COUNT(*) FROM sqlite_schema", [], |_| Ok(()))?;
        Ok(Self { connection })
    }

    /// Writes the snapshot into a new file and checks its pages. `goes_on` is asked between steps.
    pub fn copy_to(&self, path: &Path, goes_on: impl Fn() -> bool) -> Result<StateCopied, CatalogError> {
        create_private(path)?;
        let mut target = connect(path)?;
        let backup = Backup::new(&self.connection, &mut target)?;
        loop {
            if !goes_on() {
                return Ok(StateCopied::Stopped);
            }
            if backup.step(PAGES_PER_STEP)? == StepResult::Done {
                break;
            }
        }
        drop(backup);
        require_sound(&target)?;
        let version: u32 = target.pragma_query_value(None, "user_version", |row| row.get(0))?;
        if version == 0 {
            return Err(CatalogError::Corrupt("it has no tables".to_owned()));
        }
        Ok(StateCopied::Whole { version, databases: database_files(&target)? })
    }
}

/// Of every version of the state's tables.
fn database_files(connection: &Connection) -> Result<Vec<DatabaseFile>, CatalogError> {
    let mut statement = connection.prepare("SELECT name, file_name FROM databases ORDER BY name")?;
    let rows = statement.query_map([], |row| Ok(DatabaseFile { database: row.get(0)?, file: row.get(1)? }))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StateCopied {
    Whole {
        /// The version of the state's tables.
        version: u32,
        databases: Vec<DatabaseFile>,
    },
    Stopped,
}

/// A database of the state, and the name of its file below the folder of databases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseFile {
    pub database: String,
    pub file: String,
}
