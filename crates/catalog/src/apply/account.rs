//! ALTER ACCOUNT: parameters that hold for every user who has none of their own.

use firn_sql::Failure;
use firn_sql::command::Property;
use firn_sql::privileges::Privilege;
use rusqlite::params;

use super::{AccountOutcome, Change};
use crate::error::CatalogError;
use crate::grants::Securable;
use crate::integrations::PRIVILEGED_ROLES_BLOCKED;
use crate::network_policies::NETWORK_POLICY;
use crate::principals::SECURITY_ADMIN;
use crate::properties::{Checked, check_flag, text_of};
use crate::resource_monitors::RESOURCE_MONITOR;
use crate::session_parameters::{check_session_parameter, is_session_parameter};

impl Change<'_> {
    pub(super) fn alter_account(&self, set: &[Property], unset: &[String]) -> Result<AccountOutcome, CatalogError> {
        self.require_account_changer(set, unset)?;
        for property in set {
            match self.checked_parameter(property)? {
                Some(value) => self.transaction.execute(
                    "INSERT OR REPLACE INTO account_parameters (name, value) VALUES (?1, ?2)",
                    params![property.name, value],
                )?,
                None => self.forget_parameter(&property.name)?,
            };
        }
        for name in unset {
            if ![PRIVILEGED_ROLES_BLOCKED, NETWORK_POLICY, RESOURCE_MONITOR].contains(&name.as_str())
                && !is_session_parameter(name)
            {
                check_session_parameter(name, "")?;
            }
            self.forget_parameter(name)?;
        }
        Ok(AccountOutcome::executed())
    }

    fn forget_parameter(&self, name: &str) -> Result<usize, CatalogError> {
        Ok(self.transaction.execute("DELETE FROM account_parameters WHERE name = ?1", [name])?)
    }

    /// ATTACH POLICY is enough for the network policy.
    fn require_account_changer(&self, set: &[Property], unset: &[String]) -> Result<(), Failure> {
        let mut names = set.iter().map(|property| &property.name).chain(unset);
        let attaches = self.role.holds(SECURITY_ADMIN)
            || self.privileges_on(&Securable::Account).contains(Privilege::AttachPolicy);
        if attaches && names.all(|name| name == NETWORK_POLICY) {
            return Ok(());
        }
        self.require_account_admin("account", &self.before.account)
    }

    fn checked_parameter(&self, property: &Property) -> Result<Option<String>, CatalogError> {
        if property.name == PRIVILEGED_ROLES_BLOCKED {
            return Ok(match check_flag(property)? {
                Some(Checked::Text(flag)) => Some(flag),
                _ => None,
            });
        }
        if property.name == RESOURCE_MONITOR {
            return Ok(match self.named_resource_monitor(property)? {
                Some(Checked::Text(name)) => Some(name),
                _ => None,
            });
        }
        let Some(value) = text_of(property)? else { return Ok(None) };
        Ok(Some(match property.name.as_str() {
            NETWORK_POLICY => self.named_network_policy(&value)?,
            name => check_session_parameter(name, &value)?,
        }))
    }
}
