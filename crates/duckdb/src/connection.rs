//! One connection to the instance: runs one statement at a time, and can be stopped from outside.

use std::cell::{Cell, RefCell};
use std::ffi::{CStr, CString, c_char};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Arc;

use firn_duckdb_lower::dialect;
use firn_engine::{DefinitionClock, EngineError, Interrupt, ProfiledStep};
use firn_sql::Failure;
use firn_sql::names::quote_identifier;
use libduckdb_sys as ffi;

use super::commit_memory::CommitMemory;
use super::database_names::{DatabaseNames, NameChange, lists_all_databases};
use super::engine_memory::{self, Committing, Watched};
use super::errors;
use super::interrupter::{Interrupter, Interrupters};
use super::template_parameters::{ParameterValue, ParameterValues};

pub(crate) const COMMIT: &str = "COMMIT";

/// What a connection measures.
#[derive(Default)]
pub(crate) enum Profiling {
    #[default]
    Off,
    On,
    /// The statement of a change has run; what it consists of besides does not matter.
    Noted(Vec<ProfiledStep>),
}

pub(crate) struct Connection {
    handle: ffi::duckdb_connection,
    /// The engine's number for the connection, under which `interrupters` knows it.
    id: u64,
    interrupter: Arc<Interrupter>,
    interrupters: Arc<Interrupters>,
    parameter_values: Arc<ParameterValues>,
    database_names: Arc<DatabaseNames>,
    /// The age of the names when the open transaction began.
    names_in_transaction: Cell<Option<u64>>,
    /// Whether the engine may have an open transaction, also after a BEGIN, COMMIT or ROLLBACK that failed.
    may_be_in_transaction: Cell<bool>,
    /// Whether a transaction that is committed now has the change of the session's statement.
    commits_statement: Cell<bool>,
    definitions: Arc<DefinitionClock>,
    commit_memory: Arc<CommitMemory>,
    /// When the next statement was authorised.
    authorised_at: Cell<Option<u64>>,
    pub(super) profiling: RefCell<Profiling>,
}

// SAFETY: a connection may move between threads; it is not `Sync`, so one thread uses it at a time.
unsafe impl Send for Connection {}

impl Connection {
    /// Takes ownership of a handle fresh from `duckdb_connect`.
    pub(super) fn from_handle(
        handle: ffi::duckdb_connection,
        interrupters: Arc<Interrupters>,
        parameter_values: Arc<ParameterValues>,
        database_names: Arc<DatabaseNames>,
        definitions: Arc<DefinitionClock>,
        commit_memory: Arc<CommitMemory>,
    ) -> Self {
        let interrupter = Arc::new(Interrupter::new(handle));
        let id = connection_id(handle);
        interrupters.put(id, interrupter.clone());
        Self {
            handle,
            id,
            interrupter,
            interrupters,
            parameter_values,
            database_names,
            names_in_transaction: Cell::new(None),
            may_be_in_transaction: Cell::new(false),
            commits_statement: Cell::new(false),
            definitions,
            commit_memory,
            authorised_at: Cell::new(None),
            profiling: RefCell::default(),
        }
    }

    /// Runs one statement to its end and returns the number of rows it changed.
    pub(crate) fn execute(&self, sql: &str) -> Result<u64, EngineError> {
        let mut result = self.start(sql, Delivery::Whole)?;
        // SAFETY: the result is alive.
        Ok(unsafe { ffi::duckdb_rows_changed(result.raw()) })
    }

    pub(crate) fn begin_transaction(&self) -> Result<(), EngineError> {
        self.interrupter.lower_shield();
        let age = self.database_names.age();
        self.may_be_in_transaction.set(true);
        if let Err(error) = self.execute("BEGIN TRANSACTION") {
            // The transaction has begun if the engine had no memory for the result of the statement.
            let _ = self.end_transaction("ROLLBACK");
            return Err(error);
        }
        self.names_in_transaction.set(Some(age));
        Ok(())
    }

    /// If the engine fails, the connection is not reused for other sessions. What has begun to commit is not interrupted any
    /// more: the engine would report an interruption of what it has committed.
    pub(crate) fn end_transaction(&self, how: &str) -> Result<(), EngineError> {
        let begun = if how == COMMIT { self.interrupter.shield() } else { Ok(()) };
        let ended = begun.and_then(|()| self.start(how, Delivery::Committed));
        if ended.is_err() || !self.commits_statement.get() {
            self.interrupter.lower_shield();
        }
        self.names_in_transaction.set(None);
        if ended.is_ok() {
            self.may_be_in_transaction.set(false);
        }
        ended.map(drop)
    }

    /// Before a statement that may be interrupted.
    pub(crate) fn begin_statement(&self) {
        self.commits_statement.set(false);
        self.interrupter.lower_shield();
    }

    /// From now on a transaction that is committed is the statement's own: what follows its commit is not interrupted.
    pub(crate) fn begin_change(&self) {
        self.commits_statement.set(true);
    }

    /// The statement's change is committed, or was not made.
    pub(crate) fn end_change(&self, is_committed: bool) {
        self.commits_statement.set(false);
        match is_committed {
            true => self.interrupter.shield_committed(),
            false => self.interrupter.lower_shield(),
        }
    }

    pub(crate) fn may_be_in_transaction(&self) -> bool {
        self.may_be_in_transaction.get()
    }

    pub(crate) fn checkpoint(&self, database: &str) -> Result<(), EngineError> {
        self.start(&format!("CHECKPOINT {}", quote_identifier(database)), Delivery::Committed).map(drop)
    }

    fn is_in_transaction(&self) -> bool {
        self.names_in_transaction.get().is_some()
    }

    /// Attaches a database under another name. Statements that use it go on.
    pub(crate) fn rename_database(&self, _change: &NameChange<'_>, from: &str, to: &str) -> Result<(), EngineError> {
        let sql = format!("ALTER DATABASE {} SET ALIAS TO {}", quote_identifier(from), quote_identifier(to));
        let prepared = self.bind(&text(&sql)?)?;
        self.finish(&self.begin(&prepared, Delivery::Whole)?, Delivery::Whole).map(drop)
    }

    pub(crate) fn database_names(&self) -> &DatabaseNames {
        &self.database_names
    }

    pub(super) fn raw(&self) -> ffi::duckdb_connection {
        self.handle
    }

    pub(super) fn interrupters(&self) -> &Arc<Interrupters> {
        &self.interrupters
    }

    pub(super) fn parameter_values(&self) -> &Arc<ParameterValues> {
        &self.parameter_values
    }

    pub(crate) fn interrupter(&self) -> Arc<dyn Interrupt> {
        self.interrupter.clone()
    }

    /// Lets work outside the engine notice that the statement is interrupted.
    pub(super) fn stop_signal(&self) -> Arc<Interrupter> {
        self.interrupter.clone()
    }

    /// Detaches the current interrupter and its pending interruption, and makes a new one.
    pub(super) fn renew_interrupter(&mut self) {
        self.interrupter.detach();
        self.interrupter = Arc::new(Interrupter::new(self.handle));
        self.interrupters.put(self.id, self.interrupter.clone());
    }

    /// While the engine works on a query, which has nothing to commit.
    pub(super) fn watch_query(&self) -> Watched<'_> {
        self.interrupter.run_query()
    }

    pub(super) fn was_interrupted(&self) -> bool {
        self.interrupter.is_requested()
    }

    /// Translates an error message of the engine; every error of an interrupted connection is an interruption.
    pub(super) fn failure(&self, text: *const c_char) -> EngineError {
        if self.was_interrupted() {
            return EngineError::Interrupted;
        }
        if text.is_null() && engine_memory::was_refused() {
            return EngineError::Failed(errors::out_of_memory());
        }
        if text.is_null() {
            return EngineError::Internal("the engine failed and did not say why".to_owned());
        }
        // SAFETY: a non-null text is a C string that lives as long as the object that failed, which
        // the caller still holds.
        errors::translate(&unsafe { CStr::from_ptr(text) }.to_string_lossy())
    }

    /// Makes the engine close the last statement and release its memory and its transaction.
    pub(super) fn close_abandoned_statement(&self) {
        let _ = self.prepare(c"SELECT 1");
    }

    pub(super) fn start(&self, sql: &str, delivery: Delivery) -> Result<ResultHandle, EngineError> {
        self.run(&self.plan(sql)?, delivery)
    }

    /// Plans a statement that may rely on what its authorisation has seen, as those that are planned meanwhile may not.
    fn plan(&self, sql: &str) -> Result<Prepared, EngineError> {
        let authorised_at = self.authorised_at.take();
        let prepared = self.prepare(&text(sql)?)?;
        self.authorised_at.set(authorised_at);
        Ok(prepared)
    }

    /// Plans a query that is not run.
    pub(super) fn plan_to_describe(&self, sql: &str) -> Result<Prepared, EngineError> {
        let prepared = self.plan(sql)?;
        if self.is_outdated() { Err(EngineError::Outdated) } else { Ok(prepared) }
    }

    /// Runs a prepared statement with the values of its parameters.
    pub(super) fn run_with_values(
        &self,
        prepared: &Prepared,
        values: Vec<ParameterValue>,
        delivery: Delivery,
    ) -> Result<ResultHandle, EngineError> {
        self.parameter_values.put(self.id, values);
        self.run(prepared, delivery)
    }

    /// The next statement fails if definitions have changed since then when it is bound. A transaction that it begins, or is
    /// part of, has the databases that it reads as they are then.
    pub(crate) fn expect_unchanged_since(&self, authorised_at: Option<u64>) {
        self.authorised_at.set(authorised_at);
    }

    fn is_outdated(&self) -> bool {
        self.authorised_at.take().is_some_and(|then| !self.definitions.is_unchanged_since(then))
    }

    fn run(&self, prepared: &Prepared, delivery: Delivery) -> Result<ResultHandle, EngineError> {
        let _committing = self.commits(delivery).then(Committing::begin);
        let _reserved = (delivery == Delivery::Committed).then(|| self.commit_memory.reserve());
        // The engine binds a statement again here if the catalog has changed.
        let binding = self.database_names.bind();
        if !prepared.lists_all_databases {
            let pending = self.begin(prepared, delivery)?;
            drop(binding);
            if self.is_outdated() {
                // The engine's threads have begun already, and closing the statement waits for them.
                // SAFETY: the connection is open.
                unsafe { ffi::duckdb_interrupt(self.handle) };
                drop(pending);
                self.close_abandoned_statement();
                return Err(EngineError::Outdated);
            }
            return self.finish(&pending, delivery);
        }
        if let Some(age) = self.names_in_transaction.get() {
            self.database_names.check_unchanged_since(age)?;
        }
        self.finish(&self.begin(prepared, Delivery::Whole)?, Delivery::Whole)
    }

    fn commits(&self, delivery: Delivery) -> bool {
        match delivery {
            Delivery::Streamed => false,
            Delivery::Committed => true,
            Delivery::Whole => !self.is_in_transaction(),
        }
    }

    fn finish(&self, pending: &Pending<'_>, delivery: Delivery) -> Result<ResultHandle, EngineError> {
        // The engine forgets earlier interruptions when a statement begins, so one that came before
        // has to be honoured here, and repeated for the engine's threads that have begun already.
        if self.was_interrupted() {
            // SAFETY: the connection is open.
            unsafe { ffi::duckdb_interrupt(self.handle) };
            return Err(EngineError::Interrupted);
        }
        let mut result = ResultHandle(unset_result());
        let watched = match delivery {
            Delivery::Streamed => self.watch_query(),
            Delivery::Committed => engine_memory::watch_commit(),
            Delivery::Whole if self.is_in_transaction() => engine_memory::watch_change(),
            Delivery::Whole => engine_memory::watch_autocommit(),
        };
        let uncommitted = (!self.commits(delivery)).then(|| self.interrupter.run_uncommitted());
        // SAFETY: the pending result is alive; the result is destroyed on drop, also after a failure.
        let state = unsafe { ffi::duckdb_execute_pending(pending.handle, result.raw()) };
        let may_have_ended = uncommitted.is_some() && self.was_interrupted();
        drop(uncommitted);
        drop(watched);
        match state {
            // The interrupter may have reported the statement as ended already.
            ffi::DuckDBSuccess if may_have_ended => return Err(EngineError::Interrupted),
            ffi::DuckDBSuccess => {}
            _ => return Err(self.failure(result.error())),
        }
        Ok(result)
    }

    pub(super) fn prepare(&self, sql: &CStr) -> Result<Prepared, EngineError> {
        self.prepare_as_it_is(sql).map_err(|error| match errors::blames_arguments(&error) {
            true => self.unknown_name_in(sql).unwrap_or(error),
            false => error,
        })
    }

    /// The unknown column behind an error about the arguments of a macro.
    fn unknown_name_in(&self, sql: &CStr) -> Option<EngineError> {
        let loose = CString::new(dialect::without_macros(&sql.to_string_lossy())?).ok()?;
        self.prepare_as_it_is(&loose).err().filter(errors::blames_name)
    }

    fn prepare_as_it_is(&self, sql: &CStr) -> Result<Prepared, EngineError> {
        let _binding = self.database_names.bind();
        self.bind(sql)
    }

    fn bind(&self, sql: &CStr) -> Result<Prepared, EngineError> {
        let lists_all_databases = lists_all_databases(&sql.to_string_lossy());
        let mut prepared = Prepared { handle: ptr::null_mut(), lists_all_databases };
        let planning = self.interrupter.plan();
        // SAFETY: the connection is open, the text ends in NUL, the statement is destroyed on drop.
        let state = unsafe { ffi::duckdb_prepare(self.handle, sql.as_ptr(), &mut prepared.handle) };
        drop(planning);
        // The interrupter may have reported the statement as ended already.
        if self.was_interrupted() {
            return Err(EngineError::Interrupted);
        }
        if state != ffi::DuckDBSuccess {
            // SAFETY: a failed statement still carries its error.
            let error = self.failure(unsafe { ffi::duckdb_prepare_error(prepared.handle) });
            return Err(errors::while_planning(error, &sql.to_string_lossy()));
        }
        Ok(prepared)
    }

    fn begin<'prepared>(
        &self,
        prepared: &'prepared Prepared,
        delivery: Delivery,
    ) -> Result<Pending<'prepared>, EngineError> {
        let mut pending = Pending { handle: ptr::null_mut(), prepared: PhantomData };
        let watched = match delivery {
            Delivery::Committed => engine_memory::watch_commit(),
            Delivery::Whole | Delivery::Streamed => self.watch_query(),
        };
        // SAFETY: the prepared statement is alive; the pending result is destroyed on drop.
        let state = unsafe {
            match delivery {
                Delivery::Whole | Delivery::Committed => {
                    ffi::duckdb_pending_prepared(prepared.handle, &mut pending.handle)
                }
                Delivery::Streamed => ffi::duckdb_pending_prepared_streaming(prepared.handle, &mut pending.handle),
            }
        };
        drop(watched);
        if state != ffi::DuckDBSuccess {
            // SAFETY: a failed pending result still carries its error.
            return Err(self.failure(unsafe { ffi::duckdb_pending_error(pending.handle) }));
        }
        Ok(pending)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.interrupter.detach();
        self.interrupters.remove(self.id);
        self.parameter_values.remove(self.id);
        // SAFETY: the handle is closed once, and no interrupter uses it any more.
        unsafe { ffi::duckdb_disconnect(&mut self.handle) };
    }
}

/// Whether a result is handed out when it is whole, or chunk by chunk while the statement runs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Delivery {
    Whole,
    /// Of a statement that does nothing but end a transaction or checkpoint.
    Committed,
    Streamed,
}

/// A planned statement. It must not outlive its connection.
pub(super) struct Prepared {
    handle: ffi::duckdb_prepared_statement,
    lists_all_databases: bool,
}

// SAFETY: a statement belongs to its connection, which may move between threads.
unsafe impl Send for Prepared {}

impl Prepared {
    pub(super) fn raw(&self) -> ffi::duckdb_prepared_statement {
        self.handle
    }
}

impl Drop for Prepared {
    fn drop(&mut self) {
        // SAFETY: destroyed once; a null handle is allowed.
        unsafe { ffi::duckdb_destroy_prepare(&mut self.handle) };
    }
}

struct Pending<'prepared> {
    handle: ffi::duckdb_pending_result,
    prepared: PhantomData<&'prepared Prepared>,
}

impl Drop for Pending<'_> {
    fn drop(&mut self) {
        // SAFETY: destroyed once; a null handle is allowed.
        unsafe { ffi::duckdb_destroy_pending(&mut self.handle) };
    }
}

/// An executed statement's result, destroyed on drop.
pub(super) struct ResultHandle(ffi::duckdb_result);

// SAFETY: a result belongs to its connection, which may move between threads.
unsafe impl Send for ResultHandle {}

impl ResultHandle {
    pub(super) fn raw(&mut self) -> *mut ffi::duckdb_result {
        &mut self.0
    }

    pub(super) fn error(&mut self) -> *const c_char {
        // SAFETY: the result is alive; a null answer means no error.
        unsafe { ffi::duckdb_result_error(&mut self.0) }
    }

    pub(super) fn fetch(&mut self) -> ffi::duckdb_data_chunk {
        // SAFETY: the result is alive; the caller owns the chunk.
        unsafe { ffi::duckdb_fetch_chunk(self.0) }
    }
}

impl Drop for ResultHandle {
    fn drop(&mut self) {
        // SAFETY: destroyed once; an unset result is allowed.
        unsafe { ffi::duckdb_destroy_result(&mut self.0) };
    }
}

fn text(sql: &str) -> Result<CString, EngineError> {
    Ok(CString::new(sql).map_err(|_| {
        Failure::new("001003", "42000", "SQL compilation error:\nthe statement contains a NUL character.")
    })?)
}

fn unset_result() -> ffi::duckdb_result {
    ffi::duckdb_result {
        deprecated_column_count: 0,
        deprecated_row_count: 0,
        deprecated_rows_changed: 0,
        deprecated_columns: ptr::null_mut(),
        deprecated_error_message: ptr::null_mut(),
        internal_data: ptr::null_mut(),
    }
}

fn connection_id(handle: ffi::duckdb_connection) -> u64 {
    let mut context = ptr::null_mut();
    // SAFETY: the connection is open; the context is destroyed here.
    unsafe {
        ffi::duckdb_connection_get_client_context(handle, &mut context);
        let id = ffi::duckdb_client_context_get_connection_id(context);
        ffi::duckdb_destroy_client_context(&mut context);
        id
    }
}
