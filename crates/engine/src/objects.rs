//! Descriptions of what a database holds, for name checks, SHOW and DESCRIBE.

use firn_sql::ObjectName;
use firn_sql::command::{
    Autoincrement, DataType, FormatChoice, ObjectKind, Persistence, Property, SchemaOptions, TableConstraint,
};
use firn_sql::external_storage::{ServerSideEncryption, StorageUrl};
use uuid::Uuid;

/// An identity for a new object: random and positive, so that no two objects ever share one.
pub fn fresh_object_id() -> i64 {
    // Either half of the number has bits that are always the same, at different places.
    let (high, low) = Uuid::new_v4().as_u64_pair();
    ((high ^ low) >> 1).cast_signed().max(1)
}

#[derive(Clone, Debug)]
pub struct SchemaDescription {
    /// Identifies the object within its database for as long as it exists.
    pub id: i64,
    pub database: String,
    pub name: String,
    pub owner: String,
    pub comment: Option<String>,
    pub created_on_ms: i64,
    pub options: SchemaOptions,
}

#[derive(Clone, Debug)]
pub struct ObjectDescription {
    /// Identifies the object within its database for as long as it exists.
    pub id: i64,
    pub name: ObjectName,
    /// Table, View or Sequence.
    pub kind: ObjectKind,
    pub owner: String,
    pub comment: Option<String>,
    pub created_on_ms: i64,
    pub persistence: Persistence,
    pub columns: Vec<ColumnDescription>,
    pub constraints: Vec<TableConstraint>,
    /// A view's text as written.
    pub view_text: Option<String>,
    /// A view's query with every name completed; renames of what it reads are in it.
    pub view_query: Option<String>,
    /// A sequence's next value and increment.
    pub sequence: Option<Autoincrement>,
    pub options: ObjectOptions,
}

/// Options that are recorded and shown only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectOptions {
    /// `CREATE SECURE VIEW`.
    pub secure: bool,
    /// `CREATE MATERIALIZED VIEW`.
    pub materialized: bool,
    /// What CLUSTER BY names.
    pub cluster_by: Option<String>,
    /// The retention time; `None` is that of the schema.
    pub retention_days: Option<u8>,
    /// What columns of texts that are added get.
    pub default_collation: Option<String>,
    /// `CREATE SEQUENCE … NOORDER`.
    pub unordered: bool,
}

/// A table or schema that was dropped and may come back.
#[derive(Clone, Debug)]
pub struct DroppedObject {
    /// Identifies the object within its database for as long as it exists.
    pub id: i64,
    pub kind: ObjectKind,
    /// Empty for a schema.
    pub schema: String,
    pub name: String,
    pub owner: String,
    pub comment: Option<String>,
    pub created_on_ms: i64,
    pub dropped_on_ms: i64,
    pub retention_days: u8,
}

#[derive(Clone, Debug)]
pub struct ColumnDescription {
    pub name: String,
    pub data_type: DataType,
    pub not_null: bool,
    /// The default's text in the dialect.
    pub default: Option<String>,
    pub autoincrement: Option<Autoincrement>,
    pub comment: Option<String>,
    pub collation: Option<String>,
}

/// A stage and its default options.
#[derive(Clone, Debug)]
pub struct StageDescription {
    /// Identifies the object within its database for as long as it exists.
    pub id: i64,
    pub name: ObjectName,
    pub owner: String,
    pub comment: Option<String>,
    pub created_on_ms: i64,
    pub persistence: Persistence,
    /// The folder that holds its files.
    pub folder: String,
    pub definition: StageDefinition,
}

#[derive(Clone, Debug, Default)]
pub struct StageDefinition {
    pub format: Option<FormatChoice>,
    pub copy_options: Vec<Property>,
    pub directory: bool,
    /// `None` for a stage inside the server.
    pub external: Option<ExternalStage>,
}

/// The place of a stage outside the server.
#[derive(Clone, Debug)]
pub struct ExternalStage {
    pub url: StorageUrl,
    pub endpoint: Option<String>,
    /// Encrypted.
    pub credentials: Option<String>,
    pub encryption: ServerSideEncryption,
}

impl ExternalStage {
    /// The path on the stage of a file as LIST and COPY show it.
    pub fn path_of(&self, shown: &str) -> Option<String> {
        let key = shown.strip_prefix(&self.url.root())?;
        let path = key.strip_prefix(&self.url.prefix)?;
        match self.url.prefix.is_empty() || self.url.prefix.ends_with('/') {
            true => Some(path.to_owned()),
            false => path.strip_prefix('/').map(str::to_owned),
        }
    }
}

#[derive(Clone, Debug)]
pub struct FormatDescription {
    /// Identifies the object within its database for as long as it exists.
    pub id: i64,
    pub name: ObjectName,
    pub owner: String,
    pub comment: Option<String>,
    pub created_on_ms: i64,
    pub options: Vec<Property>,
}

/// A function or procedure written in SQL.
#[derive(Clone, Debug)]
pub struct RoutineDescription {
    /// Identifies the object within its database for as long as it exists.
    pub id: i64,
    pub routine: firn_sql::routines::Routine,
    pub owner: String,
    pub created_on_ms: i64,
}

/// A lock on a table that a session holds or waits for.
#[derive(Clone, Debug)]
pub struct LockDescription {
    pub owner: u64,
    pub table: ObjectName,
    /// Nobody else may write to the table; else others may add rows beside.
    pub is_whole_table: bool,
    /// `None` while it is waited for.
    pub acquired_on_ms: Option<i64>,
}
