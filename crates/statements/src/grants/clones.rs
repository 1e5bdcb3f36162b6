//! Clones of schemas and databases belong to who makes them, so that everything in the source has to be readable.

use firn_engine::Session;
use firn_sql::Failure;
use firn_sql::command::Ddl;
use firn_sql::privileges::{Privilege, SecurableKind};

use super::targets::named_within;
use crate::authorise::{Authority, Secured};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

pub fn check_clone(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    ddl: &Ddl,
) -> Result<(), RunError> {
    let (database, schema) = match ddl {
        Ddl::CreateDatabase { clone_of: Some(source), .. } => (source.as_str(), None),
        Ddl::CreateSchema { clone_of: Some(source), .. } => (source.database(), Some(source.schema.as_str())),
        _ => return Ok(()),
    };
    let Some(record) = services.catalog.database(database) else { return Ok(()) };
    let authority = Authority::new(&services.catalog, session, &state.role);
    for named in named_within(services, session, &record)?.into_values() {
        if schema.is_some_and(|schema| schema != named.name.schema()) {
            continue;
        }
        let secured =
            Secured { kind: named.kind, database, schema: named.name.schema(), owner: &named.owner, id: named.id };
        let needed = match named.kind {
            SecurableKind::Table | SecurableKind::View | SecurableKind::SemanticView => Privilege::Select,
            SecurableKind::Stage => Privilege::Read,
            _ => Privilege::Usage,
        };
        if !authority.has(secured, needed)? {
            let place = schema.map_or("database", |_| "schema");
            return Err(Failure::insufficient_privileges(place, schema.unwrap_or(database)).into());
        }
    }
    Ok(())
}
