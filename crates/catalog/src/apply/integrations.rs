//! CREATE, ALTER and DROP of security and catalog integrations.

use firn_sql::Failure;
use firn_sql::command::{CreateMode, IfMissing, Property, PropertyValue};
use firn_sql::privileges::Privilege;
use rusqlite::params;

use super::{AccountOutcome, Change, Creation, created, creation, dropped, missing_to_alter, missing_to_drop};
use crate::catalog_integrations::{CATALOG_TYPE, CatalogIntegration, SECRET_PROPERTY, check_property};
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
        let existing = self.principals().owner_of_integration(name);
        match creation(name, mode, existing.is_some())? {
            Creation::Keep(outcome) => return Ok(outcome),
            Creation::Make => {}
            Creation::Replace => drop(self.drop_integration(name, IfMissing::Fail)?),
        }
        let mut stored = Properties::default();
        let kind = Kind::of(properties);
        kind.set(&mut stored, properties)?;
        if stored.text("TYPE").is_none() {
            return Err(Failure::unsupported("SECURITY INTEGRATION without TYPE = EXTERNAL_OAUTH").into());
        }
        self.check_integration(kind, name, &stored)?;
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
        let Some(owner) = self.visible_integration(name) else {
            return missing_to_alter("Integration", name, if_missing);
        };
        self.require_owner(owner, KIND, name)?;
        let json: String =
            self.transaction
                .query_row("SELECT properties FROM integrations WHERE name = ?1", [name], |row| row.get(0))?;
        let mut stored = Properties::from_json(&json)?;
        let kind = match self.principals().catalog_integration(name) {
            Some(_) => Kind::Catalog,
            None => Kind::Security,
        };
        kind.set(&mut stored, set)?;
        for property in unset {
            stored.set(kind.to_unset(property)?, None);
        }
        self.check_integration(kind, name, &stored)?;
        self.transaction
            .execute("UPDATE integrations SET properties = ?2 WHERE name = ?1", params![name, stored.to_json()?])?;
        Ok(AccountOutcome::executed())
    }

    pub(super) fn drop_integration(&self, name: &str, if_missing: IfMissing) -> Result<AccountOutcome, CatalogError> {
        let Some(owner) = self.visible_integration(name) else {
            return missing_to_drop("Integration", name, if_missing);
        };
        self.require_owner(owner, KIND, name)?;
        if let Some(database) = self.linked_to(name) {
            let message = format!(
                "SQL compilation error:\nThe integration '{name}' cannot be dropped: the database '{database}' is linked to it."
            );
            return Err(Failure::new("003535", "2BP01", message).into());
        }
        self.forget_grants_on(&Securable::Integration(name.to_owned()))?;
        self.transaction.execute("DELETE FROM integrations WHERE name = ?1", [name])?;
        Ok(dropped(name))
    }

    /// A database that is linked to a catalog integration.
    fn linked_to(&self, name: &str) -> Option<&str> {
        let links = &self.before.links;
        let is_linked = |id: &i64| links.get(id).is_some_and(|integration| integration == name);
        self.before.databases.values().find(|database| is_linked(&database.id)).map(|database| database.name.as_str())
    }

    /// A token finds its integration by the issuer, so two can't share one.
    fn check_integration(&self, kind: Kind, name: &str, stored: &Properties) -> Result<(), CatalogError> {
        if kind == Kind::Catalog {
            let after = CatalogIntegration::read(name.to_owned(), self.role.name.clone(), self.now_ms, stored);
            return Ok(after.check_complete(stored)?);
        }
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Security,
    Catalog,
}

impl Kind {
    fn of(properties: &[Property]) -> Self {
        let is_catalog = |property: &Property| {
            property.name == "TYPE" && matches!(&property.value, PropertyValue::Text(kind) if kind == CATALOG_TYPE)
        };
        if properties.iter().any(is_catalog) { Self::Catalog } else { Self::Security }
    }

    fn set(self, stored: &mut Properties, properties: &[Property]) -> Result<(), CatalogError> {
        for property in properties {
            match self {
                Self::Security => {
                    stored.set(integration_property_name(&property.name), check_integration_property(property)?);
                }
                Self::Catalog => stored.set(&property.name, check_property(property)?),
            }
        }
        Ok(())
    }

    /// The stored name of a property that may be taken away.
    fn to_unset(self, name: &str) -> Result<&str, Failure> {
        match self {
            Self::Security => {
                let name = integration_property_name(name);
                let is_known = name != "TYPE" && INTEGRATION_PROPERTIES.contains(&name);
                is_known.then_some(name).ok_or_else(|| unknown_property(name, "SECURITY INTEGRATION"))
            }
            Self::Catalog if name == "COMMENT" => Ok(name),
            Self::Catalog if name == "REST_AUTHENTICATION" => Ok(SECRET_PROPERTY),
            Self::Catalog => Err(unknown_property(name, "CATALOG INTEGRATION")),
        }
    }
}
