//! ALTER ACCOUNT: parameters that hold for every user who has none of their own.

use firn_sql::command::Property;
use rusqlite::params;

use super::{AccountOutcome, Change};
use crate::error::CatalogError;
use crate::integrations::PRIVILEGED_ROLES_BLOCKED;
use crate::properties::{Checked, check_flag, text_of};
use crate::session_parameters::{check_session_parameter, is_session_parameter};

impl Change<'_> {
    pub(super) fn alter_account(&self, set: &[Property], unset: &[String]) -> Result<AccountOutcome, CatalogError> {
        self.require_account_admin("account", &self.before.account)?;
        for property in set {
            match checked_parameter(property)? {
                Some(value) => self.transaction.execute(
                    "INSERT OR REPLACE INTO account_parameters (name, value) VALUES (?1, ?2)",
                    params![property.name, value],
                )?,
                None => self.forget_parameter(&property.name)?,
            };
        }
        for name in unset {
            if name != PRIVILEGED_ROLES_BLOCKED && !is_session_parameter(name) {
                check_session_parameter(name, "")?;
            }
            self.forget_parameter(name)?;
        }
        Ok(AccountOutcome::executed())
    }

    fn forget_parameter(&self, name: &str) -> Result<usize, CatalogError> {
        Ok(self.transaction.execute("DELETE FROM account_parameters WHERE name = ?1", [name])?)
    }
}

fn checked_parameter(property: &Property) -> Result<Option<String>, CatalogError> {
    if property.name == PRIVILEGED_ROLES_BLOCKED {
        return Ok(match check_flag(property)? {
            Some(Checked::Text(flag)) => Some(flag),
            _ => None,
        });
    }
    let value = text_of(property)?;
    Ok(value.map(|value| check_session_parameter(&property.name, &value)).transpose()?)
}
