//! Privileges that were granted, by what they were granted on. All of them are in memory, so that a decision reads no file.

mod edits;
mod load;
mod lookups;

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use firn_sql::privileges::{Privilege, PrivilegeSet, SecurableKind};

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
            SecurableKind::Role | SecurableKind::DatabaseRole | SecurableKind::NetworkPolicy => return None,
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
    pub(crate) fn held(&self, holders: &HashSet<String>, on: &Securable) -> PrivilegeSet {
        let found = self.on.get(on).into_iter().flatten();
        let held = found.filter(|grant| holders.contains(&*grant.grantee));
        held.map(|grant| grant.privilege).collect()
    }
}

#[cfg(test)]
mod tests;
