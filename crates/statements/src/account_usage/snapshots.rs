//! What exists, taken from time to time and compared with the snapshot before: what is new or has changed is recorded, and
//! what is gone gets the time when that was noticed.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use firn_engine::Session;

use super::record_sql::{self, Existing, Row, instant};
use super::{account_objects, database_objects, definitions, governance};
use crate::clock::now_ms;
use crate::run_error::RunError;
use crate::services::Services;

/// Keys in one condition.
const KEYS_MAX: usize = 1_000;
/// Files of stages are counted no more often than this.
const STORAGE_WAIT: Duration = Duration::from_secs(600);

/// By table: the hash of each object's record by its key. Loaded from the records when it is first needed.
#[derive(Default)]
pub struct Snapshots {
    known: HashMap<&'static str, HashMap<String, String>>,
    storage_recorded: Option<Instant>,
}

impl Snapshots {
    pub fn take(&mut self, services: &Services, session: &mut dyn Session) -> Result<(), RunError> {
        let mut all = database_objects::existing(services, session)?;
        all.extend(governance::existing(services, session)?);
        for of_account in account_objects::existing(services) {
            match all.iter_mut().find(|existing| existing.table == of_account.table) {
                Some(existing) => existing.objects.extend(of_account.objects),
                None => all.push(of_account),
            }
        }
        for existing in all {
            let table = existing.table;
            if let Err(error) = self.record(session, existing) {
                self.known.remove(table);
                return Err(error);
            }
        }
        if self.storage_recorded.is_some_and(|at| at.elapsed() < STORAGE_WAIT) {
            return Ok(());
        }
        self.storage_recorded = Some(Instant::now());
        account_objects::record_storage(services, session)
    }

    fn record(&mut self, session: &mut dyn Session, existing: Existing) -> Result<(), RunError> {
        let table = existing.table;
        let deleted = definitions::columns_of(table).last().copied().unwrap_or("DELETED");
        if !self.known.contains_key(table) {
            self.known.insert(table, load(session, table, deleted)?);
        }
        let Some(known) = self.known.get_mut(table) else { return Ok(()) };
        let mut now: HashMap<String, String> = HashMap::with_capacity(existing.objects.len());
        let (mut changed, mut appended) = (Vec::new(), Vec::new());
        for (identity, cells) in existing.objects {
            let (key, hash) = (hash_of(&[Some(identity)]), hash_of(&cells));
            let before = known.get(&key);
            if before.is_some_and(|before| *before != hash) {
                changed.push(key.clone());
            }
            if before != Some(&hash) && !now.contains_key(&key) {
                let mut row = vec![Some(key.clone()), Some(hash.clone())];
                row.extend(cells);
                row.push(None);
                appended.push(row);
            }
            now.insert(key, hash);
        }
        let gone: Vec<String> = known.keys().filter(|key| !now.contains_key(*key)).cloned().collect();
        let at = instant(now_ms());
        let mark = format!("UPDATE SNOWFLAKE.RECORDS.{table} SET {deleted} = '{at}'::TIMESTAMP_LTZ");
        for_keys(session, &mark, deleted, &gone)?;
        for_keys(session, &format!("DELETE FROM SNOWFLAKE.RECORDS.{table}"), deleted, &changed)?;
        if !appended.is_empty() {
            session.append(&[(record_sql::table(table), appended)])?;
        }
        *known = now;
        Ok(())
    }
}

fn load(session: &mut dyn Session, table: &str, deleted: &str) -> Result<HashMap<String, String>, RunError> {
    let sql = format!("SELECT OBJECT_KEY, OBJECT_HASH FROM SNOWFLAKE.RECORDS.{table} WHERE {deleted} IS NULL");
    let rows = record_sql::rows(session, &sql)?;
    let pair = |row: Row| {
        let mut cells = row.into_iter().flatten();
        Some((cells.next()?, cells.next()?))
    };
    Ok(rows.into_iter().filter_map(pair).collect())
}

fn for_keys(session: &mut dyn Session, change: &str, deleted: &str, keys: &[String]) -> Result<(), RunError> {
    for some in keys.chunks(KEYS_MAX) {
        let listed = some.join("', '");
        record_sql::change(session, &format!("{change} WHERE {deleted} IS NULL AND OBJECT_KEY IN ('{listed}')"))?;
    }
    Ok(())
}

/// The same for the same cells, in every version.
fn hash_of(cells: &[Option<String>]) -> String {
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013b;
    let mut sum: u128 = 0x6c62_272e_07bb_0142_62b8_2175_6295_c58d;
    let mut add = |byte: u8| sum = (sum ^ u128::from(byte)).wrapping_mul(PRIME);
    for cell in cells {
        match cell {
            Some(cell) => cell.bytes().chain([0xff]).for_each(&mut add),
            None => add(0xfe),
        }
    }
    format!("{sum:032x}")
}

#[cfg(test)]
mod tests {
    use super::hash_of;

    #[test]
    fn cells_that_differ_have_different_hashes() {
        let some = |cells: &[&str]| cells.iter().map(|cell| Some((*cell).to_owned())).collect::<Vec<_>>();
        let rows = [some(&["a", "b"]), some(&["ab", ""]), some(&["a"]), vec![None], Vec::new(), some(&[""])];
        for (index, row) in rows.iter().enumerate() {
            for other in &rows[index + 1..] {
                assert_ne!(hash_of(row), hash_of(other), "{row:?} {other:?}");
            }
        }
    }
}
