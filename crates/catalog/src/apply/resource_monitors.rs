//! CREATE, ALTER and DROP RESOURCE MONITOR, and which warehouses they count.

use firn_sql::Failure;
use firn_sql::command::{CreateMode, IfMissing, MonitorDefinition, Property};
use firn_sql::names::display_identifier;
use firn_sql::privileges::Privilege;
use rusqlite::params;

use super::{AccountOutcome, Change, Creation, created, creation, dropped, missing, missing_to_alter, missing_to_drop};
use crate::error::CatalogError;
use crate::grants::Securable;
use crate::principals::ACCOUNT_ADMIN;
use crate::properties::{Checked, CheckedProperty, Properties, check_list, text_of};
use crate::resource_monitors::{
    END, NOTIFY_USERS, RESOURCE_MONITOR, ResourceMonitor, START, Suspension, TRIGGERS, check_end,
    check_monitor_property, check_triggers,
};

const KIND: &str = "Resource monitor";

impl Change<'_> {
    pub(super) fn create_resource_monitor(
        &self,
        name: &str,
        mode: CreateMode,
        definition: &MonitorDefinition,
    ) -> Result<AccountOutcome, CatalogError> {
        if !self.role.primary.contains(ACCOUNT_ADMIN) {
            return Err(Failure::insufficient_privileges("account", &self.before.account).into());
        }
        let existing = self.before.resource_monitors.contains_key(name);
        match creation(name, mode, existing)? {
            Creation::Keep(outcome) => return Ok(outcome),
            Creation::Make => {}
            Creation::Replace => self.delete_resource_monitor(name)?,
        }
        let mut stored = Properties::default();
        self.set_monitor(&mut stored, definition, self.now_ms)?;
        self.transaction.execute(
            "INSERT INTO resource_monitors (name, owner, created_on_ms, properties) VALUES (?1, ?2, ?3, ?4)",
            params![name, self.role.name, self.now_ms, stored.to_json()?],
        )?;
        Ok(created(KIND, name))
    }

    pub(super) fn alter_resource_monitor(
        &self,
        name: &str,
        if_missing: IfMissing,
        definition: &MonitorDefinition,
    ) -> Result<AccountOutcome, CatalogError> {
        let Some(monitor) = self.visible_resource_monitor(name) else {
            return missing_to_alter(KIND, name, if_missing);
        };
        let owns = self.role.may_use_what_is_owned_by(&monitor.owner);
        if !owns && !self.privileges_on(&Securable::ResourceMonitor(name.to_owned())).contains(Privilege::Modify) {
            return Err(Failure::insufficient_privileges("resource monitor", name).into());
        }
        let sql = "SELECT properties FROM resource_monitors WHERE name = ?1";
        let json: String = self.transaction.query_row(sql, [name], |row| row.get(0))?;
        let mut stored = Properties::from_json(&json)?;
        self.set_monitor(&mut stored, definition, monitor.created_on_ms)?;
        self.transaction.execute(
            "UPDATE resource_monitors SET properties = ?2 WHERE name = ?1",
            params![name, stored.to_json()?],
        )?;
        Ok(AccountOutcome::executed())
    }

    /// The warehouses and the account that it counted for have none then.
    pub(super) fn drop_resource_monitor(
        &self,
        name: &str,
        if_missing: IfMissing,
    ) -> Result<AccountOutcome, CatalogError> {
        let Some(monitor) = self.visible_resource_monitor(name) else {
            return missing_to_drop(KIND, name, if_missing);
        };
        self.require_owner(&monitor.owner, "resource monitor", name)?;
        self.delete_resource_monitor(name)?;
        Ok(dropped(name))
    }

    fn delete_resource_monitor(&self, name: &str) -> Result<(), CatalogError> {
        self.forget_grants_on(&Securable::ResourceMonitor(name.to_owned()))?;
        self.transaction.execute("DELETE FROM resource_monitors WHERE name = ?1", [name])?;
        self.transaction.execute(
            "UPDATE warehouses SET properties = json_remove(properties, '$.RESOURCE_MONITOR') \
             WHERE json_extract(properties, '$.RESOURCE_MONITOR') = ?1",
            [name],
        )?;
        self.transaction.execute(
            "DELETE FROM account_parameters WHERE name = ?1 AND value = ?2",
            params![RESOURCE_MONITOR, name],
        )?;
        Ok(())
    }

    fn set_monitor(
        &self,
        stored: &mut Properties,
        definition: &MonitorDefinition,
        created_on_ms: i64,
    ) -> Result<(), Failure> {
        for property in &definition.properties {
            let checked = match property.name.as_str() {
                NOTIFY_USERS => self.check_notified(property)?,
                _ => check_monitor_property(property, self.now_ms)?,
            };
            stored.set(&property.name, checked);
        }
        if let Some(triggers) = &definition.triggers {
            stored.set(TRIGGERS, Some(check_triggers(triggers)?));
        }
        let given = |name: &str| stored.text(name).is_some();
        if given("FREQUENCY") != given(START) {
            let message =
                "SQL compilation error:\nFREQUENCY and START_TIMESTAMP of a resource monitor must be set together.";
            return Err(Failure::new("001003", "42601", message));
        }
        match definition.properties.iter().any(|property| [START, END].contains(&property.name.as_str())) {
            true => check_end(stored, created_on_ms),
            false => Ok(()),
        }
    }

    fn check_notified(&self, property: &Property) -> CheckedProperty {
        let checked = check_list(property)?;
        if let Some(Checked::List(users)) = &checked {
            for user in users {
                self.visible_user(user).ok_or_else(|| missing("User", user))?;
            }
        }
        Ok(checked)
    }

    /// The monitor that RESOURCE_MONITOR of the account or a warehouse names: as it is, else in upper case.
    pub(super) fn named_resource_monitor(&self, property: &Property) -> CheckedProperty {
        let given = text_of(property)?;
        self.require_account_admin("resource monitor", given.as_deref().unwrap_or("NULL"))?;
        let Some(given) = given else { return Ok(None) };
        let known = |name: &String| self.before.resource_monitors.contains_key(name);
        let found = Some(given.clone()).filter(known).or_else(|| Some(given.to_uppercase()).filter(known));
        found.map(|name| Some(Checked::Text(name))).ok_or_else(|| missing(KIND, &given))
    }

    fn visible_resource_monitor(&self, name: &str) -> Option<&ResourceMonitor> {
        self.before.resource_monitors.get(name).filter(|monitor| self.visibility().resource_monitor(monitor))
    }
}

/// The refusal of a statement that needs a suspended warehouse, or of resuming it.
pub fn quota_exceeded(warehouse: &str, suspension: &Suspension) -> Failure {
    let cause = if suspension.has_ended { "has reached its end" } else { "has exceeded its quota" };
    Failure::new(
        "090073",
        "22000",
        format!(
            "Warehouse '{}' cannot be resumed because resource monitor '{}' {cause}.",
            display_identifier(warehouse),
            display_identifier(&suspension.monitor)
        ),
    )
}
