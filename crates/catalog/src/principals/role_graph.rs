//! Roles, the grants between them, and what a role or a user holds by them.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

pub(crate) const ACCOUNT_ADMIN: &str = "ACCOUNTADMIN";
pub(crate) const SECURITY_ADMIN: &str = "SECURITYADMIN";
pub(crate) const USER_ADMIN: &str = "USERADMIN";
pub(crate) const SYS_ADMIN: &str = "SYSADMIN";
/// Known by name; there is nothing that it may do.
const ORG_ADMIN: &str = "ORGADMIN";
pub(crate) const PUBLIC: &str = "PUBLIC";

/// Each with the role that inherits it; PUBLIC is everyone's.
pub(crate) const BUILT_IN_ROLES: &[(&str, Option<&str>, &str)] = &[
    (ACCOUNT_ADMIN, None, "Stands above every other role and every owner."),
    (SECURITY_ADMIN, Some(ACCOUNT_ADMIN), "Grants roles and manages users."),
    (USER_ADMIN, Some(SECURITY_ADMIN), "Creates users and roles."),
    (SYS_ADMIN, Some(ACCOUNT_ADMIN), "Creates warehouses and databases."),
    (ORG_ADMIN, None, "Manages the accounts of an organisation; a server has one."),
    (PUBLIC, None, "Held by every user."),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    pub name: String,
    pub comment: Option<String>,
    pub owner: String,
    pub created_on_ms: i64,
}

/// A role inside a database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatabaseRole {
    pub database: i64,
    pub name: String,
    pub owner: String,
    pub comment: Option<String>,
    pub created_on_ms: i64,
}

/// A role that was granted. Role and grantee are keys of holders.
impl Role {
    pub fn is_built_in(&self) -> bool {
        BUILT_IN_ROLES.iter().any(|(name, ..)| *name == self.name)
    }
}

#[derive(Clone, Debug)]
pub struct RoleGrant {
    pub role: String,
    pub grantee: String,
    /// The role that made the grant.
    pub granted_by: String,
    pub created_on_ms: i64,
}

/// The roles and the grants between them. The roles that a role or user holds are computed on first use and cached for
/// the lifetime of the snapshot.
#[derive(Debug, Default)]
pub(crate) struct RoleGraph {
    pub(super) roles: BTreeMap<String, RoleNode>,
    /// By their keys.
    pub(super) database_roles: HashMap<String, Holdings>,
    pub(super) users: HashMap<i64, Holdings>,
    pub(super) grants: Vec<RoleGrant>,
}

#[derive(Debug)]
pub(super) struct RoleNode {
    pub(super) role: Role,
    pub(super) holdings: Holdings,
}

#[derive(Debug, Default)]
pub(super) struct Holdings {
    pub(super) granted: Vec<String>,
    held: OnceLock<Arc<HashSet<String>>>,
}

impl RoleGraph {
    /// The role itself, what it inherits, and PUBLIC; `None` when there is no such role.
    pub(super) fn held_by_role(&self, name: &str) -> Option<Arc<HashSet<String>>> {
        let holdings = &self.roles.get(name)?.holdings;
        Some(Arc::clone(holdings.held.get_or_init(|| Arc::new(self.closure([name.to_owned()])))))
    }

    /// Every role the user can take; `None` when there is no such user.
    pub(super) fn held_by_user(&self, user_id: i64) -> Option<Arc<HashSet<String>>> {
        let holdings = self.users.get(&user_id)?;
        Some(Arc::clone(holdings.held.get_or_init(|| Arc::new(self.closure(holdings.granted.iter().cloned())))))
    }

    /// All that a database role inherits, itself among it.
    pub(super) fn held_by_database_role(&self, key: &str) -> HashSet<String> {
        self.closure([key.to_owned()])
    }

    fn closure(&self, start: impl IntoIterator<Item = String>) -> HashSet<String> {
        let mut held = HashSet::new();
        let mut open: Vec<String> = start.into_iter().chain([PUBLIC.to_owned()]).collect();
        while let Some(name) = open.pop() {
            let in_account = self.roles.get(&name).map(|node| &node.holdings);
            let Some(holdings) = in_account.or_else(|| self.database_roles.get(&name)) else { continue };
            if held.insert(name) {
                open.extend(holdings.granted.iter().filter(|granted| !held.contains(*granted)).cloned());
            }
        }
        held
    }
}
