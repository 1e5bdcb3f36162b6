//! Every statement's life on disk: written before the client is told, kept until it expires.
//!
//! A request id is a column of its statement's row, so it is remembered exactly as long, also
//! across restarts.

mod history;
mod retention;
mod rows;

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use crate::CatalogError;
use crate::clock::now_ms;
use crate::store::{Durability, Store};
pub use history::PastStatement;
use rows::{END, EndedColumns, INSERT, SELECT_WHOLE, insert_into, read_record, read_uuid};

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
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EndState {
    Succeeded,
    Failed,
    Cancelled,
    TimedOut,
}

/// A result at rest. Rows are already encoded; nothing is encoded again to serve it.
#[derive(Clone, Debug)]
pub struct StoredResult {
    /// The `rowType` array as JSON text.
    pub row_type: String,
    pub rows: u64,
    pub partitions: Vec<StoredPartition>,
    /// DML counts as the JSON text of `stats`.
    pub stats: Option<String>,
    /// The first partition's rows, `[[…],[…]]`, when it is small enough to live in the row.
    pub inline_rows: Option<Vec<u8>>,
    /// The folder that holds the partitions that are not inline: the handle of the statement that
    /// wrote them (a reused result names the first one's).
    pub stored_under: Uuid,
    pub cells: Cells,
}

/// How the cells of a result were written. Where neither holds, values can be read back from them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cells {
    /// Output formats of the session made texts of some.
    pub formatted: bool,
    /// NULL is the text `null`.
    pub null_words: bool,
}

impl Cells {
    fn number(self) -> i64 {
        i64::from(self.formatted) + 2 * i64::from(self.null_words)
    }

    fn of_number(number: i64) -> Self {
        Self { formatted: number & 1 != 0, null_words: number & 2 != 0 }
    }
}

impl StoredResult {
    /// What its partitions take in the folder; the first one takes nothing when it is inline.
    pub fn disk_bytes(&self) -> u64 {
        let inline = usize::from(self.inline_rows.is_some());
        self.partitions.iter().skip(inline).map(|partition| partition.compressed_bytes).sum()
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredPartition {
    pub rows: u64,
    pub uncompressed_bytes: u64,
    pub compressed_bytes: u64,
}

/// All calls block for one small transaction; reads do not wait for writes.
#[derive(Debug)]
pub struct Registry {
    store: Arc<Store>,
}

impl Registry {
    pub(crate) fn new(store: Arc<Store>) -> Self {
        Self { store }
    }

    /// Records a statement, running or already ended.
    pub fn insert(&self, record: &StatementRecord) -> Result<(), CatalogError> {
        self.store.write_one(|connection| insert_into(&mut *connection.prepare_cached(INSERT)?, record))
    }

    /// Records a statement unless this user has used its request id before; then nothing is
    /// recorded and the handle of the first statement with that request id is returned.
    pub fn insert_claim(&self, record: &StatementRecord) -> Result<Option<Uuid>, CatalogError> {
        let Some(request_id) = record.request_id else {
            self.insert(record)?;
            return Ok(None);
        };
        self.store.write(Durability::Process, |transaction| {
            let first = first_with_request_id(transaction, record.user_id, request_id)?;
            if first.is_none() {
                insert_into(&mut *transaction.prepare_cached(INSERT)?, record)?;
            }
            Ok(first)
        })
    }

    /// Records the end of a running statement; one that has ended stays as it is.
    pub fn end(&self, handle: Uuid, ended: &Ended) -> Result<(), CatalogError> {
        self.store.write_one(|connection| {
            let mut statement = connection.prepare_cached(END)?;
            statement.raw_bind_parameter(1, &handle.as_bytes()[..])?;
            EndedColumns::of(Some(ended)).bind(&mut statement, 2)?;
            statement.raw_execute()?;
            Ok(())
        })
    }

    /// A user's own statement that has not expired; another user's looks like none.
    pub fn find(&self, user_id: i64, handle: Uuid) -> Result<Option<StatementRecord>, CatalogError> {
        self.store.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "{SELECT_WHOLE} WHERE handle = ?1 AND user_id = ?2 AND (expires_on_ms IS NULL OR expires_on_ms > ?3)"
            ))?;
            let mut rows = statement.query(params![&handle.as_bytes()[..], user_id, now_ms()])?;
            rows.next()?.map(read_record).transpose()
        })
    }

    pub fn find_request(&self, user_id: i64, request_id: Uuid) -> Result<Option<Uuid>, CatalogError> {
        self.store.read(|connection| first_with_request_id(connection, user_id, request_id))
    }
}

fn first_with_request_id(
    connection: &Connection,
    user_id: i64,
    request_id: Uuid,
) -> Result<Option<Uuid>, CatalogError> {
    let mut statement = connection
        .prepare_cached("SELECT handle FROM statements WHERE user_id = ?1 AND request_id = ?2 ORDER BY id LIMIT 1")?;
    let handle =
        statement.query_row(params![user_id, &request_id.as_bytes()[..]], |row| row.get::<_, Vec<u8>>(0)).optional()?;
    handle.map(|bytes| read_uuid(&bytes)).transpose()
}

#[cfg(test)]
mod tests;
