//! Records on their way to the writer. Noting one takes no longer than a lock and a push.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use firn_catalog::registry::StatementRecord;

use super::accessed::Accessed;
use super::login_records::Login;
use super::statement_records::without_rows;
use crate::clock::now_ms;
use crate::mutex::lock;

/// Past this many the writer has fallen behind: what is left out is read from the registry later.
const ENTRIES_MAX: usize = 50_000;
/// A statement may wait this long for its turn to be noted after it ended.
pub(super) const OVERLAP_MS: i64 = 60_000;
/// The writer does not wait for more once so many are there.
const BATCH: usize = 2_000;
/// How long records wait for others to be written with them.
const BATCH_WAIT: Duration = Duration::from_millis(500);
/// How long a reader waits for the writer; then it sees what is written.
const READER_WAIT: Duration = Duration::from_secs(10);
/// A reader that is stopped notices it within this time.
const STOP_STEP: Duration = Duration::from_millis(20);

pub enum Entry {
    Statement(Box<StatementRecord>),
    Accessed(Box<Accessed>),
    Login(Box<Login>),
}

/// What a reader waits for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Wanted {
    Records,
    /// A snapshot of all objects too.
    Objects,
}

#[derive(Default)]
pub struct Queue {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    entries: Vec<Entry>,
    /// Entries may have been left out since then.
    behind_since_ms: Option<i64>,
    stopping: bool,
    /// Requests for the records that were noted before.
    records: Requests,
    /// Requests for a snapshot of all objects.
    objects: Requests,
    /// Something may exist now that did not, or no longer.
    objects_changed: bool,
}

/// How often readers have asked for something, and how often that was done.
#[derive(Default)]
struct Requests {
    asked: u64,
    done: u64,
}

impl Requests {
    fn ask(&mut self) -> u64 {
        self.asked += 1;
        self.asked
    }

    fn are_open(&self) -> bool {
        self.asked != self.done
    }
}

impl State {
    fn fell_behind(&mut self, since_ms: i64) {
        self.behind_since_ms = Some(self.behind_since_ms.map_or(since_ms, |before| before.min(since_ms)));
    }
}

/// What the writer of records has to do.
pub struct Batch {
    pub entries: Vec<Entry>,
    /// Statements that ended since then have to be read from the registry.
    pub behind_since_ms: Option<i64>,
    pub stopping: bool,
    /// Somebody waits for everything that was noted.
    pub is_asked: bool,
    asked: u64,
}

/// A snapshot that somebody waits for, or that is due.
pub struct SnapshotRequest {
    asked: u64,
}

impl Queue {
    pub fn note(&self, entry: Entry) {
        let mut state = lock(&self.state);
        if state.entries.len() >= ENTRIES_MAX {
            state.fell_behind(now_ms() - OVERLAP_MS);
            return;
        }
        state.entries.push(entry);
        if state.entries.len() == BATCH {
            self.changed.notify_all();
        }
    }

    pub fn note_statement(&self, record: &StatementRecord) {
        self.note(Entry::Statement(Box::new(without_rows(record))));
    }

    pub fn note_access(&self, accessed: Option<Accessed>) {
        if let Some(accessed) = accessed {
            self.note(Entry::Accessed(accessed.into()));
        }
    }

    /// Waits until everything that was noted before is written, or until the reader is stopped.
    pub fn write_all(&self, wanted: Wanted, is_stopped: impl Fn() -> bool) {
        let mut state = lock(&self.state);
        let records = state.records.ask();
        let objects = match wanted {
            Wanted::Records => 0,
            Wanted::Objects => state.objects.ask(),
        };
        self.changed.notify_all();
        let until = Instant::now() + READER_WAIT;
        while (state.records.done < records || state.objects.done < objects) && !state.stopping && !is_stopped() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            state = self.wait(state, left.min(STOP_STEP));
        }
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, longest: Duration) -> MutexGuard<'a, State> {
        self.changed.wait_timeout(state, longest).unwrap_or_else(PoisonError::into_inner).0
    }

    /// The next batch, after a while without one an empty one.
    pub(super) fn next(&self) -> Batch {
        let mut state = lock(&self.state);
        let until = Instant::now() + BATCH_WAIT;
        while !state.records.are_open() && !state.stopping && state.entries.len() < BATCH {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            state = self.wait(state, left);
        }
        Batch {
            entries: std::mem::take(&mut state.entries),
            behind_since_ms: state.behind_since_ms.take(),
            stopping: state.stopping,
            is_asked: state.records.are_open(),
            asked: state.records.asked,
        }
    }

    pub(super) fn done(&self, batch: &Batch) {
        lock(&self.state).records.done = batch.asked;
        self.changed.notify_all();
    }

    pub(super) fn note_changed_objects(&self) {
        lock(&self.state).objects_changed = true;
    }

    /// Waits until a snapshot is asked for, or until `due` if something may have changed. `None` when the server stops.
    pub(super) fn next_snapshot(&self, due: Instant) -> Option<SnapshotRequest> {
        let mut state = lock(&self.state);
        while !state.stopping {
            if state.objects.are_open() || (state.objects_changed && Instant::now() >= due) {
                state.objects_changed = false;
                return Some(SnapshotRequest { asked: state.objects.asked });
            }
            state = self.wait(state, BATCH_WAIT);
        }
        None
    }

    pub(super) fn snapshot_done(&self, request: &SnapshotRequest) {
        lock(&self.state).objects.done = request.asked;
        self.changed.notify_all();
    }

    /// What ended since then may be missing in the trail.
    pub(super) fn fell_behind(&self, since_ms: i64) {
        lock(&self.state).fell_behind(since_ms);
    }

    pub(super) fn is_stopping(&self) -> bool {
        lock(&self.state).stopping
    }

    pub(super) fn stop(&self) {
        lock(&self.state).stopping = true;
        self.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::thread;

    use super::*;

    #[test]
    fn a_stopped_reader_does_not_wait_for_the_writer() {
        for wanted in [Wanted::Records, Wanted::Objects] {
            let (queue, is_stopped) = (Queue::default(), AtomicBool::new(false));
            thread::scope(|scope| {
                let reader = scope.spawn(|| queue.write_all(wanted, || is_stopped.load(Ordering::SeqCst)));
                thread::sleep(Duration::from_millis(50));
                assert!(!reader.is_finished(), "nobody has written anything");
                is_stopped.store(true, Ordering::SeqCst);
                assert!(reader.join().is_ok());
            });
        }
    }
}
