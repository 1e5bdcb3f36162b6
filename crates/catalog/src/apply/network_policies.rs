//! CREATE, ALTER and DROP NETWORK POLICY.

use firn_sql::Failure;
use firn_sql::command::{CreateMode, IfMissing, NetworkPolicyChange, Property};
use firn_sql::privileges::Privilege;
use rusqlite::params;

use super::{AccountOutcome, Change, Creation, created, creation, dropped, missing, missing_to_alter, missing_to_drop};
use crate::error::CatalogError;
use crate::network_policies::{ALLOWED, BLOCKED, NETWORK_POLICY, NetworkPolicy, check_policy_property};
use crate::properties::{Properties, unknown_property};

const KIND: &str = "Network policy";

impl Change<'_> {
    pub(super) fn create_network_policy(
        &self,
        name: &str,
        mode: CreateMode,
        properties: &[Property],
    ) -> Result<AccountOutcome, CatalogError> {
        self.require_to_create(Privilege::CreateNetworkPolicy, "account", &self.before.account)?;
        let existing = self.before.network_policies.get(name);
        match creation(name, mode, existing.is_some())? {
            Creation::Keep(outcome) => return Ok(outcome),
            Creation::Make => {}
            Creation::Replace => {
                if let Some(policy) = existing {
                    self.require_owner(&policy.owner, "network policy", name)?;
                }
            }
        }
        let mut stored = Properties::default();
        set_properties(&mut stored, properties)?;
        self.transaction.execute(
            "INSERT OR REPLACE INTO network_policies (name, owner, created_on_ms, properties) VALUES (?1, ?2, ?3, ?4)",
            params![name, self.role.name, self.now_ms, stored.to_json()?],
        )?;
        Ok(created(KIND, name))
    }

    pub(super) fn alter_network_policy(
        &self,
        name: &str,
        if_missing: IfMissing,
        change: &NetworkPolicyChange,
    ) -> Result<AccountOutcome, CatalogError> {
        if self.visible_network_policy(name).is_none() {
            return missing_to_alter(KIND, name, if_missing);
        }
        match change {
            NetworkPolicyChange::Rename(to) => self.rename_network_policy(name, to)?,
            NetworkPolicyChange::Set(properties) => {
                self.rewrite_network_policy(name, |stored| set_properties(stored, properties))?
            }
            NetworkPolicyChange::Unset(names) => {
                self.rewrite_network_policy(name, |stored| unset_properties(stored, names))?
            }
        }
        Ok(AccountOutcome::executed())
    }

    pub(super) fn drop_network_policy(
        &self,
        name: &str,
        if_missing: IfMissing,
    ) -> Result<AccountOutcome, CatalogError> {
        if self.visible_network_policy(name).is_none() {
            return missing_to_drop(KIND, name, if_missing);
        }
        self.refuse_use(name)?;
        self.transaction.execute("DELETE FROM network_policies WHERE name = ?1", [name])?;
        Ok(dropped(name))
    }

    /// A policy is its owner's alone: whoever may not change it does not know of it.
    fn visible_network_policy(&self, name: &str) -> Option<&NetworkPolicy> {
        let found = self.before.network_policies.get(name);
        found.filter(|policy| self.role.may_use_what_is_owned_by(&policy.owner))
    }

    /// The policy that NETWORK_POLICY of an account or user names: as it is, else in upper case.
    pub(super) fn named_network_policy(&self, given: &str) -> Result<String, Failure> {
        let found = self.visible_network_policy(given).or_else(|| self.visible_network_policy(&given.to_uppercase()));
        found.map(|policy| policy.name.clone()).ok_or_else(|| missing(KIND, given))
    }

    fn rename_network_policy(&self, name: &str, to: &str) -> Result<(), CatalogError> {
        if name == to {
            return Ok(());
        }
        creation(to, CreateMode::New, self.before.network_policies.contains_key(to))?;
        self.refuse_use(name)?;
        self.transaction.execute("UPDATE network_policies SET name = ?2 WHERE name = ?1", params![name, to])?;
        Ok(())
    }

    fn rewrite_network_policy(
        &self,
        name: &str,
        edit: impl FnOnce(&mut Properties) -> Result<(), Failure>,
    ) -> Result<(), CatalogError> {
        let json: String =
            self.transaction
                .query_row("SELECT properties FROM network_policies WHERE name = ?1", [name], |row| row.get(0))?;
        let mut stored = Properties::from_json(&json)?;
        edit(&mut stored)?;
        self.transaction
            .execute("UPDATE network_policies SET properties = ?2 WHERE name = ?1", params![name, stored.to_json()?])?;
        Ok(())
    }

    fn refuse_use(&self, name: &str) -> Result<(), Failure> {
        let of_account = self.before.parameters.get(NETWORK_POLICY).is_some_and(|policy| policy == name);
        let of_user = self.principals().users().any(|user| user.network_policy.as_deref() == Some(name));
        if !of_account && !of_user {
            return Ok(());
        }
        let holder = if of_account { "the account" } else { "a user" };
        Err(Failure::new(
            "001493",
            "23001",
            format!(
                "SQL compilation error:\nNetwork policy '{name}' is in use by {holder}; UNSET NETWORK_POLICY takes it away."
            ),
        ))
    }
}

fn set_properties(stored: &mut Properties, properties: &[Property]) -> Result<(), Failure> {
    properties.iter().try_for_each(|property| {
        stored.set(&property.name, check_policy_property(property)?);
        Ok(())
    })
}

fn unset_properties(stored: &mut Properties, names: &[String]) -> Result<(), Failure> {
    names.iter().try_for_each(|name| {
        if ![ALLOWED, BLOCKED, "COMMENT"].contains(&name.as_str()) {
            return Err(unknown_property(name, "NETWORK POLICY"));
        }
        stored.set(name, None);
        Ok(())
    })
}
