//! Retention in the registry: expiry, the disk limit, and statements that a crash left running.

use std::collections::HashSet;

use rusqlite::{Transaction, params};
use uuid::Uuid;

use super::Registry;
use super::records::{EndState, StatementRecord};
use super::rows::{SELECT_WHOLE, read_record, read_uuid, write_state};
use crate::error::CatalogError;
use crate::store::Durability;

/// Rows deleted per transaction, so that sweeping never holds up a statement for long.
const SWEPT_ROWS_MAX: u32 = 500;

/// What a statement's row takes: what its sender decides the length of, and a share for the rest.
const ROW_BYTES: &str = "(octet_length(text) + COALESCE(octet_length(inline_rows), 0) + COALESCE(octet_length(row_type), 0) \
     + COALESCE(octet_length(message), 0) + COALESCE(octet_length(query_tag), 0) \
     + COALESCE(octet_length(profile), 0) + 300)";

impl Registry {
    /// What a stopped process left running, the oldest first.
    pub fn left_running(&self) -> Result<Vec<StatementRecord>, CatalogError> {
        self.store.read(|connection| {
            let mut statement = connection.prepare(&format!("{SELECT_WHOLE} WHERE state IS NULL ORDER BY id"))?;
            let mut rows = statement.query([])?;
            let mut records = Vec::new();
            while let Some(row) = rows.next()? {
                records.push(read_record(row)?);
            }
            Ok(records)
        })
    }

    /// Takes the results of expired statements, which stay in the history without them and without their request ids, and
    /// forgets those that ended more than `history_ms` ago. Returns the folders that nothing refers to any more.
    pub fn take_expired(&self, now_ms: i64, history_ms: i64) -> Result<Vec<Uuid>, CatalogError> {
        let mut folders = Vec::new();
        loop {
            let (rows, unreferenced) =
                self.store.write(Durability::Process, |transaction| expire_results(transaction, now_ms))?;
            folders.extend(unreferenced);
            if rows < SWEPT_ROWS_MAX {
                break;
            }
        }
        let ended_by_ms = now_ms.saturating_sub(history_ms);
        while self.store.write(Durability::Process, |transaction| forget_ended(transaction, ended_by_ms))?
            == SWEPT_ROWS_MAX as usize
        {}
        Ok(folders)
    }

    /// Gives up the oldest results on disk until `bytes_to_free` are free, and returns their
    /// folders. The statements stay known, as failed ones, so that their request ids still count.
    pub fn take_oldest_until(&self, bytes_to_free: u64) -> Result<Vec<Uuid>, CatalogError> {
        self.store.write(Durability::Process, |transaction| {
            let mut folders = Vec::new();
            let mut freed_bytes = 0;
            let mut oldest = transaction.prepare_cached(
                "SELECT stored_under, MAX(stored_bytes) FROM statements WHERE stored_bytes > 0 \
                 GROUP BY stored_under ORDER BY MIN(id)",
            )?;
            let mut rows = oldest.query([])?;
            while freed_bytes < bytes_to_free {
                let Some(row) = rows.next()? else { break };
                folders.push(read_uuid(&row.get::<_, Vec<u8>>(0)?)?);
                freed_bytes += row.get::<_, i64>(1)? as u64;
            }
            drop(rows);
            for folder in &folders {
                give_up_results(transaction, *folder, None)?;
            }
            Ok(folders)
        })
    }

    /// The users whose results take more than `bytes_max` on disk, each with how much more.
    pub fn users_past(&self, bytes_max: u64) -> Result<Vec<(i64, u64)>, CatalogError> {
        self.store.read(|connection| {
            let mut statement = connection.prepare_cached(
                "SELECT user_id, SUM(bytes) AS bytes FROM (SELECT user_id, MAX(stored_bytes) AS bytes FROM statements \
                 WHERE stored_bytes > 0 GROUP BY user_id, stored_under) GROUP BY user_id HAVING SUM(bytes) > ?1",
            )?;
            let bytes_max = i64::try_from(bytes_max).unwrap_or(i64::MAX);
            let rows = statement.query_map([bytes_max], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?.saturating_sub(bytes_max) as u64))
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// As `take_oldest_until`, of one user's results alone; a folder that another user's statement refers to stays.
    pub fn take_oldest_of_user(&self, user_id: i64, bytes_to_free: u64) -> Result<Vec<Uuid>, CatalogError> {
        self.store.write(Durability::Process, |transaction| {
            let mut oldest = transaction.prepare_cached(
                "SELECT stored_under, MAX(stored_bytes) FROM statements WHERE stored_bytes > 0 AND user_id = ?1 \
                 GROUP BY stored_under ORDER BY MIN(id)",
            )?;
            let mut rows = oldest.query([user_id])?;
            let (mut folders, mut freed_bytes) = (Vec::new(), 0);
            while freed_bytes < bytes_to_free {
                let Some(row) = rows.next()? else { break };
                folders.push(read_uuid(&row.get::<_, Vec<u8>>(0)?)?);
                freed_bytes += row.get::<_, i64>(1)? as u64;
            }
            drop(rows);
            let mut unreferenced = Vec::new();
            for folder in folders {
                give_up_results(transaction, folder, Some(user_id))?;
                if !is_referred(transaction, folder)? {
                    unreferenced.push(folder);
                }
            }
            Ok(unreferenced)
        })
    }

    /// What the statements that have ended take in the state file.
    pub fn history_bytes(&self) -> Result<u64, CatalogError> {
        self.store.read(|connection| {
            let sql = format!("SELECT COALESCE(SUM({ROW_BYTES}), 0) FROM statements WHERE state IS NOT NULL");
            Ok(connection.query_row(&sql, [], |row| row.get::<_, i64>(0))? as u64)
        })
    }

    /// The users whose ended statements take more than `bytes_max` in the state file, each with how much more.
    pub fn users_with_history_past(&self, bytes_max: u64) -> Result<Vec<(i64, u64)>, CatalogError> {
        self.store.read(|connection| {
            let mut statement = connection.prepare_cached(&format!(
                "SELECT user_id, SUM({ROW_BYTES}) AS bytes FROM statements WHERE state IS NOT NULL GROUP BY user_id \
                 HAVING bytes > ?1"
            ))?;
            let bytes_max = i64::try_from(bytes_max).unwrap_or(i64::MAX);
            let rows = statement.query_map([bytes_max], |row| {
                Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?.saturating_sub(bytes_max) as u64))
            })?;
            Ok(rows.collect::<Result<_, _>>()?)
        })
    }

    /// Forgets the oldest ended statements, of one user or of all, until their rows have freed `bytes_to_free`. Returns the
    /// folders of results that nothing refers to any more.
    pub fn forget_oldest(&self, user_id: Option<i64>, bytes_to_free: u64) -> Result<Vec<Uuid>, CatalogError> {
        let (mut folders, mut freed_bytes) = (Vec::new(), 0);
        while freed_bytes < bytes_to_free {
            let left = bytes_to_free - freed_bytes;
            let (bytes, unreferenced) =
                self.store.write(Durability::Process, |transaction| delete_oldest(transaction, user_id, left))?;
            folders.extend(unreferenced);
            if bytes == 0 {
                break;
            }
            freed_bytes += bytes;
        }
        Ok(folders)
    }

    /// What results take on disk; a folder several statements share counts once.
    pub fn disk_bytes(&self) -> Result<u64, CatalogError> {
        self.store.read(|connection| {
            let bytes: i64 = connection.query_row(
                "SELECT COALESCE(SUM(bytes), 0) FROM (SELECT MAX(stored_bytes) AS bytes FROM statements \
                 WHERE stored_bytes > 0 GROUP BY stored_under)",
                [],
                |row| row.get(0),
            )?;
            Ok(bytes as u64)
        })
    }

    /// The folders statements refer to; any other one is a leftover of a crash.
    pub fn stored_folders(&self) -> Result<HashSet<Uuid>, CatalogError> {
        self.store.read(|connection| {
            let mut statement =
                connection.prepare("SELECT DISTINCT stored_under FROM statements WHERE stored_bytes > 0")?;
            let mut rows = statement.query([])?;
            let mut folders = HashSet::new();
            while let Some(row) = rows.next()? {
                folders.insert(read_uuid(&row.get::<_, Vec<u8>>(0)?)?);
            }
            Ok(folders)
        })
    }
}

fn expire_results(transaction: &Transaction<'_>, now_ms: i64) -> Result<(u32, Vec<Uuid>), CatalogError> {
    let mut expired = transaction.prepare_cached(
        "SELECT id, CASE WHEN stored_bytes > 0 THEN stored_under END FROM statements \
         WHERE expires_on_ms <= ?1 AND result_expired = 0 ORDER BY expires_on_ms LIMIT ?2",
    )?;
    let mut expire = transaction.prepare_cached(
        "UPDATE statements SET result_expired = 1, request_id = NULL, stored_under = NULL, stored_bytes = NULL, \
         row_type = NULL, inline_rows = NULL, profile = NULL WHERE id = ?1",
    )?;
    let (mut count, mut candidates) = (0, HashSet::new());
    let mut rows = expired.query(params![now_ms, SWEPT_ROWS_MAX])?;
    let mut ids = Vec::new();
    while let Some(row) = rows.next()? {
        count += 1;
        ids.push(row.get::<_, i64>(0)?);
        if let Some(folder) = row.get::<_, Option<Vec<u8>>>(1)? {
            candidates.insert(read_uuid(&folder)?);
        }
    }
    drop(rows);
    for id in ids {
        expire.execute([id])?;
    }
    Ok((count, unreferenced(transaction, candidates)?))
}

/// Removes expired statements from the history. Returns how many.
fn forget_ended(transaction: &Transaction<'_>, ended_by_ms: i64) -> Result<usize, CatalogError> {
    let mut forget = transaction.prepare_cached(
        "DELETE FROM statements WHERE id IN (SELECT id FROM statements WHERE result_expired = 1 AND finished_on_ms <= ?1 \
         ORDER BY finished_on_ms LIMIT ?2)",
    )?;
    Ok(forget.execute(params![ended_by_ms, SWEPT_ROWS_MAX])?)
}

/// At most as many rows as a sweep deletes at once, and how many bytes they took.
fn delete_oldest(
    transaction: &Transaction<'_>,
    user_id: Option<i64>,
    bytes_to_free: u64,
) -> Result<(u64, Vec<Uuid>), CatalogError> {
    let mut oldest = transaction.prepare_cached(&format!(
        "SELECT id, {ROW_BYTES}, CASE WHEN stored_bytes > 0 THEN stored_under END FROM statements \
         WHERE state IS NOT NULL AND (?1 IS NULL OR user_id = ?1) ORDER BY id LIMIT ?2"
    ))?;
    let mut delete = transaction.prepare_cached("DELETE FROM statements WHERE id = ?1")?;
    let mut rows = oldest.query(params![user_id, SWEPT_ROWS_MAX])?;
    let (mut ids, mut candidates, mut bytes) = (Vec::new(), HashSet::new(), 0);
    while bytes < bytes_to_free {
        let Some(row) = rows.next()? else { break };
        ids.push(row.get::<_, i64>(0)?);
        bytes += row.get::<_, i64>(1)? as u64;
        if let Some(folder) = row.get::<_, Option<Vec<u8>>>(2)? {
            candidates.insert(read_uuid(&folder)?);
        }
    }
    drop(rows);
    for id in ids {
        delete.execute([id])?;
    }
    Ok((bytes, unreferenced(transaction, candidates)?))
}

fn unreferenced(transaction: &Transaction<'_>, folders: HashSet<Uuid>) -> Result<Vec<Uuid>, CatalogError> {
    let mut found = Vec::new();
    for folder in folders {
        if !is_referred(transaction, folder)? {
            found.push(folder);
        }
    }
    Ok(found)
}

fn is_referred(transaction: &Transaction<'_>, folder: Uuid) -> Result<bool, CatalogError> {
    let mut referred =
        transaction.prepare_cached("SELECT 1 FROM statements WHERE stored_bytes > 0 AND stored_under = ?1")?;
    Ok(referred.exists([&folder.as_bytes()[..]])?)
}

/// Of one user's statements, or of all.
fn give_up_results(transaction: &Transaction<'_>, folder: Uuid, user_id: Option<i64>) -> Result<(), CatalogError> {
    let mut statement = transaction.prepare_cached(
        "UPDATE statements SET state = ?1, code = '000709', sql_state = '02000', message = ?2, result_rows = NULL, \
         stored_under = NULL, stored_bytes = NULL, partitions = NULL, stats = NULL, row_type = NULL, \
         inline_rows = NULL WHERE stored_bytes > 0 AND stored_under = ?3 AND (?4 IS NULL OR user_id = ?4)",
    )?;
    statement.execute(params![
        write_state(EndState::Failed),
        "The statement succeeded, but its result was removed early to stay within the disk limit for results; \
         run it again under a new request id.",
        &folder.as_bytes()[..],
        user_id
    ])?;
    Ok(())
}
