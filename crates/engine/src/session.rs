//! What an engine does for one session.

use std::any::Any;
use std::sync::Arc;

use firn_sql::command::Ddl;
use firn_sql::stages::StageName;
use firn_sql::template::TemplateValue;
use firn_sql::{Command, Failure, ObjectName};

use crate::error::EngineError;
use crate::execution_context::ExecutionContext;
use crate::objects::{
    DroppedObject, FormatDescription, ObjectDescription, RoutineDescription, SchemaDescription, StageDescription,
};
use crate::outcome::Outcome;
use crate::plan::{PlanStep, ProfiledStep};

/// A session: its transaction, temporary tables and time zone. Calls block the calling thread.
pub trait Session: Send {
    /// Stops whatever this session is running, from any thread.
    fn interrupter(&self) -> Arc<dyn Interrupt>;

    /// An interruption until now does not count for the commands of the session's next request, which has another interrupter.
    fn renew_interrupter(&mut self);

    /// Waits for the right to write to all of these tables. Called before `Transaction::Begin` with
    /// every table the request writes to, so that two transactions never wait for each other.
    fn reserve(&mut self, tables: &[ObjectName]) -> Result<(), EngineError>;

    /// Waits for the locks that a command needs, which `execute` does not wait for then. A transaction that the command ends
    /// is committed before.
    fn lock(&mut self, command: &Command) -> Result<Waited, EngineError>;

    /// Releases the locks of a command that will not run, unless a transaction holds them.
    fn release(&mut self);

    /// To be called when all is done that belongs to a definition which `execute` has committed, such as the grants of a table
    /// that was replaced. Until then, or until the next command, the change is under way for `DefinitionClock`.
    fn publish_definitions(&mut self);

    /// Runs one resolved command. `Query`, `Dml`, `Ddl` (but for databases, which are the `Engine`'s),
    /// `Stages` and `Transaction` come here; nothing else does. Outside a transaction each command commits
    /// by itself.
    fn execute<'session>(
        &'session mut self,
        command: &Command,
        context: &ExecutionContext,
    ) -> Result<Outcome<'session>, EngineError>;

    /// A change was committed that the rest of the statement belongs to: until the next command nothing is interrupted.
    fn shield(&mut self);

    /// Runs definitions of objects together or not at all.
    fn define(&mut self, commands: &[Ddl], context: &ExecutionContext) -> Result<(), EngineError>;

    /// Appends rows to tables together or not at all, each row with a text for every column; takes no locks. For tables
    /// that nobody else writes.
    fn append(&mut self, tables: &[(ObjectName, Vec<Vec<Option<String>>>)]) -> Result<(), EngineError>;

    /// Prepares a resolved query that has run, with parameters in place of the values of its template. `None` if that is of
    /// no use or could change the result.
    fn prepare_template(
        &self,
        command: &Command,
        values: &[TemplateValue],
        tables: &[ObjectName],
        context: &ExecutionContext,
    ) -> Result<Option<PreparedTemplate>, EngineError>;

    /// Runs a template with the values of a statement of the same template.
    fn execute_template<'session>(
        &'session mut self,
        template: &PreparedTemplate,
        values: &[TemplateValue],
        context: &ExecutionContext,
    ) -> Result<Outcome<'session>, EngineError>;

    /// Whether a statement that failed so may succeed with `Integers::Wide`.
    fn wants_wide_integers(&self, failure: &Failure) -> bool;

    /// How the engine would run a resolved query: one step per operator, parents before children.
    fn explain(&mut self, command: &Command, context: &ExecutionContext) -> Result<Vec<PlanStep>, EngineError>;

    /// From here on the operators of statements are measured, which makes them slower.
    fn begin_profile(&mut self) -> Result<(), EngineError>;

    /// Ends that. The operators of what ran: of the last query, or of the change of rows; parents before children.
    fn end_profile(&mut self) -> Vec<ProfiledStep>;

    /// A table, view or sequence by its full name; the session's temporary tables come first.
    fn describe(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError>;

    /// As `describe`, without temporary tables: what a stored definition means.
    fn describe_permanent(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError>;

    fn schemas(&self, database: &str) -> Result<Vec<SchemaDescription>, EngineError>;

    /// Every table, view and sequence of a database, or of one of its schemas.
    fn objects(&self, database: &str, schema: Option<&str>) -> Result<Vec<Arc<ObjectDescription>>, EngineError>;

    /// As `objects`, `stages` and `file_formats`, of permanent ones alone: also those that the session's temporary ones hide.
    fn permanent_objects(
        &self,
        database: &str,
        schema: Option<&str>,
    ) -> Result<Vec<Arc<ObjectDescription>>, EngineError>;

    fn permanent_stages(&self, database: &str, schema: Option<&str>) -> Result<Vec<StageDescription>, EngineError>;

    fn permanent_file_formats(
        &self,
        database: &str,
        schema: Option<&str>,
    ) -> Result<Vec<FormatDescription>, EngineError>;

    /// Drops temporary objects whose schema was dropped, replaced or renamed. To be called before names are looked up; in a
    /// transaction nothing is dropped.
    fn end_orphaned(&mut self) -> Result<(), EngineError>;

    /// Until `take_temporary_back`, the session has none of its temporary objects.
    fn set_temporary_aside(&mut self);

    /// Ends what the last `set_temporary_aside` began. What got one of the names meanwhile is dropped.
    fn take_temporary_back(&mut self);

    /// How much each of these tables has, as this session sees it; `None` of one that does not exist any more. The bytes of the
    /// first `MEASURED_TABLES_MAX` alone.
    fn table_sizes(&self, tables: &[ObjectName]) -> Result<Vec<Option<TableSize>>, EngineError>;

    fn stage(&self, name: &ObjectName) -> Result<Option<StageDescription>, EngineError>;

    /// Every stage of a database, or of one of its schemas.
    fn stages(&self, database: &str, schema: Option<&str>) -> Result<Vec<StageDescription>, EngineError>;

    fn file_format(&self, name: &ObjectName) -> Result<Option<FormatDescription>, EngineError>;

    fn file_formats(&self, database: &str, schema: Option<&str>) -> Result<Vec<FormatDescription>, EngineError>;

    /// The folder of a stage's files; `None` where nothing was ever put.
    fn stage_folder(&self, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError>;

    /// As `stage_folder`, for whoever puts the first file.
    fn stage_folder_for_writing(&mut self, stage: &StageName, user_id: i64) -> Result<Option<String>, EngineError>;

    /// The functions and procedures of a database.
    fn routines(&self, database: &str) -> Result<Vec<RoutineDescription>, EngineError>;

    /// What was dropped from a database and may come back.
    fn dropped(&self, database: &str) -> Result<Vec<DroppedObject>, EngineError>;

    /// The retention time of a schema's tables without one of their own.
    fn retention_days(&self, database: &str, schema: &str) -> Result<u8, EngineError>;

    /// Whether a transaction is open.
    fn in_transaction(&self) -> bool;

    /// Whether neither a transaction nor a temporary object would end with the session: another session could go on for it.
    fn is_replaceable(&self) -> bool;

    /// Whose its locks are in `Engine::locks`.
    fn lock_owner(&self) -> u64;

    /// Notes that a statement of the open transaction failed and that the transaction continues.
    fn note_failure(&mut self);

    /// After a failure, puts the open transaction back to where it was before the statement that failed. Fails where
    /// that cannot be done exactly; the transaction can then only be rolled back.
    fn restore_transaction(&mut self) -> Result<(), EngineError>;
}

/// Whether others held a lock that a command needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waited {
    No,
    Yes,
}

pub trait Interrupt: Send + Sync {
    fn interrupt(&self);

    fn is_interrupted(&self) -> bool;

    /// Whether a statement is being planned, which continues after an interrupt. A statement that is interrupted while this
    /// is true has no effect.
    fn is_planning(&self) -> bool;

    /// Whether a statement goes on long after it was interrupted: the engine looks for interruptions between chunks of rows, and one
    /// chunk can be joined with very many. A statement that is interrupted while this is true has no effect.
    fn is_deaf(&self) -> bool;

    /// The engine's estimate of how much of the running query is done, in percent.
    fn percent_done(&self) -> Option<f64>;
}

/// A query prepared with parameters. Every session of the engine that prepared it can run it.
pub struct PreparedTemplate {
    /// For each value of the template, whether it is a parameter; the others are part of the query.
    pub is_parameter: Vec<bool>,
    /// The engine's representation of it.
    pub prepared: Box<dyn Any + Send + Sync>,
}

/// For how many tables a session looks up the bytes at a time: that takes an engine several times as long as counting rows.
pub const MEASURED_TABLES_MAX: usize = 50;

/// How much a table has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSize {
    pub rows: u64,
    /// Of the blocks of the database's file that have its values; values that are in no block count by their types. `None` where
    /// they were not looked up.
    pub bytes: Option<u64>,
    /// Some of its values are not written to the file yet.
    pub is_unwritten: bool,
}
