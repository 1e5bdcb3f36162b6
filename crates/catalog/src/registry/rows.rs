//! A statement record as a row: binary identifiers, fixed-width partitions, no value trees.

use rusqlite::types::ValueRef;
use rusqlite::{Row, Statement};
use uuid::Uuid;

use super::records::{Cells, EndState, Ended, Sender, StatementRecord, StoredPartition, StoredResult};
use crate::error::CatalogError;

pub(super) const INSERT: &str = "INSERT INTO statements (handle, user_id, request_id, parent, children, \
    created_on_ms, role, warehouse, database_name, schema_name, query_tag, text, finished_on_ms, expires_on_ms, \
    state, code, sql_state, message, result_rows, stored_under, stored_bytes, partitions, stats, row_type, \
    inline_rows, formatted, reads, profile, queued_ms, client_generated, session) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, \
    ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, ?28, ?29, ?30, ?31)";

pub(super) const END: &str = "UPDATE statements SET finished_on_ms = ?2, expires_on_ms = ?3, state = ?4, \
    code = ?5, sql_state = ?6, message = ?7, result_rows = ?8, stored_under = ?9, stored_bytes = ?10, \
    partitions = ?11, stats = ?12, row_type = ?13, inline_rows = ?14, formatted = ?15, \
    reads = ?16, profile = ?17, queued_ms = ?18 WHERE handle = ?1 AND state IS NULL";

pub(super) const SELECT_WHOLE: &str = "SELECT handle, user_id, request_id, parent, children, created_on_ms, \
    role, warehouse, database_name, schema_name, query_tag, text, finished_on_ms, expires_on_ms, state, code, \
    sql_state, message, result_rows, stored_under, partitions, stats, row_type, inline_rows, formatted, \
    reads, profile, client_generated, session, queued_ms FROM statements";

const PARTITION_BYTES: usize = 24;
const UUID_BYTES: usize = 16;

pub(super) fn insert_into(statement: &mut Statement<'_>, record: &StatementRecord) -> Result<(), CatalogError> {
    statement.raw_bind_parameter(1, &record.handle.as_bytes()[..])?;
    statement.raw_bind_parameter(2, record.user_id)?;
    statement.raw_bind_parameter(3, record.request_id.as_ref().map(|id| &id.as_bytes()[..]))?;
    statement.raw_bind_parameter(4, record.parent.as_ref().map(|id| &id.as_bytes()[..]))?;
    statement.raw_bind_parameter(5, write_uuids(&record.children))?;
    statement.raw_bind_parameter(6, record.created_on_ms)?;
    statement.raw_bind_parameter(7, &record.role)?;
    statement.raw_bind_parameter(8, record.warehouse.as_deref())?;
    statement.raw_bind_parameter(9, record.database.as_deref())?;
    statement.raw_bind_parameter(10, record.schema.as_deref())?;
    statement.raw_bind_parameter(11, record.query_tag.as_deref())?;
    statement.raw_bind_parameter(12, &record.text)?;
    EndedColumns::of(record.ended.as_ref()).bind(statement, 13)?;
    statement.raw_bind_parameter(30, record.sender == Sender::Client)?;
    statement.raw_bind_parameter(31, record.session.map(|number| number as i64))?;
    statement.raw_execute()?;
    Ok(())
}

/// The seventeen columns that say how a statement ended; all null while it runs.
pub(super) struct EndedColumns<'a> {
    ended: Option<&'a Ended>,
    result: Option<&'a StoredResult>,
}

impl<'a> EndedColumns<'a> {
    pub(super) fn of(ended: Option<&'a Ended>) -> Self {
        Self { ended, result: ended.and_then(|ended| ended.result.as_ref()) }
    }

    pub(super) fn bind(&self, statement: &mut Statement<'_>, first: usize) -> Result<(), CatalogError> {
        let ended = self.ended;
        statement.raw_bind_parameter(first, ended.map(|ended| ended.finished_on_ms))?;
        statement.raw_bind_parameter(first + 1, ended.map(|ended| ended.expires_on_ms))?;
        statement.raw_bind_parameter(first + 2, ended.map(|ended| write_state(ended.state)))?;
        statement.raw_bind_parameter(first + 3, ended.map(|ended| ended.code.as_str()))?;
        statement.raw_bind_parameter(first + 4, ended.map(|ended| ended.sql_state.as_str()))?;
        statement.raw_bind_parameter(first + 5, ended.map(|ended| ended.message.as_str()))?;
        let result = self.result;
        statement.raw_bind_parameter(first + 6, result.map(|result| result.rows as i64))?;
        statement.raw_bind_parameter(first + 7, result.map(|result| &result.stored_under.as_bytes()[..]))?;
        statement.raw_bind_parameter(first + 8, result.map(|result| result.disk_bytes() as i64))?;
        statement.raw_bind_parameter(first + 9, result.map(|result| write_partitions(&result.partitions)))?;
        statement.raw_bind_parameter(first + 10, result.and_then(|result| result.stats.as_deref()))?;
        statement.raw_bind_parameter(first + 11, result.map(|result| result.row_type.as_str()))?;
        statement.raw_bind_parameter(first + 12, result.and_then(|result| result.inline_rows.as_deref()))?;
        statement.raw_bind_parameter(first + 13, result.map(|result| result.cells.number()))?;
        statement.raw_bind_parameter(first + 14, ended.and_then(|ended| ended.reads.as_deref()))?;
        statement.raw_bind_parameter(first + 15, ended.and_then(|ended| ended.profile.as_deref()))?;
        statement.raw_bind_parameter(first + 16, ended.map(|ended| ended.queued_ms))?;
        Ok(())
    }
}

/// Reads a row of the SELECT above.
pub(super) fn read_record(row: &Row<'_>) -> Result<StatementRecord, CatalogError> {
    Ok(StatementRecord {
        handle: read_uuid(row.get_ref(0)?.as_blob().map_err(unreadable)?)?,
        user_id: row.get(1)?,
        request_id: read_optional_uuid(row.get_ref(2)?)?,
        parent: read_optional_uuid(row.get_ref(3)?)?,
        children: read_uuids(row.get_ref(4)?)?,
        created_on_ms: row.get(5)?,
        role: row.get(6)?,
        warehouse: row.get(7)?,
        database: row.get(8)?,
        schema: row.get(9)?,
        query_tag: row.get(10)?,
        text: row.get(11)?,
        sender: read_sender(row.get(27)?),
        session: row.get::<_, Option<i64>>(28)?.map(|number| number as u64),
        ended: read_ended(row)?,
    })
}

fn read_ended(row: &Row<'_>) -> Result<Option<Ended>, CatalogError> {
    let Some(state) = row.get::<_, Option<i64>>(14)? else {
        return Ok(None);
    };
    Ok(Some(Ended {
        finished_on_ms: row.get(12)?,
        expires_on_ms: row.get(13)?,
        state: read_state(state)?,
        code: row.get(15)?,
        sql_state: row.get(16)?,
        message: row.get(17)?,
        result: read_result(row)?,
        reads: row.get(25)?,
        profile: row.get(26)?,
        queued_ms: row.get::<_, Option<i64>>(29)?.unwrap_or(0),
    }))
}

fn read_result(row: &Row<'_>) -> Result<Option<StoredResult>, CatalogError> {
    let Some(row_type) = row.get::<_, Option<String>>(22)? else {
        return Ok(None);
    };
    Ok(Some(StoredResult {
        row_type,
        rows: row.get::<_, i64>(18)? as u64,
        partitions: read_partitions(row.get_ref(20)?.as_blob().map_err(unreadable)?)?,
        stats: row.get(21)?,
        inline_rows: row.get(23)?,
        stored_under: read_uuid(row.get_ref(19)?.as_blob().map_err(unreadable)?)?,
        cells: Cells::of_number(row.get::<_, Option<i64>>(24)?.unwrap_or(0)),
    }))
}

pub(super) fn read_sender(is_client_generated: bool) -> Sender {
    if is_client_generated { Sender::Client } else { Sender::User }
}

pub(super) fn write_state(state: EndState) -> i64 {
    match state {
        EndState::Succeeded => 0,
        EndState::Failed => 1,
        EndState::Cancelled => 2,
        EndState::TimedOut => 3,
    }
}

pub(super) fn read_state(state: i64) -> Result<EndState, CatalogError> {
    match state {
        0 => Ok(EndState::Succeeded),
        1 => Ok(EndState::Failed),
        2 => Ok(EndState::Cancelled),
        3 => Ok(EndState::TimedOut),
        other => Err(CatalogError::Corrupt(format!("statement state {other}"))),
    }
}

fn write_uuids(ids: &[Uuid]) -> Option<Vec<u8>> {
    if ids.is_empty() {
        return None;
    }
    Some(ids.iter().flat_map(|id| *id.as_bytes()).collect())
}

fn read_uuids(value: ValueRef<'_>) -> Result<Vec<Uuid>, CatalogError> {
    let Some(bytes) = value.as_blob_or_null().map_err(unreadable)? else {
        return Ok(Vec::new());
    };
    bytes.chunks(UUID_BYTES).map(read_uuid).collect()
}

pub(super) fn read_uuid(bytes: &[u8]) -> Result<Uuid, CatalogError> {
    Uuid::from_slice(bytes).map_err(|error| CatalogError::Corrupt(error.to_string()))
}

fn read_optional_uuid(value: ValueRef<'_>) -> Result<Option<Uuid>, CatalogError> {
    value.as_blob_or_null().map_err(unreadable)?.map(read_uuid).transpose()
}

fn write_partitions(partitions: &[StoredPartition]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(partitions.len() * PARTITION_BYTES);
    for partition in partitions {
        bytes.extend_from_slice(&partition.rows.to_le_bytes());
        bytes.extend_from_slice(&partition.uncompressed_bytes.to_le_bytes());
        bytes.extend_from_slice(&partition.compressed_bytes.to_le_bytes());
    }
    bytes
}

pub(super) fn read_partitions(bytes: &[u8]) -> Result<Vec<StoredPartition>, CatalogError> {
    let (numbers, rest) = bytes.as_chunks::<8>();
    let (partitions, incomplete) = numbers.as_chunks::<3>();
    if !rest.is_empty() || !incomplete.is_empty() {
        return Err(CatalogError::Corrupt("a statement's partitions are cut short".to_owned()));
    }
    let read = |[rows, uncompressed, compressed]: &[[u8; 8]; 3]| StoredPartition {
        rows: u64::from_le_bytes(*rows),
        uncompressed_bytes: u64::from_le_bytes(*uncompressed),
        compressed_bytes: u64::from_le_bytes(*compressed),
    };
    Ok(partitions.iter().map(read).collect())
}

pub(super) fn unreadable(error: rusqlite::types::FromSqlError) -> CatalogError {
    CatalogError::Corrupt(error.to_string())
}
