//! Descriptions of what a database holds, for name checks, SHOW and DESCRIBE.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use firn_sql::ObjectName;
use firn_sql::command::{
    AssignedTag, Autoincrement, DataType, FormatChoice, ObjectKind, Persistence, PolicyChange, PolicyReference,
    Property, SchemaOptions, TableConstraint, TagChange, TagReference,
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
    pub tags: Vec<AssignedTag>,
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
    /// Of a view: `row_types_checksum` of the relations that it read when the engine's view was made; `NOT_BOUND` where they
    /// were missing.
    pub read_types: Option<u64>,
    /// Of a table or view. What copies the record copies them with it.
    pub policies: ObjectPolicies,
}

/// The policies that are attached to a table or view, and its tags.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ObjectPolicies {
    pub masks: Vec<AttachedPolicy>,
    pub row_access: Option<AttachedPolicy>,
    /// Of the table or view itself.
    pub tags: Vec<AssignedTag>,
    pub column_tags: Vec<ColumnTags>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnTags {
    pub column: String,
    pub tags: Vec<AssignedTag>,
}

/// Where the policies and tags of what is cloned are in the clone.
#[derive(Clone, Debug, Default)]
pub struct ClonedReferences {
    /// The ids of routines, policies and tags that have others in the clone.
    pub ids: HashMap<i64, i64>,
    /// The tags among them that objects of the clone have. In a clone in another database they have those of the source.
    pub tags: HashSet<i64>,
    /// A cloned database and its clone, by their ids in the catalog. Policies and tags have the same ids in both.
    pub databases: Option<(i64, i64)>,
}

impl ClonedReferences {
    pub fn follow_tags(&self, tags: &mut [AssignedTag]) {
        tags.iter_mut().for_each(|assigned| assigned.tag = self.tag(assigned.tag));
    }

    fn tag(&self, tag: TagReference) -> TagReference {
        let database = match self.databases {
            Some((from, to)) if from == tag.database => to,
            _ => tag.database,
        };
        let id = if self.tags.contains(&tag.id) { self.id(tag.id) } else { tag.id };
        TagReference { database, id }
    }

    pub fn id(&self, id: i64) -> i64 {
        self.ids.get(&id).copied().unwrap_or(id)
    }
}

/// A policy and the columns that it gets; of a masking policy the masked one comes first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedPolicy {
    pub policy: PolicyReference,
    pub columns: Vec<String>,
}

impl ObjectPolicies {
    pub fn tags_of_column(&self, column: &str) -> &[AssignedTag] {
        let found = self.column_tags.iter().find(|tags| tags.column == column);
        found.map_or(&[], |found| &found.tags)
    }

    /// Refers to what was cloned with the table or view.
    pub fn follow(&mut self, cloned: &ClonedReferences) {
        for attached in self.masks.iter_mut().chain(&mut self.row_access) {
            attached.policy.id = cloned.id(attached.policy.id);
        }
        cloned.follow_tags(&mut self.tags);
        self.column_tags.iter_mut().for_each(|column| cloned.follow_tags(&mut column.tags));
    }

    pub fn forget_column(&mut self, column: &str) {
        self.column_tags.retain(|tags| tags.column != column);
    }

    fn change_tags(&mut self, column: Option<&String>, changes: &[TagChange]) {
        let Some(column) = column else { return TagChange::apply_all(changes, &mut self.tags) };
        let mut tags = self.tags_of_column(column).to_vec();
        TagChange::apply_all(changes, &mut tags);
        self.forget_column(column);
        if !tags.is_empty() {
            self.column_tags.push(ColumnTags { column: column.clone(), tags });
        }
    }

    /// Whether there are no policies.
    pub fn is_empty(&self) -> bool {
        self.masks.is_empty() && self.row_access.is_none()
    }

    pub fn mask(&self, column: &str) -> Option<&AttachedPolicy> {
        self.masks.iter().find(|mask| mask.columns.first().is_some_and(|masked| masked == column))
    }

    pub fn all(&self) -> impl Iterator<Item = &AttachedPolicy> {
        self.masks.iter().chain(&self.row_access)
    }

    /// Whether any policy gets the column.
    pub fn use_column(&self, column: &str) -> bool {
        self.all().any(|attached| attached.columns.iter().any(|used| used == column))
    }

    pub fn rename_column(&mut self, from: &str, to: &str) {
        for attached in self.masks.iter_mut().chain(&mut self.row_access) {
            for column in attached.columns.iter_mut().filter(|column| *column == from) {
                to.clone_into(column);
            }
        }
        for tags in self.column_tags.iter_mut().filter(|tags| tags.column == from) {
            to.clone_into(&mut tags.column);
        }
    }

    /// A change whose policy or tags were looked up and may be made.
    pub fn apply(&mut self, change: &PolicyChange) {
        match change {
            PolicyChange::SetMasking { column, policy, using, .. } => {
                self.masks.retain(|mask| mask.columns.first() != Some(column));
                let columns = if using.is_empty() { vec![column.clone()] } else { using.clone() };
                self.masks.extend(policy.reference.clone().map(|policy| AttachedPolicy { policy, columns }));
            }
            PolicyChange::UnsetMasking { column } => self.masks.retain(|mask| mask.columns.first() != Some(column)),
            PolicyChange::AddRowAccess { policy, columns } => {
                let columns = columns.clone();
                self.row_access = policy.reference.clone().map(|policy| AttachedPolicy { policy, columns });
            }
            PolicyChange::DropRowAccess { .. } | PolicyChange::DropAllRowAccess => self.row_access = None,
            PolicyChange::Tags { column, changes } => self.change_tags(column.as_ref(), changes),
        }
    }
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
    /// Identifies the column within its table for as long as it exists; zero of one that is not stored yet.
    pub id: i64,
    pub name: String,
    pub data_type: DataType,
    pub not_null: bool,
    /// The default's text in the dialect.
    pub default: Option<String>,
    pub autoincrement: Option<Autoincrement>,
    pub comment: Option<String>,
    pub collation: Option<String>,
}

/// No checksum: the engine's view is of no use, even when what it reads is there again.
pub const NOT_BOUND: u64 = 0;

/// A checksum of the columns of relations: their names and types. It is not the same in every version of firn.
pub fn row_types_checksum<'a>(relations: impl Iterator<Item = &'a [ColumnDescription]>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for columns in relations {
        columns.len().hash(&mut hasher);
        for column in columns {
            (&column.name, &column.data_type, column.not_null, &column.collation).hash(&mut hasher);
        }
    }
    hasher.finish()
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

/// A function or procedure written in SQL, a policy or a tag.
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
