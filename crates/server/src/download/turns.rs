//! How many downloads each user has under way: each holds a file open and some memory until its client has read all of it. Pieces of
//! all of them are made few at a time, as every thread that makes one keeps the memory that it has used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

#[derive(Clone)]
pub struct DownloadTurns {
    per_user_max: usize,
    under_way: Arc<Mutex<HashMap<i64, usize>>>,
    pieces: Arc<Semaphore>,
}

/// A download of a user; it ends when this is dropped.
pub struct Turn {
    turns: DownloadTurns,
    user_id: i64,
}

impl DownloadTurns {
    pub fn new(per_user_max: usize) -> Self {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self { per_user_max, under_way: Arc::default(), pieces: Arc::new(Semaphore::new(cores)) }
    }

    /// `None` if the user has as many as may be.
    pub fn begin(&self, user_id: i64) -> Option<Turn> {
        let mut under_way = self.under_way();
        let count = under_way.get(&user_id).copied().unwrap_or(0);
        if count >= self.per_user_max {
            return None;
        }
        under_way.insert(user_id, count + 1);
        Some(Turn { turns: self.clone(), user_id })
    }

    fn under_way(&self) -> MutexGuard<'_, HashMap<i64, usize>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Turn {
    /// To be held while a piece is made.
    pub async fn of_piece(&self) -> Option<OwnedSemaphorePermit> {
        // The semaphore is never closed.
        Arc::clone(&self.turns.pieces).acquire_owned().await.ok()
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut under_way = self.turns.under_way();
        if let Some(count) = under_way.get_mut(&self.user_id) {
            *count -= 1;
            if *count == 0 {
                under_way.remove(&self.user_id);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_has_so_many_at_a_time() {
        let turns = DownloadTurns::new(2);
        let first = turns.begin(1);
        let second = turns.begin(1);
        assert!(first.is_some() && second.is_some());
        assert!(turns.begin(1).is_none());
        assert!(turns.begin(2).is_some(), "others are not concerned");
        drop(first);
        assert!(turns.begin(1).is_some());
        drop(second);
        assert!(turns.under_way().is_empty(), "nothing is left of those that ended");
    }
}
