//! What views read, by their stored queries.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use firn_sql::Uses;

use crate::mutex::lock;

/// Past this many, all are forgotten.
const VIEWS_MAX: usize = 10_000;

/// What is known of a view's stored query.
pub struct ViewReads {
    pub uses: Uses,
    /// The sequences that it takes values of.
    pub sequences: Uses,
    /// How many times it reads each of the objects.
    pub counts: Vec<usize>,
    /// As `stored_views::is_expanded_when_read`.
    pub is_expanded: bool,
}

/// What each view reads, by its query.
#[derive(Default)]
pub struct ViewUses {
    known: Mutex<HashMap<String, Arc<ViewReads>>>,
}

impl ViewUses {
    /// Known once the view was read.
    pub fn find(&self, query: &str) -> Option<Arc<ViewReads>> {
        lock(&self.known).get(query).cloned()
    }

    pub fn insert(&self, query: &str, reads: &Arc<ViewReads>) {
        let mut known = lock(&self.known);
        if known.len() >= VIEWS_MAX {
            known.clear();
        }
        known.insert(query.to_owned(), Arc::clone(reads));
    }
}
