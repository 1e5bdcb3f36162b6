//! CREATE, ALTER and DROP SECURITY INTEGRATION.

use firn_sql::Failure;
use firn_sql::command::{CreateMode, IfMissing, Property};
use firn_sql::privileges::Privilege;
use rusqlite::params;

use super::{AccountOutcome, Change, Creation, created, creation, dropped, missing_to_alter, missing_to_drop};
use crate::error::CatalogError;
use crate::grants::Securable;
use crate::integrations::{
    INTEGRATION_PROPERTIES, SecurityIntegration, check_integration_property, integration_property_name,
};
use crate::properties::{Properties, unknown_property};

const KIND: &str = "integration";

impl Change<'_> {
    pub(super) fn create_integration(
        &self,
        name: &str,
        mode: CreateMode,
        properties: &[Property],
    ) -> Result<AccountOutcome, CatalogError> {
        self.require_to_create(Privilege::CreateIntegration, "account", &self.before.account)?;
        let existing = self.principals().integration(name);
        match creation(name, mode, existing.is_some())? {
            Creation::Keep(outcome) => return Ok(outcome),
            Creation::Make => {}
            Creation::Replace => drop(self.drop_integration(name, IfMissing::Fail)?),
        }
        let mut stored = Properties::default();
        set_properties(&mut stored, properties)?;
        if stored.text("TYPE").is_none() {
            return Err(Failure::unsupported("SECURITY INTEGRATION without TYPE = EXTERNAL_OAUTH").into());
        }
        self.check_integration(name, &stored)?;
        self.transaction.execute(
            "INSERT OR REPLACE INTO integrations (name, owner, created_on_ms, properties) VALUES (?1, ?2, ?3, ?4)",
            params![name, self.role.name, self.now_ms, stored.to_json()?],
        )?;
        Ok(created("Integration", name))
    }

    pub(super) fn alter_integration(
        &self,
        name: &str,
        if_missing: IfMissing,
        set: &[Property],
        unset: &[String],
    ) -> Result<AccountOutcome, CatalogError> {
        let Some(integration) = self.visible_integration(name) else {
            return missing_to_alter("Integration", name, if_missing);
        };
        self.require_owner(&integration.owner, KIND, name)?;
        let json: String =
            self.transaction
                .query_row("SELECT properties FROM integrations WHERE name = ?1", [name], |row| row.get(0))?;
        let mut stored = Properties::from_json(&json)?;
        set_properties(&mut stored, set)?;
        for property in unset {
            let property = integration_property_name(property);
            if property == "TYPE" || !INTEGRATION_PROPERTIES.contains(&property) {
                return Err(unknown_property(property, "SECURITY INTEGRATION").into());
            }
            stored.set(property, None);
        }
        self.check_integration(name, &stored)?;
        self.transaction
            .execute("UPDATE integrations SET properties = ?2 WHERE name = ?1", params![name, stored.to_json()?])?;
        Ok(AccountOutcome::executed())
    }

    pub(super) fn drop_integration(&self, name: &str, if_missing: IfMissing) -> Result<AccountOutcome, CatalogError> {
        let Some(integration) = self.visible_integration(name) else {
            return missing_to_drop("Integration", name, if_missing);
        };
        self.require_owner(&integration.owner, KIND, name)?;
        self.forget_grants_on(&Securable::Integration(name.to_owned()))?;
        self.transaction.execute("DELETE FROM integrations WHERE name = ?1", [name])?;
        Ok(dropped(name))
    }

    /// A token finds its integration by the issuer, so two can't share one.
    fn check_integration(&self, name: &str, stored: &Properties) -> Result<(), CatalogError> {
        let after = SecurityIntegration::read(name.to_owned(), self.role.name.clone(), self.now_ms, stored)?;
        after.check_complete()?;
        let taken = self.principals().integrations().find(|other| other.issuer == after.issuer && other.name != name);
        match taken {
            None => Ok(()),
            Some(other) => Err(Failure::invalid_value(
                "EXTERNAL_OAUTH_ISSUER",
                &after.issuer,
                &format!("the integration '{}' already stands for that issuer", other.name),
            )
            .into()),
        }
    }
}

fn set_properties(stored: &mut Properties, properties: &[Property]) -> Result<(), CatalogError> {
    for property in properties {
        stored.set(integration_property_name(&property.name), check_integration_property(property)?);
    }
    Ok(())
}
