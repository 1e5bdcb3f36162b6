//! What the catalog answers about grants.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use firn_sql::privileges::{Privilege, PrivilegeSet, SecurableKind};

use super::{FutureGrant, FuturePlace, Grants, PrivilegeGrant, Securable};
use crate::caller::ActiveRole;
use crate::catalog::Catalog;

impl Catalog {
    /// What was granted to the role or to one that it inherits; ownership is not among it.
    pub fn privileges(&self, role: &ActiveRole, on: &Securable) -> PrivilegeSet {
        self.read_grants(|grants| grants.held(&role.held, on))
    }

    /// Without what comes from secondary roles, which create nothing.
    pub fn primary_privileges(&self, role: &ActiveRole, on: &Securable) -> PrivilegeSet {
        self.read_grants(|grants| grants.held(&role.primary, on))
    }

    /// Whether the role has the privilege on the account.
    pub fn has_account_privilege(&self, role: &ActiveRole, privilege: Privilege) -> bool {
        role.is_account_admin() || self.privileges(role, &Securable::Account).contains(privilege)
    }

    pub fn grants_on(&self, on: &Securable) -> Vec<PrivilegeGrant> {
        self.read_grants(|grants| grants.on.get(on).cloned().unwrap_or_default())
    }

    /// Whether anything is granted on a schema of the database, or on what is in one.
    pub fn has_grants_within(&self, database: i64) -> bool {
        self.read_grants(|grants| {
            grants.on.keys().any(|on| matches!(on, Securable::Within { database: within, .. } if *within == database))
        })
    }

    pub fn grants_to(&self, grantee: &str) -> Vec<(Securable, PrivilegeGrant)> {
        self.read_grants(|grants| {
            let of_object = |(on, granted): (&Securable, &Vec<PrivilegeGrant>)| {
                let to_grantee = granted.iter().filter(|grant| &*grant.grantee == grantee);
                to_grantee.map(|grant| (on.clone(), grant.clone())).collect::<Vec<_>>()
            };
            grants.on.iter().flat_map(of_object).collect()
        })
    }

    /// The ids of what lies inside the database and the role has any privilege on.
    pub fn granted_within(&self, role: &ActiveRole, database: i64) -> Vec<(SecurableKind, i64)> {
        self.read_grants(|grants| {
            let of_object = |(on, granted): (&Securable, &Vec<PrivilegeGrant>)| match on {
                Securable::Within { kind, database: place, id } if *place == database => {
                    granted.iter().any(|grant| role.held.contains(&*grant.grantee)).then_some((*kind, *id))
                }
                _ => None,
            };
            grants.on.iter().filter_map(of_object).collect()
        })
    }

    /// What lies inside databases and privileges are granted on, by the ids of the databases.
    pub fn granted_in_databases(&self) -> HashMap<i64, Vec<(SecurableKind, i64)>> {
        self.read_grants(|grants| {
            let mut found: HashMap<i64, Vec<(SecurableKind, i64)>> = HashMap::new();
            for on in grants.on.keys() {
                if let Securable::Within { kind, database, id } = on {
                    found.entry(*database).or_default().push((*kind, *id));
                }
            }
            found
        })
    }

    pub fn future_grants_in(&self, place: FuturePlace) -> Vec<FutureGrant> {
        self.read_grants(|grants| grants.future.get(&place).cloned().unwrap_or_default())
    }

    /// Whether anybody gets anything on what is created in the database.
    pub fn has_future_grants(&self, database: i64) -> bool {
        self.read_grants(|grants| grants.future.keys().any(|place| place.database == database))
    }

    pub fn future_grants_to(&self, grantee: &str) -> Vec<FutureGrant> {
        self.read_grants(|grants| {
            let all = grants.future.values().flatten();
            all.filter(|future| &*future.grant.grantee == grantee).cloned().collect()
        })
    }

    fn read_grants<T>(&self, read: impl FnOnce(&Grants) -> T) -> T {
        let grants = self.look(|memory| Arc::clone(&memory.grants));
        let guard = grants.read().unwrap_or_else(PoisonError::into_inner);
        read(&guard)
    }
}
