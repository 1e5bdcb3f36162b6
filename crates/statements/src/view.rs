//! The state of a statement as a caller may see it.

use std::io;

use bytes::Bytes;
use firn_catalog::registry::{EndState, ResultFormat, StatementRecord, StoredPartition, StoredResult};

use firn_values::cells::shown::TextKinds;
use uuid::Uuid;

use crate::error::StatementError;
use crate::error_location::{self, ErrorLocation};
use crate::execution::{Execution, Finished, OnDisk};
use crate::handle::StatementHandle;
use crate::partition_reader::PartitionReader;
use crate::progress::Progress;
use crate::result_store::ResultStore;
use crate::statement_type::StatementType;

#[derive(Clone, Debug)]
pub enum StatementView {
    Running {
        handle: StatementHandle,
        /// The handles of a set's statements.
        children: Vec<StatementHandle>,
        created_on_ms: i64,
        /// How far it is, where that is known.
        progress: Option<Progress>,
    },
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
    /// The handles of a set's statements; those after the one that failed are not known.
    pub children: Vec<StatementHandle>,
    pub created_on_ms: i64,
    pub statement_type: StatementType,
    pub code: String,
    pub sql_state: String,
    pub message: String,
    /// Where in the text of the request it failed, if that is known.
    pub location: Option<ErrorLocation>,
}

#[derive(Clone, Debug)]
pub struct ResultView {
    pub handle: StatementHandle,
    /// The handles of a set's statements; empty for a single statement.
    pub children: Vec<StatementHandle>,
    pub created_on_ms: i64,
    pub statement_type: StatementType,
    /// The role that it ran in.
    pub role: String,
    /// `090001`, or `391908` when the result was cut at the configured size.
    pub code: String,
    pub message: String,
    /// The `rowType` array as JSON text.
    pub row_type: String,
    /// The types of dates and times whose cells are texts.
    pub texts: TextKinds,
    pub rows: u64,
    /// In which the result is stored; `body` may be made of it.
    pub format: ResultFormat,
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
    /// The rows as a stream of Arrow.
    Arrow(Bytes),
    /// As `Arrow`, compressed with gzip: partition 1 and up.
    CompressedArrow(Bytes),
}

impl PartitionBody {
    fn first(format: ResultFormat, bytes: Bytes) -> Self {
        match format {
            ResultFormat::Json => Self::Rows(bytes),
            ResultFormat::Arrow => Self::Arrow(bytes),
        }
    }

    fn later(format: ResultFormat, bytes: Bytes) -> Self {
        match format {
            ResultFormat::Json => Self::Compressed(bytes),
            ResultFormat::Arrow => Self::CompressedArrow(bytes),
        }
    }
}

pub(crate) fn of_running(execution: &Execution) -> StatementView {
    StatementView::Running {
        handle: execution.handle,
        children: execution.children.clone(),
        created_on_ms: execution.created_on_ms,
        progress: Some(execution.progress()),
    }
}

/// The response to a waiting request, from memory. A success is only reported once it is on disk; a failure in any case.
pub(crate) fn of_finished(finished: &Finished) -> Result<StatementView, StatementError> {
    let record = &finished.record;
    let succeeded = record.ended.as_ref().is_some_and(|ended| ended.state == EndState::Succeeded);
    if let OnDisk::No { sql_state } = finished.on_disk
        && succeeded
    {
        return Err(StatementError::NotRecorded { handle: StatementHandle(record.handle), sql_state });
    }
    let result = record.ended.as_ref().and_then(|ended| ended.result.as_ref());
    let format = result.map_or(ResultFormat::Json, |result| result.cells.format);
    of_ended(record, || Ok(PartitionBody::first(format, finished.first_rows.clone())), 0)
}

/// The response to a later request, from disk.
pub(crate) fn of_record(
    record: &StatementRecord,
    partition: Option<i64>,
    store: &ResultStore,
) -> Result<StatementView, StatementError> {
    if record.ended.is_none() {
        let handle = StatementHandle(record.handle);
        let children = children_of(record);
        return Ok(StatementView::Running { handle, children, created_on_ms: record.created_on_ms, progress: None });
    }
    let result = record.ended.as_ref().and_then(|ended| ended.result.as_ref());
    let index = match result {
        Some(result) => checked_partition(partition, result.partitions.len())?,
        None => 0,
    };
    let body =
        || result.map_or_else(|| Err(without_result(record)), |result| read_body(record.handle, result, index, store));
    of_ended(record, body, index)
}

pub(crate) fn children_of(record: &StatementRecord) -> Vec<StatementHandle> {
    record.children.iter().copied().map(StatementHandle).collect()
}

pub(crate) fn failed(record: &StatementRecord) -> FailedView {
    let ended = record.ended.as_ref();
    FailedView {
        handle: StatementHandle(record.handle),
        children: children_of(record),
        created_on_ms: record.created_on_ms,
        statement_type: StatementType::of(&record.text),
        code: ended.map(|ended| ended.code.clone()).unwrap_or_default(),
        sql_state: ended.map(|ended| ended.sql_state.clone()).unwrap_or_default(),
        message: ended.map(|ended| ended.message.clone()).unwrap_or_default(),
        location: error_location::of_record(record),
    }
}

fn of_ended(
    record: &StatementRecord,
    body: impl FnOnce() -> Result<PartitionBody, StatementError>,
    partition: usize,
) -> Result<StatementView, StatementError> {
    let Some(ended) = &record.ended else { return Err(without_result(record)) };
    Ok(match (ended.state, &ended.result) {
        (EndState::Succeeded, Some(result)) => StatementView::Succeeded(Box::new(ResultView {
            handle: StatementHandle(record.handle),
            children: children_of(record),
            created_on_ms: record.created_on_ms,
            statement_type: if record.children.is_empty() {
                StatementType::of(&record.text)
            } else {
                StatementType::SET
            },
            role: record.role.clone(),
            code: ended.code.clone(),
            message: ended.message.clone(),
            row_type: result.row_type.clone(),
            texts: TextKinds::from_bits(result.cells.texts),
            rows: result.rows,
            format: result.cells.format,
            partitions: result.partitions.clone(),
            stats: result.stats.clone(),
            partition: partition as u32,
            body: body()?,
        })),
        (EndState::Succeeded, None) => return Err(without_result(record)),
        (EndState::Failed, _) => StatementView::Failed(failed(record)),
        (EndState::TimedOut, _) => StatementView::TimedOut(failed(record)),
        (EndState::Cancelled, _) => StatementView::Cancelled(failed(record)),
    })
}

fn read_body(
    handle: Uuid,
    result: &StoredResult,
    index: usize,
    store: &ResultStore,
) -> Result<PartitionBody, StatementError> {
    if let (0, Some(rows)) = (index, &result.inline_rows) {
        return Ok(PartitionBody::first(result.cells.format, Bytes::from(rows.clone())));
    }
    let body = store.read(result, index).map_err(|error| unreadable(handle, result, index, &error))?;
    let format = result.cells.format;
    Ok(if index == 0 { PartitionBody::first(format, body) } else { PartitionBody::later(format, body) })
}

/// A later partition, the gzip body of which is read piece by piece. What is damaged is refused before its first piece is sent.
pub(crate) fn open_partition(
    record: &StatementRecord,
    partition: i64,
    store: &ResultStore,
) -> Result<(PartitionReader, ResultFormat), StatementError> {
    let result = record.ended.as_ref().and_then(|ended| ended.result.as_ref());
    let result = result.ok_or_else(|| without_result(record))?;
    let index = checked_partition(Some(partition), result.partitions.len())?;
    let opened = store.open_partition(result, index).and_then(|mut reader| reader.verify().map(|()| reader));
    let opened = opened.map_err(|error| unreadable(record.handle, result, index, &error))?;
    Ok((opened, result.cells.format))
}

fn unreadable(handle: Uuid, result: &StoredResult, index: usize, error: &io::Error) -> StatementError {
    tracing::error!(statement.handle = %handle, partition = index, folder = %result.stored_under, %error, "a result cannot be read");
    StatementError::DamagedResult(StatementHandle(handle))
}

fn checked_partition(partition: Option<i64>, count: usize) -> Result<usize, StatementError> {
    let Some(partition) = partition else { return Ok(0) };
    usize::try_from(partition).ok().filter(|&index| index < count).ok_or_else(|| StatementError::Invalid {
        code: "391922",
        sql_state: Some("22023"),
        message: format!("partition {partition} does not exist; the result has partitions 0 to {}", count - 1),
    })
}

fn without_result(record: &StatementRecord) -> StatementError {
    StatementError::Internal(format!("statement {} is recorded without its result", record.handle))
}
