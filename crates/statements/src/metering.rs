//! How long warehouses work, in credits: the time during which a statement runs on one counts once, however many do.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use firn_catalog::Catalog;
use firn_catalog::resource_monitors::Reached;
use firn_sql::command::MonitorAction;

use crate::clock::now_ms;
use crate::mutex::lock;

const HOUR_MS: i64 = 3_600_000;

pub struct Metering {
    catalog: Catalog,
    working: Mutex<HashMap<Arc<str>, Working>>,
    /// Credits by warehouse and hour that the audit trail does not have yet.
    unwritten: Mutex<BTreeMap<(Arc<str>, i64), f64>>,
}

/// A warehouse on which statements run.
struct Working {
    statements: usize,
    counted_until: Instant,
}

/// A statement on a warehouse, until it is dropped.
pub struct Metered {
    metering: Arc<Metering>,
    warehouse: Arc<str>,
}

/// What a warehouse used in an hour.
pub struct HourOfWork {
    pub warehouse: Arc<str>,
    pub hour_ms: i64,
    pub credits: f64,
}

impl Metering {
    pub fn new(catalog: Catalog) -> Self {
        Self { catalog, working: Mutex::default(), unwritten: Mutex::default() }
    }

    pub fn begin(self: &Arc<Self>, warehouse: &str) -> Metered {
        let warehouse: Arc<str> = warehouse.into();
        let fresh = || Working { statements: 0, counted_until: Instant::now() };
        lock(&self.working).entry(Arc::clone(&warehouse)).or_insert_with(fresh).statements += 1;
        Metered { metering: Arc::clone(self), warehouse }
    }

    /// Counts the statements that run up to now, and returns the warehouses that they run on.
    pub fn count_running(&self) -> Vec<Arc<str>> {
        let worked: Vec<(Arc<str>, Duration)> = {
            let now = Instant::now();
            let mut working = lock(&self.working);
            working.iter_mut().map(|(name, work)| (Arc::clone(name), work.count_until(now))).collect()
        };
        worked.iter().for_each(|(warehouse, time)| self.count(warehouse, *time));
        worked.into_iter().map(|(warehouse, _)| warehouse).collect()
    }

    /// What the audit trail does not have yet.
    pub fn take_unwritten(&self) -> Vec<HourOfWork> {
        let taken = std::mem::take(&mut *lock(&self.unwritten));
        taken.into_iter().map(|((warehouse, hour_ms), credits)| HourOfWork { warehouse, hour_ms, credits }).collect()
    }

    fn end(&self, warehouse: &Arc<str>) {
        let time = {
            let mut working = lock(&self.working);
            let Some(work) = working.get_mut(warehouse) else { return };
            let time = work.count_until(Instant::now());
            work.statements -= 1;
            if work.statements == 0 {
                working.remove(warehouse);
            }
            time
        };
        self.count(warehouse, time);
    }

    fn count(&self, warehouse: &Arc<str>, time: Duration) {
        let Some(credits_per_hour) = self.catalog.credits_per_hour(warehouse) else { return };
        let credits = credits_per_hour * time.as_secs_f64() / 3_600.0;
        let now_ms = now_ms();
        let hour_ms = now_ms - now_ms.rem_euclid(HOUR_MS);
        *lock(&self.unwritten).entry((Arc::clone(warehouse), hour_ms)).or_default() += credits;
        if !self.catalog.has_resource_monitors() {
            return;
        }
        let fired = self.catalog.use_credits(warehouse, credits, now_ms);
        let written = match fired.is_empty() {
            true => self.catalog.write_monitor_usage_if_due(now_ms),
            false => self.catalog.write_monitor_usage(now_ms),
        };
        if let Err(error) = written {
            tracing::error!(%error, "the use of resource monitors cannot be recorded");
        }
        fired.iter().for_each(|reached| self.act(warehouse, reached));
    }

    /// Users are notified by the log and by SHOW RESOURCE MONITORS; there is no mail.
    fn act(&self, warehouse: &str, reached: &Reached) {
        let Reached { monitor, trigger, notify_users } = reached;
        let (percent, action) = (trigger.percent, trigger.action.word());
        tracing::warn!(
            monitor,
            percent,
            action,
            warehouse,
            ?notify_users,
            "a resource monitor has reached a threshold"
        );
        if trigger.action != MonitorAction::Notify
            && let Err(error) = self.catalog.suspend_warehouse(warehouse)
        {
            tracing::error!(%error, warehouse, "a warehouse cannot be marked as suspended");
        }
    }
}

impl Metered {
    pub fn is_on(&self, warehouse: &str) -> bool {
        *self.warehouse == *warehouse
    }
}

impl Working {
    fn count_until(&mut self, now: Instant) -> Duration {
        let time = now.saturating_duration_since(self.counted_until);
        self.counted_until = now;
        time
    }
}

impl Drop for Metered {
    fn drop(&mut self) {
        self.metering.end(&self.warehouse);
    }
}
