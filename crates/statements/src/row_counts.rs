//! How many rows tables have. To count them the engine plans a query for each table, so counts are cached until the table
//! changes.

use std::collections::HashMap;
use std::sync::Mutex;

use firn_engine::{ObjectDescription, Session};
use firn_sql::ObjectName;
use firn_sql::command::Persistence;

use crate::mutex::lock;
use crate::run_error::RunError;
use crate::table_changes::{TABLES_MAX, TableChanges};

/// By table: `TableChanges::of_table` before the rows were counted, and their number.
#[derive(Default)]
pub struct RowCounts(Mutex<HashMap<ObjectName, (u64, u64)>>);

impl RowCounts {
    /// The number of rows of each of these tables; `None` of one that was dropped since it was listed.
    pub fn of_tables(
        &self,
        session: &dyn Session,
        changes: &TableChanges,
        tables: &[&ObjectDescription],
    ) -> Result<Vec<Option<u64>>, RunError> {
        let changed_at: Vec<u64> = tables.iter().map(|table| changes.of_table(&table.name)).collect();
        let mut counts: Vec<Option<u64>> = {
            let known = lock(&self.0);
            let count = |(table, changed_at): (&&ObjectDescription, &u64)| {
                let (as_of, count) = known.get(&table.name).filter(|_| is_shared(session, table))?;
                (as_of == changed_at).then_some(*count)
            };
            tables.iter().zip(&changed_at).map(count).collect()
        };
        let unknown: Vec<usize> = (0..tables.len()).filter(|index| counts[*index].is_none()).collect();
        let names: Vec<ObjectName> = unknown.iter().map(|index| tables[*index].name.clone()).collect();
        let counted = session.row_counts(&names)?;
        let mut known = lock(&self.0);
        for ((index, name), count) in unknown.into_iter().zip(names).zip(counted) {
            counts[index] = count;
            if let Some(count) = count.filter(|_| is_shared(session, tables[index])) {
                if known.len() >= TABLES_MAX {
                    known.clear();
                }
                known.insert(name, (changed_at[index], count));
            }
        }
        Ok(counts)
    }
}

/// Whether every session sees the same rows of the table.
fn is_shared(session: &dyn Session, table: &ObjectDescription) -> bool {
    table.persistence != Persistence::Temporary && !session.in_transaction()
}
