//! Privileges that were granted, by what they were granted on. All of them are in memory, so that a decision reads no file.

mod edits;
mod load;

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, PoisonError};

use firn_sql::privileges::{Privilege, PrivilegeSet, SecurableKind};

use crate::caller::ActiveRole;
use crate::catalog::Catalog;

pub use edits::GrantEdit;
pub(crate) use load::load_grants;

/// What a privilege is granted on.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Securable {
    Account,
    User(i64),
    Warehouse(String),
    ResourceMonitor(String),
    Integration(String),
    /// By its id in the catalog.
    Database(i64),
    /// A schema, or an object in one, by its id in the database.
    Within {
        kind: SecurableKind,
        database: i64,
        id: i64,
    },
}

impl Securable {
    pub fn kind(&self) -> SecurableKind {
        match self {
            Self::Account => SecurableKind::Account,
            Self::User(_) => SecurableKind::User,
            Self::Warehouse(_) => SecurableKind::Warehouse,
            Self::ResourceMonitor(_) => SecurableKind::ResourceMonitor,
            Self::Integration(_) => SecurableKind::Integration,
            Self::Database(_) => SecurableKind::Database,
            Self::Within { kind, .. } => *kind,
        }
    }

    /// The id of the database that it is or lies in.
    pub fn database(&self) -> Option<i64> {
        match self {
            Self::Database(id) | Self::Within { database: id, .. } => Some(*id),
            Self::Account | Self::User(_) | Self::Warehouse(_) | Self::ResourceMonitor(_) | Self::Integration(_) => {
                None
            }
        }
    }

    /// The columns `database_id` and `object` of its grants.
    pub(crate) fn stored(&self) -> (i64, String) {
        match self {
            Self::Account => (0, String::new()),
            Self::User(id) => (0, id.to_string()),
            Self::Warehouse(name) | Self::ResourceMonitor(name) | Self::Integration(name) => (0, name.clone()),
            Self::Database(id) => (*id, String::new()),
            Self::Within { database, id, .. } => (*database, id.to_string()),
        }
    }

    fn of_stored(kind: SecurableKind, database: i64, object: &str) -> Option<Self> {
        Some(match kind {
            SecurableKind::Account => Self::Account,
            SecurableKind::User => Self::User(object.parse().ok()?),
            SecurableKind::Warehouse => Self::Warehouse(object.to_owned()),
            SecurableKind::ResourceMonitor => Self::ResourceMonitor(object.to_owned()),
            SecurableKind::Integration => Self::Integration(object.to_owned()),
            SecurableKind::Database => Self::Database(database),
            SecurableKind::Role | SecurableKind::DatabaseRole => return None,
            kind => Self::Within { kind, database, id: object.parse().ok()? },
        })
    }
}

/// One privilege that somebody has on an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PrivilegeGrant {
    pub privilege: Privilege,
    /// The key of a role, a database role or a user.
    pub grantee: Arc<str>,
    /// The role that made the grant; empty for those of the built-in roles.
    pub granted_by: Arc<str>,
    pub grant_option: bool,
    pub created_on_ms: i64,
}

/// A privilege that somebody gets on objects that are created later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FutureGrant {
    pub place: FuturePlace,
    pub kind: SecurableKind,
    pub grant: PrivilegeGrant,
}

/// Where objects are created.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FuturePlace {
    pub database: i64,
    /// `None` for all schemas of the database.
    pub schema: Option<i64>,
}

#[derive(Debug, Default)]
pub(crate) struct Grants {
    on: HashMap<Securable, Vec<PrivilegeGrant>>,
    future: HashMap<FuturePlace, Vec<FutureGrant>>,
}

impl Grants {
    pub(crate) fn held(
        &self,
        holders: &HashSet<String>,
        on: &Securable,
        wanted: impl Fn(&PrivilegeGrant) -> bool,
    ) -> PrivilegeSet {
        let found = self.on.get(on).into_iter().flatten();
        let held = found.filter(|grant| wanted(grant) && holders.contains(&*grant.grantee));
        held.map(|grant| grant.privilege).collect()
    }
}

impl Catalog {
    /// What was granted to the role or to one that it inherits; ownership is not among it.
    pub fn privileges(&self, role: &ActiveRole, on: &Securable) -> PrivilegeSet {
        self.read_grants(|grants| grants.held(&role.held, on, |_| true))
    }

    /// Of those, what the role may grant to others.
    pub fn grantable(&self, role: &ActiveRole, on: &Securable) -> PrivilegeSet {
        self.read_grants(|grants| grants.held(&role.held, on, |grant| grant.grant_option))
    }

    /// Without what comes from secondary roles, which create nothing.
    pub fn primary_privileges(&self, role: &ActiveRole, on: &Securable) -> PrivilegeSet {
        self.read_grants(|grants| grants.held(&role.primary, on, |_| true))
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

#[cfg(test)]
mod tests;
