//! How far a backup or a restore is, and whether it should go on.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

#[derive(Debug, Default)]
pub struct Progress {
    bytes: AtomicU64,
    bytes_done: AtomicU64,
    is_stopped: AtomicBool,
}

impl Progress {
    /// All bytes that there are to copy; 0 as long as that is not known.
    pub fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub fn bytes_done(&self) -> u64 {
        self.bytes_done.load(Ordering::Relaxed)
    }

    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::SeqCst);
    }

    pub(super) fn begin(&self, bytes: u64) {
        self.bytes_done.store(0, Ordering::Relaxed);
        self.bytes.store(bytes, Ordering::Relaxed);
    }

    pub(super) fn add(&self, bytes: u64) {
        self.bytes_done.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(super) fn goes_on(&self) -> bool {
        !self.is_stopped.load(Ordering::SeqCst)
    }
}
