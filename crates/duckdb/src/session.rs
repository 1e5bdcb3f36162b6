//! A session on one connection: queries, DML, DDL and transactions. A table that is written to is
//! locked first, and outside a transaction every command commits by itself.

mod lowered;
mod outside_files;
mod staged;
mod transactions;

use std::sync::Arc;

use firn_engine::{
    DmlCounts, DroppedObject, EngineError, ExecutionContext, FormatDescription, IncomingFile, Interrupt,
    ObjectDescription, Outcome, PlanStep, PreparedTemplate, RoutineDescription, SchemaDescription, Session,
    StageDescription,
};
use firn_sql::command::{Ddl, Dml, DmlKind, InsertMany};
use firn_sql::stages::StageName;
use firn_sql::template::TemplateValue;
use firn_sql::tree::Tree;
use firn_sql::{Command, Failure, ObjectName, ast};

use super::chunks::{ChunkStream, ResultColumn};
use super::connection::Connection;
use super::describe::{self, Lookup};
use super::dialect;
use super::encode::Rows;
use super::locks::{HeldLocks, LockMode};
use super::logical_type::LogicalType;
use super::pool::PooledConnection;
use super::shared::Shared;
use super::side_tables::StoredObject;
use super::staging::TemporaryStages;
use super::template_plans::{self, TemplatePlan};
use super::temporary::TemporaryTables;
use super::transaction_replay::{Change, TransactionReplay};
use super::{
    ddl, dml, drops, errors, explain, information_schema, insert_many, routines, staging, transaction, wide_columns,
};
pub(super) use lowered::Lowered;
use transactions::Health;

/// How often a command that met another writer is tried before the caller hears of it.
const CONFLICT_TRIES: u32 = 5;

pub(crate) struct DuckDbSession {
    pub(super) connection: PooledConnection,
    pub(super) shared: Arc<Shared>,
    pub(super) temporary: TemporaryTables,
    pub(super) temporary_stages: TemporaryStages,
    held: HeldLocks,
    transaction_is_open: bool,
    replay: TransactionReplay,
    health: Health,
    /// Relations of staged files that the statement at work has opened, and how many there ever were.
    staged: Vec<ObjectName>,
    staged_count: u64,
    /// Files that were fetched for the statement at work from storage outside.
    fetched: Vec<IncomingFile>,
}

impl DuckDbSession {
    pub(crate) fn new(connection: PooledConnection, shared: Arc<Shared>) -> Self {
        let held = HeldLocks::none(&shared.locks);
        Self {
            connection,
            shared,
            temporary: TemporaryTables::default(),
            temporary_stages: TemporaryStages::default(),
            held,
            transaction_is_open: false,
            replay: TransactionReplay::default(),
            health: Health::Sound,
            staged: Vec::new(),
            staged_count: 0,
            fetched: Vec::new(),
        }
    }

    fn query(&self, query: &ast::Query, context: &ExecutionContext) -> Result<Rows<'_>, EngineError> {
        let Lowered { sql, columns } = self.lower(query, context)?;
        let stream = self.connection.stream(&sql)?;
        refuse_whole_rows(&stream)?;
        Rows::new(stream, &columns, &context.formats)
    }

    fn dml(&mut self, command: &Dml, context: &ExecutionContext) -> Result<DmlCounts, EngineError> {
        let target = self.find(&command.target)?;
        let target = target.ok_or_else(|| Failure::missing_object("Table", &command.target.to_string()))?;
        let (target, widening) = wide_columns::of_target(&self.connection, target, &self.temporary, context.integers)?;
        let prepared = dml::prepare(command, &target, &self.rewrite_context(context))?.after(widening);
        if self.transaction_is_open {
            return self.dml_in_transaction(command, prepared, context);
        }
        let mode = if command.kind == DmlKind::Insert { LockMode::Shared } else { LockMode::Exclusive };
        self.lock(vec![(command.target.clone(), mode)])?;
        let counts = self.with_retries(|session| {
            let connection: &Connection = &session.connection;
            if prepared.needs_transaction() {
                transaction::within(connection, || dml::run(connection, command, &prepared))
            } else {
                dml::run(connection, command, &prepared)
            }
        });
        self.held.release();
        counts
    }

    fn insert_many(
        &mut self,
        command: &InsertMany,
        context: &ExecutionContext,
    ) -> Result<Vec<(ObjectName, u64)>, EngineError> {
        let in_transaction = self.transaction_is_open;
        let mode = if command.overwrite || in_transaction { LockMode::Exclusive } else { LockMode::Shared };
        self.lock(insert_many::targets(command).into_iter().map(|table| (table, mode)).collect())?;
        let counts = self.with_retries(|session| {
            ddl::with_work(session, context, in_transaction, |connection, work| {
                insert_many::run(connection, work, command)
            })
        });
        if !in_transaction {
            self.held.release();
            return counts;
        }
        self.note_health(if counts.is_ok() { Health::Sound } else { Health::Half });
        let counts = counts?;
        self.note_change(Change::Many { command: command.clone(), counts: counts.clone() }, context)?;
        Ok(counts)
    }

    fn ddl(&mut self, command: &Ddl, context: &ExecutionContext) -> Result<String, EngineError> {
        self.commit_before_ddl()?;
        let touched = ddl::touched(command);
        self.lock(touched.iter().map(|name| (name.clone(), LockMode::Exclusive)).collect())?;
        let done = self.with_retries(|session| ddl::run(session, command, context));
        self.held.release();
        if done.is_ok() {
            ddl::forget(&self.shared.catalog, command, &touched);
        }
        done
    }

    /// What defines things commits what was done before.
    pub(super) fn commit_before_ddl(&mut self) -> Result<(), EngineError> {
        if self.transaction_is_open { self.commit() } else { Ok(()) }
    }

    pub(super) fn lock_names(&mut self, names: Vec<ObjectName>) -> Result<(), EngineError> {
        self.lock(names.into_iter().map(|name| (name, LockMode::Exclusive)).collect())
    }

    pub(super) fn release_locks(&mut self) {
        self.held.release();
    }

    /// Waits for the right to add rows to a table, and to be the only one who loads files into it.
    pub(super) fn lock_for_loading(&mut self, table: &ObjectName, mark: &str) -> Result<(), EngineError> {
        let mode = if self.transaction_is_open { LockMode::Exclusive } else { LockMode::Shared };
        let loading = ObjectName { name: mark.to_owned(), ..table.clone() };
        self.lock(vec![(table.clone(), mode), (loading, LockMode::Exclusive)])
    }

    /// Outside a transaction, locks end with the statement.
    pub(super) fn release_after_statement(&mut self) {
        if !self.transaction_is_open {
            self.held.release();
        }
    }

    /// The folder of a stage's files; temporary stages come first.
    pub(super) fn folder_of(&self, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError> {
        match self.temporary_stages.folder(stage) {
            Some(folder) => Ok(Some(folder)),
            None => staging::folder(&self.connection, stage, user_id),
        }
    }

    pub(super) fn folder_for_writing(&self, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError> {
        match self.temporary_stages.folder(stage) {
            Some(folder) => Ok(Some(folder)),
            None => staging::folder_for_writing(&self.connection, stage, user_id),
        }
    }

    pub(super) fn transaction_is_open(&self) -> bool {
        self.transaction_is_open
    }

    fn lock(&mut self, wanted: Vec<(ObjectName, LockMode)>) -> Result<(), EngineError> {
        let connection = &self.connection;
        self.held.acquire(wanted, || connection.was_interrupted())
    }

    fn with_retries<T>(
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
}

impl Lookup for DuckDbSession {
    /// A table, view or sequence; temporary tables hide permanent ones.
    fn find(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        if let Some(description) = self.temporary.description(name) {
            return Ok(Some(description));
        }
        if let Some(view) = information_schema::describe(name)? {
            return Ok(Some(view));
        }
        if !self.shared.has_database(name.database()) {
            return Ok(None);
        }
        self.shared.catalog.object(&self.connection, name)
    }

    fn find_view(&self, name: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
        self.connection.find_view(name)
    }
}

impl Session for DuckDbSession {
    fn interrupter(&self) -> Arc<dyn Interrupt> {
        self.connection.interrupter()
    }

    fn reserve(&mut self, tables: &[ObjectName]) -> Result<(), EngineError> {
        self.lock(tables.iter().map(|name| (name.clone(), LockMode::Exclusive)).collect())
    }

    fn execute<'session>(
        &'session mut self,
        command: &Command,
        context: &ExecutionContext,
    ) -> Result<Outcome<'session>, EngineError> {
        self.connection.set_timezone(&context.timezone)?;
        self.connection.set_caller(&context.user, &context.role)?;
        self.connection.set_inputs(&context.inputs)?;
        self.set_clock(command)?;
        self.close_staged()?;
        let opened = self.with_staged_relations(command, context)?;
        if opened.is_some() && matches!(command, Command::Dml(_) | Command::InsertMany(_)) {
            self.replay.forbid();
        }
        let command = opened.as_ref().unwrap_or(command);
        if matches!(command, Command::Ddl(_) | Command::Stages(_)) {
            self.connection.forget_plans();
        }
        let changes = matches!(command, Command::Ddl(_) | Command::Dml(_) | Command::InsertMany(_));
        if changes && !self.transaction_is_open {
            self.shared.checkpoint_policy.note_change(&self.connection, || self.shared.database_names())?;
        }
        match command {
            Command::Query(query) => match self.noted_query(query, context) {
                Ok(rows) => Ok(Outcome::Rows(Box::new(rows))),
                Err(error) => Err(located(error, &**query)),
            },
            Command::Dml(dml) => match self.dml(dml, context) {
                Ok(counts) => Ok(dml::outcome(dml, counts)),
                Err(error) => Err(located(error, &*dml.statement)),
            },
            Command::InsertMany(insert) => self.insert_many(insert, context).map(Outcome::Inserted),
            Command::Ddl(ddl) => match self.ddl(ddl, context) {
                Ok(status) => Ok(Outcome::Done(status)),
                Err(error) => Err(match ddl.query() {
                    Some(query) => located(error, query),
                    None => error,
                }),
            },
            Command::Stages(command) => {
                self.replay.forbid();
                staging::run(self, command, context)
            }
            Command::Transaction(transaction) => self.transaction(*transaction).map(Outcome::Done),
            Command::Explain(_)
            | Command::Show(_)
            | Command::Describe { .. }
            | Command::DescribeRoutine { .. }
            | Command::Session(_)
            | Command::SetVariables(_)
            | Command::Block(_)
            | Command::Account(_)
            | Command::SemanticViews(_) => {
                Err(EngineError::Internal("a command that is not the engine's was sent to it".to_owned()))
            }
        }
    }

    fn prepare_template(
        &self,
        command: &Command,
        values: &[TemplateValue],
        tables: &[ObjectName],
        context: &ExecutionContext,
    ) -> Result<Option<PreparedTemplate>, EngineError> {
        match command {
            Command::Query(query) => template_plans::prepare(self, query, values, tables, context),
            _ => Ok(None),
        }
    }

    fn execute_template<'session>(
        &'session mut self,
        template: &PreparedTemplate,
        values: &[TemplateValue],
        context: &ExecutionContext,
    ) -> Result<Outcome<'session>, EngineError> {
        let Some(query) = template.prepared.downcast_ref::<TemplatePlan>() else {
            return Err(EngineError::Internal("a template was prepared by another engine".to_owned()));
        };
        self.connection.set_timezone(&context.timezone)?;
        self.connection.set_inputs(&context.inputs)?;
        let Some(values) = query.placed(values, &template.is_parameter) else {
            return Err(EngineError::Internal("a kept query got a value that is none".to_owned()));
        };
        let stream = self.connection.stream_template(query, values)?;
        Ok(Outcome::Rows(Box::new(Rows::new(stream, &query.columns, &context.formats)?)))
    }

    fn wants_wide_integers(&self, failure: &Failure) -> bool {
        errors::is_for_want_of_digits(failure)
    }

    fn explain(&mut self, command: &Command, context: &ExecutionContext) -> Result<Vec<PlanStep>, EngineError> {
        self.connection.set_timezone(&context.timezone)?;
        self.connection.set_inputs(&context.inputs)?;
        self.close_staged()?;
        let opened = self.with_staged_relations(command, context)?;
        let command = opened.as_ref().unwrap_or(command);
        explain::steps_of(self, command, context)
    }

    fn describe(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        self.find(name)
    }

    fn schemas(&self, database: &str) -> Result<Vec<SchemaDescription>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(Vec::new());
        }
        Ok(self.shared.catalog.schemas(&self.connection, database)?.to_vec())
    }

    fn objects(&self, database: &str, schema: Option<&str>) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(Vec::new());
        }
        let mut objects: Vec<Arc<ObjectDescription>> =
            describe::read_objects(&self.connection, database, schema)?.into_iter().map(Arc::new).collect();
        objects.retain(|object| self.temporary.description(&object.name).is_none());
        objects.extend(self.temporary.within(database, schema));
        objects.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(objects)
    }

    fn row_counts(&self, tables: &[ObjectName]) -> Result<Vec<u64>, EngineError> {
        let relations: Vec<String> =
            tables.iter().map(|table| dialect::engine_relation(table, &self.temporary)).collect();
        describe::row_counts(&self.connection, &relations)
    }

    fn stage(&self, name: &ObjectName) -> Result<Option<StageDescription>, EngineError> {
        if let Some(stage) = self.temporary_stages.describe(name)? {
            return Ok(Some(stage));
        }
        if self.shared.has_database(name.database()) { staging::stage(&self.connection, name) } else { Ok(None) }
    }

    fn stages(&self, database: &str, schema: Option<&str>) -> Result<Vec<StageDescription>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(Vec::new());
        }
        let mut stages = staging::stages(&self.connection, database, schema)?;
        stages.retain(|stage| !drops::is_dropped_schema(stage.name.schema()));
        let temporary = self.temporary_stages.within(database, schema)?;
        stages.retain(|stage| !temporary.iter().any(|hiding| hiding.name == stage.name));
        stages.extend(temporary);
        stages.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(stages)
    }

    fn file_format(&self, name: &ObjectName) -> Result<Option<FormatDescription>, EngineError> {
        if self.shared.has_database(name.database()) { staging::file_format(&self.connection, name) } else { Ok(None) }
    }

    fn file_formats(&self, database: &str, schema: Option<&str>) -> Result<Vec<FormatDescription>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(Vec::new());
        }
        let mut found = staging::file_formats(&self.connection, database, schema)?;
        found.retain(|format| !drops::is_dropped_schema(format.name.schema()));
        Ok(found)
    }

    fn stage_folder(&self, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError> {
        self.refuse_outside(stage)?;
        self.folder_of(stage, user_id)
    }

    fn stage_folder_for_writing(&mut self, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError> {
        self.refuse_outside(stage)?;
        self.folder_for_writing(stage, user_id)
    }

    fn routines(&self, database: &str) -> Result<Vec<RoutineDescription>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(Vec::new());
        }
        let mut found = routines::read(&self.connection, database)?;
        found.retain(|described| !drops::is_dropped_schema(described.routine.name.schema()));
        Ok(found)
    }

    fn dropped(&self, database: &str) -> Result<Vec<DroppedObject>, EngineError> {
        if self.shared.has_database(database) { drops::listed(&self.connection, database) } else { Ok(Vec::new()) }
    }

    fn retention_days(&self, database: &str, schema: &str) -> Result<u8, EngineError> {
        drops::retention(&self.connection, database, schema)
    }

    fn in_transaction(&self) -> bool {
        self.transaction_is_open
    }

    fn lock_owner(&self) -> u64 {
        self.held.owner()
    }

    fn note_failure(&mut self) {
        self.note_health(Health::Suspect);
    }

    fn restore_transaction(&mut self) -> Result<(), EngineError> {
        self.restore()
    }
}

impl Drop for DuckDbSession {
    fn drop(&mut self) {
        for folder in self.temporary_stages.end() {
            self.shared.abandon_folder(&folder);
        }
        let rolled_back = !self.transaction_is_open || self.connection.execute("ROLLBACK").is_ok();
        if !rolled_back || !self.temporary.is_empty() {
            self.connection.retire();
        }
    }
}

/// The engine takes a relation's name for its whole row; in the dialect it is no column, and a span of time no value.
fn refuse_whole_rows(stream: &ChunkStream<'_>) -> Result<(), Failure> {
    let is_row = |column: &&ResultColumn| matches!(column.logical_type, LogicalType::Struct(_));
    if stream.columns().iter().any(|column| matches!(column.logical_type, LogicalType::Interval)) {
        return Err(Failure::unsupported("INTERVAL as a value; add it to a date, a time or a timestamp"));
    }
    match stream.columns().iter().find(is_row) {
        Some(column) => Err(errors::invalid_identifier(&column.name)),
        None => Ok(()),
    }
}

/// An unknown column and a call with the wrong arguments get their place in the statement's text.
pub(super) fn located(error: EngineError, node: &dyn Tree) -> EngineError {
    match error {
        EngineError::Failed(failure) => {
            let failure = errors::locate_identifier(failure, |name| dialect::find_identifier(node, name));
            EngineError::Failed(errors::locate_call(failure, node))
        }
        other => other,
    }
}
