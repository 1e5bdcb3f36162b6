//! The statement registry on disk: every statement is written before the client is answered, and stored until it expires.
//!
//! A request id is a column of its statement's row, so it is valid exactly as long, also across restarts.

mod history;
mod load;
mod records;
mod retention;
mod rows;

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use crate::clock::now_ms;
use crate::error::CatalogError;
use crate::store::{Durability, Store};
pub use history::{HistorySearch, PastStatus, TextSearch};
pub use load::{Load, LoadGroup};
pub use records::{
    Cells, EndState, Ended, PastStatement, ResultFormat, Sender, StatementRecord, StoredPartition, StoredResult,
};
use rows::{END, EndedColumns, INSERT, SELECT_WHOLE, insert_into, read_record, read_uuid, write_state};

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

    /// Puts another text in the place of a statement's, of which nothing is left in the file nor, soon, in its log.
    pub fn set_text(&self, handle: Uuid, text: &str) -> Result<(), CatalogError> {
        self.store.overwrite(|connection| {
            let mut statement = connection.prepare_cached("UPDATE statements SET text = ?2 WHERE handle = ?1")?;
            statement.execute(params![&handle.as_bytes()[..], text])?;
            Ok(())
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

    /// Puts another end in the place of a failure with one of these SQL states. Whether there was such a failure.
    pub fn correct(&self, handle: Uuid, sql_states: [&str; 2], ended: &Ended) -> Result<bool, CatalogError> {
        self.store.write(Durability::Process, |transaction| {
            let reopened = transaction.execute(
                "UPDATE statements SET state = NULL WHERE handle = ?1 AND state = ?2 AND sql_state IN (?3, ?4)",
                params![&handle.as_bytes()[..], write_state(EndState::Failed), sql_states[0], sql_states[1]],
            )?;
            if reopened == 0 {
                return Ok(false);
            }
            let mut statement = transaction.prepare_cached(END)?;
            statement.raw_bind_parameter(1, &handle.as_bytes()[..])?;
            EndedColumns::of(Some(ended)).bind(&mut statement, 2)?;
            statement.raw_execute()?;
            Ok(true)
        })
    }

    /// Whether a statement ended with a failure of one of these SQL states.
    pub fn failed_with(&self, handle: Uuid, sql_states: [&str; 2]) -> Result<bool, CatalogError> {
        self.store.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT 1 FROM statements WHERE handle = ?1 AND state = ?2 AND sql_state IN (?3, ?4)",
            )?;
            let failed = write_state(EndState::Failed);
            Ok(statement.exists(params![&handle.as_bytes()[..], failed, sql_states[0], sql_states[1]])?)
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
