//! The interface of an execution engine. The rest of firn depends on the traits `Engine` and `Session` only: a parsed,
//! bound, resolved and authorised command goes in, encoded rows or counts come out.

pub mod columns;
mod definition_clock;
pub mod disk_room;
pub mod error;
mod execution_context;
pub mod objects;
mod outcome;
mod plan;
pub mod regular_files;
mod relation_schema;
mod session;
pub mod stage_files;

use std::io;
use std::path::Path;
use std::sync::Arc;

use firn_sql::Failure;

pub use columns::{WireColumn, WireType, load_error_columns, load_report_columns};
pub use definition_clock::{DefinitionChange, DefinitionClock, DefinitionPause};
pub use error::EngineError;
pub use execution_context::{
    AccountRows, ExecutionContext, Integers, OwnersViews, PREDICATE_BARRIER, RepeatedMatch, RepeatedMatches,
};
pub use firn_values::formats::Nulls;
pub use firn_values::{CellFormats, DEFAULT_CENTURY_START, InputFormats, ShapeFormat, WeekRules};
pub use objects::{
    AttachedPolicy, ClonedReferences, ColumnDescription, ColumnTags, DroppedObject, ExternalStage, FormatDescription,
    LockDescription, NOT_BOUND, ObjectDescription, ObjectOptions, ObjectPolicies, RoutineDescription,
    SchemaDescription, StageDefinition, StageDescription, fresh_object_id, row_types_checksum,
};
pub use outcome::{DmlCounts, Encoded, LocalTable, Outcome, RecordedOutcome, RowBudget, RowStream};
pub use plan::{PlanStep, ProfiledStep};
pub use session::{Interrupt, MEASURED_TABLES_MAX, PreparedTemplate, Session, TableSize, Waited};
pub use stage_files::{
    IncomingFile, Precondition, ReceivedSums, StageFiles, StageQuotas, StagedFile, UnmetPrecondition,
};

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

    /// Gives what role `from` owns inside the databases, as far as it was made until then, to role `to`, or to who manages it.
    fn hand_over(&self, from: FormerOwner<'_>, to: &str, made_until_ms: i64) -> Result<(), EngineError>;

    fn open_session(&self) -> Result<Box<dyn Session>, EngineError>;

    /// Counts the changes of what names in databases stand for.
    fn definitions(&self) -> &Arc<DefinitionClock>;

    /// Reserves memory that is about to be allocated outside of the engine. Where there is too little, the failure is that of
    /// a statement that exceeds the memory limit.
    fn reserve_memory(&self, bytes: u64) -> Result<MemoryReservation, Failure>;

    /// Encrypts a secret of a catalog outside, for the state file.
    fn seal_secret(&self, _secret: &str) -> Result<String, EngineError> {
        Err(no_clusters().into())
    }

    /// Whether the configuration lets the server reach the address of a catalog outside.
    fn check_catalog_address(&self, _uri: &str) -> Result<(), EngineError> {
        Err(no_clusters().into())
    }

    /// Reaches a catalog outside, and returns what is there: as JSON, as `SYSTEM$VERIFY_CATALOG_INTEGRATION` answers.
    fn verify_catalog_integration(&self, _name: &str) -> Result<String, EngineError> {
        Err(no_clusters().into())
    }

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

fn no_clusters() -> Failure {
    Failure::unsupported("CATALOG INTEGRATION; the server's configuration has no spark_endpoints")
}

/// Why a role owns nothing any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormerOwner<'a> {
    Renamed(&'a str),
    /// In schemas with managed access, its objects go to the owner of the schema, who grants the privileges on them: what
    /// runs with its owner's rights must not get those of a role that the schema's owner does not have.
    Dropped(&'a str),
}

/// Counts until it is dropped.
pub type MemoryReservation = Box<dyn Send>;
