//! What the data says, asked as the caller and remembered until any data changes.

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use chrono::NaiveDate;
use firn_analyst::evidence::Evidence;
use firn_analyst::links::model_index::ModelIndex;
use firn_analyst::semantic_model::{LogicalTable, SemanticModel};
use firn_statements::{AnalystLimits, ReadError, Reader};

/// Indexes of models that are remembered; one more takes the place of the oldest.
const INDEXES_MAX: usize = 16;
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
    indexes: Vec<Indexed>,
}

/// A model with the values of its data, as one user sees them in one role.
struct Indexed {
    user_id: i64,
    role: String,
    model: SemanticModel,
    index: Arc<ModelIndex>,
    /// Of the rows it is made of.
    bytes: usize,
}

impl EvidenceCache {
    fn find(&self, key: &Key, change: u64) -> Option<Rows> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        (entries.as_of_change == change).then(|| entries.rows.get(key).cloned()).flatten()
    }

    fn insert(&self, key: Key, change: u64, rows: Rows, bytes_max: usize) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        entries.make_room(key.2.len() + bytes_of(&rows), change, bytes_max);
        entries.rows.insert(key, rows);
    }

    fn find_index(&self, user_id: i64, role: &str, model: &SemanticModel, change: u64) -> Option<Arc<ModelIndex>> {
        let entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |known: &&Indexed| known.user_id == user_id && known.role == role && known.model == *model;
        let known = entries.indexes.iter().find(is_it).filter(|_| entries.as_of_change == change)?;
        Some(Arc::clone(&known.index))
    }

    fn insert_index(&self, indexed: Indexed, change: u64, bytes_max: usize) {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if entries.indexes.len() >= INDEXES_MAX {
            let oldest = entries.indexes.remove(0);
            entries.bytes -= oldest.bytes;
        }
        entries.make_room(indexed.bytes, change, bytes_max);
        entries.indexes.push(indexed);
    }
}

impl Entries {
    /// Counts an entry that is about to be added; what is too old, or does not fit beside it, is dropped.
    fn make_room(&mut self, bytes: usize, change: u64, bytes_max: usize) {
        if self.as_of_change != change || self.bytes + bytes > bytes_max {
            *self = Self { as_of_change: change, ..Self::default() };
        }
        self.bytes += bytes;
    }
}

fn bytes_of(rows: &Rows) -> usize {
    rows.iter().flatten().flatten().map(|cell| cell.len() + 32).sum()
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
    /// Of all rows that were read for this question, from the cache or not.
    pub bytes_read: Cell<usize>,
    /// Some look at the data failed or came too late.
    pub is_partial: Cell<bool>,
}

impl DataEvidence<'_> {
    /// The model with the values of its data; remembered where every look at the data succeeded.
    pub fn index(&self) -> Arc<ModelIndex> {
        let (user_id, role) = {
            let reader = self.reader.borrow();
            (reader.user_id(), reader.role().to_owned())
        };
        if let Some(index) = self.cache.find_index(user_id, &role, self.model, self.change) {
            return index;
        }
        let before = self.bytes_read.get();
        let index = Arc::new(ModelIndex::new(self.model, self));
        if !self.is_partial.get() {
            let bytes = self.bytes_read.get() - before;
            let indexed = Indexed { user_id, role, model: self.model.clone(), index: Arc::clone(&index), bytes };
            self.cache.insert_index(indexed, self.change, self.limits.cache_bytes_max);
        }
        index
    }

    /// The rows of a small query, or nothing where it cannot be run.
    pub fn rows(&self, sql: &str, rows_max: u64) -> Option<Rows> {
        let key = {
            let reader = self.reader.borrow();
            (reader.user_id(), reader.role().to_owned(), sql.to_owned())
        };
        if let Some(rows) = self.cache.find(&key, self.change) {
            self.bytes_read.update(|bytes| bytes + bytes_of(&rows));
            return Some(rows);
        }
        if self.began.elapsed() > self.limits.look_wait {
            self.is_partial.set(true);
            return None;
        }
        match self.reader.borrow_mut().rows(sql, rows_max) {
            Ok(rows) => {
                let rows = Arc::new(rows);
                self.bytes_read.update(|bytes| bytes + bytes_of(&rows));
                self.cache.insert(key, self.change, Arc::clone(&rows), self.limits.cache_bytes_max);
                Some(rows)
            }
            Err(error) => {
                self.is_partial.set(true);
                if let ReadError::Internal(cause) = error {
                    tracing::warn!(cause, "a look at the data failed");
                }
                None
            }
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

    fn latest_day(&self, table: &str, column: &str) -> Option<NaiveDate> {
        let (table, expression) = self.column(table, column)?;
        let sql = format!("SELECT CAST(MAX(({expression}\n)) AS VARCHAR) FROM {}", table.source.sql());
        let rows = self.rows(&sql, 1)?;
        rows.first()?.first()?.as_ref()?.get(..10)?.parse().ok()
    }
}
