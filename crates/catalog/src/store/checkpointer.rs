//! Checkpoints the log into the state file, concurrently with writers, so that no statement waits for the disk. When it
//! falls behind, SQLite checkpoints inside a commit.

use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread::JoinHandle;

use rusqlite::Connection;

use crate::error::CatalogError;

#[derive(Debug)]
pub(super) struct Checkpointer {
    wake: Option<SyncSender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    pub(super) fn start(connection: Connection) -> Result<Self, CatalogError> {
        let (wake, woken) = sync_channel(1);
        let thread =
            std::thread::Builder::new().name("firn-checkpoint".to_owned()).spawn(move || run(&connection, &woken))?;
        Ok(Self { wake: Some(wake), thread: Some(thread) })
    }

    /// Returns at once; a full channel means that a checkpoint is due already.
    pub(super) fn wake(&self) {
        if let Some(wake) = &self.wake {
            let _ = wake.try_send(());
        }
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
fn run(connection: &Connection, woken: &Receiver<()>) {
    while woken.recv().is_ok() {
        let _ = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
    }
}
