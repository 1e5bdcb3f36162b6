//! What the statements of one session work with: its connection, its temporary objects, its locks, and the relations of
//! staged files that the statement at work has opened. It runs no statement itself.

use std::cell::RefCell;
use std::collections::HashSet;
use std::sync::Arc;

use firn_binder::OutputColumn;
use firn_duckdb_lower::STAGED_DATABASE;
use firn_duckdb_lower::dialect::{self, RewriteContext, Visibility};
use firn_duckdb_lower::information_schema;
use firn_duckdb_lower::temporary::{TemporaryTables, engine_identifier};
use firn_engine::{
    DefinitionChange, EngineError, ExecutionContext, FormatDescription, IncomingFile, ObjectDescription,
    StageDescription, Waited,
};
use firn_sql::command::{Command, DataType};
use firn_sql::names::quote_identifier;
use firn_sql::permanent_names::permanent_name;
use firn_sql::stages::StageName;
use firn_sql::{Failure, ObjectName, ast, print};

use super::describe::{self, Lookup};
use super::locks::{HeldLocks, LockMode};
use super::pool::PooledConnection;
use super::session::temporary_aside::SetAside;
use super::session::temporary_homes::TemporaryHomes;
use super::shared::Shared;
use super::side_tables::StoredObject;
use super::staging;
use super::staging::{TemporaryFormats, TemporaryStages};
use super::statement_outcomes::{self, StoredOutcome};
use super::{database_names, databases};

/// How often a command with a write-write conflict is tried before the conflict is reported.
const CONFLICT_TRIES: u32 = 5;

pub(crate) struct SessionState {
    pub(crate) connection: PooledConnection,
    pub(crate) shared: Arc<Shared>,
    pub(crate) temporary: TemporaryTables,
    pub(crate) temporary_stages: TemporaryStages,
    pub(crate) temporary_formats: TemporaryFormats,
    /// By procedures with the rights of other roles that run; the innermost is the last.
    pub(crate) set_aside: Vec<SetAside>,
    /// The schemas that temporary objects are in.
    pub(crate) homes: TemporaryHomes,
    held: HeldLocks,
    transaction_is_open: bool,
    /// As `DatabaseNames::renames`, when the open transaction began.
    renames_at_begin: u64,
    /// As `DefinitionClock::now`, when the open transaction began.
    definitions_at_begin: u64,
    /// The databases whose state the open transaction has fixed.
    fixed: RefCell<HashSet<String>>,
    /// The change that was just committed, until all is done that belongs to it.
    pub(crate) definition_change: Option<DefinitionChange>,
    /// Relations of staged files that the statement at work has opened, and how many there ever were.
    staged: Vec<ObjectName>,
    staged_count: u64,
    /// Files that were fetched for the statement at work from storage outside.
    fetched: Vec<IncomingFile>,
}

/// What one location of staged files is opened as.
pub(crate) struct StagedNames {
    pub(crate) rows: ObjectName,
    pub(crate) files: ObjectName,
}

/// A query as DuckDB's SQL.
pub(crate) struct Lowered {
    pub(crate) sql: String,
    /// Its result columns, or none where they are not known before it runs.
    pub(crate) columns: Arc<[OutputColumn]>,
}

impl SessionState {
    pub(crate) fn new(connection: PooledConnection, shared: Arc<Shared>) -> Self {
        let held = HeldLocks::none(&shared.locks);
        Self {
            connection,
            shared,
            temporary: TemporaryTables::default(),
            temporary_stages: TemporaryStages::default(),
            temporary_formats: TemporaryFormats::default(),
            set_aside: Vec::new(),
            homes: TemporaryHomes::default(),
            held,
            transaction_is_open: false,
            renames_at_begin: 0,
            definitions_at_begin: 0,
            fixed: RefCell::default(),
            definition_change: None,
            staged: Vec::new(),
            staged_count: 0,
            fetched: Vec::new(),
        }
    }

    pub(crate) fn lower(&self, query: &ast::Query, context: &ExecutionContext) -> Result<Lowered, EngineError> {
        let interrupter = self.connection.stop_signal();
        let _lowering = interrupter.lower();
        let mut query = query.clone();
        let bound = dialect::rewrite(&mut query, &self.rewrite_context(context))?;
        if interrupter.is_requested() {
            return Err(EngineError::Interrupted);
        }
        let columns = bound.columns.clone().unwrap_or_default();
        Ok(Lowered { sql: print::into_sql(query), columns })
    }

    pub(crate) fn rewrite_context<'session>(
        &'session self,
        context: &'session ExecutionContext,
    ) -> RewriteContext<'session> {
        RewriteContext {
            temporary: &self.temporary,
            visibility: Visibility::of(context),
            account_rows: &context.account_rows,
            views_of_owners: &context.views_of_owners,
            lookup: self,
            formats: &context.formats,
            weeks: context.weeks,
            inputs: &context.inputs,
            repeated_matches: context.repeated_matches,
            integers: context.integers,
        }
    }

    /// A description as the open transaction has it. A transaction that is older than the last change of the object, or of who
    /// may see what of it, is not continued: the change counts for all statements that begin after it.
    fn find_in_transaction(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        self.fix(name.database())?;
        let known = self.shared.catalog.known(name);
        if let Some(known) = known.filter(|_| self.shared.definitions.is_unchanged_since(self.definitions_at_begin)) {
            return Ok(known);
        }
        let current = self.shared.catalog.object(&*self.connection.another()?, name)?;
        let own = describe::read_object(&self.connection, name)?.map(|object| object.described());
        match is_same(current.as_deref(), own.as_ref()) {
            true => Ok(current),
            false => Err(EngineError::Conflict(format!(
                "{name} was changed since the transaction began; repeat the transaction"
            ))),
        }
    }

    /// The engine fixes the state of a database for a transaction when the transaction first reads it.
    fn fix(&self, database: &str) -> Result<(), EngineError> {
        if !self.fixed.borrow().contains(database) {
            databases::check(&self.connection, database)?;
            self.fixed.borrow_mut().insert(database.to_owned());
        }
        Ok(())
    }

    pub(crate) fn lock(&mut self, wanted: Vec<(ObjectName, LockMode)>) -> Result<Waited, EngineError> {
        let connection = &self.connection;
        self.held.acquire(wanted, || connection.was_interrupted())
    }

    pub(crate) fn lock_names(&mut self, names: Vec<ObjectName>) -> Result<(), EngineError> {
        self.lock(names.into_iter().map(|name| (name, LockMode::Exclusive)).collect()).map(drop)
    }

    /// Outside a transaction, locks end with the statement.
    pub(crate) fn release_after_statement(&mut self) {
        if !self.transaction_is_open {
            self.held.release();
        }
    }

    pub(crate) fn held(&self) -> &HeldLocks {
        &self.held
    }

    /// In a transaction, a name stays that of the database it was used for, and others change: after a SWAP both could be of one.
    pub(crate) fn check_names(&self, command: &Command) -> Result<(), EngineError> {
        let is_renamed =
            self.transaction_is_open && self.renames_at_begin != self.connection.database_names().renames();
        match is_renamed && !matches!(command, Command::Transaction(_)) {
            true => Err(database_names::changed()),
            false => Ok(()),
        }
    }

    pub(crate) fn transaction_is_open(&self) -> bool {
        self.transaction_is_open
    }

    pub(crate) fn begin_transaction(&mut self) -> Result<(), EngineError> {
        self.renames_at_begin = self.connection.database_names().renames();
        self.definitions_at_begin = self.shared.definitions.now();
        self.fixed.borrow_mut().clear();
        self.connection.begin_transaction()?;
        self.transaction_is_open = true;
        Ok(())
    }

    /// Even if the engine fails, the transaction is over afterwards and its locks are released.
    pub(crate) fn end_transaction(&mut self, how: &str) -> Result<(), EngineError> {
        let ended = self.connection.end_transaction(how);
        self.transaction_is_open = false;
        self.held.release();
        ended
    }

    /// Records the outcome of a change of a table with it. A temporary table does not outlive a crash.
    pub(crate) fn record_outcome(
        &self,
        table: &ObjectName,
        context: &ExecutionContext,
        outcome: impl FnOnce() -> StoredOutcome,
    ) -> Result<(), EngineError> {
        if self.temporary.contains(table) {
            return Ok(());
        }
        statement_outcomes::record(&self.connection, &self.shared, table.database(), context, outcome)
    }

    pub(crate) fn with_retries<T>(
        &mut self,
        mut attempt: impl FnMut(&mut Self) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        for _ in 1..CONFLICT_TRIES {
            match attempt(self) {
                Err(EngineError::Conflict(_)) => std::thread::yield_now(),
                outcome => return outcome,
            }
        }
        attempt(self)
    }

    pub(crate) fn stage(&self, name: &ObjectName) -> Result<Option<StageDescription>, EngineError> {
        if let Some(stage) = self.temporary_stages.describe(name)? {
            return Ok(Some(stage));
        }
        if self.shared.has_database(name.database()) { staging::stage(&self.connection, name) } else { Ok(None) }
    }

    pub(crate) fn file_format(&self, name: &ObjectName) -> Result<Option<FormatDescription>, EngineError> {
        if let Some(format) = self.temporary_formats.describe(name)? {
            return Ok(Some(format));
        }
        if self.shared.has_database(name.database()) { staging::file_format(&self.connection, name) } else { Ok(None) }
    }

    /// The folder of a stage's files; temporary stages and tables come first.
    pub(crate) fn folder_of(&self, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError> {
        if let Some(id) = self.temporary_table(stage) {
            return Ok(self.temporary_stages.folder_of_table(id));
        }
        match self.temporary_stages.folder(stage) {
            Some(folder) => Ok(Some(folder)),
            None => staging::folder(&self.connection, stage, user_id),
        }
    }

    pub(crate) fn folder_for_writing(&self, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError> {
        if let Some(id) = self.temporary_table(stage) {
            let files = self.shared.stage_files();
            return Ok(Some(self.temporary_stages.folder_of_table_for_writing(id, files)));
        }
        match self.temporary_stages.folder(stage) {
            Some(folder) => Ok(Some(folder)),
            None => staging::folder_for_writing(&self.connection, stage, user_id),
        }
    }

    pub(crate) fn has_nothing_temporary(&self) -> bool {
        self.temporary.is_empty()
            && self.set_aside.is_empty()
            && self.temporary_stages.names().next().is_none()
            && self.temporary_formats.names().next().is_none()
    }

    /// The identity of the temporary table whose stage is meant.
    fn temporary_table(&self, stage: &StageName) -> Option<i64> {
        match stage {
            StageName::Table(name) => self.temporary.description(name).map(|table| table.id),
            _ => None,
        }
    }

    /// The files of an external stage can only be accessed by statements.
    pub(crate) fn refuse_outside(&self, stage: &StageName) -> Result<(), EngineError> {
        match stage {
            StageName::Named(name) if self.stage(name)?.is_some_and(|stage| stage.definition.external.is_some()) => {
                Err(Failure::unsupported("files of an external stage by themselves; ask its storage for them").into())
            }
            _ => Ok(()),
        }
    }

    /// The names of a table of staged rows and of a view over it. The next statement drops both, whether they came into being
    /// or not.
    pub(crate) fn name_staged(&mut self) -> StagedNames {
        self.staged_count += 1;
        let number = self.staged_count.to_string();
        let [rows, files] = ["rows", "files"].map(|schema| ObjectName::qualified(STAGED_DATABASE, schema, &number));
        self.staged.extend([rows.clone(), files.clone()]);
        StagedNames { rows, files }
    }

    /// Makes a relation of staged files known until the next statement.
    pub(crate) fn record_staged(&mut self, stored: &StoredObject) {
        self.temporary.record(stored.clone());
    }

    /// Retains fetched files until the next statement.
    pub(crate) fn retain_fetched(&mut self, files: Vec<IncomingFile>) {
        self.fetched.extend(files);
    }

    /// Drops the relations of staged files that the statement before has opened.
    pub(crate) fn close_staged(&mut self) -> Result<(), EngineError> {
        for name in std::mem::take(&mut self.staged).into_iter().rev() {
            let kind = if name.schema() == "files" { "VIEW" } else { "TABLE" };
            let relation = quote_identifier(&engine_identifier(&name));
            self.connection.execute(&format!("DROP {kind} IF EXISTS temp.main.{relation}"))?;
            self.temporary.forget(&name);
        }
        self.fetched.clear();
        Ok(())
    }
}

/// Whether two descriptions are of one object, with the same columns, owner and policies.
fn is_same(left: Option<&ObjectDescription>, right: Option<&ObjectDescription>) -> bool {
    let (left, right) = match (left, right) {
        (Some(left), Some(right)) => (left, right),
        (None, None) => return true,
        _ => return false,
    };
    let columns = |object: &ObjectDescription| -> Vec<(String, DataType)> {
        object.columns.iter().map(|column| (column.name.clone(), column.data_type.clone())).collect()
    };
    left.id == right.id
        && left.owner == right.owner
        && left.view_query == right.view_query
        && left.options == right.options
        && columns(left) == columns(right)
}

impl SessionState {
    pub(crate) fn find_permanent(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        if let Some(view) = information_schema::describe(name)? {
            return Ok(Some(view));
        }
        if !self.shared.has_database(name.database()) {
            return Ok(None);
        }
        match self.transaction_is_open {
            true => self.find_in_transaction(name),
            false => self.shared.catalog.object(&self.connection, name),
        }
    }
}

impl Lookup for SessionState {
    /// A table, view or sequence; temporary tables hide permanent ones.
    fn find(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        match (permanent_name(name), self.temporary.description(name)) {
            (Some(name), _) => self.find_permanent(&name),
            (None, Some(description)) => Ok(Some(description)),
            (None, None) => self.find_permanent(name),
        }
    }

    fn find_view(&self, name: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
        self.connection.find_view(permanent_name(name).as_ref().unwrap_or(name))
    }
}

impl Drop for SessionState {
    fn drop(&mut self) {
        while !self.set_aside.is_empty() {
            self.take_temporary_back();
        }
        for folder in self.temporary_stages.end() {
            self.shared.abandon_folder(&folder);
        }
        let rolled_back = !self.transaction_is_open || self.connection.end_transaction("ROLLBACK").is_ok();
        if !rolled_back || !self.temporary.is_empty() {
            self.connection.retire();
        }
    }
}
