//! Names in GRANT, REVOKE and SHOW GRANTS, and of database roles. They are only completed here: who may grant on an object
//! is decided where the grant is made.

use super::Resolution;
use crate::Failure;
use crate::command::{
    AccessCommand, AccountCommand, Container, GrantScope, GrantTarget, GrantedName, Grantee, OwnershipChange,
    PrivilegeChange,
};

pub(super) fn access(command: &mut AccessCommand, resolution: &Resolution<'_>) -> Result<(), Failure> {
    match command {
        AccessCommand::Privileges(PrivilegeChange { target: on, grantee: to, .. })
        | AccessCommand::Ownership(OwnershipChange { target: on, grantee: to, .. }) => {
            target(on, resolution)?;
            grantee(to, resolution)
        }
    }
}

pub(super) fn account(command: &mut AccountCommand, resolution: &Resolution<'_>) -> Result<(), Failure> {
    match command {
        AccountCommand::CreateTagged { create, .. } => account(create, resolution),
        AccountCommand::CreateDatabaseRole { name, .. }
        | AccountCommand::AlterDatabaseRole { name, .. }
        | AccountCommand::DropDatabaseRole { name, .. } => name.qualify(resolution.namespace),
        AccountCommand::GrantDatabaseRole { role, to: other }
        | AccountCommand::RevokeDatabaseRole { role, from: other } => {
            role.qualify(resolution.namespace)?;
            grantee(other, resolution)
        }
        AccountCommand::GrantRole { to: other, .. } | AccountCommand::RevokeRole { from: other, .. } => {
            grantee(other, resolution)
        }
        _ => Ok(()),
    }
}

pub(super) fn scope(scope: &mut GrantScope, resolution: &Resolution<'_>) -> Result<(), Failure> {
    match scope {
        GrantScope::OfCaller | GrantScope::OfRole(_) | GrantScope::OnAccount => Ok(()),
        GrantScope::To(to) | GrantScope::FutureTo(to) => grantee(to, resolution),
        GrantScope::OfDatabaseRole(role) => role.qualify(resolution.namespace),
        GrantScope::On { name: on, .. } => name(on, resolution),
        GrantScope::FutureIn(within) => container(within, resolution),
    }
}

fn target(target: &mut GrantTarget, resolution: &Resolution<'_>) -> Result<(), Failure> {
    match target {
        GrantTarget::Account => Ok(()),
        GrantTarget::Objects { names, .. } => names.iter_mut().try_for_each(|on| name(on, resolution)),
        GrantTarget::All { container: within, .. } | GrantTarget::Future { container: within, .. } => {
            container(within, resolution)
        }
    }
}

pub(super) fn name(name: &mut GrantedName, resolution: &Resolution<'_>) -> Result<(), Failure> {
    match name {
        GrantedName::OfAccount(_) => Ok(()),
        GrantedName::DatabaseRole(role) => role.qualify(resolution.namespace),
        GrantedName::Schema(schema) => schema.qualify(resolution.namespace),
        GrantedName::Object(object) | GrantedName::Routine { name: object, .. } => object.qualify(resolution.namespace),
    }
}

fn container(container: &mut Container, resolution: &Resolution<'_>) -> Result<(), Failure> {
    match container {
        Container::Database(_) => Ok(()),
        Container::Schema(schema) => schema.qualify(resolution.namespace),
    }
}

fn grantee(grantee: &mut Grantee, resolution: &Resolution<'_>) -> Result<(), Failure> {
    match grantee {
        Grantee::DatabaseRole(role) => role.qualify(resolution.namespace),
        Grantee::User(_) | Grantee::Role(_) => Ok(()),
    }
}
