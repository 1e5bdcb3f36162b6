//! SHOW RESOURCE MONITORS.

use firn_catalog::ResourceMonitor;
use firn_catalog::resource_monitors::RESOURCE_MONITOR;
use firn_sql::command::MonitorAction;

use super::listing::{Listing, Viewer, comment, instant, text};
use crate::clock::now_ms;

/// The last two columns are firn's own: the highest threshold that was reached in the period, and when.
pub fn resource_monitors(viewer: &Viewer) -> Listing {
    let mut listing = Listing::of(
        "name credit_quota used_credits remaining_credits level frequency start_time:instant end_time:instant notify_at \
         suspend_at suspend_immediately_at created_on:instant owner comment notify_users triggered_at \
         triggered_on:instant",
    );
    let catalog = &viewer.services.catalog;
    let visibility = viewer.state.visibility(catalog);
    let now_ms = now_ms();
    for monitor in catalog.resource_monitors() {
        if !visibility.resource_monitor(&monitor) {
            continue;
        }
        let usage = catalog.monitor_usage(&monitor, now_ms);
        listing.add([
            text(&monitor.name),
            monitor.quota.map(credits),
            Some(credits(usage.credits)),
            monitor.quota.map(|quota| credits((quota - usage.credits).max(0.0))),
            level(viewer, &monitor),
            text(monitor.frequency.map_or("MONTHLY", |frequency| frequency.word())),
            instant(monitor.start_ms),
            monitor.end_ms.and_then(instant),
            percents(&monitor, MonitorAction::Notify),
            percents(&monitor, MonitorAction::Suspend),
            percents(&monitor, MonitorAction::SuspendImmediate),
            instant(monitor.created_on_ms),
            text(&monitor.owner),
            comment(monitor.comment.as_deref()),
            text(&monitor.notify_users.join(", ")),
            (usage.fired_percent > 0).then(|| format!("{}%", usage.fired_percent)),
            usage.fired_on_ms.and_then(instant),
        ]);
    }
    listing
}

fn level(viewer: &Viewer, monitor: &ResourceMonitor) -> Option<String> {
    let catalog = &viewer.services.catalog;
    if catalog.account_parameter(RESOURCE_MONITOR).as_deref() == Some(&monitor.name) {
        return text("ACCOUNT");
    }
    let mut warehouses = catalog.warehouses().into_iter();
    let is_assigned = warehouses.any(|warehouse| warehouse.resource_monitor.as_deref() == Some(&monitor.name));
    is_assigned.then(|| "WAREHOUSE".to_owned())
}

fn percents(monitor: &ResourceMonitor, action: MonitorAction) -> Option<String> {
    let percents: Vec<String> = monitor.percents(action).iter().map(|percent| format!("{percent}%")).collect();
    (!percents.is_empty()).then(|| percents.join(","))
}

/// Two digits behind the point, more where they are needed.
fn credits(credits: f64) -> String {
    let written = format!("{credits:.10}");
    let cut = written.trim_end_matches('0');
    let least = written.find('.').map_or(written.len(), |point| point + 3);
    written[..cut.len().max(least)].to_owned()
}
