//! How statements ended, counted for the metrics.

use std::sync::atomic::{AtomicU64, Ordering};

use firn_catalog::registry::EndState;

#[derive(Default)]
pub struct Outcomes {
    pub submitted: AtomicU64,
    succeeded: AtomicU64,
    failed: AtomicU64,
    cancelled: AtomicU64,
    timed_out: AtomicU64,
    pub rejected: AtomicU64,
}

impl Outcomes {
    pub fn count_submitted(&self) {
        self.submitted.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_rejected(&self) {
        self.rejected.fetch_add(1, Ordering::Relaxed);
    }

    pub fn count_end(&self, state: EndState) {
        self.counter(state).fetch_add(1, Ordering::Relaxed);
    }

    pub fn ended(&self, state: EndState) -> u64 {
        self.counter(state).load(Ordering::Relaxed)
    }

    fn counter(&self, state: EndState) -> &AtomicU64 {
        match state {
            EndState::Succeeded => &self.succeeded,
            EndState::Failed => &self.failed,
            EndState::Cancelled => &self.cancelled,
            EndState::TimedOut => &self.timed_out,
        }
    }
}
