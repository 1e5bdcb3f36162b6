//! What the data says, asked as the caller and remembered until any data changes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use firn_analyst::evidence::Evidence;
use firn_analyst::semantic_model::{LogicalTable, SemanticModel};
use firn_statements::{AnalystLimits, ReadError, Reader};

/// Longer texts are no names anyone asks for.
const VALUE_BYTES_MAX: usize = 200;

/// Answers of earlier looks at the data, shared by all questions.
#[derive(Default)]
pub struct EvidenceCache {
    entries: Mutex<Entries>,
}

/// A user, a role and a query: a view may show each of them something else.
type Key = (i64, String, String);
/// The rows of a small result.
type Rows = Arc<Vec<Vec<Option<String>>>>;

#[derive(Default)]
struct Entries {
    as_of_change: u64,
    bytes: usize,
    rows: HashMap<Key, Rows>,
}

impl EvidenceCache {
    fn find(&self, key: &Key, change: u64) -> Option<Rows> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        (entries.as_of_change == change).then(|| entries.rows.get(key).cloned()).flatten()
    }

    fn keep(&self, key: Key, change: u64, rows: Rows, bytes_max: usize) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let cells = rows.iter().flatten().flatten().map(|cell| cell.len() + 32).sum::<usize>();
        let bytes = key.2.len() + cells;
        if entries.as_of_change != change || entries.bytes + bytes > bytes_max {
            *entries = Entries { as_of_change: change, ..Entries::default() };
        }
        entries.bytes += bytes;
        entries.rows.insert(key, rows);
    }
}

/// The data behind a model, as one caller sees it.
pub struct DataEvidence<'a> {
    pub model: &'a SemanticModel,
    pub reader: &'a RefCell<Reader>,
    pub cache: &'a EvidenceCache,
    pub limits: &'a AnalystLimits,
    /// The number of changes when the question came.
    pub change: u64,
    pub began: Instant,
}

impl DataEvidence<'_> {
    /// The rows of a small query, or nothing where it cannot be run.
    pub fn rows(&self, sql: &str, rows_max: u64) -> Option<Rows> {
        let key = {
            let reader = self.reader.borrow();
            (reader.user_id(), reader.role().to_owned(), sql.to_owned())
        };
        if let Some(rows) = self.cache.find(&key, self.change) {
            return Some(rows);
        }
        if self.began.elapsed() > self.limits.look_wait {
            return None;
        }
        match self.reader.borrow_mut().rows(sql, rows_max) {
            Ok(rows) => {
                let rows = Arc::new(rows);
                self.cache.keep(key, self.change, Arc::clone(&rows), self.limits.cache_bytes_max);
                Some(rows)
            }
            Err(ReadError::Internal(cause)) => {
                tracing::warn!(cause, "a look at the data failed");
                None
            }
            Err(ReadError::Refused(_) | ReadError::Stopped) => None,
        }
    }

    pub fn number(&self, sql: &str) -> Option<u64> {
        self.rows(sql, 1)?.first()?.first()?.as_ref()?.parse().ok()
    }

    fn column<'t>(&'t self, table: &str, column: &str) -> Option<(&'t LogicalTable, &'t str)> {
        let table = self.model.table(table)?;
        Some((table, table.column_expression(column)?))
    }
}

impl Evidence for DataEvidence<'_> {
    fn values(&self, table: &str, column: &str) -> Vec<String> {
        let Some((table, expression)) = self.column(table, column) else { return Vec::new() };
        let values_max = self.limits.values_max;
        let sql = format!(
            "SELECT DISTINCT CAST(({expression}\n) AS VARCHAR) FROM {} WHERE ({expression}\n) IS NOT NULL LIMIT {values_max}",
            table.source.sql()
        );
        let Some(rows) = self.rows(&sql, values_max) else { return Vec::new() };
        let values = rows.iter().filter_map(|row| row.first()?.as_ref());
        let mut values: Vec<String> = values.filter(|value| value.len() <= VALUE_BYTES_MAX).cloned().collect();
        values.sort_unstable();
        values
    }

    fn distinct_count(&self, table: &str, column: &str) -> Option<u64> {
        let (table, expression) = self.column(table, column)?;
        self.number(&format!("SELECT COUNT(DISTINCT ({expression}\n)) FROM {}", table.source.sql()))
    }

    fn row_count(&self, table: &str) -> Option<u64> {
        let table = self.model.table(table)?;
        self.number(&format!("SELECT COUNT(*) FROM {}", table.source.sql()))
    }

    fn has_gaps(&self, table: &str, column: &str) -> Option<bool> {
        let (table, expression) = self.column(table, column)?;
        let sql = format!("SELECT 1 FROM {} WHERE ({expression}\n) IS NULL LIMIT 1", table.source.sql());
        self.rows(&sql, 1).map(|rows| !rows.is_empty())
    }
}
