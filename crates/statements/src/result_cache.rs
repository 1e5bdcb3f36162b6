//! Reuse of results: the same query, by the same role, in the same session settings, while nothing
//! at all has changed since. Any change anywhere forgets everything, which is coarse and never wrong.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use firn_catalog::registry::StoredResult;

use crate::clock::now_ms;
use crate::mutex::lock;

/// What the remembered results and their keys may take in memory; past it the oldest go.
const BYTES_MAX: usize = 32 << 20;

#[derive(Default)]
pub struct ResultCache {
    changes: AtomicU64,
    entries: Mutex<Entries>,
}

#[derive(Default)]
struct Entries {
    by_key: HashMap<Arc<str>, Kept>,
    /// The keys, oldest first.
    order: VecDeque<Arc<str>>,
    bytes: usize,
}

/// A result with the time it holds for; cheap to clone.
#[derive(Clone)]
pub struct Kept {
    pub result: Arc<StoredResult>,
    /// What `changes_so_far` said before the query read anything.
    pub as_of_change: u64,
    pub expires_on_ms: i64,
}

impl ResultCache {
    /// To be asked before the query reads anything.
    pub fn changes_so_far(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// To be told after a change is committed and before anyone hears of it.
    pub fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        self.forget_all();
    }

    pub fn find(&self, key: &str) -> Option<Kept> {
        let entries = lock(&self.entries);
        let kept = entries.by_key.get(key)?;
        let fresh = kept.as_of_change == self.changes_so_far() && kept.expires_on_ms > now_ms();
        fresh.then(|| kept.clone())
    }

    pub fn keep(&self, key: Arc<str>, kept: Kept) {
        lock(&self.entries).insert(key, kept, BYTES_MAX);
    }

    /// Results that are about to leave the disk must not be handed out again.
    pub fn forget_all(&self) {
        *lock(&self.entries) = Entries::default();
    }
}

impl Entries {
    fn insert(&mut self, key: Arc<str>, entry: Kept, bytes_max: usize) {
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

fn size(key: &str, entry: &Kept) -> usize {
    let result = &entry.result;
    let inline = result.inline_rows.as_ref().map_or(0, Vec::len);
    let partitions = size_of_val(result.partitions.as_slice());
    size_of::<Kept>() + key.len() + result.row_type.len() + inline + partitions
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn entry(inline_bytes: usize) -> Kept {
        let result = StoredResult {
            row_type: "[]".to_owned(),
            rows: 1,
            partitions: Vec::new(),
            stats: None,
            cells: firn_catalog::registry::Cells::default(),
            inline_rows: Some(vec![b' '; inline_bytes]),
            stored_under: Uuid::nil(),
        };
        Kept { result: result.into(), as_of_change: 0, expires_on_ms: i64::MAX }
    }

    #[test]
    fn past_the_limit_the_oldest_go() {
        let mut entries = Entries::default();
        for number in 0..10 {
            entries.insert(number.to_string().into(), entry(1_000), 5_000);
        }
        assert_eq!(kept(&entries), ["6", "7", "8", "9"]);
        assert_eq!(entries.bytes, 4 * size("6", &entry(1_000)));
        entries.insert("6".into(), entry(10_000), 5_000);
        assert_eq!(kept(&entries), ["7", "8", "9"], "what is larger than the limit is not kept");
        assert_eq!(entries.bytes, 3 * size("6", &entry(1_000)));
    }

    fn kept(entries: &Entries) -> Vec<&str> {
        let mut kept: Vec<&str> = entries.by_key.keys().map(AsRef::as_ref).collect();
        kept.sort_unstable();
        kept
    }

    #[test]
    fn a_change_forgets_everything() {
        let cache = ResultCache::default();
        let before = cache.changes_so_far();
        cache.keep("a".into(), Kept { as_of_change: before, ..entry(1) });
        assert!(cache.find("a").is_some());
        cache.note_change();
        assert!(cache.find("a").is_none());
        cache.keep("a".into(), Kept { as_of_change: before, ..entry(1) });
        assert!(cache.find("a").is_none(), "what was read before the change is not handed out after it");
    }
}
