//! Interrupts a connection from another thread. An interrupter may outlive its connection, and an interruption is
//! sticky: every later statement of the connection is refused until the pool leases it again.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use libduckdb_sys::{duckdb_connection, duckdb_interrupt, duckdb_query_progress};

use firn_engine::{EngineError, Interrupt};
use firn_values::running_call::StopSignal;

use super::engine_memory::{self, Watched};

/// The engine usually notices an interruption much earlier.
const DEAF_AFTER: Duration = Duration::from_millis(500);

/// Interrupts one lease of a connection.
pub(crate) struct Interrupter {
    requested: AtomicBool,
    /// When it was requested first.
    requested_on: Mutex<Option<Instant>>,
    planning: AtomicBool,
    /// The engine runs a statement that commits nothing by itself: the commit behind it is refused after an interruption.
    uncommitted: AtomicBool,
    /// What is being committed, or was, cannot be undone: an interruption waits until the shield is lowered. Changed with the
    /// lock of `connection` held.
    shielded: AtomicBool,
    postponed: AtomicBool,
    /// Interrupted for want of room on the disk, and by nobody else.
    stopped_for_room: AtomicBool,
    connection: Mutex<Option<Handle>>,
    /// Stops work outside the engine.
    work: Mutex<Option<Box<dyn Fn() + Send>>>,
}

/// Work of a statement outside the engine; dropping it says that the work is done.
pub(crate) struct WatchedWork<'a>(&'a Interrupter);

impl Drop for WatchedWork<'_> {
    fn drop(&mut self) {
        *self.0.work.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

/// While the engine plans a statement, which `duckdb_interrupt` does not end; dropped when planning is done.
pub(crate) struct Planning<'a> {
    _lowering: Lowering<'a>,
    _watched: Watched<'a>,
}

/// While a statement is lowered to the engine's SQL. What is looked up meanwhile is planned by the engine in between.
pub(crate) struct Lowering<'a> {
    interrupter: &'a Interrupter,
    is_outermost: bool,
}

impl Drop for Lowering<'_> {
    fn drop(&mut self) {
        if self.is_outermost {
            self.interrupter.planning.store(false, Ordering::SeqCst);
        }
    }
}

/// Dropped when the engine has run the statement.
pub(crate) struct Uncommitted<'a>(&'a Interrupter);

impl Drop for Uncommitted<'_> {
    fn drop(&mut self) {
        self.0.uncommitted.store(false, Ordering::SeqCst);
    }
}

struct Handle(duckdb_connection);

// SAFETY: the handle is only used for `duckdb_interrupt` and `duckdb_query_progress`, which may be called from any thread
// while the connection lives; the mutex sees to it that it does.
unsafe impl Send for Handle {}

impl Interrupter {
    pub(crate) fn new(connection: duckdb_connection) -> Self {
        Self {
            requested: AtomicBool::new(false),
            requested_on: Mutex::default(),
            planning: AtomicBool::new(false),
            uncommitted: AtomicBool::new(false),
            shielded: AtomicBool::new(false),
            postponed: AtomicBool::new(false),
            stopped_for_room: AtomicBool::new(false),
            connection: Mutex::new(Some(Handle(connection))),
            work: Mutex::default(),
        }
    }

    pub(crate) fn is_requested(&self) -> bool {
        self.requested.load(Ordering::SeqCst)
    }

    /// Stops work outside the engine when the statement is interrupted, at once if it has been already.
    pub(crate) fn watch(&self, stop: impl Fn() + Send + 'static) -> WatchedWork<'_> {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_requested() {
            stop();
        }
        *work = Some(Box::new(stop));
        drop(work);
        WatchedWork(self)
    }

    pub(crate) fn plan(&self) -> Planning<'_> {
        Planning { _lowering: self.lower(), _watched: engine_memory::watch_planning(&self.requested) }
    }

    /// A statement that is stopped while it lives ends for everybody at once, as while the engine plans it.
    pub(crate) fn lower(&self) -> Lowering<'_> {
        let is_outermost = !self.planning.swap(true, Ordering::SeqCst);
        Lowering { interrupter: self, is_outermost }
    }

    /// While the engine runs a statement that commits nothing by itself.
    pub(crate) fn run_uncommitted(&self) -> Uncommitted<'_> {
        self.uncommitted.store(true, Ordering::SeqCst);
        Uncommitted(self)
    }

    /// The engine runs a query of the connection.
    pub(crate) fn run_query(&self) -> Watched<'_> {
        engine_memory::watch_query(&self.requested)
    }

    /// Begins a commit, unless an interruption came before it.
    pub(crate) fn shield(&self) -> Result<(), EngineError> {
        let _connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if self.is_requested() {
            return Err(EngineError::Interrupted);
        }
        self.shielded.store(true, Ordering::SeqCst);
        Ok(())
    }

    /// The statement was committed: an interruption that came before it was noticed has no effect on it.
    pub(crate) fn shield_committed(&self) {
        let _connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        self.shielded.store(true, Ordering::SeqCst);
        if self.requested.swap(false, Ordering::SeqCst) {
            self.postponed.store(true, Ordering::SeqCst);
        }
    }

    /// What begins now may be interrupted, at once if it was to be.
    pub(crate) fn lower_shield(&self) {
        let _connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        self.shielded.store(false, Ordering::SeqCst);
        if self.postponed.swap(false, Ordering::SeqCst) {
            self.requested.store(true, Ordering::SeqCst);
        }
    }

    /// Interrupts the statement that runs, unless it is being committed.
    pub(crate) fn stop_for_room(&self) {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if self.shielded.load(Ordering::SeqCst) || self.is_requested() {
            return;
        }
        self.stopped_for_room.store(true, Ordering::SeqCst);
        self.stop(&connection);
    }

    /// Whether the statement that ends now was; the next one is not interrupted then.
    pub(crate) fn was_stopped_for_room(&self) -> bool {
        let _connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let was_stopped = self.stopped_for_room.swap(false, Ordering::SeqCst);
        if was_stopped {
            self.requested.store(false, Ordering::SeqCst);
        }
        was_stopped
    }

    fn stop(&self, connection: &Option<Handle>) {
        if !self.requested.swap(true, Ordering::SeqCst) {
            *self.requested_on.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        }
        if let Some(stop) = &*self.work.lock().unwrap_or_else(PoisonError::into_inner) {
            stop();
        }
        if let Some(Handle(connection)) = connection {
            // SAFETY: `detach` runs before the connection is closed and waits for the lock that the caller holds.
            unsafe { duckdb_interrupt(*connection) };
        }
    }

    /// From now on interrupting does nothing. Returns once no other thread is doing it.
    pub(crate) fn detach(&self) {
        *self.connection.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }
}

impl Interrupt for Interrupter {
    fn interrupt(&self) {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        if self.shielded.load(Ordering::SeqCst) {
            self.postponed.store(true, Ordering::SeqCst);
            return;
        }
        self.stopped_for_room.store(false, Ordering::SeqCst);
        self.stop(&connection);
    }

    fn is_interrupted(&self) -> bool {
        self.is_requested()
    }

    fn is_planning(&self) -> bool {
        self.planning.load(Ordering::SeqCst) && !self.shielded.load(Ordering::SeqCst)
    }

    fn is_deaf(&self) -> bool {
        let requested_on = *self.requested_on.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_requested()
            && self.uncommitted.load(Ordering::SeqCst)
            && !self.shielded.load(Ordering::SeqCst)
            && requested_on.is_some_and(|then| then.elapsed() >= DEAF_AFTER)
    }

    fn percent_done(&self) -> Option<f64> {
        let connection = self.connection.lock().unwrap_or_else(PoisonError::into_inner);
        let Handle(connection) = connection.as_ref()?;
        // SAFETY: `detach` runs before the connection is closed and waits for the lock that is held.
        let percent = unsafe { duckdb_query_progress(*connection) }.percentage;
        // Less than nothing where the engine has no estimate.
        (0.0..=100.0).contains(&percent).then_some(percent)
    }
}

impl StopSignal for Interrupter {
    fn is_stopped(&self) -> bool {
        self.is_requested()
    }
}

/// The interrupters of an instance's connections by the engine's number for the connection, for
/// functions that run inside a statement and have to notice that it is stopped.
#[derive(Default)]
pub(crate) struct Interrupters(Mutex<HashMap<u64, Arc<Interrupter>>>);

impl Interrupters {
    pub(crate) fn find(&self, connection_id: u64) -> Option<Arc<Interrupter>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&connection_id).cloned()
    }

    pub(crate) fn put(&self, connection_id: u64, interrupter: Arc<Interrupter>) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(connection_id, interrupter);
    }

    pub(crate) fn remove(&self, connection_id: u64) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).remove(&connection_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_commits_nothing_is_deaf() {
        let interrupter = Interrupter::new(std::ptr::null_mut());
        interrupter.detach();
        let running = interrupter.run_uncommitted();
        assert!(!interrupter.is_deaf(), "nobody has interrupted it");
        interrupter.interrupt();
        assert!(!interrupter.is_deaf(), "the engine has some time");
        std::thread::sleep(DEAF_AFTER);
        assert!(interrupter.is_deaf());
        drop(running);
        assert!(!interrupter.is_deaf());
    }

    #[test]
    fn a_statement_is_planned_from_its_lowering_on() {
        let interrupter = Interrupter::new(std::ptr::null_mut());
        let lowering = interrupter.lower();
        drop(interrupter.plan());
        assert!(interrupter.is_planning(), "what was looked up is planned, and the statement still lowered");
        drop(lowering);
        assert!(!interrupter.is_planning());
        let planning = interrupter.plan();
        assert!(interrupter.is_planning());
        drop(planning);
        assert!(!interrupter.is_planning());
    }
}
