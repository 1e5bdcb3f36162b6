//! Reuse of results: the same query, by the same role, in the same session settings, while nothing that it reads has
//! changed since.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex};

use firn_catalog::registry::StoredResult;

use crate::clock::now_ms;
use crate::mutex::lock;
use crate::table_changes::{AsOf, TableChanges};

/// The memory of the cached results and their keys; past it the oldest are evicted.
const BYTES_MAX: usize = 32 << 20;

#[derive(Default)]
pub struct ResultCache {
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    by_key: HashMap<Arc<str>, CachedResult>,
    /// The keys, oldest first.
    order: VecDeque<Arc<str>>,
    bytes: usize,
}

/// A result and how long it is valid; cheap to clone.
#[derive(Clone)]
pub struct CachedResult {
    pub result: Arc<StoredResult>,
    pub read: AsOf,
    pub expires_on_ms: i64,
}

impl ResultCache {
    pub fn find(&self, key: &str, changes: &TableChanges) -> Option<CachedResult> {
        let cached = lock(&self.entries).by_key.get(key)?.clone();
        let fresh = changes.is_current(&cached.read) && cached.expires_on_ms > now_ms();
        fresh.then_some(cached)
    }

    pub fn insert(&self, key: Arc<str>, result: CachedResult) {
        lock(&self.entries).insert(key, result, BYTES_MAX);
    }

    /// Results that are about to be removed from disk must not be reused.
    pub fn forget_all(&self) {
        *lock(&self.entries) = Entries::default();
    }
}

impl Entries {
    fn insert(&mut self, key: Arc<str>, entry: CachedResult, bytes_max: usize) {
        self.bytes += size(&key, &entry);
        match self.by_key.insert(key.clone(), entry) {
            Some(replaced) => self.bytes -= size(&key, &replaced),
            None => self.order.push_back(key),
        }
        while self.bytes > bytes_max {
            let Some(oldest) = self.order.pop_front() else { return };
            if let Some(removed) = self.by_key.remove(&oldest) {
                self.bytes -= size(&oldest, &removed);
            }
        }
    }
}

fn size(key: &str, entry: &CachedResult) -> usize {
    let result = &entry.result;
    let inline = result.inline_rows.as_ref().map_or(0, Vec::len);
    let partitions = size_of_val(result.partitions.as_slice());
    size_of::<CachedResult>() + key.len() + result.row_type.len() + inline + partitions
}

#[cfg(test)]
mod tests {
    use firn_sql::ObjectName;
    use uuid::Uuid;

    use super::*;
    use crate::table_changes::Sources;

    fn entry(inline_bytes: usize) -> CachedResult {
        let result = StoredResult {
            row_type: "[]".to_owned(),
            rows: 1,
            partitions: Vec::new(),
            stats: None,
            cells: firn_catalog::registry::Cells::default(),
            inline_rows: Some(vec![b' '; inline_bytes]),
            stored_under: Uuid::nil(),
        };
        let read = TableChanges::default().as_of(Sources::Tables(Vec::new()));
        CachedResult { result: result.into(), read, expires_on_ms: i64::MAX }
    }

    #[test]
    fn past_the_limit_the_oldest_go() {
        let mut entries = Entries::default();
        for number in 0..10 {
            entries.insert(number.to_string().into(), entry(1_000), 5_000);
        }
        assert_eq!(cached_keys(&entries), ["6", "7", "8", "9"]);
        assert_eq!(entries.bytes, 4 * size("6", &entry(1_000)));
        entries.insert("6".into(), entry(10_000), 5_000);
        assert_eq!(cached_keys(&entries), ["7", "8", "9"], "what is larger than the limit is not cached");
        assert_eq!(entries.bytes, 3 * size("6", &entry(1_000)));
    }

    fn cached_keys(entries: &Entries) -> Vec<&str> {
        let mut keys: Vec<&str> = entries.by_key.keys().map(AsRef::as_ref).collect();
        keys.sort_unstable();
        keys
    }

    #[test]
    fn a_change_ends_the_reuse_of_what_was_read_before_it() {
        let (cache, changes) = (ResultCache::default(), TableChanges::default());
        let table = ObjectName::qualified("DB", "S", "T");
        let read = changes.as_of(Sources::Tables(vec![table.clone()]));
        let cached = || CachedResult { read: read.clone(), ..entry(1) };
        cache.insert("a".into(), cached());
        changes.note([ObjectName::qualified("DB", "S", "OTHER")].iter());
        assert!(cache.find("a", &changes).is_some(), "another table's change does not concern it");
        changes.note([table].iter());
        assert!(cache.find("a", &changes).is_none());
        cache.insert("a".into(), cached());
        assert!(cache.find("a", &changes).is_none(), "what was read before the change is not handed out after it");
    }
}
