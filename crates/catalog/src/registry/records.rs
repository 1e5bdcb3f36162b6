//! Statements and their outcomes as they are recorded.

use uuid::Uuid;

/// A statement as it was accepted.
#[derive(Clone, Debug)]
pub struct StatementRecord {
    pub handle: Uuid,
    pub user_id: i64,
    pub request_id: Option<Uuid>,
    /// The set this statement is one of.
    pub parent: Option<Uuid>,
    /// The statements of the set, in order, when this is a set.
    pub children: Vec<Uuid>,
    pub created_on_ms: i64,
    pub text: String,
    pub query_tag: Option<String>,
    pub sender: Sender,
    /// The number of the kept session that it ran in.
    pub session: Option<u64>,
    pub role: String,
    pub warehouse: Option<String>,
    pub database: Option<String>,
    pub schema: Option<String>,
    /// `None` while it runs.
    pub ended: Option<Ended>,
}

#[derive(Clone, Debug)]
pub struct Ended {
    pub finished_on_ms: i64,
    pub expires_on_ms: i64,
    pub state: EndState,
    pub code: String,
    pub sql_state: String,
    pub message: String,
    /// Present when `state` is `Succeeded`.
    pub result: Option<StoredResult>,
    /// The objects whose values the result or the message may show, as JSON; `None` where that is not known.
    pub reads: Option<String>,
    /// The operators that ran, as JSON, of a statement that was to be profiled.
    pub profile: Option<String>,
    /// How long it waited for its turn on the warehouse.
    pub queued_ms: i64,
}

/// Who thought of a statement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sender {
    #[default]
    User,
    /// A program needed it for itself, such as a console that lists tables.
    Client,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndState {
    Succeeded,
    Failed,
    Cancelled,
    TimedOut,
}

/// A result at rest. Rows are already encoded; nothing is encoded again to serve it to whom it was encoded for.
#[derive(Clone, Debug)]
pub struct StoredResult {
    /// The `rowType` array as JSON text.
    pub row_type: String,
    pub rows: u64,
    pub partitions: Vec<StoredPartition>,
    /// DML counts as the JSON text of `stats`.
    pub stats: Option<String>,
    /// The first partition, when it is small enough to live in the row: `[[…],[…]]`, or a stream of Arrow.
    pub inline_rows: Option<Vec<u8>>,
    /// The folder that holds the partitions that are not inline: the handle of the statement that
    /// wrote them (a reused result names the first one's).
    pub stored_under: Uuid,
    pub cells: Cells,
}

/// What the partitions of a result are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ResultFormat {
    /// The contract's rows.
    #[default]
    Json,
    /// IPC streams, each with its schema.
    Arrow,
}

const ARROW_BIT: i64 = 1 << 10;

/// How the cells of a result were written. Where none of the first two holds, values can be read back from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// Output formats of the session made texts of some.
    pub formatted: bool,
    /// NULL is the text `null`.
    pub null_words: bool,
    /// The types of dates and times that are texts, as bits.
    pub texts: u8,
    pub format: ResultFormat,
}

impl Cells {
    /// Cells of Arrow are values, which nothing was made of.
    pub const ARROW: Self = Self { formatted: false, null_words: false, texts: 0, format: ResultFormat::Arrow };

    pub(super) fn number(self) -> i64 {
        let format = if self.format == ResultFormat::Arrow { ARROW_BIT } else { 0 };
        i64::from(self.formatted) + 2 * i64::from(self.null_words) + 4 * i64::from(self.texts) + format
    }

    pub(super) fn of_number(number: i64) -> Self {
        let format = if number & ARROW_BIT == 0 { ResultFormat::Json } else { ResultFormat::Arrow };
        Self { formatted: number & 1 != 0, null_words: number & 2 != 0, texts: (number >> 2 & 0xff) as u8, format }
    }
}

impl StoredResult {
    /// The length of a partition as it is stored: the first plain, the others compressed.
    pub fn partition_bytes(&self, partition: usize) -> u64 {
        let stored = self.partitions.get(partition).copied();
        let bytes = |stored: StoredPartition| match partition {
            0 => stored.uncompressed_bytes,
            _ => stored.compressed_bytes,
        };
        stored.map_or(0, bytes)
    }

    /// What its partitions take in the folder. The first one is there as plain rows unless it is inline, the others are
    /// compressed.
    pub fn disk_bytes(&self) -> u64 {
        let Some((first, rest)) = self.partitions.split_first() else { return 0 };
        let first_bytes = if self.inline_rows.is_some() { 0 } else { first.uncompressed_bytes };
        first_bytes + rest.iter().map(|partition| partition.compressed_bytes).sum::<u64>()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredPartition {
    pub rows: u64,
    pub uncompressed_bytes: u64,
    pub compressed_bytes: u64,
}

/// A statement of the past, or one that still runs.
#[derive(Clone, Debug)]
pub struct PastStatement {
    pub handle: Uuid,
    /// The request it was a part of.
    pub parent: Option<Uuid>,
    pub user_id: i64,
    pub created_on_ms: i64,
    pub text: String,
    pub query_tag: Option<String>,
    pub sender: Sender,
    /// The number of the kept session that it ran in.
    pub session: Option<u64>,
    pub role: String,
    pub warehouse: Option<String>,
    pub database: Option<String>,
    pub schema: Option<String>,
    /// `None` while it runs.
    pub state: Option<EndState>,
    pub finished_on_ms: Option<i64>,
    pub code: Option<String>,
    pub sql_state: Option<String>,
    pub message: Option<String>,
    pub rows: Option<i64>,
    /// As in `StoredResult`.
    pub stats: Option<String>,
    /// Of the result, before compression.
    pub bytes: Option<u64>,
    /// As in `Ended`.
    pub reads: Option<String>,
    pub queued_ms: Option<i64>,
}

impl PastStatement {
    pub fn of(record: StatementRecord) -> Self {
        let ended = record.ended.as_ref();
        let result = ended.and_then(|ended| ended.result.as_ref());
        let bytes = |result: &StoredResult| result.partitions.iter().map(|part| part.uncompressed_bytes).sum();
        Self {
            handle: record.handle,
            parent: record.parent,
            user_id: record.user_id,
            created_on_ms: record.created_on_ms,
            state: ended.map(|ended| ended.state),
            finished_on_ms: ended.map(|ended| ended.finished_on_ms),
            code: ended.map(|ended| ended.code.clone()),
            sql_state: ended.map(|ended| ended.sql_state.clone()),
            message: ended.map(|ended| ended.message.clone()),
            rows: result.map(|result| result.rows as i64),
            stats: result.and_then(|result| result.stats.clone()),
            bytes: result.map(bytes),
            reads: ended.and_then(|ended| ended.reads.clone()),
            queued_ms: ended.map(|ended| ended.queued_ms),
            text: record.text,
            query_tag: record.query_tag,
            sender: record.sender,
            session: record.session,
            role: record.role,
            warehouse: record.warehouse,
            database: record.database,
            schema: record.schema,
        }
    }
}
