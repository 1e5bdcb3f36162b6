//! Commands on users, roles, warehouses, integrations, access tokens and the account itself.

use super::resource_monitors::MonitorDefinition;
use super::{AssignedTag, ContainerChange, CreateMode, IfMissing};
use crate::names::DatabaseRoleName;

/// Commands on the account's own objects; none of them reaches the engine.
#[derive(Clone, Debug)]
pub enum AccountCommand {
    CreateUser {
        name: String,
        mode: CreateMode,
        properties: Vec<Property>,
    },
    AlterUser {
        name: String,
        if_missing: IfMissing,
        change: UserChange,
    },
    DropUser {
        name: String,
        if_missing: IfMissing,
    },
    CreateRole {
        name: String,
        mode: CreateMode,
        comment: Option<String>,
    },
    AlterRole {
        name: String,
        if_missing: IfMissing,
        change: ContainerChange,
    },
    DropRole {
        name: String,
        if_missing: IfMissing,
    },
    GrantRole {
        role: String,
        to: Grantee,
    },
    RevokeRole {
        role: String,
        from: Grantee,
    },
    CreateDatabaseRole {
        name: DatabaseRoleName,
        mode: CreateMode,
        comment: Option<String>,
    },
    AlterDatabaseRole {
        name: DatabaseRoleName,
        if_missing: IfMissing,
        change: ContainerChange,
    },
    DropDatabaseRole {
        name: DatabaseRoleName,
        if_missing: IfMissing,
    },
    GrantDatabaseRole {
        role: DatabaseRoleName,
        to: Grantee,
    },
    RevokeDatabaseRole {
        role: DatabaseRoleName,
        from: Grantee,
    },
    CreateWarehouse {
        name: String,
        mode: CreateMode,
        properties: Vec<Property>,
    },
    AlterWarehouse {
        name: String,
        if_missing: IfMissing,
        change: WarehouseChange,
    },
    DropWarehouse {
        name: String,
        if_missing: IfMissing,
    },
    CreateIntegration {
        name: String,
        mode: CreateMode,
        properties: Vec<Property>,
    },
    AlterIntegration {
        name: String,
        if_missing: IfMissing,
        set: Vec<Property>,
        unset: Vec<String>,
    },
    DropIntegration {
        name: String,
        if_missing: IfMissing,
    },
    CreateNetworkPolicy {
        name: String,
        mode: CreateMode,
        properties: Vec<Property>,
    },
    AlterNetworkPolicy {
        name: String,
        if_missing: IfMissing,
        change: NetworkPolicyChange,
    },
    DropNetworkPolicy {
        name: String,
        if_missing: IfMissing,
    },
    CreateResourceMonitor {
        name: String,
        mode: CreateMode,
        definition: MonitorDefinition,
    },
    AlterResourceMonitor {
        name: String,
        if_missing: IfMissing,
        definition: MonitorDefinition,
    },
    DropResourceMonitor {
        name: String,
        if_missing: IfMissing,
    },
    /// A command that creates an object, with the tags that the object gets.
    CreateTagged {
        create: Box<AccountCommand>,
        tags: Vec<AssignedTag>,
    },
    /// `DROP … IF EXISTS` of a kind of object that does not exist here.
    DropUnsupported {
        name: String,
    },
    AlterAccount {
        set: Vec<Property>,
        unset: Vec<String>,
    },
    AccessToken {
        user: Option<String>,
        change: AccessTokenChange,
    },
}

/// `NAME = value` of a CREATE or ALTER; the name in upper case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Property {
    pub name: String,
    pub value: PropertyValue,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PropertyValue {
    /// A quoted string, a word, a number or TRUE/FALSE, as text; a word is folded to upper case.
    Text(String),
    List(Vec<String>),
    Null,
}

#[derive(Clone, Debug)]
pub enum UserChange {
    Rename(String),
    Set(Vec<Property>),
    Unset(Vec<String>),
}

#[derive(Clone, Debug)]
pub enum NetworkPolicyChange {
    Rename(String),
    Set(Vec<Property>),
    Unset(Vec<String>),
}

#[derive(Clone, Debug)]
pub enum WarehouseChange {
    Rename(String),
    Set(Vec<Property>),
    Unset(Vec<String>),
    Suspend,
    Resume { if_suspended: bool },
    AbortAllQueries,
}

#[derive(Clone, Debug)]
pub enum Grantee {
    User(String),
    Role(String),
    DatabaseRole(DatabaseRoleName),
}

#[derive(Clone, Debug)]
pub enum AccessTokenChange {
    Add { name: String, properties: Vec<Property> },
    Modify { name: String, change: TokenChange },
    Rotate { name: String, properties: Vec<Property> },
    Remove { name: String },
}

#[derive(Clone, Debug)]
pub enum TokenChange {
    Rename(String),
    Set(Vec<Property>),
    Unset(Vec<String>),
}
