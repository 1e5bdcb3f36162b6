//! CREATE and ALTER RESOURCE MONITOR.

use super::Property;

/// What a statement says about a monitor.
#[derive(Clone, Debug)]
pub struct MonitorDefinition {
    pub properties: Vec<Property>,
    /// `None` without TRIGGERS.
    pub triggers: Option<Vec<MonitorTrigger>>,
}

/// `ON n PERCENT DO action`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MonitorTrigger {
    pub percent: u32,
    pub action: MonitorAction,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MonitorAction {
    Notify,
    /// Running statements finish.
    Suspend,
    SuspendImmediate,
}

impl MonitorAction {
    pub const EVERY: [Self; 3] = [Self::SuspendImmediate, Self::Suspend, Self::Notify];

    /// As a statement writes it.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Notify => "NOTIFY",
            Self::Suspend => "SUSPEND",
            Self::SuspendImmediate => "SUSPEND_IMMEDIATE",
        }
    }
}
