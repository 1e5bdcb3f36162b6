//! What exists, taken from time to time and compared with the snapshot before: what is new or has changed is recorded, and
//! what is gone gets the time when that was noticed.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use firn_catalog::{DatabaseRecord, Tagged};
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

/// What objects were listed with: the id of a database, or one of these.
type Origin = i64;
const ACCOUNT: Origin = 0;
const GOVERNANCE: Origin = -1;

/// What is known of each object by its key, by table. Loaded from the records when it is first needed.
#[derive(Default)]
pub struct Snapshots {
    known: HashMap<&'static str, HashMap<String, Known>>,
    /// The keys of what is gone. UNDROP brings objects back.
    gone: HashMap<&'static str, HashSet<String>>,
    /// The time of the last change before the objects of an origin were listed. What has not changed since is not listed again.
    as_of: HashMap<Origin, u64>,
    /// The databases in which something has tags or policies, or is one.
    governed: HashSet<Origin>,
    storage_recorded: Option<Instant>,
}

struct Known {
    /// Of its record.
    hash: String,
    origin: Origin,
}

/// What a snapshot lists, by table, and the origins that have not changed.
#[derive(Default)]
struct Listed {
    objects: HashMap<&'static str, Vec<(Origin, String, Row)>>,
    unchanged: HashSet<Origin>,
    as_of: HashMap<Origin, u64>,
    governed: HashSet<Origin>,
}

impl Listed {
    fn add(&mut self, origin: Origin, all: Vec<Existing>) {
        for existing in all {
            let objects = existing.objects.into_iter().map(|(identity, cells)| (origin, identity, cells));
            self.objects.entry(existing.table).or_default().extend(objects);
        }
    }
}

impl Snapshots {
    pub fn take(&mut self, services: &Services, session: &mut dyn Session) -> Result<(), RunError> {
        let listed = self.list(services, session)?;
        self.as_of.clear();
        for (table, objects) in listed.objects {
            if let Err(error) = self.record(session, table, objects, &listed.unchanged) {
                self.known.remove(table);
                return Err(error);
            }
        }
        (self.as_of, self.governed) = (listed.as_of, listed.governed);
        if self.storage_recorded.is_some_and(|at| at.elapsed() < STORAGE_WAIT) {
            return Ok(());
        }
        self.storage_recorded = Some(Instant::now());
        account_objects::record_storage(services, session)
    }

    fn list(&self, services: &Services, session: &mut dyn Session) -> Result<Listed, RunError> {
        let mut listed = Listed::default();
        for table in database_objects::TABLES.into_iter().chain(governance::TABLES) {
            listed.objects.insert(table, Vec::new());
        }
        let is_own = |database: &DatabaseRecord| services.catalog.link_of(database.id).is_none();
        for database in services.catalog.databases().into_iter().filter(is_own) {
            if services.databases.set_aside.contains(&database.name) {
                continue;
            }
            if services.account_usage.is_stopping() {
                return Err(RunError::Stopped);
            }
            let is_governed =
                match self.is_unchanged(&mut listed, database.id, services.changes.of_database(&database.name)) {
                    true => self.governed.contains(&database.id),
                    false => {
                        let held = database_objects::existing(services, session, &database)?;
                        listed.add(database.id, held.all);
                        held.is_governed
                    }
                };
            if is_governed {
                listed.governed.insert(database.id);
            }
        }
        if !self.is_unchanged(&mut listed, GOVERNANCE, services.changes.of_definitions()) {
            let databases = governed_databases(services, &listed.governed);
            listed.add(GOVERNANCE, governance::existing(services, session, &databases)?);
        }
        listed.add(ACCOUNT, account_objects::existing(services));
        Ok(listed)
    }

    fn is_unchanged(&self, listed: &mut Listed, origin: Origin, changed_at: u64) -> bool {
        listed.as_of.insert(origin, changed_at);
        let is_unchanged = self.as_of.get(&origin) == Some(&changed_at);
        if is_unchanged {
            listed.unchanged.insert(origin);
        }
        is_unchanged
    }

    fn record(
        &mut self,
        session: &mut dyn Session,
        table: &'static str,
        objects: Vec<(Origin, String, Row)>,
        unchanged: &HashSet<Origin>,
    ) -> Result<(), RunError> {
        let (place, deleted) = definitions::deleted_column(table);
        let (mut known, mut gone) = match self.known.remove(table).zip(self.gone.remove(table)) {
            Some(loaded) => loaded,
            None => load(session, table, deleted)?,
        };
        let mut now: HashMap<String, Known> = known.extract_if(|_, known| unchanged.contains(&known.origin)).collect();
        let (mut changed, mut restored, mut appended) = (Vec::new(), Vec::new(), Vec::new());
        for (origin, identity, cells) in objects {
            let (key, hash) = (hash_of(&[Some(identity)]), hash_of(&cells));
            let before = known.get(&key).map(|known| &known.hash);
            if before.is_some_and(|before| *before != hash) {
                changed.push(key.clone());
            }
            if before != Some(&hash) && !now.contains_key(&key) {
                let mut row = vec![Some(key.clone()), Some(hash.clone())];
                row.extend(cells);
                row.insert(place, None);
                appended.push(row);
            }
            if gone.remove(&key) {
                restored.push(key.clone());
            }
            now.insert(key, Known { hash, origin });
        }
        let lost: Vec<String> = known.into_keys().filter(|key| !now.contains_key(key)).collect();
        let at = instant(now_ms());
        let mark = format!("UPDATE SNOWFLAKE.RECORDS.{table} SET {deleted} = '{at}'::TIMESTAMP_LTZ");
        let delete = format!("DELETE FROM SNOWFLAKE.RECORDS.{table}");
        for_keys(session, &mark, &format!("{deleted} IS NULL"), &lost)?;
        for_keys(session, &delete, &format!("{deleted} IS NULL"), &changed)?;
        for_keys(session, &delete, &format!("{deleted} IS NOT NULL"), &restored)?;
        if !appended.is_empty() {
            session.append(&[(record_sql::table(table), appended)])?;
        }
        gone.extend(lost);
        self.known.insert(table, now);
        self.gone.insert(table, gone);
        Ok(())
    }
}

/// Those in which objects may have tags or policies, if only by tags of the database or of the account.
fn governed_databases(services: &Services, governed: &HashSet<Origin>) -> Vec<DatabaseRecord> {
    let catalog = &services.catalog;
    let is_account_tagged = !catalog.tags_of(&Tagged::of_account("ACCOUNT", "")).is_empty();
    let is_tagged = |database: &DatabaseRecord| !catalog.tags_of(&Tagged::database(database.id)).is_empty();
    let mut databases = catalog.databases();
    databases.retain(|database| is_account_tagged || governed.contains(&database.id) || is_tagged(database));
    databases
}

/// What exists, and the keys of what is gone.
fn load(
    session: &mut dyn Session,
    table: &str,
    deleted: &str,
) -> Result<(HashMap<String, Known>, HashSet<String>), RunError> {
    let records = format!("FROM SNOWFLAKE.RECORDS.{table} WHERE {deleted}");
    let known = record_sql::rows(session, &format!("SELECT OBJECT_KEY, OBJECT_HASH {records} IS NULL"))?;
    let pair = |row: Row| {
        let mut cells = row.into_iter().flatten();
        Some((cells.next()?, Known { hash: cells.next()?, origin: ACCOUNT }))
    };
    let gone = record_sql::rows(session, &format!("SELECT OBJECT_KEY {records} IS NOT NULL"))?;
    Ok((known.into_iter().filter_map(pair).collect(), gone.into_iter().flatten().flatten().collect()))
}

fn for_keys(session: &mut dyn Session, change: &str, condition: &str, keys: &[String]) -> Result<(), RunError> {
    for some in keys.chunks(KEYS_MAX) {
        let listed = some.join("', '");
        record_sql::change(session, &format!("{change} WHERE {condition} AND OBJECT_KEY IN ('{listed}')"))?;
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
