//! How many rows and bytes tables have. To count them the engine plans a query for each table, so sizes are cached until the
//! table changes.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use firn_engine::{ObjectDescription, Session, TableSize};
use firn_sql::ObjectName;
use firn_sql::command::Persistence;

use crate::mutex::lock;
use crate::run_error::RunError;
use crate::table_changes::{TABLES_MAX, TableChanges};

/// How long it is not asked again for bytes of rows that were not written: a checkpoint brings rows into blocks without a change.
const UNWRITTEN_FOR: Duration = Duration::from_secs(60);

/// For how many tables a statement asks again.
const MEASURED_AGAIN_MAX: usize = 10;

/// So many tables are counted beside each other by several statements.
const COUNTED_TOGETHER_MAX: usize = 500;

#[derive(Default)]
pub struct TableSizes {
    by_table: Mutex<HashMap<ObjectName, Cached>>,
    turn: Mutex<()>,
}

struct Cached {
    /// `TableChanges::of_table` before the table was looked at.
    changed_at: u64,
    size: TableSize,
    looked_at: Instant,
}

impl Cached {
    /// Whether to look for its bytes again.
    fn is_incomplete(&self) -> bool {
        match self.size.bytes {
            None => true,
            Some(_) => self.size.is_unwritten && self.looked_at.elapsed() >= UNWRITTEN_FOR,
        }
    }
}

impl TableSizes {
    /// The size of each of these tables; `None` of one that was dropped since it was listed.
    pub fn of_tables(
        &self,
        session: &dyn Session,
        changes: &TableChanges,
        tables: &[&ObjectDescription],
    ) -> Result<Vec<Option<TableSize>>, RunError> {
        // Who comes while many are counted finds them counted.
        let _turn = (tables.len() > COUNTED_TOGETHER_MAX).then(|| lock(&self.turn));
        let changed_at: Vec<u64> = tables.iter().map(|table| changes.of_table(&table.name)).collect();
        let mut incomplete = Vec::new();
        let mut sizes: Vec<Option<TableSize>> = {
            let known = lock(&self.by_table);
            let size = |(index, (table, changed_at)): (usize, (&&ObjectDescription, &u64))| {
                let cached = known.get(&table.name).filter(|_| is_shared(session, table))?;
                let current = (cached.changed_at == *changed_at).then_some(cached)?;
                if current.is_incomplete() {
                    incomplete.push(index);
                }
                Some(current.size)
            };
            tables.iter().zip(&changed_at).enumerate().map(size).collect()
        };
        let mut unknown: Vec<usize> = (0..tables.len()).filter(|index| sizes[*index].is_none()).collect();
        incomplete.truncate(MEASURED_AGAIN_MAX.saturating_sub(unknown.len()));
        unknown.extend(incomplete);
        let names: Vec<ObjectName> = unknown.iter().map(|index| tables[*index].name.clone()).collect();
        let found = session.table_sizes(&names)?;
        let looked_at = Instant::now();
        let mut known = lock(&self.by_table);
        for ((index, name), size) in unknown.into_iter().zip(names).zip(found) {
            sizes[index] = size;
            if let Some(size) = size.filter(|_| is_shared(session, tables[index])) {
                if known.len() >= TABLES_MAX {
                    known.clear();
                }
                known.insert(name, Cached { changed_at: changed_at[index], size, looked_at });
            }
        }
        Ok(sizes)
    }
}

/// Whether every session sees the same rows of the table.
fn is_shared(session: &dyn Session, table: &ObjectDescription) -> bool {
    table.persistence != Persistence::Temporary && !session.in_transaction()
}
