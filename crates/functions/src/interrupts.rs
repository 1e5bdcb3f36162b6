//! Whether the statement whose function runs on this thread was stopped. An engine says how to find out when it calls a
//! function; whatever takes long asks now and then.

use std::cell::RefCell;
use std::sync::Arc;

const INTERRUPTED: &str = "Interrupted!";

/// Tells whether a statement was stopped.
pub trait StopSignal: Send + Sync {
    fn is_stopped(&self) -> bool;
}

thread_local! {
    /// Of the call that runs on this thread.
    static SIGNAL: RefCell<Option<Arc<dyn StopSignal>>> = const { RefCell::new(None) };
}

/// The signal of the call around, which is back when the one inside ends.
struct Outer(Option<Arc<dyn StopSignal>>);

impl Drop for Outer {
    fn drop(&mut self) {
        SIGNAL.set(self.0.take());
    }
}

/// Runs a call of a statement that the signal stops, if there is one.
pub fn run_stoppable<T>(signal: Option<Arc<dyn StopSignal>>, body: impl FnOnce() -> T) -> T {
    let _outer = Outer(SIGNAL.replace(signal));
    body()
}

/// Fails if the statement whose function runs on this thread was stopped.
pub fn check_interrupt() -> Result<(), String> {
    match SIGNAL.with_borrow(|signal| signal.as_ref().is_some_and(|signal| signal.is_stopped())) {
        true => Err(INTERRUPTED.to_owned()),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::{StopSignal, check_interrupt, run_stoppable};

    impl StopSignal for AtomicBool {
        fn is_stopped(&self) -> bool {
            self.load(Ordering::SeqCst)
        }
    }

    #[test]
    fn a_call_ends_with_its_own_statement() {
        let stopped = Arc::new(AtomicBool::new(false));
        run_stoppable(Some(stopped.clone()), || {
            assert_eq!(check_interrupt(), Ok(()));
            stopped.store(true, Ordering::SeqCst);
            assert!(check_interrupt().is_err());
            run_stoppable(None, || assert_eq!(check_interrupt(), Ok(())));
            assert!(check_interrupt().is_err());
        });
        assert_eq!(check_interrupt(), Ok(()));
    }
}
