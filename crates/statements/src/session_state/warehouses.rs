//! The warehouse of a session, and who may use it.

use firn_catalog::{ActiveRole, Catalog, Securable, Warehouse, quota_exceeded};
use firn_sql::Failure;
use firn_sql::names::display_identifier;
use firn_sql::privileges::Privilege;

use super::SessionState;
use crate::clock::now_ms;
use crate::run_error::RunError;

impl SessionState {
    /// The warehouse; fails without one that the role may use. One that is suspended is resumed, if it may be.
    pub fn require_warehouse(&self, catalog: &Catalog) -> Result<Warehouse, RunError> {
        let usable = self.warehouse.as_deref().filter(|name| may_use_warehouse(catalog, &self.role, name));
        let warehouse = usable.and_then(|name| catalog.warehouse(name)).ok_or_else(no_warehouse)?;
        if let Some(refusal) = warehouse_refusal(catalog, &warehouse) {
            return Err(refusal.into());
        }
        if warehouse.suspended {
            catalog.resume_warehouse(&warehouse.name)?;
        }
        Ok(warehouse)
    }
}

/// Whether there is a warehouse of that name on which the role has USAGE.
pub fn may_use_warehouse(catalog: &Catalog, role: &ActiveRole, name: &str) -> bool {
    catalog.warehouse(name).is_some_and(|warehouse| {
        role.may_use_what_is_owned_by(&warehouse.owner)
            || catalog.privileges(role, &Securable::Warehouse(warehouse.name)).contains(Privilege::Usage)
    })
}

pub fn missing_warehouse() -> Failure {
    Failure::new(
        "002043",
        "02000",
        "SQL compilation error:\nThe warehouse does not exist or is not authorized; SHOW WAREHOUSES lists them.",
    )
}

/// Why a warehouse that is suspended does not resume for a statement.
pub fn warehouse_refusal(catalog: &Catalog, warehouse: &Warehouse) -> Option<Failure> {
    if let Some(suspension) = catalog.suspension(&warehouse.name, now_ms()) {
        return Some(quota_exceeded(&warehouse.name, &suspension));
    }
    let shown = display_identifier(&warehouse.name);
    let message = format!(
        "No active warehouse selected in the current session. Warehouse '{shown}' is suspended and does not resume by itself; \
         ALTER WAREHOUSE {shown} RESUME makes it active."
    );
    (warehouse.suspended && !warehouse.auto_resume).then(|| Failure::new("000606", "57P03", message))
}

fn no_warehouse() -> Failure {
    Failure::new(
        "000606",
        "57P03",
        "No active warehouse selected in the current session. Name one in the request, or set the user's DEFAULT_WAREHOUSE.",
    )
}
