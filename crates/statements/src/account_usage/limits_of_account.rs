//! Resource monitors and login policies as rows.

use firn_catalog::login_policies::properties_of;
use firn_catalog::resource_monitors::RESOURCE_MONITOR;
use firn_catalog::{Catalog, LoginPolicy, ResourceMonitor};
use firn_sql::command::{LoginPolicyKind, MonitorAction};

use super::record_sql::instant;
use super::record_sql::{Existing, Row, text};
use crate::clock::now_ms;

pub fn resource_monitors(catalog: &Catalog) -> Existing {
    let objects = catalog.resource_monitors().iter().map(|monitor| monitor_row(catalog, monitor)).collect();
    Existing { table: "RESOURCE_MONITORS", objects }
}

fn monitor_row(catalog: &Catalog, monitor: &ResourceMonitor) -> (String, Row) {
    let used = catalog.monitor_usage(monitor, now_ms()).credits;
    let percents = |action: MonitorAction| {
        let percents: Vec<String> = monitor.percents(action).iter().map(|percent| format!("{percent}%")).collect();
        (!percents.is_empty()).then(|| percents.join(","))
    };
    let assigned = catalog.warehouses().into_iter();
    let assigned = assigned.filter(|found| found.resource_monitor.as_deref() == Some(&monitor.name));
    let warehouses: Vec<String> = assigned.map(|found| found.name).collect();
    let is_of_account = catalog.account_parameter(RESOURCE_MONITOR).as_deref() == Some(&monitor.name);
    let level = match (is_of_account, warehouses.is_empty()) {
        (true, _) => text("ACCOUNT"),
        (false, false) => text("WAREHOUSE"),
        (false, true) => None,
    };
    let cells = vec![
        text(&monitor.name),
        Some(instant(monitor.created_on_ms)),
        monitor.quota.map(|quota| quota.to_string()),
        Some(used.to_string()),
        monitor.quota.map(|quota| (quota - used).max(0.0).to_string()),
        text(&monitor.owner),
        Some(warehouses.join(", ")),
        percents(MonitorAction::Notify),
        percents(MonitorAction::Suspend),
        percents(MonitorAction::SuspendImmediate),
        level,
    ];
    (monitor.id.to_string(), cells)
}

pub fn login_policies(catalog: &Catalog, kind: LoginPolicyKind, table: &'static str) -> Existing {
    let mut objects = Vec::new();
    for database in catalog.databases() {
        let all = catalog.login_policies(&database.name, None);
        objects.extend(all.iter().filter(|policy| policy.kind == kind).map(|policy| policy_row(policy, database.id)));
    }
    Existing { table, objects }
}

fn policy_row(policy: &LoginPolicy, database_id: i64) -> (String, Row) {
    let mut cells = vec![
        Some(policy.id.to_string()),
        text(&policy.name),
        text(&policy.schema),
        Some(database_id.to_string()),
        text(&policy.database),
        text(&policy.owner),
        policy.comment(),
        Some(instant(policy.created_on_ms)),
    ];
    cells.extend(properties_of(policy.kind).iter().map(|property| {
        let given = policy.given(property).map(|values| values.join(", "));
        given.or_else(|| text(property.default))
    }));
    (policy.id.to_string(), cells)
}
