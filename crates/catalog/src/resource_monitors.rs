//! Resource monitors: how many credits warehouses may use in a period, and what happens when a part of them is used.

mod lookups;
mod periods;
mod usage;

use std::collections::BTreeMap;

use firn_sql::Failure;
use firn_sql::command::{MonitorAction, MonitorTrigger, Property};
use rusqlite::Connection;

use crate::error::CatalogError;
use crate::properties::{
    Checked, CheckedProperty, Properties, check_choice, check_text, invalid, text_of, unknown_property,
};

pub use periods::Frequency;
pub(crate) use usage::MonitorUsages;
pub use usage::{Reached, Suspension, Usage};

/// The account parameter and the property of warehouses that name a monitor.
pub const RESOURCE_MONITOR: &str = "RESOURCE_MONITOR";
pub(crate) const TRIGGERS: &str = "TRIGGERS";
pub(crate) const NOTIFY_USERS: &str = "NOTIFY_USERS";
pub(crate) const START: &str = "START_TIMESTAMP";
pub(crate) const END: &str = "END_TIMESTAMP";
const NOTIFICATIONS_MAX: usize = 5;
const PERCENT_MAX: u32 = 1_000_000;

#[derive(Clone, Debug)]
pub struct ResourceMonitor {
    /// A monitor that is made anew under the same name has another.
    pub id: i64,
    pub name: String,
    pub owner: String,
    pub created_on_ms: i64,
    pub comment: Option<String>,
    /// Without one no trigger fires.
    pub quota: Option<f64>,
    /// Without one, usage is counted by calendar months.
    pub frequency: Option<Frequency>,
    pub start_ms: i64,
    /// From then on the warehouses are suspended.
    pub end_ms: Option<i64>,
    pub notify_users: Vec<String>,
    pub triggers: Vec<MonitorTrigger>,
}

impl ResourceMonitor {
    /// The percentages at which an action is taken, in their order.
    pub fn percents(&self, action: MonitorAction) -> Vec<u32> {
        let mut percents: Vec<u32> =
            self.triggers.iter().filter(|trigger| trigger.action == action).map(|trigger| trigger.percent).collect();
        percents.sort_unstable();
        percents
    }
}

pub(crate) type ResourceMonitors = BTreeMap<String, ResourceMonitor>;

pub(crate) fn load_resource_monitors(connection: &Connection) -> Result<ResourceMonitors, CatalogError> {
    let mut statement =
        connection.prepare("SELECT id, name, owner, created_on_ms, properties FROM resource_monitors")?;
    let mut rows = statement.query([])?;
    let mut monitors = ResourceMonitors::new();
    while let Some(row) = rows.next()? {
        let properties = Properties::from_json(row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?)?;
        let created_on_ms = row.get(3)?;
        let monitor = ResourceMonitor {
            id: row.get(0)?,
            name: row.get(1)?,
            owner: row.get(2)?,
            created_on_ms,
            comment: properties.text("COMMENT"),
            quota: properties.text("CREDIT_QUOTA").and_then(|quota| quota.parse().ok()),
            frequency: properties.text("FREQUENCY").and_then(|word| Frequency::of_word(&word)),
            start_ms: properties.instant(START).unwrap_or(created_on_ms),
            end_ms: properties.instant(END),
            notify_users: properties.list(NOTIFY_USERS),
            triggers: properties.list(TRIGGERS).iter().filter_map(|text| trigger_of_text(text)).collect(),
        };
        monitors.insert(monitor.name.clone(), monitor);
    }
    Ok(monitors)
}

pub(crate) fn check_monitor_property(property: &Property, now_ms: i64) -> CheckedProperty {
    match property.name.as_str() {
        "CREDIT_QUOTA" => check_quota(property),
        "FREQUENCY" => check_choice(property, &Frequency::EVERY.map(Frequency::word)),
        START | END => check_timestamp(property, now_ms),
        "COMMENT" => check_text(property),
        name => Err(unknown_property(name, "RESOURCE MONITOR")),
    }
}

fn check_quota(property: &Property) -> CheckedProperty {
    let Some(text) = text_of(property)? else { return Ok(None) };
    match text.trim().parse::<f64>() {
        Ok(quota) if quota.is_finite() && quota >= 0.0 => Ok(Some(Checked::Text(quota.to_string()))),
        _ => Err(invalid(property, &text, "a number of credits, 0 or more, is expected")),
    }
}

fn check_timestamp(property: &Property, now_ms: i64) -> CheckedProperty {
    let Some(text) = text_of(property)? else { return Ok(None) };
    if property.name == START && text.eq_ignore_ascii_case("IMMEDIATELY") {
        return Ok(Some(Checked::Text(now_ms.to_string())));
    }
    match periods::instant_of_text(&text, now_ms) {
        Some(instant) => Ok(Some(Checked::Text(instant.to_string()))),
        None => Err(invalid(property, &text, "a time as '2026-01-31 08:00', in UTC if it has no offset, is expected")),
    }
}

/// A monitor that ended before it began would suspend its warehouses at once.
pub(crate) fn check_end(stored: &Properties, created_on_ms: i64) -> Result<(), Failure> {
    let start_ms = stored.instant(START).unwrap_or(created_on_ms);
    match stored.instant(END).filter(|end_ms| *end_ms <= start_ms) {
        Some(end_ms) => Err(Failure::invalid_value(
            END,
            &periods::text_of_instant(end_ms),
            &format!("a time after START_TIMESTAMP, {}, is expected", periods::text_of_instant(start_ms)),
        )),
        None => Ok(()),
    }
}

/// One action of either kind of suspension, and a few notifications.
pub(crate) fn check_triggers(triggers: &[MonitorTrigger]) -> Result<Checked, Failure> {
    for action in MonitorAction::EVERY {
        let most = if action == MonitorAction::Notify { NOTIFICATIONS_MAX } else { 1 };
        let count = triggers.iter().filter(|trigger| trigger.action == action).count();
        if count > most {
            let way_out = format!("at most {most} of {} are expected", action.word());
            return Err(Failure::invalid_value(TRIGGERS, &count.to_string(), &way_out));
        }
    }
    if let Some(wrong) = triggers.iter().find(|trigger| trigger.percent == 0 || trigger.percent > PERCENT_MAX) {
        return Err(Failure::invalid_value(TRIGGERS, &wrong.percent.to_string(), "1 PERCENT or more is expected"));
    }
    let text = |trigger: &MonitorTrigger| format!("{} {}", trigger.percent, trigger.action.word());
    Ok(Checked::List(triggers.iter().map(text).collect()))
}

fn trigger_of_text(text: &str) -> Option<MonitorTrigger> {
    let (percent, word) = text.split_once(' ')?;
    let action = MonitorAction::EVERY.into_iter().find(|action| action.word() == word)?;
    Some(MonitorTrigger { percent: percent.parse().ok()?, action })
}
