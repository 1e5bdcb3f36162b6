//! One COPY INTO a stage with everything looked up.

use firn_engine::stage_files::IncomingFile;
use firn_sql::command::CopyIntoStage;
use firn_sql::file_formats::FileFormat;
use firn_sql::stages::StagePath;

use crate::session_state::SessionState;
use crate::stage_places::Located;

/// A file that is written but not moved to the stage yet.
pub(super) struct Written {
    pub(super) incoming: IncomingFile,
    pub(super) path: StagePath,
    pub(super) rows: u64,
    /// Before compression.
    pub(super) bytes: u64,
}

/// What is unloaded, looked up and printed.
pub(super) struct Unload<'a> {
    pub(super) session: &'a SessionState,
    pub(super) copy: &'a CopyIntoStage,
    pub(super) located: Located,
    pub(super) format: FileFormat,
    /// The engine's query: the partition first, where there is one, then the columns.
    pub(super) sql: String,
    /// When the statement was authorised.
    pub(super) authorised_at: Option<u64>,
    /// Of the statement, where the names of files include it.
    pub(super) query_id: Option<String>,
}
