//! What ran, newest first, without results.

use rusqlite::{Row, params};
use uuid::Uuid;

use super::Registry;
use super::records::PastStatement;
use super::rows::{read_partitions, read_sender, read_state, read_uuid, unreadable};
use crate::error::CatalogError;

impl Registry {
    /// Those of all users that ended since then.
    pub fn ended_since(&self, since_ms: i64) -> Result<Vec<PastStatement>, CatalogError> {
        self.select(None, Some(since_ms), None, u32::MAX)
    }

    /// `None` stands for all users.
    pub fn past(&self, user_id: Option<i64>, limit: u32) -> Result<Vec<PastStatement>, CatalogError> {
        self.select(user_id, None, None, limit)
    }

    /// The statements that a block of the user has run.
    pub fn inside(&self, user_id: i64, block: Uuid) -> Result<Vec<PastStatement>, CatalogError> {
        self.select(Some(user_id), None, Some(block), u32::MAX)
    }

    fn select(
        &self,
        user_id: Option<i64>,
        ended_since_ms: Option<i64>,
        parent: Option<Uuid>,
        limit: u32,
    ) -> Result<Vec<PastStatement>, CatalogError> {
        self.store.read(|connection| {
            // Each of them has an index.
            let whose = match (user_id, parent) {
                (_, Some(_)) => "parent = ?3 AND user_id = ?1",
                (Some(_), None) => "user_id = ?1",
                (None, None) => "?1 IS NULL AND ?3 IS NULL",
            };
            let mut statement = connection.prepare_cached(&format!(
                "SELECT handle, user_id, created_on_ms, text, query_tag, role, warehouse, database_name, schema_name, \
                 state, finished_on_ms, code, message, result_rows, parent, stats, \
                 partitions, reads, sql_state, client_generated, session FROM statements WHERE {whose} \
                 AND (?2 IS NULL OR finished_on_ms >= ?2) ORDER BY id DESC LIMIT ?4"
            ))?;
            let parent = parent.as_ref().map(|parent| &parent.as_bytes()[..]);
            let mut rows = statement.query(params![user_id, ended_since_ms, parent, limit])?;
            let mut past = Vec::new();
            while let Some(row) = rows.next()? {
                past.push(PastStatement {
                    handle: read_uuid(&row.get::<_, Vec<u8>>(0)?)?,
                    user_id: row.get(1)?,
                    created_on_ms: row.get(2)?,
                    text: row.get(3)?,
                    query_tag: row.get(4)?,
                    sender: read_sender(row.get(19)?),
                    session: row.get::<_, Option<i64>>(20)?.map(|number| number as u64),
                    role: row.get(5)?,
                    warehouse: row.get(6)?,
                    database: row.get(7)?,
                    schema: row.get(8)?,
                    state: row.get::<_, Option<i64>>(9)?.map(read_state).transpose()?,
                    finished_on_ms: row.get(10)?,
                    code: row.get(11)?,
                    sql_state: row.get(18)?,
                    message: row.get(12)?,
                    rows: row.get(13)?,
                    parent: row.get::<_, Option<Vec<u8>>>(14)?.map(|bytes| read_uuid(&bytes)).transpose()?,
                    stats: row.get(15)?,
                    bytes: result_bytes(row)?,
                    reads: row.get(17)?,
                });
            }
            Ok(past)
        })
    }
}

/// Before compression; `None` without a result.
fn result_bytes(row: &Row<'_>) -> Result<Option<u64>, CatalogError> {
    let Some(partitions) = row.get_ref(16)?.as_blob_or_null().map_err(unreadable)? else { return Ok(None) };
    Ok(Some(read_partitions(partitions)?.iter().map(|partition| partition.uncompressed_bytes).sum()))
}
