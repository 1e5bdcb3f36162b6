//! Worker threads for statements that take long. The engine's own threads are woken for every statement, however small,
//! and contend with its caller for tasks; these poll for tasks while statements run, so that a short statement is over
//! before they find it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::{self, JoinHandle, Thread};
use std::time::Duration;

use libduckdb_sys as ffi;

use super::engine_memory;

/// The polling interval of a thread without work while statements run: it grows from the first to the second.
const SHORTEST_PAUSE: Duration = Duration::from_micros(500);
const LONGEST_PAUSE: Duration = Duration::from_millis(4);

/// Polls in close succession after the last task: the next pipeline of a query may begin soon.
const QUICK_POLLS: u32 = 50;

/// Pauses without a running statement after which a thread sleeps until it is woken.
const IDLE_PAUSES_MAX: u32 = 15;

/// Tasks between two checks of whether the threads are to end.
const TASKS_PER_CHECK: u64 = 16;

pub(crate) struct WorkerThreads {
    shared: Arc<Shared>,
    threads: Vec<JoinHandle<()>>,
    called: Vec<Thread>,
}

#[derive(Default)]
struct Shared {
    running: AtomicUsize,
    asleep: AtomicUsize,
    ending: AtomicBool,
}

struct TaskState(ffi::duckdb_task_state);

// SAFETY: a task state is used by the one thread that it was made for.
unsafe impl Send for TaskState {}

impl WorkerThreads {
    /// # Safety
    /// The database must outlive the worker threads.
    pub(crate) unsafe fn start(database: ffi::duckdb_database, count: usize) -> Self {
        let shared = Arc::<Shared>::default();
        let start = |index| {
            // SAFETY: the database is open, and stays so until the thread has ended.
            let state = TaskState(unsafe { ffi::duckdb_create_task_state(database) });
            let shared = shared.clone();
            thread::Builder::new().name(format!("firn-worker-{index}")).spawn(move || work(&shared, state))
        };
        let threads: Vec<_> = (0..count).filter_map(|index| start(index).ok()).collect();
        let called = threads.iter().map(|worker| worker.thread().clone()).collect();
        Self { shared, threads, called }
    }

    /// A session begins: from now on its work is looked for.
    pub(crate) fn begin(&self) {
        self.shared.running.fetch_add(1, Ordering::SeqCst);
        if self.shared.asleep.load(Ordering::SeqCst) > 0 {
            self.called.iter().for_each(Thread::unpark);
        }
    }

    /// A session that began has ended.
    pub(crate) fn end(&self) {
        self.shared.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Drop for WorkerThreads {
    fn drop(&mut self) {
        self.shared.ending.store(true, Ordering::SeqCst);
        for worker in self.threads.drain(..) {
            worker.thread().unpark();
            // Nothing depends on a worker that panicked.
            let _ = worker.join();
        }
    }
}

impl Drop for TaskState {
    fn drop(&mut self) {
        // SAFETY: destroyed once, while the database is open.
        unsafe { ffi::duckdb_destroy_task_state(self.0) };
    }
}

fn work(shared: &Shared, state: TaskState) {
    let mut quick_looks = 0;
    let mut idle_pauses = 0;
    let mut pause = SHORTEST_PAUSE;
    while !shared.ending.load(Ordering::SeqCst) {
        let watched = engine_memory::watch_tasks();
        // SAFETY: the state is alive and used by this thread alone.
        let done = unsafe { ffi::duckdb_execute_n_tasks_state(state.0, TASKS_PER_CHECK) };
        drop(watched);
        if done > 0 {
            (quick_looks, idle_pauses, pause) = (QUICK_POLLS, 0, SHORTEST_PAUSE);
        } else if quick_looks > 0 {
            quick_looks -= 1;
            thread::yield_now();
        } else if idle_pauses < IDLE_PAUSES_MAX {
            idle_pauses = if shared.running.load(Ordering::SeqCst) > 0 { 0 } else { idle_pauses + 1 };
            thread::sleep(pause);
            pause = LONGEST_PAUSE.min(pause * 2);
        } else {
            sleep_until_called(shared);
            (idle_pauses, pause) = (0, SHORTEST_PAUSE);
        }
    }
}

/// No lost wake-up: a statement that begins meanwhile is either seen here or sees the sleeping thread.
fn sleep_until_called(shared: &Shared) {
    shared.asleep.fetch_add(1, Ordering::SeqCst);
    while shared.running.load(Ordering::SeqCst) == 0 && !shared.ending.load(Ordering::SeqCst) {
        thread::park();
    }
    shared.asleep.fetch_sub(1, Ordering::SeqCst);
}
