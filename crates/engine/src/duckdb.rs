//! The embedded engine: one in-memory DuckDB instance to which each firn database is attached as a
//! file. Nothing outside this module names DuckDB, and nothing outside `connection`, `instance`,
//! `chunks`, `vectors`, `logical_type`, `interrupter` and `wait` calls its C interface.

pub(crate) mod chunks;
pub(crate) mod connection;
#[cfg(test)]
mod connection_test;
pub(crate) mod encode;
#[cfg(test)]
mod encode_test;
pub(crate) mod errors;
pub(crate) mod instance;
pub(crate) mod interrupter;
pub(crate) mod logical_type;
pub(crate) mod pool;
pub(crate) mod result_types;
pub(crate) mod vectors;
pub(crate) mod wait;

use std::path::PathBuf;
use std::sync::Arc;

use crate::EngineError;
use instance::Database;
use pool::Pool;

/// What the instance is started with.
#[derive(Clone, Debug)]
pub struct EngineSettings {
    /// The only folder, with `temp_dir`, that the engine may touch.
    pub data_dir: PathBuf,
    /// Where queries spill what does not fit in memory.
    pub temp_dir: PathBuf,
    /// `None` leaves the engine's choice: one per core.
    pub threads: Option<u32>,
    /// `None` leaves the engine's choice: four fifths of the machine's memory.
    pub memory_limit_bytes: Option<u64>,
}

/// The engine; `crate::Engine` is its face to the rest of firn.
pub struct DuckDb {
    pool: Arc<Pool>,
}

impl DuckDb {
    pub fn open(settings: &EngineSettings) -> Result<Self, EngineError> {
        let database = Database::open(settings)?;
        Ok(Self { pool: Arc::new(Pool::new(database)) })
    }
}
