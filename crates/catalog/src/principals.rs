//! Users, roles, access tokens and identity providers, as one immutable snapshot.

pub mod holders;
pub(crate) mod load;
mod role_graph;
mod roles;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::catalog_integrations::{CatalogIntegration, CatalogIntegrations};
use crate::integrations::SecurityIntegration;
use crate::secrets::{SecretHash, hash_secret};
use crate::user::User;

pub(crate) use role_graph::{ACCOUNT_ADMIN, BUILT_IN_ROLES, PUBLIC, RoleGraph, SECURITY_ADMIN, SYS_ADMIN, USER_ADMIN};
pub use role_graph::{DatabaseRole, Role, RoleGrant};

/// A programmatic access token without its secret, of which only a hash is stored.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessToken {
    pub user_id: i64,
    pub name: String,
    pub role_restriction: Option<String>,
    pub created_on_ms: i64,
    pub expires_on_ms: i64,
    /// The name of the user who made it.
    pub created_by: String,
    pub comment: Option<String>,
    pub disabled: bool,
    /// The token that took this one's place when it was rotated.
    pub rotated_to: Option<String>,
    /// The id of the token that is tied to a role and that this one was made with.
    pub(crate) made_with: Option<i64>,
    pub(crate) id: i64,
}

impl AccessToken {
    /// What callers refer to it by.
    pub fn id(&self) -> i64 {
        self.id
    }

    pub fn is_expired_at(&self, now_ms: i64) -> bool {
        now_ms >= self.expires_on_ms
    }
}

#[derive(Debug, Default)]
pub struct Principals {
    users: BTreeMap<String, Arc<User>>,
    users_by_id: HashMap<i64, Arc<User>>,
    names_by_login: HashMap<String, String>,
    pub(crate) roles: RoleGraph,
    database_roles: BTreeMap<(i64, String), DatabaseRole>,
    tokens: Vec<AccessToken>,
    tokens_by_hash: HashMap<SecretHash, usize>,
    integrations: BTreeMap<String, Arc<SecurityIntegration>>,
    catalog_integrations: CatalogIntegrations,
}

impl Principals {
    /// By the exact name.
    pub fn user(&self, name: &str) -> Option<&Arc<User>> {
        self.users.get(name)
    }

    pub fn user_by_id(&self, id: i64) -> Option<&Arc<User>> {
        self.users_by_id.get(&id)
    }

    /// In any letter case.
    pub fn user_by_login(&self, login: &str) -> Option<&Arc<User>> {
        self.user(self.names_by_login.get(&login.to_uppercase())?)
    }

    /// `None` also when several users have the address.
    pub fn user_by_email(&self, email: &str) -> Option<&Arc<User>> {
        let has_address =
            |user: &&Arc<User>| user.email.as_ref().is_some_and(|address| address.eq_ignore_ascii_case(email));
        let mut found = self.users.values().filter(has_address);
        let user = found.next()?;
        found.next().is_none().then_some(user)
    }

    /// In the order of their names.
    pub fn users(&self) -> impl Iterator<Item = &Arc<User>> {
        self.users.values()
    }

    /// Expired ones too, until they are cleared away.
    pub fn access_tokens_of(&self, user_id: i64) -> Vec<&AccessToken> {
        self.tokens.iter().filter(|token| token.user_id == user_id).collect()
    }

    /// The token with that secret and its user, whatever state both are in.
    pub fn token_by_secret(&self, secret: &str) -> Option<(Arc<User>, AccessToken)> {
        self.token_by_hash(&hash_secret(secret))
    }

    /// Whether the token can be used: it, the one that it was made with, and so on, are there, enabled and not expired.
    pub fn is_token_active(&self, token: &AccessToken, now_ms: i64) -> bool {
        let mut current = token;
        loop {
            if current.disabled || current.is_expired_at(now_ms) {
                return false;
            }
            let Some(parent) = current.made_with else { return true };
            // Ids of parents are the smaller ones, so that the walk ends.
            match self.tokens.iter().find(|token| token.id == parent && parent < current.id) {
                Some(found) => current = found,
                None => return false,
            }
        }
    }

    pub fn token_by_hash(&self, hash: &SecretHash) -> Option<(Arc<User>, AccessToken)> {
        let token = self.tokens.get(*self.tokens_by_hash.get(hash)?)?;
        let user = self.users_by_id.get(&token.user_id)?;
        Some((Arc::clone(user), token.clone()))
    }

    /// In the order of their names.
    pub fn integrations(&self) -> impl Iterator<Item = &Arc<SecurityIntegration>> {
        self.integrations.values()
    }

    pub fn integration(&self, name: &str) -> Option<&Arc<SecurityIntegration>> {
        self.integrations.get(name)
    }

    /// In the order of their names.
    pub fn catalog_integrations(&self) -> impl Iterator<Item = &Arc<CatalogIntegration>> {
        self.catalog_integrations.values()
    }

    pub fn catalog_integration(&self, name: &str) -> Option<&Arc<CatalogIntegration>> {
        self.catalog_integrations.get(name)
    }

    /// The owner of an integration of any kind, and when it was made.
    pub fn owner_of_integration(&self, name: &str) -> Option<(&str, i64)> {
        let of_tokens = self.integration(name).map(|found| (found.owner.as_str(), found.created_on_ms));
        of_tokens.or_else(|| self.catalog_integration(name).map(|found| (found.owner.as_str(), found.created_on_ms)))
    }
}
