//! Requests that wait for their turn in a session: they can be cancelled, though they have no handle yet.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::sync::Notify;
use uuid::Uuid;

use crate::mutex::lock;

/// By user and request id.
#[derive(Default)]
pub struct WaitingRequests(Mutex<HashMap<(i64, Uuid), Arc<Notify>>>);

/// A request that waits, until this is dropped.
pub struct Waiting<'requests> {
    requests: &'requests WaitingRequests,
    key: (i64, Uuid),
    cancelled: Arc<Notify>,
}

impl WaitingRequests {
    pub fn add(&self, user_id: i64, request_id: Uuid) -> Waiting<'_> {
        let cancelled = Arc::clone(lock(&self.0).entry((user_id, request_id)).or_default());
        Waiting { requests: self, key: (user_id, request_id), cancelled }
    }

    /// Whether there was such a request.
    pub fn cancel(&self, user_id: i64, request_id: Uuid) -> bool {
        let found = lock(&self.0).get(&(user_id, request_id)).cloned();
        found.inspect(|cancelled| cancelled.notify_waiters()).is_some()
    }
}

impl Waiting<'_> {
    pub async fn cancelled(&self) {
        self.cancelled.notified().await;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut waiting = lock(&self.requests.0);
        // The same request may wait twice: a driver that has given up sends it again.
        if Arc::strong_count(&self.cancelled) <= 2 {
            waiting.remove(&self.key);
        }
    }
}
