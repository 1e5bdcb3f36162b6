//! The history in sums: what warehouses did over time, and who sent statements. No statement is read for itself.

use rusqlite::params;

use super::Registry;
use super::history::HistorySearch;
use super::records::Sender;
use crate::error::CatalogError;

/// What a warehouse did for a role in a slice of the time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadGroup {
    pub slice_on_ms: i64,
    pub warehouse: String,
    pub role: String,
    /// Of statements that blocks and sets have run.
    pub is_inside: bool,
    pub load: Load,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Load {
    pub statements: u64,
    /// Of those that have ended.
    pub elapsed_ms: u64,
    pub queued_ms: u64,
}

impl Load {
    pub fn add(&mut self, other: Self) {
        self.statements += other.statements;
        self.elapsed_ms += other.elapsed_ms;
        self.queued_ms += other.queued_ms;
    }
}

impl Registry {
    /// By slices of so many milliseconds, counted from the epoch. Of the search its user, its sender and the times when statements
    /// began count.
    pub fn load(&self, search: &HistorySearch, slice_ms: i64) -> Result<Vec<LoadGroup>, CatalogError> {
        let whose = match search.user_id {
            Some(_) => "user_id = ?5",
            None => "?5 IS NULL",
        };
        self.store.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT created_on_ms / ?1 * ?1 AS slice, warehouse, role, parent IS NOT NULL AS inside, COUNT(*), \
                 COALESCE(SUM(MAX(finished_on_ms - created_on_ms, 0)), 0), COALESCE(SUM(queued_ms), 0) FROM statements \
                 WHERE created_on_ms BETWEEN ?2 AND ?3 AND {whose} AND (?4 IS NULL OR client_generated = ?4) \
                 AND warehouse IS NOT NULL GROUP BY 1, 2, 3, 4 ORDER BY 1, 2"
            ))?;
            let groups = statement.query_map(
                params![
                    slice_ms,
                    search.began_from_ms.unwrap_or(i64::MIN),
                    search.began_until_ms.unwrap_or(i64::MAX),
                    search.sender.map(|sender| sender == Sender::Client),
                    search.user_id,
                ],
                |row| {
                    let sum = |column: usize| row.get::<_, i64>(column).map(|sum| sum.max(0) as u64);
                    Ok(LoadGroup {
                        slice_on_ms: row.get(0)?,
                        warehouse: row.get(1)?,
                        role: row.get(2)?,
                        is_inside: row.get(3)?,
                        load: Load { statements: sum(4)?, elapsed_ms: sum(5)?, queued_ms: sum(6)? },
                    })
                },
            )?;
            groups.collect::<Result<_, _>>().map_err(CatalogError::from)
        })
    }

    /// The users who have statements in the history, by their ids.
    pub fn senders(&self) -> Result<Vec<i64>, CatalogError> {
        // From one user to the next by the index: no other entry of it is read.
        const NEXT: &str = "WITH RECURSIVE senders(id) AS (SELECT MIN(user_id) FROM statements UNION ALL \
            SELECT (SELECT MIN(user_id) FROM statements WHERE user_id > senders.id) FROM senders WHERE senders.id IS NOT NULL) \
            SELECT id FROM senders WHERE id IS NOT NULL";
        self.store.read(|connection| {
            let mut statement = connection.prepare_cached(NEXT)?;
            let senders = statement.query_map([], |row| row.get(0))?;
            senders.collect::<Result<_, _>>().map_err(CatalogError::from)
        })
    }
}
