//! Commands about stages, file formats, and the files that COPY moves between stages and tables.

use super::{CreateMode, IfMissing, Persistence, Property};
use crate::ast;
use crate::external_storage::{Credentials, ServerSideEncryption, StorageUrl};
use crate::names::ObjectName;
use crate::stages::StageLocation;

#[derive(Clone, Debug)]
pub enum StageCommand {
    CreateStage(CreateStage),
    AlterStage {
        name: ObjectName,
        if_missing: IfMissing,
        change: StageChange,
    },
    DropStage {
        name: ObjectName,
        if_missing: IfMissing,
    },
    /// ALTER STAGE … REFRESH: lists the files of the stage, or those below a path, into the directory table.
    Refresh {
        name: ObjectName,
        if_missing: IfMissing,
        path: Option<String>,
    },
    CreateFormat {
        name: ObjectName,
        mode: CreateMode,
        persistence: Persistence,
        options: Vec<Property>,
        comment: Option<String>,
    },
    AlterFormat {
        name: ObjectName,
        if_missing: IfMissing,
        change: FormatChange,
    },
    DropFormat {
        name: ObjectName,
        if_missing: IfMissing,
    },
    List {
        location: StageLocation,
        pattern: Option<String>,
    },
    Remove {
        location: StageLocation,
        pattern: Option<String>,
    },
    Load(Box<CopyIntoTable>),
    Unload(Box<CopyIntoStage>),
}

/// Files that a driver carries between its machine and a stage.
#[derive(Clone, Debug)]
pub enum FileTransfer {
    Put(PutFiles),
    Get(GetFiles),
}

/// `PUT file://… @stage`: the driver brings the files once it knows where to.
#[derive(Clone, Debug)]
pub struct PutFiles {
    pub source: FileSource,
    pub location: StageLocation,
    pub parallel: u64,
    pub auto_compress: bool,
    pub overwrite: bool,
    /// In small letters: `auto_detect`, `none`, `gzip` and so on.
    pub source_compression: String,
}

/// The path on the driver's machine, with its wildcards, without `file://`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileSource {
    Written(String),
    /// The stage is a bound value: a driver that asks again for each file cannot say which.
    BesideBoundStage(String),
}

impl FileSource {
    pub fn path(&self) -> &str {
        match self {
            Self::Written(path) | Self::BesideBoundStage(path) => path,
        }
    }
}

/// `GET @stage file://…`.
#[derive(Clone, Debug)]
pub struct GetFiles {
    pub location: StageLocation,
    /// The folder on the driver's machine.
    pub target: String,
    pub parallel: u64,
    pub pattern: Option<String>,
}

#[derive(Clone, Debug)]
pub struct CreateStage {
    pub name: ObjectName,
    pub mode: CreateMode,
    pub persistence: Persistence,
    pub properties: StageProperties,
}

/// A stage's default file format and copy options. `None` leaves a property as it is.
#[derive(Clone, Debug, Default)]
pub struct StageProperties {
    pub format: Option<FormatChoice>,
    pub copy_options: Option<Vec<Property>>,
    pub directory: Option<bool>,
    pub comment: Option<String>,
    pub external: Box<ExternalProperties>,
}

/// The URL, endpoint, credentials and encryption of an external stage. `None` leaves a property as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalProperties {
    pub url: Option<StorageUrl>,
    pub endpoint: Option<String>,
    pub credentials: Option<Credentials>,
    pub encryption: Option<ServerSideEncryption>,
}

#[derive(Clone, Debug)]
pub enum StageChange {
    Rename(ObjectName),
    Set(StageProperties),
    UnsetComment,
}

#[derive(Clone, Debug)]
pub enum FormatChange {
    Rename(ObjectName),
    Set { options: Vec<Property>, comment: Option<String> },
}

/// `FILE_FORMAT = (FORMAT_NAME = …)` or `FILE_FORMAT = (TYPE = … …)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FormatChoice {
    Named(ObjectName),
    Options(Vec<Property>),
}

/// `COPY INTO table FROM …`.
#[derive(Clone, Debug)]
pub struct CopyIntoTable {
    pub table: ObjectName,
    pub columns: Vec<String>,
    pub location: StageLocation,
    /// The query over the staged files, whose one relation is the location.
    pub query: Option<Box<ast::Query>>,
    pub files: Vec<String>,
    pub pattern: Option<String>,
    pub format: Option<FormatChoice>,
    pub options: CopyOptions,
    pub validation: Option<Validation>,
    /// Columns by name, each with the METADATA column that fills it.
    pub include_metadata: Vec<(String, String)>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopyOptions {
    /// `None`: the stage's, else ABORT_STATEMENT.
    pub on_error: Option<OnError>,
    pub size_limit: Option<u64>,
    pub purge: Option<bool>,
    pub force: Option<bool>,
    pub truncate_columns: Option<bool>,
    pub return_failed_only: Option<bool>,
    pub match_by_column_name: Option<ColumnMatch>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnError {
    Abort,
    Continue,
    /// From this many errors in a file on, nothing of the file is loaded.
    SkipFile {
        errors: u64,
    },
    SkipFilePercent {
        percent: u64,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnMatch {
    ByPosition,
    CaseSensitive,
    CaseInsensitive,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Validation {
    Rows(u64),
    Errors,
    AllErrors,
}

/// `COPY INTO @stage FROM …`.
#[derive(Clone, Debug)]
pub struct CopyIntoStage {
    pub location: StageLocation,
    pub query: Box<ast::Query>,
    pub partition_by: Option<ast::Expr>,
    pub format: Option<FormatChoice>,
    pub files: UnloadedFiles,
    pub overwrite: bool,
    pub header: bool,
    pub detailed_output: bool,
    /// The names of the files contain the handle of the statement that wrote them.
    pub include_query_id: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnloadedFiles {
    /// One file, called by the location's path.
    Single,
    Several {
        bytes_max: u64,
    },
}
