//! Counts changes of definitions. A statement is authorised for the objects that its names have, and the engine binds the names
//! later: if no change came in between, both have seen the same objects.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::{self, ThreadId};
use std::time::{Duration, Instant};

/// How long changes under way are waited for; they are commits, or databases that change their names.
const WAIT_MAX: Duration = Duration::from_secs(10);
const WAIT_STEP: Duration = Duration::from_micros(500);
/// How long changes wait for a statement that could not be bound between them.
const PAUSE_MAX: Duration = Duration::from_secs(1);

#[derive(Debug, Default)]
pub struct DefinitionClock {
    begun: AtomicU64,
    over: AtomicU64,
    pause: Mutex<Option<Pause>>,
}

#[derive(Debug, Clone, Copy)]
struct Pause {
    /// Its own changes do not wait.
    thread: ThreadId,
    until: Instant,
}

/// Changes begin when this is dropped, or after `PAUSE_MAX`.
#[derive(Debug)]
pub struct DefinitionPause(Arc<DefinitionClock>);

/// A change under way: some may see it already, others not yet. It is over when this is dropped.
#[derive(Debug)]
pub struct DefinitionChange(Arc<DefinitionClock>);

impl DefinitionClock {
    /// To be called just before a change can be seen.
    pub fn begin_change(self: &Arc<Self>) -> DefinitionChange {
        self.await_pause();
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

    /// Lets changes wait for the statement of this thread; `None` while they wait for another one.
    pub fn pause(self: &Arc<Self>) -> Option<DefinitionPause> {
        let mut pause = self.pause.lock().unwrap_or_else(PoisonError::into_inner);
        if pause.is_some_and(|other| Instant::now() < other.until) {
            return None;
        }
        *pause = Some(Pause { thread: thread::current().id(), until: Instant::now() + PAUSE_MAX });
        Some(DefinitionPause(Arc::clone(self)))
    }

    /// The same, once no other statement has it: of many that were disturbed each has its turn. `None` if that takes too long, or
    /// the statement is being stopped.
    pub fn pause_in_turn(self: &Arc<Self>, is_stopped: impl Fn() -> bool) -> Option<DefinitionPause> {
        let deadline = Instant::now() + WAIT_MAX;
        loop {
            let pause = self.pause();
            if pause.is_some() || is_stopped() || Instant::now() >= deadline {
                return pause;
            }
            thread::sleep(WAIT_STEP);
        }
    }

    fn await_pause(&self) {
        let deadline = Instant::now() + PAUSE_MAX;
        while self.is_paused() && Instant::now() < deadline {
            thread::sleep(WAIT_STEP);
        }
    }

    fn is_paused(&self) -> bool {
        let pause = *self.pause.lock().unwrap_or_else(PoisonError::into_inner);
        pause.is_some_and(|pause| pause.thread != thread::current().id() && Instant::now() < pause.until)
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

impl Drop for DefinitionPause {
    fn drop(&mut self) {
        let mut pause = self.0.pause.lock().unwrap_or_else(PoisonError::into_inner);
        // One that lasted too long may have been followed by another one.
        if pause.is_some_and(|pause| pause.thread == thread::current().id()) {
            *pause = None;
        }
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

    #[test]
    fn a_second_statement_waits_for_its_turn() {
        let clock = Arc::new(DefinitionClock::default());
        let first = clock.pause();
        assert!(clock.pause_in_turn(|| true).is_none(), "it is being stopped");
        let second = thread::spawn({
            let clock = Arc::clone(&clock);
            move || clock.pause_in_turn(|| false).is_some()
        });
        thread::sleep(WAIT_STEP * 10);
        assert!(!second.is_finished());
        drop(first);
        assert!(second.join().is_ok_and(|has_it| has_it));
    }

    #[test]
    fn changes_of_others_wait_for_a_pause() {
        let clock = Arc::new(DefinitionClock::default());
        let pause = clock.pause();
        assert!(pause.is_some() && clock.pause().is_none());
        let before = clock.now();
        let other = thread::spawn({
            let clock = Arc::clone(&clock);
            move || drop(clock.begin_change())
        });
        thread::sleep(WAIT_STEP * 10);
        assert!(clock.is_unchanged_since(before), "the other thread waits");
        drop(clock.begin_change());
        assert!(!clock.is_unchanged_since(before), "its own change does not wait");
        drop(pause);
        assert!(other.join().is_ok());
        assert_eq!(clock.now(), 2);
        assert!(clock.pause().is_some());
    }
}
