//! The interface of an execution engine. The rest of firn depends on the traits `Engine` and `Session` only: a parsed,
//! bound, resolved and authorised command goes in, encoded rows or counts come out.

pub mod columns;
mod definition_clock;
pub mod disk_room;
pub mod error;
pub mod objects;
mod relation_schema;
pub mod stage_files;

use std::any::Any;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use firn_sql::command::Ddl;
use firn_sql::stages::StageName;
use firn_sql::template::TemplateValue;
use firn_sql::{Command, Failure, ObjectName};

pub use columns::{WireColumn, WireType, load_error_columns, load_report_columns};
pub use definition_clock::{DefinitionChange, DefinitionClock, DefinitionPause};
pub use error::EngineError;
pub use firn_values::formats::Nulls;
pub use firn_values::{CellFormats, DEFAULT_CENTURY_START, InputFormats, ShapeFormat, WeekRules};
pub use objects::{
    AttachedPolicy, ClonedReferences, ColumnDescription, ColumnTags, DroppedObject, ExternalStage, FormatDescription,
    LockDescription, NOT_BOUND, ObjectDescription, ObjectOptions, ObjectPolicies, RoutineDescription,
    SchemaDescription, StageDefinition, StageDescription, fresh_object_id, row_types_checksum,
};
pub use stage_files::{IncomingFile, Precondition, StageFiles, StageQuotas, StagedFile, UnmetPrecondition};

/// An engine serves any number of sessions at once.
pub trait Engine: Send + Sync + 'static {
    /// The ending of the names of database files, without the point.
    fn file_extension(&self) -> &'static str;

    /// Makes a new database file with an empty `PUBLIC` schema and attaches it. The file records the id of the database.
    fn create_database(&self, name: &str, file: &Path, owner: &str, id: i64) -> Result<(), EngineError>;

    /// Attaches an existing database file under `name`. Fails, and changes nothing, if the file is that of another database.
    fn attach_database(&self, name: &str, file: &Path, id: i64) -> Result<(), EngineError>;

    /// Whether it takes no statement any more until it is started anew.
    fn is_lost(&self) -> bool {
        false
    }

    /// Whether an attached database can still be read.
    fn check_database(&self, name: &str) -> Result<(), EngineError>;

    /// Detaches; statements that still read it finish first. The file stays.
    fn detach_database(&self, name: &str) -> Result<(), EngineError>;

    /// Removes the file of a database that is not attached, and its write-ahead log. Not an error where there is none.
    fn remove_database_file(&self, file: &Path) -> io::Result<()>;

    /// Detaches, and attaches the same file under a new name with its views still working.
    fn rename_database(&self, from: &str, to: &str) -> Result<(), EngineError>;

    /// Gives `by` the name of another database, and returns the name that the other one has then.
    fn replace_database(&self, name: &str, by: &str) -> Result<String, EngineError>;

    /// Exchanges the names of two databases. As in `rename_database`, statements that run go on with the databases they bound to.
    fn swap_databases(&self, first: &str, second: &str) -> Result<(), EngineError>;

    /// Copies a whole database into a new file and attaches it: `CREATE DATABASE … CLONE`. `ids` are those of the database
    /// and its clone in the catalog.
    fn clone_database(
        &self,
        from: &str,
        to: &str,
        file: &Path,
        owner: &str,
        ids: (i64, i64),
    ) -> Result<(), EngineError>;

    /// Gives what role `from` owns inside the databases, as far as it was made until then, to role `to`.
    fn hand_over(&self, from: &str, to: &str, made_until_ms: i64) -> Result<(), EngineError>;

    fn open_session(&self) -> Result<Box<dyn Session>, EngineError>;

    /// Counts the changes of what names in databases stand for.
    fn definitions(&self) -> &Arc<DefinitionClock>;

    /// Reserves memory that is about to be allocated outside of the engine. Where there is too little, the failure is that of
    /// a statement that exceeds the memory limit.
    fn reserve_memory(&self, bytes: u64) -> Result<MemoryReservation, Failure>;

    /// Which sessions hold or want locks on which tables.
    fn locks(&self) -> Vec<LockDescription>;

    /// Where the files of stages lie.
    fn stage_files(&self) -> Arc<StageFiles>;

    /// Removes the files of stages that do not exist any more. `retained` are folders of databases that are not attached.
    fn sweep_stages(&self, retained: &[String]) -> Result<(), EngineError>;

    /// The folders of all stages of a database.
    fn stage_folders(&self, database: &str) -> Result<Vec<String>, EngineError>;

    /// The retention time of a dropped database.
    fn retention_days(&self, database: &str) -> Result<u8, EngineError>;

    fn set_retention_days(&self, database: &str, days: Option<u8>) -> Result<(), EngineError>;

    /// Removes dropped objects whose retention time has passed.
    fn purge_dropped(&self, now_ms: i64) -> Result<(), EngineError>;

    /// The outcomes that statements have written into the databases in the transactions of their changes.
    fn recorded_outcomes(&self) -> Result<Vec<RecordedOutcome>, EngineError>;

    /// Lets the databases remove what they hold of a statement's outcome, because it is on disk elsewhere.
    fn settle_outcome(&self, query_id: &str);

    /// Writes what is in the log into the database files; called when the server stops.
    fn checkpoint(&self) -> Result<(), EngineError>;

    /// Runs `work` while no log is written into its database file: a copy of a file that is made meanwhile, and of as much
    /// of its log as there was at any one moment, is the database of that moment.
    fn without_checkpoints(&self, work: &mut dyn FnMut()) -> Result<(), EngineError>;
}

/// Counts until it is dropped.
pub type MemoryReservation = Box<dyn Send>;

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

    /// Until `restore_hiding`, no temporary object hides a permanent one of its name.
    fn set_hiding_aside(&mut self) -> Result<(), EngineError>;

    /// Ends what the last `set_hiding_aside` began.
    fn restore_hiding(&mut self);

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

/// What a command needs to know of the request it belongs to.
#[derive(Clone, Debug)]
pub struct ExecutionContext {
    /// Owns what the command creates.
    pub role: String,
    /// Whom CURRENT_USER() names in views and columns' defaults.
    pub user: String,
    /// Whose own stage `@~` is. Nobody's in a procedure with its owner's rights: its owner decides what it does with files.
    pub user_id: Option<i64>,
    /// The statement's handle.
    pub query_id: String,
    /// As `DefinitionClock::now`, before the names of the command were looked up and it was authorised. If definitions change
    /// before they are bound, the command fails with `EngineError::Outdated`. `None` for work of the server itself, and in a
    /// transaction that was open before: names are looked up as it has them.
    pub authorised_at: Option<u64>,
    /// The identity of the function, procedure or stage that the command creates; a fresh one if it is not given.
    pub new_object_id: Option<i64>,
    /// From this moment on a change and its outcome are written in one transaction; `None` where nobody can ask for the
    /// outcome after a crash.
    pub outcome_recorded_from: Option<Instant>,
    /// The roles the caller holds, `role` among them; `None` means all (the account's administrator).
    /// INFORMATION_SCHEMA shows what these own or were granted a privilege on.
    pub visible_owners: Option<Vec<String>>,
    /// Ids of schemas on which a role of the caller has any privilege; only of the databases whose INFORMATION_SCHEMA the
    /// statement reads.
    pub granted_schemas: Vec<i64>,
    /// As `granted_schemas`, for the objects in schemas.
    pub granted_objects: Vec<i64>,
    /// Rows of the account for those views of INFORMATION_SCHEMA that are not about one database.
    pub account_rows: Vec<AccountRows>,
    /// What INFORMATION_SCHEMA shows inside of views and functions that the statement reads.
    pub views_of_owners: Vec<OwnersViews>,
    /// IANA name; decides how TIMESTAMP_LTZ is read and shown.
    pub timezone: String,
    pub weeks: WeekRules,
    pub inputs: InputFormats,
    pub repeated_matches: RepeatedMatches,
    pub integers: Integers,
    pub formats: CellFormats,
}

impl ExecutionContext {
    /// For work of the server itself: no user, default settings.
    pub fn of_role(role: impl Into<String>) -> Self {
        Self {
            role: role.into(),
            user: String::new(),
            user_id: None,
            query_id: String::new(),
            authorised_at: None,
            new_object_id: None,
            outcome_recorded_from: None,
            visible_owners: None,
            granted_schemas: Vec::new(),
            granted_objects: Vec::new(),
            account_rows: Vec::new(),
            views_of_owners: Vec::new(),
            timezone: "UTC".to_owned(),
            weeks: WeekRules::default(),
            inputs: InputFormats::default(),
            repeated_matches: RepeatedMatches::default(),
            integers: Integers::Narrow,
            formats: CellFormats::default(),
        }
    }
}

/// A query prepared with parameters. Every session of the engine that prepared it can run it.
pub struct PreparedTemplate {
    /// For each value of the template, whether it is a parameter; the others are part of the query.
    pub is_parameter: Vec<bool>,
    /// The engine's representation of it.
    pub prepared: Box<dyn Any + Send + Sync>,
}

/// The width in which integers are computed and stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integers {
    /// In 64 bits, which is quick and nearly always enough.
    #[default]
    Narrow,
    /// With all 38 digits, for statements that failed for want of them.
    Wide,
}

/// What becomes of a row that several source rows of a MERGE or an UPDATE match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RepeatedMatches {
    pub in_merge: RepeatedMatch,
    pub in_update: RepeatedMatch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RepeatedMatch {
    Refused,
    /// Any one of the source rows decides.
    Any,
}

impl Default for RepeatedMatches {
    fn default() -> Self {
        Self { in_merge: RepeatedMatch::Refused, in_update: RepeatedMatch::Any }
    }
}

/// Ends a query whose conditions hide rows. An engine moves predicates of the statement below such conditions, where an error
/// would show values of hidden rows; it moves none below a LIMIT.
pub const PREDICATE_BARRIER: &str = "LIMIT 9223372036854775807";

/// What a view of INFORMATION_SCHEMA shows of the account.
#[derive(Clone, Debug)]
pub struct AccountRows {
    pub view: &'static str,
    /// The database whose view it is; `None` where all of them show the same.
    pub database: Option<String>,
    /// An array of rows, each an array of texts and nulls, as JSON.
    pub json: String,
}

/// What INFORMATION_SCHEMA shows to the owner of a view or a function; the fields are those of `ExecutionContext`.
#[derive(Clone, Debug)]
pub struct OwnersViews {
    pub owner: String,
    pub visible_owners: Option<Vec<String>>,
    pub granted_schemas: Vec<i64>,
    pub granted_objects: Vec<i64>,
    pub account_rows: Vec<AccountRows>,
}

/// One operator of a query's plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    pub id: usize,
    pub parent: Option<usize>,
    pub operation: String,
    /// The table it reads.
    pub object: Option<String>,
    pub expressions: Option<String>,
}

/// For how many tables a session looks up the bytes at a time: that takes an engine several times as long as counting rows.
pub const MEASURED_TABLES_MAX: usize = 50;

/// How much a table has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TableSize {
    pub rows: u64,
    /// Of the blocks of the database's file that have its values; `None` while its rows are in no block, and where they were not
    /// looked up.
    pub bytes: Option<u64>,
}

/// One operator as it ran.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfiledStep {
    pub step: PlanStep,
    /// Rows that it gave to the operator above.
    pub rows: u64,
    /// Rows that it read from a table.
    pub rows_scanned: u64,
    /// Of all threads together.
    pub milliseconds: f64,
}

pub enum Outcome<'session> {
    Rows(Box<dyn RowStream + 'session>),
    Dml(DmlCounts),
    /// Rows inserted into each of the tables of an INSERT ALL or FIRST.
    Inserted(Vec<(ObjectName, u64)>),
    /// Rows made here: LIST, REMOVE and COPY.
    Table(LocalTable),
    /// A DDL or transaction command's status text: `Table X successfully created.`
    Done(String),
}

/// The outcome of a statement whose changes are committed.
pub struct RecordedOutcome {
    pub query_id: String,
    pub nulls: Nulls,
    pub outcome: Outcome<'static>,
}

/// A small result, whole.
#[derive(Clone, Debug)]
pub struct LocalTable {
    pub columns: Vec<WireColumn>,
    pub rows: Vec<Vec<Option<String>>>,
    /// How many rows were put into a table on the way.
    pub inserted: Option<u64>,
}

impl LocalTable {
    pub fn new(columns: Vec<WireColumn>) -> Self {
        Self { columns, rows: Vec::new(), inserted: None }
    }
}

/// Rows changed by a DML command. `None` means that the command has no such clause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DmlCounts {
    pub inserted: Option<u64>,
    pub updated: Option<u64>,
    pub deleted: Option<u64>,
    /// Of the updated rows, those that several rows of FROM matched.
    pub updated_by_several: u64,
}

/// A query's rows, pulled and encoded piece by piece.
pub trait RowStream {
    fn columns(&self) -> &[WireColumn];

    /// Appends rows to `out` as `["a",null],["b","c"]` (commas between rows, no outer brackets; a
    /// comma first if `out` already ends in a row) until `budget` is reached or the rows end.
    fn encode(&mut self, out: &mut Vec<u8>, budget: RowBudget) -> Result<Encoded, EngineError>;
}

#[derive(Clone, Copy, Debug)]
pub struct RowBudget {
    /// Stop after the row that makes `out` at least this long.
    pub bytes: usize,
    pub rows: u64,
}

#[derive(Clone, Copy, Debug)]
pub struct Encoded {
    pub rows: u64,
    /// No row is left in the stream.
    pub ended: bool,
}
