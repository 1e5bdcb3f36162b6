//! CREATE, ALTER and DROP of databases and schemas.

use super::commands::tag_names;
use super::{Access, OWNERSHIP, Resolution, USAGE};
use crate::Failure;
use crate::command::{ContainerChange, Ddl};
use crate::names::SchemaName;
use crate::privileges::{Privilege, PrivilegeSet};

pub(super) const CREATE_DATABASE: PrivilegeSet = PrivilegeSet::NONE.with(Privilege::CreateDatabase);
pub(super) const CREATE_SCHEMA: PrivilegeSet = PrivilegeSet::NONE.with(Privilege::CreateSchema);
pub(super) const MODIFY: PrivilegeSet = PrivilegeSet::NONE.with(Privilege::Modify);

pub(super) fn names(ddl: &mut Ddl, resolution: &mut Resolution<'_>) -> Result<(), Failure> {
    match ddl {
        Ddl::CreateDatabase { name, mode, clone_of, tags, .. } => {
            tag_names(tags, resolution)?;
            resolution.database(name, Access::of_mode(*mode), CREATE_DATABASE)?;
            clone_of.as_mut().map_or(Ok(()), |source| resolution.database(source, Access::Read, USAGE))
        }
        Ddl::AlterDatabase { name, change, if_missing } => {
            resolution.database_if_any(name, Access::Change, change_needs(change), *if_missing)?;
            match change {
                ContainerChange::SwapWith(other) => resolution.database(other, Access::Change, OWNERSHIP),
                ContainerChange::SetTags(changes) => tag_names(changes, resolution),
                _ => Ok(()),
            }
        }
        Ddl::DropDatabase { name, if_missing } => {
            resolution.database_if_any(name, Access::Drop, OWNERSHIP, *if_missing)
        }
        Ddl::CreateSchema { name, mode, clone_of, tags, .. } => {
            tag_names(tags, resolution)?;
            resolution.schema(name, Access::of_mode(*mode), CREATE_SCHEMA)?;
            clone_of.as_mut().map_or(Ok(()), |source| resolution.schema(source, Access::Read, USAGE))
        }
        Ddl::AlterSchema { name, change, if_missing } => {
            resolution.schema_if_any(name, Access::Change, change_needs(change), *if_missing)?;
            match change {
                ContainerChange::SwapWith(other) => {
                    let mut other = SchemaName { database: name.database.clone(), schema: other.clone() };
                    resolution.schema(&mut other, Access::Change, OWNERSHIP)
                }
                ContainerChange::Rename(new) => {
                    let mut new = SchemaName { database: name.database.clone(), schema: new.clone() };
                    resolution.schema(&mut new, Access::Create, CREATE_SCHEMA)
                }
                ContainerChange::SetTags(changes) => tag_names(changes, resolution),
                _ => Ok(()),
            }
        }
        Ddl::DropSchema { name, if_missing, .. } => {
            resolution.schema_if_any(name, Access::Drop, OWNERSHIP, *if_missing)
        }
        _ => Ok(()),
    }
}

fn change_needs(change: &ContainerChange) -> PrivilegeSet {
    match change {
        ContainerChange::Rename(_) | ContainerChange::SwapWith(_) | ContainerChange::SetManagedAccess(_) => OWNERSHIP,
        ContainerChange::SetComment(_) | ContainerChange::SetRetention(_) => MODIFY,
        // Who may do so depends on the tags.
        ContainerChange::SetTags(_) => PrivilegeSet::NONE,
    }
}
