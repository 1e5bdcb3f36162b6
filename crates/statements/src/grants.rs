//! GRANT and REVOKE of privileges and ownership.

mod cloned_policies;
mod cloned_views;
mod clones;
mod creation;
mod dependents;
mod managed_access;
mod ownership;
mod privileges;
mod sweep;
mod targets;

use firn_catalog::{Catalog, Holder};
use firn_engine::Session;
use firn_sql::Failure;
use firn_sql::command::{AccessCommand, GrantedKind, GrantedName, Grantee};
use firn_sql::names::{DatabaseRoleName, display_identifier};
use firn_sql::privileges::SecurableKind;

use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

pub use clones::{ClonedSchema, check_clone, check_undrop, cloned_schema, grant_on_clone};
pub use creation::{existing, grant_on_creation};
pub use managed_access::check_managed_access;
pub use sweep::sweep;
use targets::Targets;
pub use targets::{Named, Place, Target, named_within};

/// What GRANT and REVOKE work with.
pub struct Grants<'a> {
    services: &'a Services,
    session: &'a mut dyn Session,
    state: &'a SessionState,
}

impl<'a> Grants<'a> {
    pub fn new(services: &'a Services, session: &'a mut dyn Session, state: &'a SessionState) -> Self {
        Self { services, session, state }
    }

    pub fn apply(&mut self, command: &AccessCommand) -> Result<(), RunError> {
        match command {
            AccessCommand::Privileges(change) => self.change_privileges(change),
            AccessCommand::Ownership(change) => self.change_owner(change),
        }
    }

    fn catalog(&self) -> &'a Catalog {
        &self.services.catalog
    }

    fn targets(&self) -> Targets<'_> {
        Targets { services: self.services, session: &*self.session, state: self.state }
    }

    fn manages_grants(&self) -> bool {
        self.targets().manages_grants()
    }

    /// Who owns a user, or has privileges on one, could act as that user: administrators are granted upon by their like alone.
    fn refuse_above(&self, target: &Target) -> Result<(), Failure> {
        let (SecurableKind::User, Place::OfAccount(name)) = (target.kind, &target.place) else { return Ok(()) };
        let principals = self.catalog().principals();
        match principals.user(name).is_some_and(|user| self.catalog().is_above(user, &self.state.role)) {
            true => Err(Failure::insufficient_privileges("user", &target.shown)),
            false => Ok(()),
        }
    }

    /// The key of whom something is granted to.
    fn holder(&self, grantee: &Grantee) -> Result<Holder, RunError> {
        if let Grantee::DatabaseRole(name) = grantee
            && !self.targets().authority().sees_database(name.database())
        {
            return Err(missing_database_role(name).into());
        }
        holder(self.catalog(), grantee)
    }
}

/// An object by its name, for who may know of it.
pub fn named_target(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    kind: GrantedKind,
    name: &GrantedName,
) -> Result<Target, RunError> {
    Targets { services, session, state }.named(kind, name)
}

/// Whom a statement names.
pub fn holder(catalog: &Catalog, grantee: &Grantee) -> Result<Holder, RunError> {
    let principals = catalog.principals();
    Ok(match grantee {
        Grantee::Role(name) => {
            principals.role(name).ok_or_else(|| Failure::missing_object("Role", &display_identifier(name)))?;
            Holder::Role(name.clone())
        }
        Grantee::User(name) => {
            let user = principals.user(name);
            let user = user.ok_or_else(|| Failure::missing_object("User", &display_identifier(name)))?;
            Holder::User(user.id)
        }
        Grantee::DatabaseRole(name) => {
            Holder::DatabaseRole { database: database_of(catalog, name)?, name: name.name.clone() }
        }
    })
}

fn missing_database_role(name: &DatabaseRoleName) -> Failure {
    Failure::missing_object("Database role", &name.to_string())
}

/// The id of the database of a role that exists.
pub fn database_of(catalog: &Catalog, name: &DatabaseRoleName) -> Result<i64, RunError> {
    let missing = || missing_database_role(name);
    let database = catalog.database(name.database()).ok_or_else(missing)?;
    catalog.principals().database_role(database.id, &name.name).ok_or_else(missing)?;
    Ok(database.id)
}
