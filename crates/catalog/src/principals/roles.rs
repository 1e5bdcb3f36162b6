//! What a caller may act as, by the roles that were granted.

use std::collections::HashSet;
use std::sync::Arc;

use super::Principals;
use super::holders::{Holder, is_account_role};
use super::role_graph::{DatabaseRole, PUBLIC, Role, RoleGrant};
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
        Some(ActiveRole { name: name.to_owned(), primary: Arc::clone(&held), held })
    }

    /// The role together with all others of the user, and with what was granted to the user itself. `None` for a token that
    /// is tied to a role, or that may not give one of them.
    pub fn with_secondary_roles(&self, role: &ActiveRole, caller: &Caller) -> Option<ActiveRole> {
        let others = self.roles.held_by_user(caller.user.id).filter(|_| caller.role_restriction.is_none())?;
        if caller.blocked_roles.iter().any(|blocked| others.contains(blocked)) {
            return None;
        }
        let mut held: HashSet<String> = role.primary.union(&others).cloned().collect();
        held.insert(Holder::User(caller.user.id).key());
        Some(ActiveRole { held: Arc::new(held), ..role.clone() })
    }

    pub fn database_role(&self, database: i64, name: &str) -> Option<&DatabaseRole> {
        self.database_roles.get(&(database, name.to_owned()))
    }

    /// Those of a database, in the order of their names.
    pub fn database_roles_of(&self, database: i64) -> impl Iterator<Item = &DatabaseRole> {
        self.database_roles
            .range((database, String::new())..)
            .map(|(_, role)| role)
            .take_while(move |role| role.database == database)
    }

    /// The key of a database role and those of all that it inherits.
    pub fn held_by_database_role(&self, database: i64, name: &str) -> HashSet<String> {
        self.roles.held_by_database_role(&Holder::DatabaseRole { database, name: name.to_owned() }.key())
    }

    /// Every role that the user can take, of the account and of databases.
    pub(crate) fn held_by_user(&self, user_id: i64) -> Arc<HashSet<String>> {
        self.roles.held_by_user(user_id).unwrap_or_default()
    }

    /// Every role of the account that the caller could take, whatever the active role is, in the order of their names.
    pub fn roles_available_to(&self, caller: &Caller) -> Vec<String> {
        let held = self.held_by_user(caller.user.id);
        let is_available = |role: &&String| is_account_role(role) && self.token_covers_role(caller, role);
        let mut roles: Vec<String> = held.iter().filter(is_available).cloned().collect();
        roles.sort_unstable();
        roles
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

    /// Whether a caller's token allows what statements of the user under this role have returned.
    pub fn token_covers_role(&self, caller: &Caller, role: &str) -> bool {
        let is_blocked =
            |with_inherited: ActiveRole| caller.blocked_roles.iter().any(|role| with_inherited.holds(role));
        let is_within =
            |only: &String| self.role_with_inherited(only).is_some_and(|only| only.may_use_what_is_owned_by(role));
        caller.role_restriction.as_ref().is_none_or(is_within)
            && !self.role_with_inherited(role).is_some_and(is_blocked)
    }
}
