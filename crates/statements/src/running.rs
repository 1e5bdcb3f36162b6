//! The table of running statements. A statement leaves it only after its end is on disk, so that
//! every handle is always found in one place or the other.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex};

use firn_catalog::Principals;
use uuid::Uuid;

use crate::execution::{Execution, StopReason};
use crate::handle::StatementHandle;
use crate::mutex::lock;
use crate::progress::Phase;

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

    pub fn find_set_with(&self, user_id: i64, child: StatementHandle) -> Option<Arc<Execution>> {
        let running = lock(&self.0);
        let mut own = running.values().filter(|execution| execution.user_id == user_id);
        own.find(|execution| execution.children.contains(&child)).cloned()
    }

    pub fn stop_all(&self, reason: StopReason) {
        for execution in self.all() {
            execution.stop(reason.clone());
        }
    }

    pub fn stop_on_warehouse(&self, warehouse: &str) {
        for execution in self.all().iter().filter(|execution| execution.warehouse.as_deref() == Some(warehouse)) {
            execution.stop(StopReason::Cancelled);
        }
    }

    /// Stops the statements that the warehouse works for, which a resource monitor has suspended.
    pub fn stop_suspended(&self, warehouse: &Arc<str>, monitor: &str) {
        for execution in self.all().iter().filter(|execution| execution.works_on(warehouse)) {
            execution.stop(StopReason::Suspended { warehouse: Arc::clone(warehouse), monitor: monitor.to_owned() });
        }
    }

    /// Stops the statements of users whom nothing authenticates any more.
    pub fn stop_of_barred(&self, principals: &Principals, now_ms: i64) {
        let is_barred =
            |user_id: i64| principals.user_by_id(user_id).is_none_or(|user| user.barred_at(now_ms).is_some());
        for execution in self.all().iter().filter(|execution| is_barred(execution.user_id)) {
            execution.stop(StopReason::Cancelled);
        }
    }

    pub fn all(&self) -> Vec<Arc<Execution>> {
        lock(&self.0).values().cloned().collect()
    }

    /// Those that wait for their turn on a warehouse.
    pub fn queued(&self) -> HashSet<Uuid> {
        let running = self.all();
        let queued = running.iter().filter(|execution| execution.progress().phase == Phase::Queued);
        queued.map(|execution| execution.handle.0).collect()
    }

    pub fn count(&self) -> usize {
        lock(&self.0).len()
    }
}
