//! What a caller may act as, by the roles that were granted.

use super::Principals;
use super::role_graph::{PUBLIC, Role, RoleGrant};
use crate::caller::{ActiveRole, Caller};
use crate::error::CatalogError;

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
