//! Managed access: the owner of the schema grants privileges on what is in it, whoever owns that. Who makes a schema managed
//! therefore gets at what other roles own there, and needs MANAGE GRANTS.

use firn_engine::Session;
use firn_sql::Failure;
use firn_sql::command::{ContainerChange, Ddl};
use firn_sql::privileges::Privilege;

use super::ownership::WITH_OWNERS_RIGHTS;
use super::targets::Named;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

pub fn check_managed_access(services: &Services, state: &SessionState, ddl: &Ddl) -> Result<(), RunError> {
    match ddl {
        Ddl::AlterSchema { name, change: ContainerChange::SetManagedAccess(true), .. } => {
            if services.catalog.has_account_privilege(&state.role, Privilege::ManageGrants) {
                return Ok(());
            }
            Err(Failure::insufficient_privileges("schema", &name.schema).into())
        }
        _ => Ok(()),
    }
}

/// Fails if a clone would be managed and hold something that runs with the rights of a role that the caller does not have.
pub(super) fn check_managed_clone(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    ddl: &Ddl,
    named: &[Named],
) -> Result<(), RunError> {
    let foreign: Vec<&Named> = named
        .iter()
        .filter(|named| WITH_OWNERS_RIGHTS.contains(&named.kind) && !state.role.may_use_what_is_owned_by(&named.owner))
        .collect();
    if foreign.is_empty() || services.catalog.has_account_privilege(&state.role, Privilege::ManageGrants) {
        return Ok(());
    }
    let (database, is_managed) = match ddl {
        Ddl::CreateDatabase { clone_of: Some(source), .. } => (source.as_str(), false),
        Ddl::CreateSchema { clone_of: Some(source), options, .. } => (source.database(), options.managed_access),
        _ => return Ok(()),
    };
    let schemas = session.schemas(database)?;
    let is_in_managed = |named: &&Named| {
        let schema = schemas.iter().find(|schema| schema.name == named.name.schema());
        is_managed || schema.is_some_and(|schema| schema.options.managed_access)
    };
    match foreign.into_iter().find(is_in_managed) {
        Some(named) => Err(Failure::insufficient_privileges("schema", named.name.schema()).into()),
        None => Ok(()),
    }
}
