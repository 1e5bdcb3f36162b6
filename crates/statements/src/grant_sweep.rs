//! Up to where the grants on objects that are gone have been removed.

use std::sync::atomic::{AtomicU64, Ordering};

/// One more than the change of definitions up to which everything is swept.
#[derive(Default)]
pub struct GrantSweep(AtomicU64);

impl GrantSweep {
    pub fn is_complete(&self, as_of: u64) -> bool {
        self.0.load(Ordering::Relaxed) == as_of + 1
    }

    /// `None` where something has to be looked at again.
    pub fn note(&self, as_of: Option<u64>) {
        self.0.store(as_of.map_or(0, |as_of| as_of + 1), Ordering::Relaxed);
    }
}
