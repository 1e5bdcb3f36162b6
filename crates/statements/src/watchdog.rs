//! Keeps time for the statements that run: one thread looks at all of them in turn, so that a statement
//! which is over in a moment costs no timer of its own. It is no task, because statements run on the
//! threads of tasks, and may keep all of them from looking at a clock.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use tokio::runtime::Handle;

use crate::run::Runner;

/// How late a time limit may be noticed. An interrupt that falls between two engine calls is lost, so
/// it is also repeated this often.
const ROUND: Duration = Duration::from_millis(20);

/// Rounds without a running statement after which it sleeps.
const IDLE_ROUNDS_MAX: u32 = 50;

/// Ends its thread when it is dropped.
pub struct Watchdog {
    flags: Arc<Flags>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Default)]
struct Flags {
    awake: AtomicBool,
    ending: AtomicBool,
}

impl Watchdog {
    pub fn start(runner: Arc<Runner>, runtime: Handle) -> io::Result<Self> {
        let flags = Arc::<Flags>::default();
        let watching = flags.clone();
        let thread =
            thread::Builder::new().name("watchdog".to_owned()).spawn(move || watch(&watching, &runner, &runtime))?;
        Ok(Self { flags, thread: Some(thread) })
    }

    /// To be called after a statement was added to the running ones.
    pub fn wake(&self) {
        if !self.flags.awake.load(Ordering::SeqCst)
            && !self.flags.awake.swap(true, Ordering::SeqCst)
            && let Some(thread) = &self.thread
        {
            thread.thread().unpark();
        }
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        self.flags.ending.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            thread.thread().unpark();
            // A watchdog that panicked has nothing left to end.
            let _ = thread.join();
        }
    }
}

fn watch(flags: &Flags, runner: &Runner, runtime: &Handle) {
    let mut idle_rounds = 0;
    while !flags.ending.load(Ordering::SeqCst) {
        if idle_rounds < IDLE_ROUNDS_MAX {
            thread::sleep(ROUND);
            idle_rounds = if look(runner, runtime) { 0 } else { idle_rounds + 1 };
            continue;
        }
        flags.awake.store(false, Ordering::SeqCst);
        // A statement that was added before the line above called nobody.
        if runner.running.count() == 0 && !flags.ending.load(Ordering::SeqCst) {
            thread::park();
        }
        flags.awake.store(true, Ordering::SeqCst);
        idle_rounds = 0;
    }
}

/// Stops what is out of time and interrupts again what is being stopped; whether anything runs.
fn look(runner: &Runner, runtime: &Handle) -> bool {
    let running = runner.running.all();
    for execution in &running {
        execution.stop_if_out_of_time();
        if execution.stop_reason().is_some() {
            execution.interrupt_again();
        }
    }
    if !running.is_empty() {
        // A task that does nothing has the runtime look at its clock, whatever its threads are busy with.
        drop(runtime.spawn(std::future::ready(())));
    }
    !running.is_empty()
}
