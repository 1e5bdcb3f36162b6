//! Enforces the time limits of running statements: one thread checks all of them in turn, so that a short statement
//! needs no timer. It is not one of the runtime's threads, which may all be busy with what it has to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crate::clock::now_ms;
use crate::error::StartError;
use crate::record_end;
use crate::services::Services;

/// How late a time limit may be noticed. An interrupt that falls between two engine calls is lost, so
/// it is also repeated this often.
const ROUND: Duration = Duration::from_millis(20);

/// Rounds without a running statement after which it sleeps.
const IDLE_ROUNDS_MAX: u32 = 50;

pub struct Watchdog {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Shared {
    awake: AtomicBool,
    ending: AtomicBool,
}

impl Watchdog {
    pub fn start(services: Arc<Services>) -> Result<Self, StartError> {
        let shared = Arc::<Shared>::default();
        let watched = shared.clone();
        let thread = thread::Builder::new().name("firn-watchdog".to_owned());
        let thread = thread.spawn(move || watch(&watched, &services)).map_err(StartError::Watchdog)?;
        Ok(Self { shared, thread: Some(thread) })
    }

    /// To be called after a statement was added to the running ones.
    pub fn wake(&self) {
        let Some(thread) = &self.thread else { return };
        if !self.shared.awake.load(Ordering::SeqCst) && !self.shared.awake.swap(true, Ordering::SeqCst) {
            thread.thread().unpark();
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // Nothing depends on a watchdog that panicked.
            let _ = thread.join();
        }
    }
}

fn watch(shared: &Shared, services: &Services) {
    let mut idle_rounds = 0;
    while !shared.ending.load(Ordering::SeqCst) {
        if !shared.awake.load(Ordering::SeqCst) {
            thread::park();
            idle_rounds = 0;
        } else if idle_rounds < IDLE_ROUNDS_MAX {
            thread::park_timeout(ROUND);
            idle_rounds = if look(services) { 0 } else { idle_rounds + 1 };
        } else {
            shared.awake.store(false, Ordering::SeqCst);
            // A statement that was added before the line above woke no one.
            if services.running.count() > 0 {
                shared.awake.store(true, Ordering::SeqCst);
            }
        }
    }
}

/// Stops what is out of time or of credits, and interrupts again what is being stopped; whether anything runs.
fn look(services: &Services) -> bool {
    for warehouse in services.metering.count_running() {
        let suspension = services.catalog.suspension(&warehouse, now_ms()).filter(|found| found.immediate);
        if let Some(suspension) = suspension {
            services.running.stop_suspended(&warehouse, &suspension.monitor);
        }
    }
    let running = services.running.all();
    for execution in &running {
        execution.stop_if_out_of_time();
        execution.interrupt_past_thread_limit();
        if execution.stop_reason().is_some() {
            execution.interrupt_again();
            record_end::record_if_stopped_unnoticed(services, execution);
        }
    }
    !running.is_empty()
}
