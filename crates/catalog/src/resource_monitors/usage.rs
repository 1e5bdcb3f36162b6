//! What was used of the quotas of resource monitors. It is counted in memory, and written when a trigger fires and otherwise
//! once in a while: a crash forgets a second of use.

mod counting;

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use firn_sql::command::{MonitorAction, MonitorTrigger};
use rusqlite::{Connection, Transaction, params};

use super::ResourceMonitor;
use crate::error::CatalogError;

const WRITTEN_AFTER_MS: i64 = 1_000;

/// The use of one monitor in the current period.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    period_on_ms: i64,
    pub credits: f64,
    /// The highest percentage whose triggers have fired, 0 before any.
    pub fired_percent: u32,
    pub fired_on_ms: Option<i64>,
}

/// A trigger that fired.
#[derive(Clone, Debug, PartialEq)]
pub struct Reached {
    pub monitor: String,
    pub trigger: MonitorTrigger,
    pub notify_users: Vec<String>,
}

/// Why a warehouse runs no statements.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suspension {
    pub monitor: String,
    /// Its END_TIMESTAMP has come; else its quota is used up.
    pub has_ended: bool,
    /// Statements that run are cancelled too.
    pub immediate: bool,
}

#[derive(Debug, Default)]
pub(crate) struct MonitorUsages(Mutex<Usages>);

#[derive(Debug, Default)]
struct Usages {
    by_monitor: HashMap<i64, Usage>,
    /// Since the last write.
    changed: bool,
    written_on_ms: i64,
}

impl MonitorUsages {
    pub(crate) fn load(connection: &Connection) -> Result<Self, CatalogError> {
        let mut statement = connection.prepare(
            "SELECT monitor_id, period_on_ms, used_credits, fired_percent, fired_on_ms FROM resource_monitor_usage",
        )?;
        let usages = statement.query_map([], |row| {
            let usage = Usage {
                period_on_ms: row.get(1)?,
                credits: row.get(2)?,
                fired_percent: row.get(3)?,
                fired_on_ms: row.get(4)?,
            };
            Ok((row.get(0)?, usage))
        })?;
        let by_monitor = usages.collect::<Result<_, _>>()?;
        Ok(Self(Mutex::new(Usages { by_monitor, ..Usages::default() })))
    }

    fn lock(&self) -> MutexGuard<'_, Usages> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Usages {
    /// As of that time: a new period begins with nothing.
    fn of(&self, monitor: &ResourceMonitor, now_ms: i64) -> Usage {
        let period_on_ms = monitor.period_on_ms(now_ms);
        let known = self.by_monitor.get(&monitor.id).filter(|usage| usage.period_on_ms == period_on_ms);
        known.copied().unwrap_or(Usage { period_on_ms, ..Usage::default() })
    }
}

impl ResourceMonitor {
    fn is_reached(&self, percent: u32, credits: f64) -> bool {
        self.quota.is_some_and(|quota| credits * 100.0 >= f64::from(percent) * quota)
    }

    fn suspension(&self, credits: f64, now_ms: i64) -> Option<Suspension> {
        let reaches = |action: MonitorAction| {
            let mut percents = self.triggers.iter().filter(|trigger| trigger.action == action);
            percents.any(|trigger| self.is_reached(trigger.percent, credits))
        };
        let has_ended = self.end_ms.is_some_and(|end_ms| now_ms >= end_ms);
        let immediate = has_ended || reaches(MonitorAction::SuspendImmediate);
        let suspends = immediate || reaches(MonitorAction::Suspend);
        (suspends && now_ms >= self.start_ms).then(|| Suspension { monitor: self.name.clone(), has_ended, immediate })
    }
}

fn write(transaction: &Transaction<'_>, counted: &HashMap<i64, Usage>) -> Result<(), CatalogError> {
    transaction
        .execute("DELETE FROM resource_monitor_usage WHERE monitor_id NOT IN (SELECT id FROM resource_monitors)", [])?;
    for (id, usage) in counted {
        transaction.execute(
            "INSERT OR REPLACE INTO resource_monitor_usage (monitor_id, period_on_ms, used_credits, fired_percent, \
             fired_on_ms) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![id, usage.period_on_ms, usage.credits, usage.fired_percent, usage.fired_on_ms],
        )?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use firn_sql::command::{
        AccountCommand, CreateMode, IfMissing, MonitorDefinition, Property, PropertyValue, WarehouseChange,
    };

    use super::*;
    use crate::caller::Caller;
    use crate::catalog::Catalog;

    const DAY_MS: i64 = 86_400_000;
    /// Noon.
    const NOW_MS: i64 = 20_000 * DAY_MS + DAY_MS / 2;

    fn property(name: &str, value: &str) -> Property {
        Property { name: name.to_owned(), value: PropertyValue::Text(value.to_owned()) }
    }

    #[test]
    fn a_new_day_begins_with_nothing_used() {
        let folder = tempfile::tempdir().unwrap();
        let catalog = Catalog::open(folder.path()).unwrap();
        catalog.bootstrap("ACME", None).unwrap();
        let caller = Caller::new(catalog.principals().user("ADMIN").unwrap().clone(), None);
        let role = catalog.principals().active_role(&caller, None).unwrap();
        let apply = |command: &AccountCommand| catalog.apply(&caller, &role, command).unwrap();
        let trigger = |percent, action| MonitorTrigger { percent, action };
        apply(&AccountCommand::CreateResourceMonitor {
            name: "M".to_owned(),
            mode: CreateMode::New,
            definition: MonitorDefinition {
                properties: vec![
                    property("CREDIT_QUOTA", "2"),
                    property("FREQUENCY", "DAILY"),
                    property("START_TIMESTAMP", "2020-01-01 00:00"),
                ],
                triggers: Some(vec![trigger(50, MonitorAction::Notify), trigger(100, MonitorAction::Suspend)]),
            },
        });
        apply(&AccountCommand::AlterWarehouse {
            name: "COMPUTE_WH".to_owned(),
            if_missing: IfMissing::Fail,
            change: WarehouseChange::Set(vec![property("RESOURCE_MONITOR", "M")]),
        });
        let used = |credits, at_ms| {
            let fired = catalog.use_credits("COMPUTE_WH", credits, at_ms);
            fired.iter().map(|reached| reached.trigger.percent).collect::<Vec<_>>()
        };
        assert_eq!(used(0.9, NOW_MS), Vec::<u32>::new());
        assert_eq!(used(0.2, NOW_MS), [50]);
        assert_eq!(used(0.2, NOW_MS), Vec::<u32>::new(), "once");
        assert_eq!(catalog.suspension("COMPUTE_WH", NOW_MS), None);
        assert_eq!(used(0.8, NOW_MS), [100]);
        let suspension = Suspension { monitor: "M".to_owned(), has_ended: false, immediate: false };
        assert_eq!(catalog.suspension("COMPUTE_WH", NOW_MS), Some(suspension.clone()));
        catalog.write_monitor_usage(NOW_MS).unwrap();
        let again = Catalog::open(folder.path()).unwrap();
        assert_eq!(again.suspension("COMPUTE_WH", NOW_MS), Some(suspension), "after a restart");
        assert_eq!(again.suspension("COMPUTE_WH", NOW_MS + DAY_MS / 2), None, "from midnight on");
        assert_eq!(used(1.0, NOW_MS + DAY_MS), [50], "a new period");
    }
}
