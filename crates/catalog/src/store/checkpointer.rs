//! Checkpoints the log into the state file, concurrently with writers, so that no statement waits for the disk. When it
//! falls behind, SQLite checkpoints inside a commit.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

use crate::error::CatalogError;

/// How long writers wait for readers of the log that is truncated, and how long it takes until that is tried again.
const TRUNCATE_WAIT: Duration = Duration::from_millis(50);
const TRUNCATE_AGAIN: Duration = Duration::from_millis(200);

#[derive(Debug)]
pub(super) struct Checkpointer {
    wake: Option<SyncSender<()>>,
    /// The log has something that has to go.
    truncates: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    pub(super) fn start(connection: Connection) -> Result<Self, CatalogError> {
        let (wake, woken) = sync_channel(1);
        let truncates = Arc::new(AtomicBool::new(false));
        let asked = Arc::clone(&truncates);
        let thread = std::thread::Builder::new()
            .name("firn-checkpoint".to_owned())
            .spawn(move || run(&connection, &woken, &asked))?;
        Ok(Self { wake: Some(wake), truncates, thread: Some(thread) })
    }

    /// Returns at once; a full channel means that a checkpoint is due already.
    pub(super) fn wake(&self) {
        if let Some(wake) = &self.wake {
            let _ = wake.try_send(());
        }
    }
}

impl Checkpointer {
    /// As `wake`, and leaves the log empty.
    pub(super) fn truncate(&self) {
        self.truncates.store(true, Ordering::SeqCst);
        self.wake();
    }
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        drop(self.wake.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// A checkpoint that fails leaves the log as it was, and the next one takes it along.
fn run(connection: &Connection, woken: &Receiver<()>, truncates: &AtomicBool) {
    let mut is_left = false;
    loop {
        let next = match is_left {
            true => woken.recv_timeout(TRUNCATE_AGAIN),
            false => woken.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        if next == Err(RecvTimeoutError::Disconnected) {
            return;
        }
        is_left = (truncates.swap(false, Ordering::SeqCst) || is_left) && !truncate(connection);
        if !is_left {
            let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        }
    }
}

/// Whether the log is empty now: a reader may need it.
fn truncate(connection: &Connection) -> bool {
    let _ = connection.busy_timeout(TRUNCATE_WAIT);
    let busy = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |row| row.get::<_, i64>(0));
    let _ = connection.busy_timeout(super::BUSY_WAIT);
    matches!(busy, Ok(0))
}
