//! The resource monitors of the account and of warehouses.

use super::{RESOURCE_MONITOR, ResourceMonitor};
use crate::catalog::Catalog;
use crate::memory::Memory;

impl Memory {
    /// Those that count what the warehouse uses: its own and the account's.
    pub(super) fn monitors_of(&self, warehouse: &str) -> impl Iterator<Item = &ResourceMonitor> {
        let own = self.warehouses.get(warehouse).and_then(|found| found.resource_monitor.as_ref());
        let of_account = self.parameters.get(RESOURCE_MONITOR).filter(|name| Some(*name) != own);
        own.into_iter().chain(of_account).filter_map(|name| self.resource_monitors.get(name))
    }
}

impl Catalog {
    /// In the order of their names.
    pub fn resource_monitors(&self) -> Vec<ResourceMonitor> {
        self.look(|memory| memory.resource_monitors.values().cloned().collect())
    }

    pub fn resource_monitor(&self, name: &str) -> Option<ResourceMonitor> {
        self.look(|memory| memory.resource_monitors.get(name).cloned())
    }
}
