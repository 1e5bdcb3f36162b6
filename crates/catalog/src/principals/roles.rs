//! Roles, who was granted them, and what a caller may therefore act as.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use firn_sql::command::Grantee;

use super::Principals;
use crate::{ActiveRole, Caller, CatalogError};

pub(crate) const ACCOUNT_ADMIN: &str = "ACCOUNTADMIN";
pub(crate) const SECURITY_ADMIN: &str = "SECURITYADMIN";
pub(crate) const USER_ADMIN: &str = "USERADMIN";
pub(crate) const SYS_ADMIN: &str = "SYSADMIN";
pub(crate) const PUBLIC: &str = "PUBLIC";

/// Each with the role that inherits it; PUBLIC is everyone's.
pub(crate) const BUILT_IN_ROLES: &[(&str, Option<&str>, &str)] = &[
    (ACCOUNT_ADMIN, None, "Stands above every other role and every owner."),
    (SECURITY_ADMIN, Some(ACCOUNT_ADMIN), "Grants roles and manages users."),
    (USER_ADMIN, Some(SECURITY_ADMIN), "Creates users and roles."),
    (SYS_ADMIN, Some(ACCOUNT_ADMIN), "Creates warehouses and databases."),
    (PUBLIC, None, "Held by every user."),
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    pub name: String,
    pub comment: Option<String>,
    pub owner: String,
    pub created_on_ms: i64,
}

#[derive(Clone, Debug)]
pub struct RoleGrant {
    pub role: String,
    pub grantee: Grantee,
    /// The role that made the grant.
    pub granted_by: String,
    pub created_on_ms: i64,
}

/// The roles and the grants between them. What a role or user holds is worked out when first
/// asked for and remembered as long as the snapshot lives.
#[derive(Debug, Default)]
pub(crate) struct RoleGraph {
    pub(super) roles: BTreeMap<String, RoleNode>,
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
    fn held_by_role(&self, name: &str) -> Option<Arc<HashSet<String>>> {
        let holdings = &self.roles.get(name)?.holdings;
        Some(Arc::clone(holdings.held.get_or_init(|| Arc::new(self.closure([name.to_owned()])))))
    }

    /// Every role the user can take; `None` when there is no such user.
    fn held_by_user(&self, user_id: i64) -> Option<Arc<HashSet<String>>> {
        let holdings = self.users.get(&user_id)?;
        Some(Arc::clone(holdings.held.get_or_init(|| Arc::new(self.closure(holdings.granted.iter().cloned())))))
    }

    fn closure(&self, start: impl IntoIterator<Item = String>) -> HashSet<String> {
        let mut held = HashSet::new();
        let mut open: Vec<String> = start.into_iter().chain([PUBLIC.to_owned()]).collect();
        while let Some(name) = open.pop() {
            let Some(node) = self.roles.get(&name) else { continue };
            if held.insert(name) {
                open.extend(node.holdings.granted.iter().filter(|granted| !held.contains(*granted)).cloned());
            }
        }
        held
    }
}

impl Principals {
    pub fn role(&self, name: &str) -> Option<&Role> {
        self.roles.roles.get(name).map(|node| &node.role)
    }

    /// In the order of their names.
    pub fn roles(&self) -> impl Iterator<Item = &Role> {
        self.roles.roles.values().map(|node| &node.role)
    }

    /// Every grant of a role to a role or a user.
    pub fn role_grants(&self) -> &[RoleGrant] {
        &self.roles.grants
    }

    /// The role with all it inherits, without asking who takes it.
    pub fn role_with_inherited(&self, name: &str) -> Option<ActiveRole> {
        let held = self.roles.held_by_role(name)?;
        Some(ActiveRole { name: name.to_owned(), held })
    }

    /// Whether the user was granted the role, directly or through another one.
    pub fn may_take_role(&self, user_id: i64, role: &str) -> bool {
        let held = self.roles.held_by_user(user_id);
        held.is_some_and(|held| held.contains(role)) && self.role(role).is_some()
    }

    /// The role a statement runs under: the requested one by its exact name, else the one the token
    /// is tied to, else the user's default if it was granted, else PUBLIC.
    pub fn active_role(&self, caller: &Caller, requested: Option<&str>) -> Result<ActiveRole, CatalogError> {
        let restriction = caller.role_restriction.as_deref();
        let by_default = || caller.user.default_role.as_deref().filter(|role| self.may_take_role(caller.user.id, role));
        let name = requested.or(restriction).or_else(by_default).unwrap_or(PUBLIC);
        let refused = || CatalogError::RoleNotGranted(name.to_owned());
        if restriction.is_some_and(|only| only != name) || !self.may_take_role(caller.user.id, name) {
            return Err(refused());
        }
        let role = self.role_with_inherited(name).ok_or_else(refused)?;
        if caller.blocked_roles.iter().any(|blocked| role.holds(blocked)) {
            return Err(refused());
        }
        Ok(role)
    }
}
