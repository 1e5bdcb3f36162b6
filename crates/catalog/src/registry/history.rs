//! What ran, newest first, without results. Whoever asks says which statements; no others are read.

use std::ops::ControlFlow;

use rusqlite::{Connection, Row, params};
use uuid::Uuid;

use super::Registry;
use super::records::{EndState, PastStatement, Sender};
use super::rows::{read_partitions, read_sender, read_state, read_uuid, unreadable};
use crate::error::CatalogError;

/// Statements that took longer have an index of their own; it names the same number.
const LONG_MS: i64 = 3_600_000;

const SELECT: &str = "SELECT handle, user_id, created_on_ms, text, query_tag, role, warehouse, database_name, schema_name, \
    state, finished_on_ms, code, message, result_rows, parent, stats, partitions, reads, sql_state, client_generated, \
    session, queued_ms FROM statements";

/// The statements that may have ended at a time though they began more than `LONG_MS` before it.
const LONG_OR_RUNNING: &str = "SELECT id FROM statements WHERE finished_on_ms - created_on_ms > 3600000 AND finished_on_ms >= ?5 \
    UNION ALL SELECT id FROM statements WHERE state IS NULL";

const RUNNING: &str = "SELECT id FROM statements WHERE state IS NULL";

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
    pub began_from_ms: Option<i64>,
    pub began_until_ms: Option<i64>,
    pub status: Option<PastStatus>,
    pub text: Option<TextSearch>,
}

/// What became of a statement, as people tell it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PastStatus {
    /// Or it waits for its turn.
    Running,
    Succeeded,
    Failed,
    /// By somebody, or by a limit of time.
    Cancelled,
}

impl PastStatus {
    pub fn of(state: Option<EndState>) -> Self {
        match state {
            None => Self::Running,
            Some(EndState::Succeeded) => Self::Succeeded,
            Some(EndState::Failed) => Self::Failed,
            Some(EndState::Cancelled | EndState::TimedOut) => Self::Cancelled,
        }
    }

    fn condition(self) -> &'static str {
        match self {
            Self::Running => "state IS NULL",
            Self::Succeeded => "state = 0",
            Self::Failed => "state = 1",
            Self::Cancelled => "state IN (2, 3)",
        }
    }
}

/// A part of the text of statements, in whatever case, or the handle of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextSearch {
    lower_case: String,
    handle: Option<Uuid>,
}

impl TextSearch {
    pub fn new(text: &str) -> Self {
        Self { lower_case: text.to_lowercase(), handle: Uuid::try_parse(text).ok() }
    }

    pub fn matches(&self, handle: Uuid, text: &str) -> bool {
        self.handle == Some(handle) || text.to_lowercase().contains(&self.lower_case)
    }
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
            && self.began_from_ms.is_none_or(|from_ms| statement.created_on_ms >= from_ms)
            && self.began_until_ms.is_none_or(|until_ms| statement.created_on_ms <= until_ms)
            && self.status.is_none_or(|status| status == PastStatus::of(statement.state))
            && self.text.as_ref().is_none_or(|text| text.matches(statement.handle, &statement.text))
    }

    /// The spans to read, the latest first. A clock that was set back may have a statement end before it began.
    fn spans(&self) -> Vec<Span> {
        let began_from_ms = self.began_from_ms.unwrap_or(i64::MIN);
        let until_ms = self.ended_until_ms.map_or(i64::MAX, |until_ms| until_ms.saturating_add(LONG_MS));
        let until_ms = until_ms.min(self.began_until_ms.unwrap_or(i64::MAX));
        if self.session.is_some() {
            return vec![Span { from_ms: began_from_ms, until_ms, ids: Some(OF_SESSION) }];
        }
        if self.status == Some(PastStatus::Running) {
            return vec![Span { from_ms: began_from_ms, until_ms, ids: Some(RUNNING) }];
        }
        let Some(ended_from_ms) = self.ended_from_ms else {
            return vec![Span { from_ms: began_from_ms, until_ms, ids: None }];
        };
        let from_ms = ended_from_ms.saturating_sub(LONG_MS);
        let before = Span {
            from_ms: began_from_ms,
            until_ms: until_ms.min(from_ms.saturating_sub(1)),
            ids: Some(LONG_OR_RUNNING),
        };
        vec![Span { from_ms: from_ms.max(began_from_ms), until_ms, ids: None }, before]
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

    /// Those of these handles that there are.
    pub fn past(&self, handles: &[Uuid]) -> Result<Vec<PastStatement>, CatalogError> {
        self.store.read(|connection| {
            let mut statement = connection.prepare_cached(&format!("{SELECT} WHERE handle = ?1"))?;
            let mut past = Vec::new();
            for handle in handles {
                let mut rows = statement.query([&handle.as_bytes()[..]])?;
                if let Some(row) = rows.next()? {
                    past.push(read_past(row)?);
                }
            }
            Ok(past)
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
    let status = search.status.map_or("TRUE", PastStatus::condition);
    let mut statement = connection.prepare_cached(&format!(
        "{SELECT} WHERE {among} AND {whose} AND {status} AND {sign}created_on_ms BETWEEN ?1 AND ?2 \
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
        if !has_text(search, row)? {
            continue;
        }
        if take(read_past(row)?).is_break() {
            return Ok(ControlFlow::Break(()));
        }
    }
    Ok(ControlFlow::Continue(()))
}

/// Looked at before the rest of the row is read.
fn has_text(search: &HistorySearch, row: &Row<'_>) -> Result<bool, CatalogError> {
    let Some(wanted) = &search.text else { return Ok(true) };
    let handle = read_uuid(row.get_ref(0)?.as_blob().map_err(unreadable)?)?;
    Ok(wanted.matches(handle, row.get_ref(3)?.as_str().map_err(unreadable)?))
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
        queued_ms: row.get(21)?,
    })
}

/// Before compression; `None` without a result.
fn result_bytes(row: &Row<'_>) -> Result<Option<u64>, CatalogError> {
    let Some(partitions) = row.get_ref(16)?.as_blob_or_null().map_err(unreadable)? else { return Ok(None) };
    Ok(Some(read_partitions(partitions)?.iter().map(|partition| partition.uncompressed_bytes).sum()))
}
