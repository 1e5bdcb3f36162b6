//! Wakes the sweeper early when many results were written since it last ran, so that they stay near their limit.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// The share of the limit that may be written between two sweeps.
const SHARE: u64 = 20;

#[derive(Default)]
pub struct WrittenResults {
    bytes: AtomicU64,
    enough: Notify,
}

impl WrittenResults {
    pub fn note(&self, bytes: u64, bytes_max: u64) {
        let written = self.bytes.fetch_add(bytes, Ordering::Relaxed) + bytes;
        if bytes > 0 && written > bytes_max / SHARE {
            self.bytes.store(0, Ordering::Relaxed);
            self.enough.notify_one();
        }
    }

    pub async fn enough(&self) {
        self.enough.notified().await;
    }
}
