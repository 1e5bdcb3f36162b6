//! Changes of login policies, and of what they are set on. Who may make them is decided where the statement runs.

use firn_sql::Failure;
use firn_sql::command::{LoginPolicyKind, Property};
use rusqlite::{Connection, Transaction, params};

use super::{LoginPolicy, PasswordRules, properties, reference};
use crate::apply::refuse_own_exclusion;
use crate::caller::Caller;
use crate::catalog::Catalog;
use crate::clock::now_ms;
use crate::error::CatalogError;
use crate::memory::Memory;
use crate::properties::Properties;

/// What a policy is set on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PolicyOwner {
    Account,
    User(i64),
}

pub enum LoginPolicyEdit<'a> {
    Create {
        id: i64,
        kind: LoginPolicyKind,
        /// Database, schema and name.
        place: [&'a str; 3],
        owner: &'a str,
        properties: &'a [Property],
        /// The one of the same name that it takes the place of.
        replaces: Option<i64>,
    },
    Set(&'a LoginPolicy, &'a [Property]),
    Unset(&'a LoginPolicy, &'a [String]),
    Rename(&'a LoginPolicy, [&'a str; 3]),
    Drop(&'a LoginPolicy),
    SetOwner {
        id: i64,
        role: &'a str,
    },
    Attach(PolicyOwner, &'a LoginPolicy),
    Detach(PolicyOwner, LoginPolicyKind),
}

impl Catalog {
    /// Makes one change. One that would keep the caller from coming back is refused.
    pub fn edit_login_policy(&self, caller: &Caller, edit: &LoginPolicyEdit<'_>) -> Result<(), CatalogError> {
        let reload = |before: &Memory, connection: &Connection| {
            let after = Memory::load_with(connection, before.grants.clone())?;
            refuse_own_exclusion(caller, before, &after)?;
            Ok(after)
        };
        self.change(reload, |transaction, _| write(transaction, edit))
    }
}

fn write(transaction: &Transaction<'_>, edit: &LoginPolicyEdit<'_>) -> Result<(), CatalogError> {
    match edit {
        LoginPolicyEdit::Create { id, kind, place, owner, properties, replaces } => {
            if let Some(replaced) = replaces {
                transaction.execute("DELETE FROM login_policies WHERE id = ?1", [replaced])?;
            }
            let mut stored = Properties::default();
            properties::set(&mut stored, *kind, properties)?;
            let [database, schema, name] = place;
            check(*kind, &stored)?;
            transaction.execute(
                "INSERT INTO login_policies (id, kind, database_name, schema_name, name, owner, created_on_ms, \
                 properties) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                params![id, kind.label(), database, schema, name, owner, now_ms(), stored.to_json()?],
            )?;
        }
        LoginPolicyEdit::Set(policy, given) => {
            rewrite(transaction, policy, |stored| properties::set(stored, policy.kind, given))?;
        }
        LoginPolicyEdit::Unset(policy, names) => {
            rewrite(transaction, policy, |stored| properties::unset(stored, policy.kind, names))?;
        }
        LoginPolicyEdit::Rename(policy, [database, schema, name]) => {
            transaction.execute(
                "UPDATE login_policies SET database_name = ?2, schema_name = ?3, name = ?4 WHERE id = ?1",
                params![policy.id, database, schema, name],
            )?;
        }
        LoginPolicyEdit::Drop(policy) => {
            transaction.execute("DELETE FROM login_policies WHERE id = ?1", [policy.id])?;
        }
        LoginPolicyEdit::SetOwner { id, role } => {
            transaction.execute("UPDATE login_policies SET owner = ?2 WHERE id = ?1", params![id, role])?;
        }
        LoginPolicyEdit::Attach(owner, policy) => set_reference(transaction, *owner, policy.kind, Some(policy.id))?,
        LoginPolicyEdit::Detach(owner, kind) => set_reference(transaction, *owner, *kind, None)?,
    }
    Ok(())
}

fn rewrite(
    transaction: &Transaction<'_>,
    policy: &LoginPolicy,
    edit: impl FnOnce(&mut Properties) -> Result<(), Failure>,
) -> Result<(), CatalogError> {
    let mut stored = policy.properties.clone();
    edit(&mut stored)?;
    check(policy.kind, &stored)?;
    transaction
        .execute("UPDATE login_policies SET properties = ?2 WHERE id = ?1", params![policy.id, stored.to_json()?])?;
    Ok(())
}

fn check(kind: LoginPolicyKind, stored: &Properties) -> Result<(), Failure> {
    if kind != LoginPolicyKind::Password {
        return Ok(());
    }
    let policy = LoginPolicy {
        id: 0,
        kind,
        database: String::new(),
        schema: String::new(),
        name: String::new(),
        owner: String::new(),
        created_on_ms: 0,
        properties: stored.clone(),
    };
    PasswordRules::of(&policy).check_consistent()
}

fn set_reference(
    transaction: &Transaction<'_>,
    owner: PolicyOwner,
    kind: LoginPolicyKind,
    policy: Option<i64>,
) -> Result<(), CatalogError> {
    let name = reference(kind);
    match (owner, policy) {
        (PolicyOwner::Account, Some(id)) => transaction.execute(
            "INSERT OR REPLACE INTO account_parameters (name, value) VALUES (?1, ?2)",
            params![name, id.to_string()],
        )?,
        (PolicyOwner::Account, None) => {
            transaction.execute("DELETE FROM account_parameters WHERE name = ?1", [&name])?
        }
        (PolicyOwner::User(user), Some(id)) => transaction.execute(
            "UPDATE users SET properties = json_set(properties, '$.' || json_quote(?2), ?3) WHERE id = ?1",
            params![user, name, id.to_string()],
        )?,
        (PolicyOwner::User(user), None) => transaction.execute(
            "UPDATE users SET properties = json_remove(properties, '$.' || json_quote(?2)) WHERE id = ?1",
            params![user, name],
        )?,
    };
    Ok(())
}
