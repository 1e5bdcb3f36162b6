//! The database and the schema that a session has chosen.

use firn_catalog::Catalog;
use firn_engine::Session;
use firn_sql::command::{Command, CreateMode, Ddl};
use firn_sql::names::SchemaName;
use firn_sql::privileges::Privilege;
use firn_sql::{Failure, Namespace};

use super::{DEFAULT_SCHEMA, SessionState};
use crate::authorise::authority::{Authority, missing_database, missing_schema};
use crate::kept_sessions::SessionKind;
use crate::run_error::RunError;
use crate::services::Services;

/// Which names the request gave itself, rather than the user's defaults.
#[derive(Clone, Copy, Debug)]
pub struct GivenNames {
    pub database: bool,
    pub schema: bool,
}

impl SessionState {
    /// Checks the request's own database and schema; defaults that do not hold are dropped silently,
    /// as they may be stale. A kept session keeps what it has chosen, also while its role may not use that.
    pub fn enter(&mut self, services: &Services, session: &dyn Session, request: &GivenNames) -> Result<(), RunError> {
        if self.is_kept() && !request.database && !request.schema {
            return Ok(());
        }
        let Some(database) = self.namespace.database.clone() else { return Ok(()) };
        let authority = Authority::new(&services.catalog, session, &self.role);
        if !authority.database(&database).contains(Privilege::Usage) {
            if request.database {
                return Err(missing_database(&database).into());
            }
            self.namespace = Namespace::default();
            return Ok(());
        }
        // Its schemas are not known; the statement is refused by name if it needs one.
        if services.databases.set_aside.contains(&database) {
            self.namespace.schema.get_or_insert_with(|| DEFAULT_SCHEMA.to_owned());
            return Ok(());
        }
        let Some(schema) = self.namespace.schema.clone() else { return Ok(()) };
        if !authority.schema(&database, &schema)?.contains(Privilege::Usage) {
            if request.schema {
                let name = SchemaName { database: Some(database), schema };
                return Err(missing_schema(&name).into());
            }
            self.namespace.schema = default_schema(&database, session)?;
        }
        Ok(())
    }

    pub(super) fn use_database(
        &mut self,
        name: &str,
        catalog: &Catalog,
        session: &dyn Session,
    ) -> Result<(), RunError> {
        let authority = Authority::new(catalog, session, &self.role);
        if !authority.database(name).contains(Privilege::Usage) {
            return Err(not_there(missing_database(name)).into());
        }
        self.namespace = Namespace { database: Some(name.to_owned()), schema: default_schema(name, session)? };
        Ok(())
    }

    pub(super) fn use_schema(
        &mut self,
        mut name: SchemaName,
        catalog: &Catalog,
        session: &dyn Session,
    ) -> Result<(), RunError> {
        name.qualify(&self.namespace)?;
        let authority = Authority::new(catalog, session, &self.role);
        if !authority.schema(name.database(), &name.schema)?.contains(Privilege::Usage) {
            return Err(not_there(missing_schema(&name)).into());
        }
        self.namespace = Namespace { database: name.database, schema: Some(name.schema) };
        Ok(())
    }
}

/// What a statement has made and a kept session goes on in: a database or a schema that was not there before.
pub struct Created(Option<Namespace>);

impl Created {
    /// Before the statement runs. One that finds what it would make changes nothing.
    pub fn by(
        command: &Command,
        state: &SessionState,
        services: &Services,
        session: &dyn Session,
    ) -> Result<Self, RunError> {
        let is_for_later =
            state.kept_as.is_some_and(|kept| kept.kind == SessionKind::Driver) && !state.has_owners_rights;
        let made = match command {
            _ if !is_for_later => None,
            Command::Ddl(Ddl::CreateDatabase { name, mode, .. }) => {
                let is_new = *mode != CreateMode::IfNotExists || services.catalog.database(name).is_none();
                is_new.then(|| Namespace { database: Some(name.clone()), schema: Some(DEFAULT_SCHEMA.to_owned()) })
            }
            Command::Ddl(Ddl::CreateSchema { name, mode, .. }) => {
                let mut schemas = session.schemas(name.database())?.into_iter();
                let is_new = *mode != CreateMode::IfNotExists || !schemas.any(|schema| schema.name == name.schema);
                is_new.then(|| Namespace { database: name.database.clone(), schema: Some(name.schema.clone()) })
            }
            _ => None,
        };
        Ok(Self(made))
    }

    /// After it has succeeded.
    pub fn choose(self, state: &mut SessionState) {
        if let Some(namespace) = self.0 {
            state.namespace = namespace;
        }
    }
}

/// USE says of what does not exist that the operation cannot be performed.
fn not_there(missing: Failure) -> Failure {
    Failure { code: "002043", sql_state: "02000", ..missing }
}

/// The schema that is chosen with a database; nothing where it has no such schema.
fn default_schema(database: &str, session: &dyn Session) -> Result<Option<String>, RunError> {
    let schemas = session.schemas(database)?;
    Ok(schemas.into_iter().map(|schema| schema.name).find(|name| name == DEFAULT_SCHEMA))
}
