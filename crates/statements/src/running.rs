//! The table of running statements. A statement leaves it only after its end is on disk, so that
//! every handle is always found in one place or the other.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use uuid::Uuid;

use crate::execution::{Execution, StopReason};
use crate::handle::StatementHandle;
use crate::mutex::lock;

#[derive(Default)]
pub struct RunningStatements(Mutex<HashMap<Uuid, Arc<Execution>>>);

impl RunningStatements {
    pub fn add(&self, execution: Arc<Execution>) {
        lock(&self.0).insert(execution.handle.0, execution);
    }

    pub fn remove(&self, handle: StatementHandle) {
        lock(&self.0).remove(&handle.0);
    }

    /// Another user's statement is not found.
    pub fn find(&self, user_id: i64, handle: StatementHandle) -> Option<Arc<Execution>> {
        lock(&self.0).get(&handle.0).filter(|execution| execution.user_id == user_id).cloned()
    }

    pub fn stop_all(&self, reason: StopReason) {
        for execution in self.all() {
            execution.stop(reason);
        }
    }

    pub fn stop_on_warehouse(&self, warehouse: &str) {
        for execution in self.all().iter().filter(|execution| execution.warehouse.as_deref() == Some(warehouse)) {
            execution.stop(StopReason::Cancelled);
        }
    }

    pub fn all(&self) -> Vec<Arc<Execution>> {
        lock(&self.0).values().cloned().collect()
    }

    /// The owner of the locks that a statement takes.
    pub fn lock_owner(&self, handle: Uuid) -> Option<u64> {
        lock(&self.0).get(&handle).and_then(|execution| execution.lock_owner())
    }

    pub fn count(&self) -> usize {
        lock(&self.0).len()
    }
}
