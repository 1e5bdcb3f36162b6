//! CREATE, ALTER and DROP WAREHOUSE.

use firn_sql::Failure;
use firn_sql::command::{CreateMode, IfMissing, Property, WarehouseChange};
use firn_sql::names::display_identifier;
use firn_sql::privileges::Privilege;
use rusqlite::params;

use super::{
    AccountOutcome, Change, Creation, created, creation, dropped, missing_to_alter, missing_to_drop, quota_exceeded,
};
use crate::error::CatalogError;
use crate::grants::Securable;
use crate::properties::{Checked, Properties, unknown_property};
use crate::resource_monitors::RESOURCE_MONITOR;
use crate::warehouses::{WAREHOUSE_PROPERTIES, check_warehouse_property};

impl Change<'_> {
    pub(super) fn create_warehouse(
        &self,
        name: &str,
        mode: CreateMode,
        properties: &[Property],
    ) -> Result<AccountOutcome, CatalogError> {
        self.require_to_create(Privilege::CreateWarehouse, "account", &self.before.account)?;
        let existing = self.before.warehouses.get(name);
        match creation(name, mode, existing.is_some())? {
            Creation::Keep(outcome) => return Ok(outcome),
            Creation::Make => {}
            Creation::Replace => {
                self.drop_warehouse(name, IfMissing::Fail)?;
            }
        }
        let mut stored = Properties::default();
        // Its owner may replace a warehouse, but only ACCOUNTADMIN takes it off its monitor.
        let monitor = existing.and_then(|replaced| replaced.resource_monitor.clone());
        stored.set(RESOURCE_MONITOR, monitor.map(Checked::Text));
        self.set_warehouse_properties(&mut stored, properties)?;
        let suspended = stored.flag("INITIALLY_SUSPENDED").unwrap_or(false);
        self.transaction.execute(
            "INSERT INTO warehouses (name, owner, created_on_ms, suspended, properties) VALUES (?1, ?2, ?3, ?4, ?5)",
            params![name, self.role.name, self.now_ms, suspended, stored.to_json()?],
        )?;
        Ok(created("Warehouse", name))
    }

    pub(super) fn alter_warehouse(
        &self,
        name: &str,
        if_missing: IfMissing,
        change: &WarehouseChange,
    ) -> Result<AccountOutcome, CatalogError> {
        let Some(warehouse) = self.visible_warehouse(name) else {
            return missing_to_alter("Warehouse", name, if_missing);
        };
        let needed = match change {
            WarehouseChange::Rename(_) => Privilege::Ownership,
            WarehouseChange::Set(_) | WarehouseChange::Unset(_) => Privilege::Modify,
            WarehouseChange::Suspend | WarehouseChange::Resume { .. } | WarehouseChange::AbortAllQueries => {
                Privilege::Operate
            }
        };
        self.require_on_warehouse(warehouse, needed)?;
        match change {
            WarehouseChange::Rename(to) => self.rename_warehouse(name, to)?,
            WarehouseChange::Set(properties) => {
                self.rewrite_warehouse(name, |stored| self.set_warehouse_properties(stored, properties))?;
            }
            WarehouseChange::Unset(names) => {
                if names.iter().any(|name| name == RESOURCE_MONITOR) {
                    self.require_account_admin("warehouse", name)?;
                }
                self.rewrite_warehouse(name, |stored| unset_properties(stored, names))?;
            }
            WarehouseChange::Suspend if warehouse.suspended => {
                return Err(invalid_state("090064", name, "suspended"));
            }
            WarehouseChange::Resume { if_suspended: false } if !warehouse.suspended => {
                return Err(invalid_state("090063", name, "resumed"));
            }
            WarehouseChange::Suspend => self.set_suspended(name, true)?,
            WarehouseChange::Resume { .. } => {
                if let Some(suspension) = self.suspension {
                    return Err(quota_exceeded(name, suspension).into());
                }
                self.set_suspended(name, false)?;
            }
            // The statements are cancelled elsewhere; here only the privilege is checked.
            WarehouseChange::AbortAllQueries => {}
        }
        Ok(AccountOutcome::executed())
    }

    pub(super) fn drop_warehouse(&self, name: &str, if_missing: IfMissing) -> Result<AccountOutcome, CatalogError> {
        let Some(warehouse) = self.visible_warehouse(name) else {
            return missing_to_drop("Warehouse", name, if_missing);
        };
        self.require_on_warehouse(warehouse, Privilege::Ownership)?;
        self.forget_grants_on(&Securable::Warehouse(name.to_owned()))?;
        self.transaction.execute("DELETE FROM warehouses WHERE name = ?1", [name])?;
        Ok(dropped(name))
    }

    fn rename_warehouse(&self, name: &str, to: &str) -> Result<(), CatalogError> {
        if name == to {
            return Ok(());
        }
        creation(to, CreateMode::New, self.before.warehouses.contains_key(to))?;
        self.transaction.execute("UPDATE warehouses SET name = ?2 WHERE name = ?1", params![name, to])?;
        self.transaction.execute(
            "UPDATE privilege_grants SET object = ?2 WHERE kind = 'WAREHOUSE' AND object = ?1",
            params![name, to],
        )?;
        Ok(())
    }

    fn set_warehouse_properties(&self, stored: &mut Properties, properties: &[Property]) -> Result<(), CatalogError> {
        for property in properties {
            let checked = match property.name.as_str() {
                RESOURCE_MONITOR => self.named_resource_monitor(property)?,
                _ => check_warehouse_property(property)?,
            };
            stored.set(&property.name, checked);
        }
        Ok(())
    }

    fn set_suspended(&self, name: &str, suspended: bool) -> Result<(), CatalogError> {
        self.transaction.execute("UPDATE warehouses SET suspended = ?2 WHERE name = ?1", params![name, suspended])?;
        Ok(())
    }

    fn rewrite_warehouse(
        &self,
        name: &str,
        edit: impl FnOnce(&mut Properties) -> Result<(), CatalogError>,
    ) -> Result<(), CatalogError> {
        let json: String =
            self.transaction
                .query_row("SELECT properties FROM warehouses WHERE name = ?1", [name], |row| row.get(0))?;
        let mut stored = Properties::from_json(&json)?;
        edit(&mut stored)?;
        self.transaction
            .execute("UPDATE warehouses SET properties = ?2 WHERE name = ?1", params![name, stored.to_json()?])?;
        Ok(())
    }
}

fn invalid_state(code: &'static str, name: &str, cannot_be: &str) -> CatalogError {
    let shown = display_identifier(name);
    Failure::new(code, "22000", format!("Invalid state. Warehouse '{shown}' cannot be {cannot_be}.")).into()
}

fn unset_properties(stored: &mut Properties, names: &[String]) -> Result<(), CatalogError> {
    for name in names {
        if !WAREHOUSE_PROPERTIES.contains(&name.as_str()) {
            return Err(unknown_property(name, "WAREHOUSE").into());
        }
        stored.set(name, None);
    }
    Ok(())
}
