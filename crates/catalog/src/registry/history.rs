//! What ran, newest first, without results. Whoever asks says which statements; no others are read.

use std::ops::ControlFlow;

use rusqlite::{Connection, Row, params};
use uuid::Uuid;

use super::Registry;
use super::records::{PastStatement, Sender};
use super::rows::{read_partitions, read_sender, read_state, read_uuid, unreadable};
use crate::error::CatalogError;

/// Statements that took longer have an index of their own; it names the same number.
const LONG_MS: i64 = 3_600_000;

const SELECT: &str = "SELECT handle, user_id, created_on_ms, text, query_tag, role, warehouse, database_name, schema_name, \
    state, finished_on_ms, code, message, result_rows, parent, stats, partitions, reads, sql_state, client_generated, \
    session FROM statements";

/// The statements that may have ended at a time though they began more than `LONG_MS` before it.
const LONG_OR_RUNNING: &str = "SELECT id FROM statements WHERE finished_on_ms - created_on_ms > 3600000 AND finished_on_ms >= ?5 \
    UNION ALL SELECT id FROM statements WHERE state IS NULL";

/// The statements of a session: a kept one by its number, that of a request by the end of the request's handle.
const OF_SESSION: &str = "SELECT id FROM statements WHERE session IS NOT NULL AND session = ?8 \
    UNION ALL SELECT id FROM statements WHERE substr(handle, 9) = ?9 \
    UNION ALL SELECT id FROM statements WHERE parent IS NOT NULL AND substr(parent, 9) = ?9";

/// Which statements of the history; `None` stands for any.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HistorySearch {
    pub user_id: Option<i64>,
    pub warehouse: Option<String>,
    pub sender: Option<Sender>,
    /// The number of the session that they ran in.
    pub session: Option<u64>,
    /// Those that run are among them.
    pub ended_from_ms: Option<i64>,
    /// Those that run are not among them.
    pub ended_until_ms: Option<i64>,
}

/// A part of the history, by the times when statements began.
struct Span {
    from_ms: i64,
    until_ms: i64,
    /// A query for the ids of the statements in question, where these are few.
    ids: Option<&'static str>,
}

impl HistorySearch {
    /// Whether a statement that ran in the session of that number is one of them.
    pub fn has(&self, statement: &PastStatement, session: u64) -> bool {
        let ended_on_ms = statement.finished_on_ms;
        self.user_id.is_none_or(|user_id| user_id == statement.user_id)
            && self.warehouse.as_ref().is_none_or(|name| statement.warehouse.as_ref() == Some(name))
            && self.sender.is_none_or(|sender| sender == statement.sender)
            && self.session.is_none_or(|number| number == session)
            && self.ended_from_ms.is_none_or(|from_ms| ended_on_ms.is_none_or(|ended_on_ms| ended_on_ms >= from_ms))
            && self.ended_until_ms.is_none_or(|until_ms| ended_on_ms.is_some_and(|ended_on_ms| ended_on_ms <= until_ms))
    }

    /// The spans to read, the latest first. A clock that was set back may have a statement end before it began.
    fn spans(&self) -> Vec<Span> {
        let until_ms = self.ended_until_ms.map_or(i64::MAX, |until_ms| until_ms.saturating_add(LONG_MS));
        if self.session.is_some() {
            return vec![Span { from_ms: i64::MIN, until_ms, ids: Some(OF_SESSION) }];
        }
        let Some(ended_from_ms) = self.ended_from_ms else {
            return vec![Span { from_ms: i64::MIN, until_ms, ids: None }];
        };
        let from_ms = ended_from_ms.saturating_sub(LONG_MS);
        let before =
            Span { from_ms: i64::MIN, until_ms: until_ms.min(from_ms.saturating_sub(1)), ids: Some(LONG_OR_RUNNING) };
        vec![Span { from_ms, until_ms, ids: None }, before]
    }
}

impl Registry {
    /// Those of all users that ended since then.
    pub fn ended_since(&self, since_ms: i64) -> Result<Vec<PastStatement>, CatalogError> {
        let mut ended = Vec::new();
        let search = HistorySearch { ended_from_ms: Some(since_ms), ..HistorySearch::default() };
        self.search(&search, |statement| {
            if statement.state.is_some() {
                ended.push(statement);
            }
            ControlFlow::Continue(())
        })?;
        Ok(ended)
    }

    /// Reads the statements one by one, the latest first, until `take` has enough.
    pub fn search(
        &self,
        search: &HistorySearch,
        mut take: impl FnMut(PastStatement) -> ControlFlow<()>,
    ) -> Result<(), CatalogError> {
        self.store.read(|connection| {
            for span in search.spans() {
                if read_span(connection, search, &span, &mut take)?.is_break() {
                    break;
                }
            }
            Ok(())
        })
    }

    /// The statements that a block of the user has run, the latest first.
    pub fn inside(&self, user_id: i64, block: Uuid) -> Result<Vec<PastStatement>, CatalogError> {
        self.store.read(|connection| {
            let mut statement =
                connection.prepare_cached(&format!("{SELECT} WHERE parent = ?1 AND user_id = ?2 ORDER BY id DESC"))?;
            let mut rows = statement.query(params![&block.as_bytes()[..], user_id])?;
            let mut inside = Vec::new();
            while let Some(row) = rows.next()? {
                inside.push(read_past(row)?);
            }
            Ok(inside)
        })
    }
}

fn read_span(
    connection: &Connection,
    search: &HistorySearch,
    span: &Span,
    take: &mut dyn FnMut(PastStatement) -> ControlFlow<()>,
) -> Result<ControlFlow<()>, CatalogError> {
    // The sign keeps a column out of the choice of an index.
    let (sign, among) = match span.ids {
        Some(ids) => ("+", format!("id IN ({ids})")),
        None => ("", "TRUE".to_owned()),
    };
    let whose = match search.user_id {
        Some(_) => format!("{sign}user_id = ?7"),
        None => "?7 IS NULL".to_owned(),
    };
    let mut statement = connection.prepare_cached(&format!(
        "{SELECT} WHERE {among} AND {whose} AND {sign}created_on_ms BETWEEN ?1 AND ?2 \
         AND (?3 IS NULL OR warehouse = ?3) AND (?4 IS NULL OR client_generated = ?4) \
         AND (?5 IS NULL OR finished_on_ms IS NULL OR finished_on_ms >= ?5) AND (?6 IS NULL OR finished_on_ms <= ?6) \
         AND (?8 IS NULL OR session = ?8 OR (session IS NULL AND substr(COALESCE(parent, handle), 9) = ?9)) \
         ORDER BY {sign}created_on_ms DESC, id DESC"
    ))?;
    let mut rows = statement.query(params![
        span.from_ms,
        span.until_ms,
        search.warehouse,
        search.sender.map(|sender| sender == Sender::Client),
        search.ended_from_ms,
        search.ended_until_ms,
        search.user_id,
        search.session.map(|number| number as i64),
        search.session.map(|number| end_of_handle(number).to_vec()),
    ])?;
    while let Some(row) = rows.next()? {
        if take(read_past(row)?).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// The second half of a handle with this number: two bits of every UUID are the same.
fn end_of_handle(number: u64) -> [u8; 8] {
    const VARIANT: u64 = 0b10 << 62;
    (VARIANT | number).to_be_bytes()
}

fn read_past(row: &Row<'_>) -> Result<PastStatement, CatalogError> {
    Ok(PastStatement {
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
    })
}

/// Before compression; `None` without a result.
fn result_bytes(row: &Row<'_>) -> Result<Option<u64>, CatalogError> {
    let Some(partitions) = row.get_ref(16)?.as_blob_or_null().map_err(unreadable)? else { return Ok(None) };
    Ok(Some(read_partitions(partitions)?.iter().map(|partition| partition.uncompressed_bytes).sum()))
}
