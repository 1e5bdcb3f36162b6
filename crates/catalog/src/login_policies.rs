//! Password, session and authentication policies. A user's own policy stands in the place of the account's.

mod edits;
mod lookups;
mod properties;
mod rules;
#[cfg(test)]
mod tests;

use std::collections::HashMap;

use firn_sql::command::LoginPolicyKind;
use rusqlite::Connection;

use crate::error::CatalogError;
use crate::properties::Properties;

pub use edits::{LoginPolicyEdit, PolicyOwner};
pub use properties::{PolicyProperty, properties_of};
pub use rules::PasswordRules;

#[derive(Clone, Debug)]
pub struct LoginPolicy {
    /// Survives RENAME and changes; a policy made anew under the same name has another.
    pub id: i64,
    pub kind: LoginPolicyKind,
    pub database: String,
    pub schema: String,
    pub name: String,
    pub owner: String,
    pub created_on_ms: i64,
    properties: Properties,
}

impl LoginPolicy {
    pub fn comment(&self) -> Option<String> {
        self.properties.text("COMMENT")
    }

    /// The values of a property that was set: one number, or a list.
    pub fn given(&self, property: &PolicyProperty) -> Option<Vec<String>> {
        let values = self.properties.list(property.name);
        (!values.is_empty()).then_some(values)
    }

    /// Whether a list of the policy has the word, or all of them.
    fn lists(&self, property: &str, word: &str) -> bool {
        let listed = self.properties.list(property);
        listed.is_empty() || listed.iter().any(|found| found == "ALL" || found == word)
    }

    fn number(&self, property: &str) -> u32 {
        let default = || properties_of(self.kind).iter().find(|known| known.name == property)?.default.parse().ok();
        self.properties.number(property).or_else(default).unwrap_or(0)
    }
}

pub(crate) type LoginPolicies = HashMap<i64, LoginPolicy>;

pub(crate) fn load_login_policies(connection: &Connection) -> Result<LoginPolicies, CatalogError> {
    let mut statement = connection.prepare(
        "SELECT id, kind, database_name, schema_name, name, owner, created_on_ms, properties FROM login_policies",
    )?;
    let mut rows = statement.query([])?;
    let mut policies = LoginPolicies::new();
    while let Some(row) = rows.next()? {
        let label: String = row.get(1)?;
        let unknown =
            || CatalogError::Corrupt(format!("a policy has the kind '{label}', which this server does not know"));
        let policy = LoginPolicy {
            id: row.get(0)?,
            kind: LoginPolicyKind::of_label(&label).ok_or_else(unknown)?,
            database: row.get(2)?,
            schema: row.get(3)?,
            name: row.get(4)?,
            owner: row.get(5)?,
            created_on_ms: row.get(6)?,
            properties: Properties::from_json(row.get_ref(7)?.as_str().map_err(rusqlite::Error::from)?)?,
        };
        policies.insert(policy.id, policy);
    }
    Ok(policies)
}

/// The account parameter and the property of users that hold the id of a policy. No statement can write it.
pub(crate) fn reference(kind: LoginPolicyKind) -> String {
    format!("{} ID", kind.words())
}
