//! The embedded engine: one in-memory DuckDB instance to which each firn database is attached as a
//! file. Nothing outside this crate names DuckDB, and nothing outside `appender`, `call_guard`, `connection`, `instance`,
//! `chunks`, `commit_memory`, `vectors`, `flat_vectors`, `logical_type`, `interrupter`, `wait` and the `…_udfs` call its C interface.

mod aggregate_udfs;
pub(crate) mod appender;
pub(crate) mod call_guard;
pub(crate) mod cast_udfs;
mod checkpoint_policy;
pub(crate) mod chunks;
mod commit_memory;
pub(crate) mod connection;
#[cfg(test)]
mod connection_test;
pub(crate) mod constraints;
pub(crate) mod copy;
pub(crate) mod database_names;
mod databases;
pub(crate) mod ddl;
mod deferred_truncation;
pub(crate) mod describe;
pub(crate) mod dml;
pub(crate) mod drops;
pub(crate) mod encode;
mod engine_allocator;
mod engine_memory;
mod engine_settings;
pub(crate) mod errors;
#[cfg(test)]
mod errors_test;
pub(crate) mod explain;
mod external_access;
mod flat_vectors;
mod function_registration;
#[cfg(test)]
mod function_table_test;
pub(crate) mod geospatial;
pub(crate) mod insert_many;
pub(crate) mod instance;
pub(crate) mod interrupter;
pub(crate) mod linked_symbol;
mod locks;
mod log_check;
pub(crate) mod logical_type;
pub(crate) mod merge_by_name;
pub(crate) mod native;
pub(crate) mod pool;
mod prepare_template;
mod profile;
pub(crate) mod quotients;
pub(crate) mod resident_memory;
mod result_rows;
#[cfg(test)]
mod result_rows_test;
pub(crate) mod result_types;
mod room_watch;
pub(crate) mod routines;
pub(crate) mod scalar_udfs;
pub(crate) mod session;
pub(crate) mod session_state;
pub(crate) mod shared;
pub(crate) mod side_tables;
#[cfg(test)]
mod side_tables_test;
pub(crate) mod spill_limit;
pub(crate) mod stage_commands;
pub(crate) mod stage_places;
mod staging;
pub(crate) mod statement_outcomes;
mod status_text;
mod table_sizes;
pub(crate) mod template_parameters;
mod template_plan;
pub(crate) mod throwing;
pub(crate) mod transaction;
mod transaction_replay;
pub(crate) mod type_aliases;
pub(crate) mod variant_functions;
pub(crate) mod vectors;
pub(crate) mod wait;
mod wide_columns;
pub(crate) mod worker_threads;

use std::io;
use std::path::Path;
use std::sync::Arc;

use firn_duckdb_lower::macros;
use firn_engine::{
    DefinitionClock, Engine, EngineError, FormerOwner, LockDescription, MemoryReservation, RecordedOutcome, Session,
    StageFiles,
};
use firn_sql::Failure;

use checkpoint_policy::CheckpointPolicy;
pub use engine_settings::EngineSettings;
pub use external_access::ExternalAccess;
use instance::Database;
use pool::Pool;
use room_watch::RoomWatch;
use session::DuckDbSession;
use shared::Shared;
use spill_limit::SpillLimit;

/// The engine; the rest of firn uses it through the trait `Engine`.
pub struct DuckDb {
    /// Its thread ends before the instance does.
    _room: RoomWatch,
    pool: Arc<Pool>,
    shared: Arc<Shared>,
}

impl DuckDb {
    pub fn open(settings: &EngineSettings) -> Result<Self, EngineError> {
        let database = Database::open(settings)?;
        let pool = Arc::new(Pool::new(database));
        let connection = pool.acquire()?;
        for definition in macros::definitions() {
            connection.execute(definition).map_err(without_time_zones)?;
        }
        drop(connection);
        let stage_files = StageFiles::open(&settings.stage_dir, settings.stage_quotas).map_err(|error| {
            EngineError::Internal(format!("the folder for the files of stages cannot be used: {error}"))
        })?;
        let checkpoint_policy = CheckpointPolicy::new(settings.memory_limit_bytes);
        let definitions = Arc::clone(pool.definitions());
        let shared = Arc::new(Shared::new(stage_files, settings.external.clone(), checkpoint_policy, definitions));
        let spill_limit = SpillLimit::new(&settings.temp_dir);
        Ok(Self { _room: RoomWatch::start(&settings.data_dir, spill_limit, &pool, &shared)?, pool, shared })
    }
}

/// A libduckdb that was built without the extension says so at the first function that needs it.
fn without_time_zones(error: EngineError) -> EngineError {
    match error {
        EngineError::Failed(failure) if failure.message.contains("extension 'icu'") => EngineError::Internal(
            "this libduckdb was built without ICU, which firn needs for time zones; build it with the extensions icu, \
             json and parquet, or use the prebuilt one"
                .to_owned(),
        ),
        other => other,
    }
}

impl Engine for DuckDb {
    fn file_extension(&self) -> &'static str {
        "duckdb"
    }

    fn create_database(&self, name: &str, file: &Path, owner: &str, id: i64) -> Result<(), EngineError> {
        let connection = self.pool.acquire()?;
        databases::create(&connection, &self.shared, name, file, (owner, id))
    }

    fn attach_database(&self, name: &str, file: &Path, id: i64) -> Result<(), EngineError> {
        let connection = self.pool.acquire()?;
        databases::attach(&connection, &self.shared, name, file, id)
    }

    fn is_lost(&self) -> bool {
        let checked = self.pool.acquire().and_then(|connection| connection.rows("SELECT 1").map(drop));
        matches!(checked, Err(EngineError::Lost))
    }

    fn check_database(&self, name: &str) -> Result<(), EngineError> {
        databases::check(&*self.pool.acquire()?, name)
    }

    fn detach_database(&self, name: &str) -> Result<(), EngineError> {
        self.pool.forget_plans();
        let connection = self.pool.acquire()?;
        databases::detach(&connection, &self.shared, name)
    }

    fn remove_database_file(&self, file: &Path) -> io::Result<()> {
        databases::remove_file(file)
    }

    fn rename_database(&self, from: &str, to: &str) -> Result<(), EngineError> {
        self.pool.forget_plans();
        databases::rename(&*self.pool.acquire()?, &self.shared, from, to)
    }

    fn replace_database(&self, name: &str, by: &str) -> Result<String, EngineError> {
        self.pool.forget_plans();
        databases::replace(&*self.pool.acquire()?, &self.shared, name, by)
    }

    fn swap_databases(&self, first: &str, second: &str) -> Result<(), EngineError> {
        self.pool.forget_plans();
        databases::swap(&*self.pool.acquire()?, &self.shared, first, second)
    }

    fn clone_database(
        &self,
        from: &str,
        to: &str,
        file: &Path,
        owner: &str,
        ids: (i64, i64),
    ) -> Result<(), EngineError> {
        let connection = self.pool.acquire()?;
        databases::clone(&connection, &self.shared, (from, to), file, owner, ids)
    }

    fn hand_over(&self, from: FormerOwner<'_>, to: &str, made_until_ms: i64) -> Result<(), EngineError> {
        let connection = self.pool.acquire()?;
        for name in self.shared.database_names() {
            databases::hand_over(&connection, &self.shared, &name, from, to, made_until_ms)?;
        }
        Ok(())
    }

    fn reserve_memory(&self, bytes: u64) -> Result<MemoryReservation, Failure> {
        match engine_memory::reserve(bytes) {
            Some(reserved) => Ok(Box::new(reserved)),
            None => Err(errors::out_of_memory()),
        }
    }

    fn definitions(&self) -> &Arc<DefinitionClock> {
        &self.shared.definitions
    }

    fn open_session(&self) -> Result<Box<dyn Session>, EngineError> {
        Ok(Box::new(DuckDbSession::new(self.pool.acquire()?, self.shared.clone())))
    }

    fn locks(&self) -> Vec<LockDescription> {
        self.shared.locks.all()
    }

    fn stage_files(&self) -> Arc<StageFiles> {
        self.shared.stage_files().clone()
    }

    fn sweep_stages(&self, retained: &[String]) -> Result<(), EngineError> {
        let connection = self.pool.acquire()?;
        databases::sweep_stages(&connection, &self.shared, retained)
    }

    fn stage_folders(&self, database: &str) -> Result<Vec<String>, EngineError> {
        staging::folders(&*self.pool.acquire()?, database)
    }

    fn retention_days(&self, database: &str) -> Result<u8, EngineError> {
        drops::retention(&*self.pool.acquire()?, database, "")
    }

    fn set_retention_days(&self, database: &str, days: Option<u8>) -> Result<(), EngineError> {
        let connection = self.pool.acquire()?;
        let connection: &connection::Connection = &connection;
        transaction::within(connection, || drops::set_retention(connection, database, "", days))
    }

    fn purge_dropped(&self, now_ms: i64) -> Result<(), EngineError> {
        let connection = self.pool.acquire()?;
        for name in self.shared.database_names() {
            match ddl::purge_expired(&connection, &name, now_ms) {
                Ok(folders) => folders.iter().for_each(|folder| self.shared.abandon_folder(folder)),
                // Someone works on the same objects; the next sweep comes soon enough.
                Err(EngineError::Conflict(_)) => {}
                Err(_) if !self.shared.has_database(&name) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    fn recorded_outcomes(&self) -> Result<Vec<RecordedOutcome>, EngineError> {
        let connection = self.pool.acquire()?;
        let mut outcomes = Vec::new();
        for name in self.shared.database_names() {
            outcomes.extend(statement_outcomes::read(&connection, &self.shared, &name)?);
        }
        Ok(outcomes)
    }

    fn settle_outcome(&self, query_id: &str) {
        self.shared.unsettled_outcomes.settle(query_id);
    }

    fn checkpoint(&self) -> Result<(), EngineError> {
        let connection = self.pool.acquire()?;
        statement_outcomes::prune(&connection, &self.shared);
        for name in self.shared.database_names() {
            self.shared.checkpoint_policy.checkpoint(&connection, &name)?;
        }
        Ok(())
    }

    fn without_checkpoints(&self, work: &mut dyn FnMut()) -> Result<(), EngineError> {
        let connection = self.pool.acquire()?;
        let _held = self.shared.checkpoint_policy.hold();
        // Commits checkpoint by themselves when a log is long.
        connection.execute("SET GLOBAL debug_skip_checkpoint_on_commit = true")?;
        work();
        connection.execute("RESET GLOBAL debug_skip_checkpoint_on_commit").map(drop)
    }
}
