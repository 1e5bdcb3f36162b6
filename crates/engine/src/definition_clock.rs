//! Counts changes of definitions. A statement is authorised for the objects that its names have, and the engine binds the names
//! later: if no change came in between, both have seen the same objects.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How long changes under way are waited for; they are commits, or databases that change their names.
const WAIT_MAX: Duration = Duration::from_secs(10);
const WAIT_STEP: Duration = Duration::from_micros(500);

#[derive(Debug, Default)]
pub struct DefinitionClock {
    begun: AtomicU64,
    over: AtomicU64,
}

/// A change under way: some may see it already, others not yet. It is over when this is dropped.
#[derive(Debug)]
pub struct DefinitionChange(Arc<DefinitionClock>);

impl DefinitionClock {
    /// To be called just before a change can be seen.
    pub fn begin_change(self: &Arc<Self>) -> DefinitionChange {
        self.begun.fetch_add(1, Ordering::SeqCst);
        DefinitionChange(Arc::clone(self))
    }

    /// To be asked before names are looked up.
    pub fn now(&self) -> u64 {
        self.over.load(Ordering::SeqCst)
    }

    /// Whether no change was under way when `now` gave this number, and none has begun since.
    pub fn is_unchanged_since(&self, then: u64) -> bool {
        self.begun.load(Ordering::SeqCst) == then
    }

    /// Waits until no change is under way, or until the statement that waits is being stopped.
    pub fn settle(&self, is_stopped: impl Fn() -> bool) {
        let deadline = Instant::now() + WAIT_MAX;
        while !self.is_unchanged_since(self.now()) && !is_stopped() && Instant::now() < deadline {
            thread::sleep(WAIT_STEP);
        }
    }
}

impl Drop for DefinitionChange {
    fn drop(&mut self) {
        self.0.over.fetch_add(1, Ordering::SeqCst);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_counts_from_its_begin_until_after_its_end() {
        let clock = Arc::new(DefinitionClock::default());
        let before = clock.now();
        assert!(clock.is_unchanged_since(before));
        let (first, second) = (clock.begin_change(), clock.begin_change());
        let meanwhile = clock.now();
        assert!(!clock.is_unchanged_since(before) && !clock.is_unchanged_since(meanwhile));
        drop(first);
        assert!(!clock.is_unchanged_since(clock.now()), "the second one is under way");
        drop(second);
        assert!(!clock.is_unchanged_since(before) && !clock.is_unchanged_since(meanwhile));
        assert!(clock.is_unchanged_since(clock.now()));
    }

    #[test]
    fn a_stopped_statement_waits_no_longer() {
        let clock = Arc::new(DefinitionClock::default());
        let asked = AtomicU64::new(0);
        let is_stopped = || asked.fetch_add(1, Ordering::SeqCst) == 2;
        clock.settle(is_stopped);
        assert_eq!(asked.load(Ordering::SeqCst), 0, "nothing to wait for");
        let _change = clock.begin_change();
        clock.settle(is_stopped);
        assert_eq!(asked.load(Ordering::SeqCst), 3, "it is asked no more once it says so");
    }
}
