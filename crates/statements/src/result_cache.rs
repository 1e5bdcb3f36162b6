//! Reuse of results: the same query, by the same role, in the same session settings, while nothing
//! at all has changed since. Any change anywhere forgets everything, which is coarse and never wrong.

use std::collections::HashMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use firn_catalog::registry::StoredResult;

use crate::clock::now_ms;
use crate::execution::lock;

const ENTRIES_MAX: usize = 1_000;

#[derive(Default)]
pub struct ResultCache {
    changes: AtomicU64,
    entries: Mutex<HashMap<String, Entry>>,
}

struct Entry {
    result: StoredResult,
    as_of_change: u64,
    expires_on_ms: i64,
}

impl ResultCache {
    /// To be asked before the query reads anything.
    pub fn changes_so_far(&self) -> u64 {
        self.changes.load(Ordering::SeqCst)
    }

    /// To be told after a change is committed and before anyone hears of it.
    pub fn note_change(&self) {
        self.changes.fetch_add(1, Ordering::SeqCst);
        lock(&self.entries).clear();
    }

    pub fn find(&self, key: &str) -> Option<StoredResult> {
        let entries = lock(&self.entries);
        let entry = entries.get(key)?;
        let fresh = entry.as_of_change == self.changes_so_far() && entry.expires_on_ms > now_ms();
        fresh.then(|| entry.result.clone())
    }

    pub fn keep(&self, key: String, result: StoredResult, as_of_change: u64, expires_on_ms: i64) {
        let mut entries = lock(&self.entries);
        if entries.len() >= ENTRIES_MAX {
            entries.clear();
        }
        entries.insert(key, Entry { result, as_of_change, expires_on_ms });
    }

    /// Results that are about to leave the disk must not be handed out again.
    pub fn forget_all(&self) {
        lock(&self.entries).clear();
    }
}
