//! The DuckDB instance and the settings it is started with: no extension is fetched or loaded, and no
//! file outside our folders is reachable from SQL.

use std::ffi::{CStr, CString};
use std::path::Path;
use std::ptr;
use std::sync::Arc;

use firn_engine::{DefinitionClock, EngineError};
use firn_sql::names::quote_literal;
use libduckdb_sys as ffi;

use super::commit_memory::CommitMemory;
use super::connection::Connection;
use super::database_names::DatabaseNames;
use super::engine_memory;
use super::engine_settings::EngineSettings;
use super::interrupter::Interrupters;
use super::template_parameters::ParameterValues;
use super::worker_threads::WorkerThreads;
use super::{deferred_truncation, engine_allocator, errors, function_registration};

pub(crate) struct Database {
    handle: ffi::duckdb_database,
    /// Ended before the instance is closed.
    worker_threads: Option<WorkerThreads>,
    interrupters: Arc<Interrupters>,
    parameter_values: Arc<ParameterValues>,
    database_names: Arc<DatabaseNames>,
    definitions: Arc<DefinitionClock>,
    commit_memory: Arc<CommitMemory>,
}

// SAFETY: the C interface allows a database handle to be used from any thread; connections are made
// through it and each is used by one thread at a time.
unsafe impl Send for Database {}
// SAFETY: as above; `duckdb_connect` takes the instance's own locks.
unsafe impl Sync for Database {}

impl Database {
    pub(crate) fn open(settings: &EngineSettings) -> Result<Self, EngineError> {
        let threads = settings.threads.map_or_else(cores, |threads| threads as usize);
        let config = Config::for_settings(settings, threads)?;
        let mut handle = ptr::null_mut();
        let mut error = ptr::null_mut();
        // SAFETY: all pointers are valid for the call; `error` is freed below.
        let state = unsafe { ffi::duckdb_open_ext(c":memory:".as_ptr(), &mut handle, config.0, &mut error) };
        if state != ffi::DuckDBSuccess {
            return Err(take_error(error));
        }
        // SAFETY: the instance is closed in `drop`, after the worker threads have ended.
        let worker_threads = unsafe { WorkerThreads::start(handle, threads.saturating_sub(1)) };
        let database = Self {
            handle,
            worker_threads: Some(worker_threads),
            interrupters: Arc::default(),
            parameter_values: Arc::default(),
            database_names: Arc::default(),
            definitions: Arc::default(),
            commit_memory: Arc::default(),
        };
        let memory_limit_bytes = function_registration::register(&database.connect()?)?;
        if engine_allocator::is_in_place() {
            engine_memory::set_limit(memory_limit_bytes, settings.memory_limit_bytes.is_some());
            database.commit_memory.open(database.handle, memory_limit_bytes)?;
        }
        if !deferred_truncation::is_in_place() {
            tracing::debug!("a log that cannot be truncated ends the process");
        }
        database.confine(settings)?;
        Ok(database)
    }

    pub(crate) fn connect(&self) -> Result<Connection, EngineError> {
        let mut handle = ptr::null_mut();
        // SAFETY: the database is open; on success the connection owns the handle.
        let state = unsafe { ffi::duckdb_connect(self.handle, &mut handle) };
        if state != ffi::DuckDBSuccess {
            return Err(EngineError::Internal("the engine gave no connection".to_owned()));
        }
        let (interrupters, values) = (self.interrupters.clone(), self.parameter_values.clone());
        let (names, definitions) = (self.database_names.clone(), self.definitions.clone());
        let commit_memory = self.commit_memory.clone();
        let connection = Connection::from_handle(handle, interrupters, values, names, definitions, commit_memory);
        // The engine has no estimate of a query's progress without, and prints it by itself.
        connection.execute("SET enable_progress_bar_print = false")?;
        connection.execute("SET enable_progress_bar = true")?;
        Ok(connection)
    }

    pub(crate) fn definitions(&self) -> &Arc<DefinitionClock> {
        &self.definitions
    }

    pub(crate) fn worker_threads(&self) -> Option<&WorkerThreads> {
        self.worker_threads.as_ref()
    }

    /// The allowed folders can only be named on a running instance, and only while external access is
    /// still on; once it is off neither can be changed again.
    fn confine(&self, settings: &EngineSettings) -> Result<(), EngineError> {
        let connection = self.connect()?;
        let folders = [&settings.data_dir, &settings.stage_dir, &settings.temp_dir];
        let folders: Vec<String> = folders.iter().map(|folder| folder_literal(folder)).collect::<Result<_, _>>()?;
        let folders = format!("[{}]", folders.join(", "));
        connection.execute(&format!("SET GLOBAL allowed_directories = {folders}"))?;
        connection.execute("SET GLOBAL enable_external_access = false")?;
        // A database that is detached would be checkpointed, and fail to be dropped on a full disk. A server that stops
        // checkpoints by itself.
        connection.execute("PRAGMA disable_checkpoint_on_shutdown")?;
        Ok(())
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        self.worker_threads = None;
        self.commit_memory.close();
        // SAFETY: the handle came from `duckdb_open_ext` and is closed once.
        unsafe { ffi::duckdb_close(&mut self.handle) };
    }
}

struct Config(ffi::duckdb_config);

impl Config {
    fn for_settings(settings: &EngineSettings, threads: usize) -> Result<Self, EngineError> {
        let mut handle = ptr::null_mut();
        // SAFETY: the out-pointer is valid; the handle is destroyed on drop.
        let state = unsafe { ffi::duckdb_create_config(&mut handle) };
        let config = Self(handle);
        if state != ffi::DuckDBSuccess {
            return Err(EngineError::Internal("the engine gave no configuration".to_owned()));
        }
        config.set("autoinstall_known_extensions", "false")?;
        config.set("autoload_known_extensions", "false")?;
        config.set("allow_community_extensions", "false")?;
        config.set("allow_unsigned_extensions", "false")?;
        config.set("errors_as_json", "true")?;
        // Suggestions for a name that does not exist would list the objects of all databases (`database_names.rs`).
        config.set("catalog_error_max_schemas", "0")?;
        config.set("default_null_order", "nulls_last_on_asc_first_on_desc")?;
        config.set("order_by_non_integer_literal", "true")?;
        config.set("temp_directory", path_text(&settings.temp_dir)?)?;
        // All of them ours: the thread of the statement itself and the worker threads.
        config.set("threads", &threads.to_string())?;
        config.set("external_threads", &threads.to_string())?;
        if let Some(bytes) = settings.memory_limit_bytes {
            config.set("memory_limit", &format!("{bytes}B"))?;
        }
        Ok(config)
    }

    fn set(&self, name: &str, value: &str) -> Result<(), EngineError> {
        let refused = || EngineError::Internal(format!("the engine refuses the setting {name} = {value}"));
        let name = CString::new(name).map_err(|_| refused())?;
        let text = CString::new(value).map_err(|_| refused())?;
        // SAFETY: the configuration is alive and both strings end in NUL.
        let state = unsafe { ffi::duckdb_set_config(self.0, name.as_ptr(), text.as_ptr()) };
        if state == ffi::DuckDBSuccess { Ok(()) } else { Err(refused()) }
    }
}

impl Drop for Config {
    fn drop(&mut self) {
        // SAFETY: the handle came from `duckdb_create_config` and is destroyed once.
        unsafe { ffi::duckdb_destroy_config(&mut self.0) };
    }
}

fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

fn take_error(error: *mut std::ffi::c_char) -> EngineError {
    if error.is_null() {
        return EngineError::Internal("the engine did not start".to_owned());
    }
    // SAFETY: a non-null error is a C string of the engine's that is ours to free.
    let text = unsafe { CStr::from_ptr(error) }.to_string_lossy().into_owned();
    // SAFETY: as above, and it is not used again.
    unsafe { ffi::duckdb_free(error.cast()) };
    errors::translate(&text)
}

fn folder_literal(folder: &Path) -> Result<String, EngineError> {
    Ok(quote_literal(path_text(folder)?))
}

fn path_text(path: &Path) -> Result<&str, EngineError> {
    path.to_str().ok_or_else(|| {
        EngineError::Internal(format!("the folder {} is not valid UTF-8; choose another name", path.display()))
    })
}
