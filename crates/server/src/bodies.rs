//! The JSON bodies of the API's answers, as the OpenAPI document shows them.

use std::borrow::Cow;

use firn_statements::progress::Progress;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{AnyOfBuilder, Schema};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

/// An error. `sqlState` and `statementHandle` are there when it concerns a statement.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Error)]
pub struct ErrorBody {
    #[schema(example = "390142")]
    pub code: String,
    #[schema(example = "Incoming request does not contain a valid payload.")]
    pub message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub sql_state: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub statement_handle: Option<String>,
}

/// An error of the analyst's endpoints.
#[derive(Serialize, ToSchema)]
#[schema(as = AnalystError)]
pub struct AnalystErrorBody {
    #[schema(example = "Incoming request does not contain a valid payload.")]
    pub message: String,
    #[schema(example = "390142")]
    pub code: String,
    /// The same as `code`.
    #[schema(example = "390142")]
    pub error_code: String,
    #[schema(format = "uuid")]
    pub request_id: String,
}

/// How far a running statement is.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatementProgress {
    /// `queued`, `planning`, `running`, or `writing` once the first rows are there.
    #[schema(example = "running")]
    pub phase: &'static str,
    /// The engine's estimate, 0 to 100, where it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub percent: Option<f64>,
    /// Rows of the result that are written so far.
    #[schema(example = 0)]
    pub rows: u64,
    /// Of a request with several statements: which of them runs, from 1. The rest is about that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = 2)]
    pub statement: Option<u64>,
}

impl StatementProgress {
    pub fn of(progress: Progress) -> Self {
        let Progress { phase, percent, rows, statement } = progress;
        Self { phase: phase.word(), percent, rows, statement }
    }
}

/// The operators that a statement ran.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct StatementProfile {
    #[schema(format = "uuid", example = "536fad38-b564-4dc5-9892-a4543504df6c")]
    pub statement_handle: String,
    /// How long planning and running took.
    #[schema(example = 12.3)]
    pub milliseconds: f64,
    /// Parents before children.
    pub operators: Vec<ProfiledOperator>,
}

#[derive(Serialize, ToSchema)]
pub struct ProfiledOperator {
    #[schema(example = 1)]
    pub id: usize,
    /// The operator that takes its rows; null of the first.
    #[schema(example = 0)]
    pub parent: Option<usize>,
    /// As EXPLAIN calls it.
    #[schema(example = "TableScan")]
    pub operator: String,
    pub details: OperatorDetails,
    /// Rows that it gave; null where policies hide rows.
    #[schema(example = 1000)]
    pub rows: Option<u64>,
    /// Of all threads together.
    #[schema(example = 8.1)]
    pub milliseconds: f64,
    /// Of the time of all operators, 0 to 1.
    #[schema(example = 0.66)]
    pub share: f64,
}

#[derive(Serialize, ToSchema)]
pub struct OperatorDetails {
    /// The table it reads.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "DEMO.PUBLIC.SALES")]
    pub object: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false, example = "AMOUNT>10")]
    pub expressions: Option<String>,
}

/// The caller's statements that run.
#[derive(Serialize, ToSchema)]
pub struct RunningStatements {
    pub statements: Vec<RunningStatement>,
}

#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct RunningStatement {
    #[schema(format = "uuid", example = "536fad38-b564-4dc5-9892-a4543504df6c")]
    pub statement_handle: String,
    #[schema(example = "running")]
    pub state: &'static str,
    /// The beginning of its text.
    #[schema(example = "SELECT 1")]
    pub text: String,
    /// Milliseconds since the epoch when it was accepted.
    #[schema(example = 1_597_090_533_987_i64)]
    pub created_on: i64,
    /// Milliseconds since then.
    #[schema(example = 1200)]
    pub elapsed_ms: i64,
    pub progress: StatementProgress,
}

/// A statement that is still running, or was stopped by its own time limit.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryStatus {
    #[schema(example = "333334")]
    pub code: String,
    pub sql_state: String,
    #[schema(
        example = "Asynchronous execution in progress. Use provided query id to perform query monitoring and management."
    )]
    pub message: String,
    #[schema(format = "uuid", example = "536fad38-b564-4dc5-9892-a4543504df6c")]
    pub statement_handle: String,
    /// The handles of the statements of a request with several; each can be fetched, also while the others run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub statement_handles: Vec<String>,
    /// Milliseconds since the epoch when execution started.
    #[schema(example = 1_597_090_533_987_i64)]
    pub created_on: i64,
    /// Path to fetch status and result set.
    #[schema(example = "/api/v2/statements/536fad38-b564-4dc5-9892-a4543504df6c")]
    pub statement_status_url: String,
    /// Of a statement that is running.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub progress: Option<StatementProgress>,
}

/// Where in the text of a request a statement failed. Statements and lines count from 1, positions from 0, over the whole text.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ErrorLocation {
    #[schema(example = 1)]
    pub statement: u64,
    #[schema(example = 2)]
    pub line: u64,
    #[schema(example = 7)]
    pub position: u64,
}

/// A statement that failed or was cancelled, or a request that cannot be processed.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct QueryFailureStatus {
    #[schema(example = "002003")]
    pub code: String,
    #[schema(example = "42S02", required = false)]
    pub sql_state: String,
    #[schema(example = "SQL compilation error:\nObject 'X' does not exist or not authorized.")]
    pub message: String,
    #[schema(example = "536fad38-b564-4dc5-9892-a4543504df6c", required = false)]
    pub statement_handle: String,
    /// The handles of the statements of a request with several. Those after the one that failed did not run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    pub statement_handles: Vec<String>,
    /// There where the message names a place, and for requests with several statements.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub error_location: Option<ErrorLocation>,
    /// Milliseconds since the epoch when execution started.
    #[schema(example = 1_597_090_533_987_i64, required = false)]
    pub created_on: i64,
    /// Path to fetch the status.
    #[schema(example = "/api/v2/statements/536fad38-b564-4dc5-9892-a4543504df6c", required = false)]
    pub statement_status_url: String,
}

/// Where a result can be downloaded from for a minute.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DownloadLink {
    #[schema(example = "/api/v2/statements/536fad38-b564-4dc5-9892-a4543504df6c/download?use=anyone&user=1")]
    pub url: String,
    /// Milliseconds since the epoch.
    #[schema(example = 1_597_090_533_987_i64)]
    pub expires_on: i64,
}

/// A statement that was stopped by request.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct CancelStatus {
    #[schema(example = "000604")]
    pub code: String,
    #[schema(example = "57014")]
    pub sql_state: String,
    #[schema(example = "SQL execution canceled")]
    pub message: String,
    #[schema(format = "uuid", example = "536fad38-b564-4dc5-9892-a4543504df6c")]
    pub statement_handle: String,
    /// Path to fetch the status.
    #[schema(example = "/api/v2/statements/536fad38-b564-4dc5-9892-a4543504df6c")]
    pub statement_status_url: String,
}

// `result_set.rs` writes this one around rows that are already JSON; a test there holds it to the
// shape described here.
/// A statement's result.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultSet {
    /// `090001`, or `391908` when the result was too large and part of it is left out.
    #[schema(example = "090001")]
    pub code: String,
    #[schema(example = "00000")]
    pub sql_state: String,
    #[schema(example = "Statement executed successfully.")]
    pub message: String,
    /// For a request with several statements this handle stands for the whole set.
    #[schema(format = "uuid", example = "536fad38-b564-4dc5-9892-a4543504df6c")]
    pub statement_handle: String,
    /// Handles of the single statements of a request with several.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub statement_handles: Option<Vec<String>>,
    /// Milliseconds since the epoch when execution started.
    #[schema(example = 1_597_090_533_987_i64)]
    pub created_on: i64,
    #[schema(format = "uuid")]
    pub request_id: String,
    /// Path to fetch status and result set.
    pub statement_status_url: String,
    pub result_set_meta_data: ResultSetMetaData,
    /// One array per row, one element per column: every value is a string, SQL NULL is null (or
    /// the string `null` with `nullable=false`).
    #[schema(example = json!([["customer1", "1234 A Avenue", "98765"], ["customer2", null, "98765"]]))]
    pub data: Vec<Vec<Option<String>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub stats: Option<DmlStats>,
}

/// Rows a DML statement touched.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct DmlStats {
    pub num_rows_inserted: i64,
    pub num_rows_updated: i64,
    pub num_rows_deleted: i64,
    pub num_duplicate_rows_updated: i64,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ResultSetMetaData {
    /// Index of the partition in this body; 0 is the first.
    pub partition: i32,
    /// Rows of the whole result.
    pub num_rows: i64,
    #[schema(example = "jsonv2")]
    pub format: String,
    pub row_type: Vec<Column>,
    /// One entry per partition.
    pub partition_info: Vec<PartitionInfo>,
}

#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PartitionInfo {
    pub row_count: i64,
    pub uncompressed_size: i64,
    /// Present when the result has several partitions.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    pub compressed_size: Option<i64>,
}

/// A column of the result.
#[derive(Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Column {
    pub name: String,
    /// Empty for an expression.
    pub database: String,
    pub schema: String,
    pub table: String,
    /// `fixed`, `real`, `text`, `binary`, `boolean`, `date`, `time`, `timestamp_ntz`,
    /// `timestamp_ltz`, `timestamp_tz`, `variant`, `object` or `array`.
    #[schema(example = "fixed")]
    #[serde(rename = "type")]
    pub type_name: String,
    pub nullable: bool,
    #[schema(required = true)]
    pub length: Option<i64>,
    #[schema(required = true)]
    pub byte_length: Option<i64>,
    #[schema(required = true)]
    pub precision: Option<i64>,
    #[schema(required = true)]
    pub scale: Option<i64>,
    #[schema(required = true)]
    pub collation: Option<String>,
}

/// A partition after the first: rows only, always gzip-compressed unless the request refuses that.
#[derive(Deserialize, Serialize, ToSchema)]
pub struct PartitionRows {
    pub data: Vec<Vec<Option<String>>>,
}

/// What fetching gives: the whole result set with the first partition, or a later partition's rows.
pub struct FetchedResult;

impl PartialSchema for FetchedResult {
    fn schema() -> RefOr<Schema> {
        AnyOfBuilder::new()
            .item(Ref::from_schema_name(ResultSet::name()))
            .item(Ref::from_schema_name(PartitionRows::name()))
            .into()
    }
}

impl ToSchema for FetchedResult {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("FetchedResult")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((ResultSet::name().into_owned(), ResultSet::schema()));
        ResultSet::schemas(schemas);
        schemas.push((PartitionRows::name().into_owned(), PartitionRows::schema()));
        PartitionRows::schemas(schemas);
    }
}
