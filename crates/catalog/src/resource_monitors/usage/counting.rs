//! Counts what warehouses use, and finds the triggers that it fires.

use firn_sql::command::MonitorTrigger;

use super::{Reached, Suspension, Usage, WRITTEN_AFTER_MS, write};
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::resource_monitors::ResourceMonitor;
use crate::store::Durability;

impl Catalog {
    pub fn monitor_usage(&self, monitor: &ResourceMonitor, now_ms: i64) -> Usage {
        self.monitor_usages().lock().of(monitor, now_ms)
    }

    pub fn has_resource_monitors(&self) -> bool {
        self.look(|memory| !memory.resource_monitors.is_empty())
    }

    /// Counts what a warehouse used, and returns the triggers that this fires.
    pub fn use_credits(&self, warehouse: &str, credits: f64, now_ms: i64) -> Vec<Reached> {
        let monitors: Vec<ResourceMonitor> = self.look(|memory| memory.monitors_of(warehouse).cloned().collect());
        let mut fired = Vec::new();
        let mut usages = self.monitor_usages().lock();
        for monitor in monitors.iter().filter(|monitor| now_ms >= monitor.start_ms) {
            let mut usage = usages.of(monitor, now_ms);
            usage.credits += credits;
            let reached = |trigger: &&MonitorTrigger| monitor.is_reached(trigger.percent, usage.credits);
            let highest = monitor.triggers.iter().filter(reached).map(|trigger| trigger.percent).max().unwrap_or(0);
            // A larger quota, which the usage is a smaller part of, lets triggers fire again.
            if highest > usage.fired_percent {
                let is_new = |trigger: &&MonitorTrigger| (usage.fired_percent + 1..=highest).contains(&trigger.percent);
                fired.extend(monitor.triggers.iter().filter(is_new).map(|trigger| Reached {
                    monitor: monitor.name.clone(),
                    trigger: *trigger,
                    notify_users: monitor.notify_users.clone(),
                }));
                usage.fired_on_ms = Some(now_ms);
            }
            usage.fired_percent = highest;
            usages.by_monitor.insert(monitor.id, usage);
            usages.changed = true;
        }
        fired
    }

    /// The monitor that lets the warehouse run no statements, if any.
    pub fn suspension(&self, warehouse: &str, now_ms: i64) -> Option<Suspension> {
        let monitors: Vec<ResourceMonitor> = self.look(|memory| memory.monitors_of(warehouse).cloned().collect());
        let usages = self.monitor_usages().lock();
        let mut found: Vec<Suspension> = monitors
            .iter()
            .filter_map(|monitor| monitor.suspension(usages.of(monitor, now_ms).credits, now_ms))
            .collect();
        found.sort_by_key(|suspension| !suspension.immediate);
        found.into_iter().next()
    }

    /// Writes what was counted since the last time, if that is long ago.
    pub fn write_monitor_usage_if_due(&self, now_ms: i64) -> Result<(), CatalogError> {
        let is_due = now_ms - self.monitor_usages().lock().written_on_ms >= WRITTEN_AFTER_MS;
        if is_due { self.write_monitor_usage(now_ms) } else { Ok(()) }
    }

    /// Writes what was counted since the last time.
    pub fn write_monitor_usage(&self, now_ms: i64) -> Result<(), CatalogError> {
        let known: Vec<i64> = self.look(|memory| memory.resource_monitors.values().map(|monitor| monitor.id).collect());
        let counted = {
            let mut usages = self.monitor_usages().lock();
            if !std::mem::take(&mut usages.changed) {
                return Ok(());
            }
            usages.written_on_ms = now_ms;
            usages.by_monitor.retain(|id, _| known.contains(id));
            usages.by_monitor.clone()
        };
        self.store().write(Durability::Process, |transaction| write(transaction, &counted))
    }
}
