//! Statements wait here while databases are exchanged or renamed, so that none looks for a database that is under neither
//! name. A statement that is stopped meanwhile no longer waits.

use std::sync::{Condvar, Mutex, PoisonError};
use std::time::Duration;

use crate::mutex::lock;
use crate::run_error::RunError;

/// A statement that is stopped notices it within this time.
const STOP_STEP: Duration = Duration::from_millis(20);

#[derive(Default)]
pub struct RenameGate {
    is_closed: Mutex<bool>,
    opened: Condvar,
}

/// The gate is open again when this is dropped.
pub struct Closed<'a>(&'a RenameGate);

impl RenameGate {
    /// One change of databases at a time closes it.
    pub fn close(&self) -> Closed<'_> {
        *lock(&self.is_closed) = true;
        Closed(self)
    }

    pub fn wait(&self, is_stopped: impl Fn() -> bool) -> Result<(), RunError> {
        let mut is_closed = lock(&self.is_closed);
        while *is_closed {
            if is_stopped() {
                return Err(RunError::Stopped);
            }
            is_closed = self.opened.wait_timeout(is_closed, STOP_STEP).unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(())
    }
}

impl Drop for Closed<'_> {
    fn drop(&mut self) {
        *lock(&self.0.is_closed) = false;
        self.0.opened.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn a_stopped_statement_does_not_wait_for_the_end_of_a_renaming() {
        let (gate, is_stopped) = (RenameGate::default(), AtomicBool::new(false));
        assert!(gate.wait(|| false).is_ok());
        let closed = gate.close();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.wait(|| is_stopped.load(Ordering::SeqCst)));
            thread::sleep(Duration::from_millis(50));
            assert!(!waiting.is_finished());
            is_stopped.store(true, Ordering::SeqCst);
            assert!(matches!(waiting.join(), Ok(Err(RunError::Stopped))));
        });
        drop(closed);
        assert!(gate.wait(|| true).is_ok());
    }

    #[test]
    fn a_waiting_statement_goes_on_after_the_renaming() {
        let gate = RenameGate::default();
        let closed = gate.close();
        thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.wait(|| false));
            thread::sleep(Duration::from_millis(30));
            drop(closed);
            assert!(matches!(waiting.join(), Ok(Ok(()))));
        });
    }
}
