//! What a caller may see of a statement at one moment.

use bytes::Bytes;
use firn_catalog::registry::StoredPartition;

use crate::StatementHandle;

#[derive(Clone, Debug)]
pub enum StatementView {
    Running { handle: StatementHandle, created_on_ms: i64 },
    Succeeded(Box<ResultView>),
    Failed(FailedView),
    /// Stopped by its own time limit.
    TimedOut(FailedView),
    /// Stopped by request.
    Cancelled(FailedView),
}

#[derive(Clone, Debug)]
pub struct FailedView {
    pub handle: StatementHandle,
    pub created_on_ms: i64,
    pub code: String,
    pub sql_state: String,
    pub message: String,
}

#[derive(Clone, Debug)]
pub struct ResultView {
    pub handle: StatementHandle,
    /// The handles of a set's statements; empty for a single statement.
    pub children: Vec<StatementHandle>,
    pub created_on_ms: i64,
    /// `090001`, or `391908` when the result was cut at the configured size.
    pub code: String,
    pub message: String,
    /// The `rowType` array as JSON text.
    pub row_type: String,
    pub rows: u64,
    pub partitions: Vec<StoredPartition>,
    /// The `stats` object as JSON text.
    pub stats: Option<String>,
    /// Index of the partition in `body`.
    pub partition: u32,
    pub body: PartitionBody,
}

#[derive(Clone, Debug)]
pub enum PartitionBody {
    /// The rows array `[[…],…]`, to be put into a ResultSet.
    Rows(Bytes),
    /// A whole gzip-compressed body `{"data":[…]}`: partition 1 and up.
    Compressed(Bytes),
}
