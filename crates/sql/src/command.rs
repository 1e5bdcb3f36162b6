//! Parsed and classified statements. Names have the parts that the text gives; `resolve` qualifies them before anything is
//! authorised or run.

mod account;
pub(crate) mod block;
mod constraints;
mod containers;
mod grants;
mod insert_many;
mod login_policies;
mod policies;
mod resource_monitors;
pub(crate) mod routine;
pub mod semantic_views;
mod session;
mod show;
mod stages;
mod tags;
mod tree;
mod views;

pub use account::{
    AccessTokenChange, AccountCommand, Grantee, NetworkPolicyChange, Property, PropertyValue, TokenChange, UserChange,
    WarehouseChange,
};
pub use constraints::{ConstraintKind, KeyRule, KeyRules, TableConstraint};
pub use containers::{ContainerChange, SchemaOptions};
pub use grants::{
    AccessCommand, Container, CurrentGrants, GrantScope, GrantTarget, GrantVerb, GrantedKind, GrantedName,
    OwnershipChange, PrivilegeChange, Privileges, RevokeMode,
};
pub use insert_many::{BranchChoice, InsertBranch, InsertCondition, InsertMany, InsertTarget};
pub use login_policies::{LoginPolicyChange, LoginPolicyCommand, LoginPolicyKind, PolicyHolder, Replacing};
pub use policies::{PolicyChange, PolicyReference, PolicyUse, TargetPolicies};
pub use resource_monitors::{MonitorAction, MonitorDefinition, MonitorTrigger};
pub use routine::{Routine, RoutineChange, RoutineKind};
pub use session::{SecondaryRoles, SessionCommand, SetVariables};
pub use show::{ListedFunctions, Scope, SemanticScope, Show};
pub use stages::{
    ColumnMatch, CopyIntoStage, CopyIntoTable, CopyOptions, CreateStage, ExternalProperties, FileSource, FileTransfer,
    FormatChange, FormatChoice, GetFiles, OnError, PutFiles, StageChange, StageCommand, StageProperties, UnloadedFiles,
    Validation,
};
pub use tags::{AssignedTag, TagChange, TagCommand, TagDefinition, TagReference, TagTarget, TagUse};
pub use views::{CreateView, SequenceChange, SequenceOrder, StoredQuery, ViewChange, ViewColumn};

pub use crate::data_types::{DataType, VectorElement};
use block::Block;
use semantic_views::{SemanticItemKind, SemanticViewCommand};

use crate::ast;
use crate::names::{ObjectName, SchemaName};
use crate::session_rules::SessionRules;
use crate::source::SourceStatement;

/// One statement of a request.
#[derive(Clone, Debug)]
pub struct Statement {
    /// The source text of this statement alone, without the closing semicolon.
    pub text: String,
    /// A query that gives the same rows as long as its tables stay as they are; see `is_deterministic`.
    pub deterministic: bool,
    /// The text of a statement of a request without bound values. It is parsed again before it runs if it names session
    /// variables or the session's rules have changed, and where names have to be resolved anew.
    pub unfinished: Option<SourceStatement>,
    /// The session's rules by which it was read.
    pub rules: SessionRules,
    /// The text names session variables.
    pub has_variables: bool,
    /// It reads another statement's result, or pivots over values that have to be looked up first.
    pub needs_lookup: bool,
    /// A relation that it reads has policies, which were bound to it. What is computed for it depends on the session.
    pub has_policies: bool,
    /// The queries of views are part of it.
    pub expands_views: bool,
    /// The functions that it calls itself, whose bodies are part of it.
    pub called: Vec<CalledFunction>,
    /// The functions that the views call whose queries are part of it.
    pub called_in_views: Vec<CalledFunction>,
    pub command: Command,
}

/// A user's function, and what its body reads with the rights of its owner.
#[derive(Clone, Debug)]
pub struct CalledFunction {
    pub name: ObjectName,
    pub id: i64,
    pub owner: String,
    /// The role that calls it: that of the session, or the owner of the view or function that calls it.
    pub called_by: String,
    pub reads: Vec<ObjectName>,
}

impl Statement {
    /// Nothing is known of the command yet.
    pub fn new(text: &str, command: Command) -> Self {
        Self {
            text: text.to_owned(),
            deterministic: false,
            unfinished: None,
            rules: SessionRules::default(),
            has_variables: false,
            needs_lookup: false,
            has_policies: false,
            expands_views: false,
            called: Vec::new(),
            called_in_views: Vec::new(),
            command,
        }
    }

    /// Whether the text contains this word, in either case: cheaper than a walk of the tree.
    pub fn mentions(&self, word: &str) -> bool {
        self.text.as_bytes().windows(word.len()).any(|part| part.eq_ignore_ascii_case(word.as_bytes()))
    }
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a statement has one of these; boxes would buy nothing")]
pub enum Command {
    Query(Box<ast::Query>),
    Dml(Dml),
    InsertMany(Box<InsertMany>),
    Ddl(Ddl),
    Stages(StageCommand),
    Transfer(Box<FileTransfer>),
    Explain(Explain),
    Show(Show),
    Describe {
        kind: ObjectKind,
        name: ObjectName,
    },
    DescribeRoutine {
        kind: RoutineKind,
        name: ObjectName,
        types: Vec<DataType>,
    },
    Session(SessionCommand),
    SetVariables(SetVariables),
    /// A block of steps; CALL and EXECUTE IMMEDIATE are blocks of one step.
    Block(Box<Block>),
    Transaction(Transaction),
    Account(AccountCommand),
    Access(AccessCommand),
    SemanticViews(SemanticViewCommand),
    LoginPolicies(LoginPolicyCommand),
    Tags(Box<TagCommand>),
}

/// `EXPLAIN [ANALYZE] [USING …]` of a query, a change of rows or CREATE TABLE … AS.
#[derive(Clone, Debug)]
pub struct Explain {
    pub form: ExplainForm,
    pub plan: ExplainedPlan,
    pub command: Box<Command>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainedPlan {
    /// As it would run.
    Estimated,
    /// `ANALYZE`: as it ran, which only a query may.
    Measured,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainForm {
    Tabular,
    Json,
    Text,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transaction {
    Begin,
    Commit,
    Rollback,
}

#[derive(Clone, Debug)]
pub struct Dml {
    pub kind: DmlKind,
    pub target: ObjectName,
    pub statement: Box<ast::Statement>,
    /// The policies of the target, once the statement is bound to it.
    pub policies: Option<Box<TargetPolicies>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DmlKind {
    Insert,
    /// `INSERT OVERWRITE`: the rows replace those of the table.
    Overwrite,
    Update,
    Delete,
    Merge,
    Truncate,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CreateMode {
    New,
    IfNotExists,
    OrReplace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IfMissing {
    Fail,
    Skip,
}

/// The kinds of objects of SHOW, DESCRIBE, DROP, COMMENT ON and GRANT OWNERSHIP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ObjectKind {
    Database,
    Schema,
    Table,
    View,
    SemanticView,
    SemanticItem(SemanticItemKind),
    /// Tables and views together: `SHOW OBJECTS`.
    Object,
    Column,
    Sequence,
    Stage,
    FileFormat,
    User,
    Role,
    Warehouse,
    Integration,
    NetworkPolicy,
    ResourceMonitor,
    LoginPolicy(LoginPolicyKind),
    AccessToken,
    Parameter,
    Grant,
    FutureGrant,
    DatabaseRole,
    PrimaryKey,
    ImportedKey,
    ExportedKey,
    UniqueKey,
    Transaction,
    Lock,
    /// Sessions that outlast their requests.
    Session,
    Variable,
    AnalystFeedback,
    /// What SHOW MATERIALIZED VIEWS lists; they are views.
    MaterializedView,
    Function,
    Procedure,
    MaskingPolicy,
    RowAccessPolicy,
    Tag,
    /// The result of a statement: `DESCRIBE RESULT`.
    Result,
    /// A kind of which nothing can exist here, as `unsupported::SHOWN` names it.
    Unsupported(&'static str),
}

#[derive(Clone, Debug)]
#[expect(clippy::large_enum_variant, reason = "a statement has one of these; boxes would buy nothing")]
pub enum Ddl {
    CreateDatabase {
        name: String,
        mode: CreateMode,
        clone_of: Option<String>,
        /// The catalog integration that it is linked to.
        link: Option<String>,
        comment: Option<String>,
        retention_days: Option<u8>,
        tags: Vec<TagChange>,
    },
    AlterDatabase {
        name: String,
        if_missing: IfMissing,
        change: ContainerChange,
    },
    DropDatabase {
        name: String,
        if_missing: IfMissing,
    },
    CreateSchema {
        name: SchemaName,
        mode: CreateMode,
        clone_of: Option<SchemaName>,
        options: SchemaOptions,
        comment: Option<String>,
        retention_days: Option<u8>,
        tags: Vec<TagChange>,
    },
    AlterSchema {
        name: SchemaName,
        if_missing: IfMissing,
        change: ContainerChange,
    },
    DropSchema {
        name: SchemaName,
        if_missing: IfMissing,
        refuse_if_filled: bool,
    },
    CreateTable(Box<CreateTable>),
    AlterTable {
        name: ObjectName,
        if_missing: IfMissing,
        change: TableChange,
    },
    CreateView(Box<CreateView>),
    AlterView {
        name: ObjectName,
        if_missing: IfMissing,
        change: ViewChange,
    },
    CreateSequence {
        name: ObjectName,
        mode: CreateMode,
        numbering: Autoincrement,
        order: SequenceOrder,
        comment: Option<String>,
    },
    AlterSequence {
        name: ObjectName,
        if_missing: IfMissing,
        change: SequenceChange,
    },
    /// The latest dropped one of the name comes back.
    Undrop(OwnershipTarget),
    /// `DROP TABLE | VIEW | SEQUENCE`.
    Drop {
        kind: ObjectKind,
        name: ObjectName,
        if_missing: IfMissing,
    },
    Comment {
        target: CommentTarget,
        if_missing: IfMissing,
        comment: String,
    },
    CreateRoutine {
        routine: Box<Routine>,
        mode: CreateMode,
        copy_grants: bool,
    },
    AlterRoutine {
        kind: RoutineKind,
        name: ObjectName,
        types: Vec<DataType>,
        if_missing: IfMissing,
        change: RoutineChange,
    },
    DropRoutine {
        kind: RoutineKind,
        name: ObjectName,
        types: Vec<DataType>,
        if_missing: IfMissing,
    },
    /// Hands what is in a database to another role: the object of that name which has the identity that was authorised.
    GrantOwnership {
        target: OwnershipTarget,
        id: i64,
        role: String,
    },
}

#[derive(Clone, Debug)]
pub enum CommentTarget {
    Database(String),
    Schema(SchemaName),
    Object { kind: ObjectKind, name: ObjectName },
    Column { table: ObjectName, column: String },
}

#[derive(Clone, Debug)]
pub enum OwnershipTarget {
    Database(String),
    Schema(SchemaName),
    Object { kind: ObjectKind, name: ObjectName },
    Routine { kind: RoutineKind, name: ObjectName, types: Vec<DataType> },
}

#[derive(Clone, Debug)]
pub struct CreateTable {
    pub name: ObjectName,
    pub mode: CreateMode,
    pub persistence: Persistence,
    pub columns: Vec<ColumnDefinition>,
    pub constraints: Vec<TableConstraint>,
    pub source: TableSource,
    pub comment: Option<String>,
    /// What CLUSTER BY names, as text; it has no effect but is shown.
    pub cluster_by: Option<String>,
    pub retention_days: Option<u8>,
    /// `CREATE OR ALTER TABLE`: an existing table is altered to match the definition.
    pub or_alter: bool,
    /// DEFAULT_DDL_COLLATION: what texts without a COLLATE of their own get, also in columns that are added later.
    pub default_collation: Option<String>,
    /// COPY GRANTS: the table gets the privileges on the one that it replaces, else on the one that it copies.
    pub copy_grants: bool,
    pub policies: Vec<PolicyChange>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Persistence {
    Permanent,
    Transient,
    Temporary,
}

#[derive(Clone, Debug)]
pub enum TableSource {
    Definition,
    Query(Box<ast::Query>),
    /// `USING TEMPLATE (query)`: the query's one value describes the columns.
    Template(Box<ast::Query>),
    Like(ObjectName),
    Clone(ObjectName),
}

#[derive(Clone, Debug)]
pub struct ColumnDefinition {
    pub name: String,
    /// Absent only in `CREATE TABLE t (a, b) AS SELECT …`.
    pub data_type: Option<DataType>,
    pub not_null: bool,
    pub default: Option<ast::Expr>,
    pub autoincrement: Option<Autoincrement>,
    pub comment: Option<String>,
    pub collation: Option<String>,
    /// MASKING POLICY and TAG.
    pub policies: Vec<PolicyChange>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Autoincrement {
    pub start: i64,
    pub increment: i64,
}

#[derive(Clone, Debug)]
pub enum TableChange {
    Rename(ObjectName),
    AddColumns {
        columns: Vec<ColumnDefinition>,
        /// Keys that the columns declare.
        constraints: Vec<TableConstraint>,
        if_not_exists: bool,
    },
    DropColumns {
        columns: Vec<String>,
        if_exists: bool,
    },
    RenameColumn {
        from: String,
        to: String,
    },
    SetNotNull(String),
    DropNotNull(String),
    SetDefault {
        column: String,
        default: ast::Expr,
    },
    DropDefault(String),
    SetDataType {
        column: String,
        data_type: DataType,
    },
    SetComment(Option<String>),
    SetColumnComment {
        column: String,
        comment: Option<String>,
    },
    AddConstraint(TableConstraint),
    DropConstraint(DroppedConstraint),
    RenameConstraint {
        from: String,
        to: String,
    },
    SwapWith(ObjectName),
    SetClustering(Option<String>),
    SetRetention(Option<u8>),
    SetDefaultCollation(Option<String>),
    Policy(PolicyChange),
    /// `ALTER COLUMN a …, COLUMN b …`.
    Several(Vec<TableChange>),
    /// Clauses that change nothing here: retention times and the like.
    Accepted,
}

#[derive(Clone, Debug)]
pub enum DroppedConstraint {
    Named(String),
    PrimaryKey,
    Unique(Vec<String>),
    ForeignKey(Vec<String>),
}
