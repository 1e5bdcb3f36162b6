//! A session on one connection as the trait `Session`: it dispatches each command to the module that runs it. A table that
//! is written to is locked first, and outside a transaction every command commits by itself.

mod command_locks;
mod listings;
mod outside_files;
mod staged_relations;
pub(crate) mod temporary_aside;
pub(crate) mod temporary_homes;
mod transaction_control;

use std::sync::Arc;

use firn_binder::OutputColumn;
use firn_engine::{
    DmlCounts, DroppedObject, EngineError, ExecutionContext, FormatDescription, Interrupt, ObjectDescription, Outcome,
    PlanStep, PreparedTemplate, ProfiledStep, RoutineDescription, SchemaDescription, Session, StageDescription,
    TableSize, Waited,
};
use firn_sql::command::{Ddl, Dml, InsertMany, StageCommand};
use firn_sql::stages::StageName;
use firn_sql::template::TemplateValue;
use firn_sql::{Command, Failure, ObjectName, ast};

use super::appender::Appender;
use super::chunks::{ChunkStream, ResultColumn};
use super::connection::Connection;
use super::describe::Lookup;
use super::logical_type::LogicalType;
use super::pool::PooledConnection;
use super::result_rows::Rows;
use super::result_types::log_bound_types;
use super::room_watch::StopAt;
use super::session_state::SessionState;
use super::shared::Shared;
use super::statement_outcomes::StoredOutcome;
use super::template_plan::TemplatePlan;
use super::{
    copy, ddl, dml, drops, errors, explain, insert_many, prepare_template, routines, stage_commands,
    statement_outcomes, table_sizes, transaction, wide_columns,
};
use command_locks::Within;
use transaction_control::TransactionControl;

pub(crate) struct DuckDbSession {
    state: SessionState,
    transaction: TransactionControl,
}

impl DuckDbSession {
    pub(crate) fn new(connection: PooledConnection, shared: Arc<Shared>) -> Self {
        Self { state: SessionState::new(connection, shared), transaction: TransactionControl::default() }
    }

    fn query(&mut self, query: &ast::Query, context: &ExecutionContext) -> Result<Rows<'_>, EngineError> {
        self.transaction.note_query(&self.state, query);
        let lowered = self.state.lower(query, context)?;
        self.state.connection.expect_unchanged_since(context.authorised_at);
        let stream = self.state.connection.stream(&lowered.sql)?;
        refuse_whole_rows(&stream)?;
        described_rows(stream, &lowered.columns, context)
    }

    fn dml(&mut self, command: &Dml, context: &ExecutionContext) -> Result<DmlCounts, EngineError> {
        let state = &mut self.state;
        let target = state.find(&command.target)?;
        let target = target.ok_or_else(|| Failure::missing_object("Table", &command.target.to_string()))?;
        let (target, widening) =
            wide_columns::of_target(&state.connection, target, &state.temporary, context.integers)?;
        let prepared = dml::prepare(command, &target, &state.rewrite_context(context))?.after(widening);
        if state.transaction_is_open() {
            return self.transaction.dml(state, command, prepared, context);
        }
        state.with_retries(|state| {
            let connection: &Connection = &state.connection;
            if prepared.needs_transaction() || dml::may_record_outcome(command, context) {
                transaction::within(connection, || {
                    let counts = dml::run(connection, command, &prepared, context.authorised_at)?;
                    state.record_outcome(&command.target, context, || dml::stored_outcome(command, counts))?;
                    Ok(counts)
                })
            } else {
                dml::run(connection, command, &prepared, context.authorised_at)
            }
        })
    }

    fn insert_many(
        &mut self,
        command: &InsertMany,
        context: &ExecutionContext,
    ) -> Result<Vec<(ObjectName, u64)>, EngineError> {
        let state = &mut self.state;
        let in_transaction = state.transaction_is_open();
        let counts = state.with_retries(|state| {
            let transaction = if in_transaction { ddl::Transaction::Open } else { ddl::Transaction::OfRows };
            ddl::with_work(state, context, transaction, |connection, work| {
                let counts = insert_many::run(connection, work, command)?;
                if let (false, Some((first, _))) = (in_transaction, counts.first()) {
                    work.record_outcome(first.database(), || StoredOutcome::of_tables(&counts))?;
                }
                Ok(counts)
            })
        });
        if in_transaction {
            return self.transaction.note_insert_many(state, command, counts, context);
        }
        counts
    }

    fn ddl(&mut self, command: &Ddl, context: &ExecutionContext) -> Result<String, EngineError> {
        let state = &mut self.state;
        let (status, written) = state.with_retries(|state| ddl::run(state, command, context))?;
        let touched = ddl::touched(command);
        ddl::forget(&state.shared.catalog, command, &touched, &written);
        // Nobody else changes what this command has locked, and only these write a record once.
        if matches!(command, Ddl::CreateTable(_) | Ddl::CreateView(_)) {
            let locked = written.into_iter().filter(|object| touched.contains(&object.name));
            state.shared.catalog.publish(locked);
        }
        Ok(status)
    }

    fn stage_command(
        &mut self,
        command: &StageCommand,
        context: &ExecutionContext,
    ) -> Result<Outcome<'static>, EngineError> {
        self.transaction.forbid_replay();
        if let StageCommand::Load(load) = command {
            self.transaction.note_changed(&self.state, &load.table);
        }
        stage_commands::run(&mut self.state, command, context)
    }

    /// Any command but a query, with its locks held.
    fn change(&mut self, command: &Command, context: &ExecutionContext) -> Result<Outcome<'static>, EngineError> {
        match command {
            Command::Dml(dml) => match self.dml(dml, context) {
                Ok(counts) => Ok(dml::outcome(dml, counts)),
                Err(error) => Err(errors::located(error, &*dml.statement)),
            },
            Command::InsertMany(insert) => self.insert_many(insert, context).map(Outcome::Inserted),
            Command::Ddl(ddl) => match self.ddl(ddl, context) {
                Ok(status) => Ok(Outcome::Done(status)),
                Err(error) => Err(match ddl.query() {
                    Some(query) => errors::located(error, query),
                    None => error,
                }),
            },
            Command::Stages(command) => self.stage_command(command, context),
            Command::Transaction(command) => {
                self.transaction.run(&mut self.state, *command, context).map(Outcome::Done)
            }
            Command::Query(_)
            | Command::Explain(_)
            | Command::Show(_)
            | Command::Describe { .. }
            | Command::DescribeRoutine { .. }
            | Command::Session(_)
            | Command::SetVariables(_)
            | Command::Block(_)
            | Command::Account(_)
            | Command::Access(_)
            | Command::SemanticViews(_)
            | Command::LoginPolicies(_)
            | Command::Transfer(_)
            | Command::Tags(_) => {
                Err(EngineError::Internal("a command that is not the engine's was sent to it".to_owned()))
            }
        }
    }

    /// Every statement of a transaction has its own time.
    fn set_clock(&mut self, command: &Command) -> Result<(), EngineError> {
        match (command, self.state.transaction_is_open()) {
            (Command::Transaction(_), _) => Ok(()),
            (_, true) => self.state.connection.set_moment(Some(chrono::Utc::now().timestamp_micros())),
            (_, false) => self.state.connection.set_moment(None),
        }
    }
}

impl Session for DuckDbSession {
    fn interrupter(&self) -> Arc<dyn Interrupt> {
        self.state.connection.interrupter()
    }

    fn renew_interrupter(&mut self) {
        self.state.connection.renew_interrupter();
    }

    fn reserve(&mut self, tables: &[ObjectName]) -> Result<(), EngineError> {
        self.state.lock_names(tables.to_vec())
    }

    fn lock(&mut self, command: &Command) -> Result<Waited, EngineError> {
        let defines = match command {
            Command::Ddl(_) => true,
            Command::Stages(command) => stage_commands::is_definition(command),
            _ => false,
        };
        if defines {
            self.transaction.commit_before_ddl(&mut self.state)?;
        }
        let within = if self.state.transaction_is_open() { Within::Transaction } else { Within::Statement };
        self.state.lock(command_locks::wanted(command, within))
    }

    fn release(&mut self) {
        self.state.release_after_statement();
    }

    fn publish_definitions(&mut self) {
        self.state.definition_change = None;
    }

    fn execute<'session>(
        &'session mut self,
        command: &Command,
        context: &ExecutionContext,
    ) -> Result<Outcome<'session>, EngineError> {
        self.publish_definitions();
        self.state.connection.begin_statement();
        self.state.check_names(command)?;
        self.state.connection.set_timezone(&context.timezone)?;
        self.state.connection.set_caller(&context.user, &context.role)?;
        self.state.connection.set_inputs(&context.inputs)?;
        self.set_clock(command)?;
        self.state.close_staged()?;
        let opened = staged_relations::open(&mut self.state, command, context)?;
        if opened.is_some() && matches!(command, Command::Dml(_) | Command::InsertMany(_)) {
            self.transaction.forbid_replay();
        }
        let command = opened.as_ref().unwrap_or(command);
        if matches!(command, Command::Ddl(_) | Command::Stages(_)) {
            self.state.connection.forget_plans();
        }
        let changes = matches!(command, Command::Ddl(_) | Command::Dml(_) | Command::InsertMany(_));
        let shared = &self.state.shared;
        match (changes, self.state.transaction_is_open()) {
            (true, true) => shared.checkpoint_policy.count_change(),
            (true, false) => {
                let connection: &Connection = &self.state.connection;
                let prune = || statement_outcomes::prune(connection, shared);
                shared.checkpoint_policy.note_change(connection, || shared.database_names(), prune)?
            }
            (false, _) => {}
        }
        if let Command::Query(query) = command {
            return match self.query(query, context) {
                Ok(rows) => Ok(Outcome::Rows(Box::new(rows))),
                Err(error) => Err(errors::located(error, &**query)),
            };
        }
        if let Command::Stages(StageCommand::Load(load)) = command
            && let Some(mode) = load.validation
        {
            return copy::validate_only(&mut self.state, load, mode, context);
        }
        self.lock(command)?;
        let may_define = matches!(command, Command::Ddl(_) | Command::Stages(_));
        if may_define {
            self.state.refuse_beside_orphaned()?;
        }
        let written = command_locks::wanted(command, Within::Statement).into_iter();
        let databases = written.map(|(name, _)| name.database().to_owned()).collect();
        let stop_signal = self.state.connection.stop_signal();
        let writing = self.state.shared.room.begin(databases, StopAt::of(command), stop_signal);
        self.state.connection.begin_change();
        let outcome = writing.end(self.change(command, context));
        self.state.connection.end_change(outcome.is_ok() && !self.state.transaction_is_open());
        if may_define {
            self.state.note_homes();
        }
        self.release();
        outcome
    }

    fn shield(&mut self) {
        self.state.connection.end_change(true);
    }

    fn define(&mut self, commands: &[Ddl], context: &ExecutionContext) -> Result<(), EngineError> {
        self.state.lock_names(commands.iter().flat_map(ddl::touched).collect())?;
        self.state.connection.begin_change();
        let outcome = self.state.with_retries(|state| ddl::run_all(state, commands, context));
        self.state.connection.end_change(outcome.is_ok());
        self.release();
        outcome
    }

    fn append(&mut self, tables: &[(ObjectName, Vec<Vec<Option<String>>>)]) -> Result<(), EngineError> {
        let connection: &Connection = &self.state.connection;
        let shared = &self.state.shared;
        let prune = || statement_outcomes::prune(connection, shared);
        shared.checkpoint_policy.note_change(connection, || shared.database_names(), prune)?;
        transaction::within(connection, || {
            tables.iter().try_for_each(|(table, rows)| Appender::append(connection, table, rows))
        })
    }

    fn prepare_template(
        &self,
        command: &Command,
        values: &[TemplateValue],
        tables: &[ObjectName],
        context: &ExecutionContext,
    ) -> Result<Option<PreparedTemplate>, EngineError> {
        match command {
            Command::Query(query) => prepare_template::prepare(&self.state, query, values, tables, context),
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
        self.state.connection.begin_statement();
        self.state.connection.set_timezone(&context.timezone)?;
        self.state.connection.set_caller(&context.user, &context.role)?;
        self.state.connection.set_inputs(&context.inputs)?;
        let Some(values) = query.parameters(values, &template.is_parameter) else {
            return Err(EngineError::Internal("a prepared template got a value that does not parse".to_owned()));
        };
        let stream = self.state.connection.stream_template(query, values, context.authorised_at)?;
        Ok(Outcome::Rows(Box::new(described_rows(stream, &query.columns, context)?)))
    }

    fn wants_wide_integers(&self, failure: &Failure) -> bool {
        errors::is_integer_overflow(failure)
    }

    fn explain(&mut self, command: &Command, context: &ExecutionContext) -> Result<Vec<PlanStep>, EngineError> {
        self.state.connection.set_timezone(&context.timezone)?;
        self.state.connection.set_caller(&context.user, &context.role)?;
        self.state.connection.set_inputs(&context.inputs)?;
        self.state.close_staged()?;
        let opened = staged_relations::open(&mut self.state, command, context)?;
        let command = opened.as_ref().unwrap_or(command);
        explain::steps_of(&self.state, command, context)
    }

    fn begin_profile(&mut self) -> Result<(), EngineError> {
        self.state.connection.begin_profile()
    }

    fn end_profile(&mut self) -> Vec<ProfiledStep> {
        self.state.connection.end_profile()
    }

    fn describe_permanent(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        self.state.find_permanent(name)
    }

    fn describe(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        self.state.find(name)
    }

    fn schemas(&self, database: &str) -> Result<Vec<SchemaDescription>, EngineError> {
        if !self.state.shared.has_database(database) {
            return Ok(Vec::new());
        }
        Ok(self.state.shared.catalog.schemas(&self.state.connection, database)?.to_vec())
    }

    fn objects(&self, database: &str, schema: Option<&str>) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
        self.state.objects(database, schema)
    }

    fn permanent_objects(
        &self,
        database: &str,
        schema: Option<&str>,
    ) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
        self.state.permanent_objects(database, schema)
    }

    fn end_orphaned(&mut self) -> Result<(), EngineError> {
        self.state.end_orphaned()
    }

    fn set_temporary_aside(&mut self) {
        self.state.set_temporary_aside();
    }

    fn take_temporary_back(&mut self) {
        self.state.take_temporary_back();
    }

    fn table_sizes(&self, tables: &[ObjectName]) -> Result<Vec<Option<TableSize>>, EngineError> {
        table_sizes::table_sizes(&self.state, tables)
    }

    fn stage(&self, name: &ObjectName) -> Result<Option<StageDescription>, EngineError> {
        self.state.stage(name)
    }

    fn stages(&self, database: &str, schema: Option<&str>) -> Result<Vec<StageDescription>, EngineError> {
        self.state.stages(database, schema)
    }

    fn permanent_stages(&self, database: &str, schema: Option<&str>) -> Result<Vec<StageDescription>, EngineError> {
        self.state.permanent_stages(database, schema)
    }

    fn file_format(&self, name: &ObjectName) -> Result<Option<FormatDescription>, EngineError> {
        self.state.file_format(name)
    }

    fn file_formats(&self, database: &str, schema: Option<&str>) -> Result<Vec<FormatDescription>, EngineError> {
        self.state.file_formats(database, schema)
    }

    fn permanent_file_formats(
        &self,
        database: &str,
        schema: Option<&str>,
    ) -> Result<Vec<FormatDescription>, EngineError> {
        self.state.permanent_file_formats(database, schema)
    }

    fn stage_folder(&self, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError> {
        self.state.refuse_outside(stage)?;
        self.state.folder_of(stage, user_id)
    }

    fn stage_folder_for_writing(&mut self, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError> {
        self.state.refuse_outside(stage)?;
        self.state.folder_for_writing(stage, user_id)
    }

    fn routines(&self, database: &str) -> Result<Vec<RoutineDescription>, EngineError> {
        if !self.state.shared.has_database(database) {
            return Ok(Vec::new());
        }
        let mut found = routines::read(&self.state.connection, database)?;
        found.retain(|described| !drops::is_dropped_schema(described.routine.name.schema()));
        Ok(found)
    }

    fn dropped(&self, database: &str) -> Result<Vec<DroppedObject>, EngineError> {
        if self.state.shared.has_database(database) {
            drops::listed(&self.state.connection, database)
        } else {
            Ok(Vec::new())
        }
    }

    fn retention_days(&self, database: &str, schema: &str) -> Result<u8, EngineError> {
        drops::retention(&self.state.connection, database, schema)
    }

    fn in_transaction(&self) -> bool {
        self.state.transaction_is_open()
    }

    fn is_replaceable(&self) -> bool {
        !self.state.transaction_is_open() && self.state.has_nothing_temporary()
    }

    fn lock_owner(&self) -> u64 {
        self.state.held().owner()
    }

    fn note_failure(&mut self) {
        self.transaction.note_failure(&self.state);
    }

    fn restore_transaction(&mut self) -> Result<(), EngineError> {
        self.transaction.restore(&mut self.state)
    }
}

fn described_rows<'connection>(
    stream: ChunkStream<'connection>,
    bound: &[OutputColumn],
    context: &ExecutionContext,
) -> Result<Rows<'connection>, EngineError> {
    log_bound_types(bound, stream.columns(), &context.query_id);
    Rows::new(stream, bound, &context.formats.of_cells())
}

/// The engine resolves a relation's name to its whole row and has values of type INTERVAL; the dialect has neither.
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
