//! GRANT and REVOKE of privileges and of ownership, and what SHOW GRANTS asks for.

use super::{DataType, Grantee};
use crate::names::{DatabaseRoleName, ObjectName, SchemaName};
use crate::privileges::{Privilege, SecurableKind};

#[derive(Clone, Debug)]
pub enum AccessCommand {
    Privileges(PrivilegeChange),
    Ownership(OwnershipChange),
}

/// `GRANT … ON … TO …` and `REVOKE … ON … FROM …`.
#[derive(Clone, Debug)]
pub struct PrivilegeChange {
    pub verb: GrantVerb,
    pub privileges: Privileges,
    pub target: GrantTarget,
    pub grantee: Grantee,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantVerb {
    Grant,
    GrantWithOption,
    Revoke(RevokeMode),
    /// `REVOKE GRANT OPTION FOR`: the privilege itself stays.
    RevokeOption(RevokeMode),
}

/// What becomes of the grants that the grantee made with a grant option.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RevokeMode {
    Restrict,
    Cascade,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Privileges {
    /// `ALL [PRIVILEGES]`: all that the kind of object has, but for its ownership.
    All,
    Listed(Vec<Privilege>),
}

/// `GRANT OWNERSHIP ON … TO …`.
#[derive(Clone, Debug)]
pub struct OwnershipChange {
    pub target: GrantTarget,
    pub grantee: Grantee,
    pub current_grants: CurrentGrants,
}

/// What becomes of the privileges that were granted before the owner changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurrentGrants {
    /// Without a clause they have to be revoked first.
    Refuse,
    Copy,
    Revoke,
}

#[derive(Clone, Debug)]
pub enum GrantTarget {
    Account,
    Objects {
        kind: GrantedKind,
        names: Vec<GrantedName>,
    },
    /// `ALL <kind>s IN …`.
    All {
        kind: GrantedKind,
        container: Container,
    },
    /// `FUTURE <kind>s IN …`.
    Future {
        kind: GrantedKind,
        container: Container,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GrantedKind {
    Of(SecurableKind),
    /// No kind is named: a table or a view.
    Relation,
    /// A kind of which nothing can exist here.
    Unsupported(&'static str),
}

#[derive(Clone, Debug)]
pub enum GrantedName {
    /// Of a user, role, warehouse, resource monitor, integration or database.
    OfAccount(String),
    DatabaseRole(DatabaseRoleName),
    Schema(SchemaName),
    Object(ObjectName),
    Routine {
        name: ObjectName,
        types: Vec<DataType>,
    },
}

#[derive(Clone, Debug)]
pub enum Container {
    Database(String),
    Schema(SchemaName),
}

/// What SHOW GRANTS lists.
#[derive(Clone, Debug)]
pub enum GrantScope {
    /// The roles of the caller.
    OfCaller,
    /// Roles and privileges of a user or role.
    To(Grantee),
    /// Who has the role.
    OfRole(String),
    OfDatabaseRole(DatabaseRoleName),
    On {
        kind: GrantedKind,
        name: GrantedName,
    },
    OnAccount,
    FutureIn(Container),
    FutureTo(Grantee),
}
