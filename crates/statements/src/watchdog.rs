//! Keeps time for the statements that run: one task looks at all of them in turn, so that a statement
//! which is over in a moment costs no timer of its own.

use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use tokio::sync::Notify;

use crate::run::Runner;

/// How late a time limit may be noticed. An interrupt that falls between two engine calls is lost, so
/// it is also repeated this often.
const ROUND: Duration = Duration::from_millis(20);

/// Rounds without a running statement after which it sleeps.
const IDLE_ROUNDS_MAX: u32 = 50;

#[derive(Default)]
pub struct Watchdog {
    awake: AtomicBool,
    called: Notify,
}

impl Watchdog {
    /// To be called after a statement was added to the running ones.
    pub fn wake(&self) {
        if !self.awake.load(Ordering::SeqCst) && !self.awake.swap(true, Ordering::SeqCst) {
            self.called.notify_one();
        }
    }

    /// Runs until it is aborted with the service that owns it.
    pub async fn watch(self: Arc<Self>, runner: Arc<Runner>) -> Infallible {
        loop {
            self.called.notified().await;
            let mut idle_rounds = 0;
            while idle_rounds < IDLE_ROUNDS_MAX {
                tokio::time::sleep(ROUND).await;
                idle_rounds = if look(&runner) { 0 } else { idle_rounds + 1 };
            }
            self.awake.store(false, Ordering::SeqCst);
            // A statement that was added before the line above called nobody.
            if runner.running.count() > 0 {
                self.wake();
            }
        }
    }
}

/// Stops what is out of time and interrupts again what is being stopped; whether anything runs.
fn look(runner: &Runner) -> bool {
    let running = runner.running.all();
    for execution in &running {
        execution.stop_if_out_of_time();
        if execution.stop_reason().is_some() {
            execution.interrupt_again();
        }
    }
    !running.is_empty()
}
