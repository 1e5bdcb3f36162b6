//! Databases whose tables are on a cluster: what statements may do with them, and the integrations that say where they are.
//! They are read only; whatever else names one is refused here, before anything of it runs.

use firn_catalog::Securable;
use firn_catalog::catalog_integrations::SECRET_PROPERTY;
use firn_engine::error::UNREACHABLE_STATE;
use firn_engine::{Engine, Session};
use firn_sql::Failure;
use firn_sql::command::{AccountCommand, Command, Ddl, Property, PropertyValue};
use firn_sql::names::INFORMATION_SCHEMA;
use firn_sql::privileges::Privilege;
use firn_sql::resolve::{Access, ObjectUse, UsedKind, Uses};

use crate::authorise::Authority;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// Refuses what linked databases do not have.
pub fn check(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    command: &Command,
    uses: &Uses,
) -> Result<(), RunError> {
    if let Command::Ddl(Ddl::CreateDatabase { link: Some(integration), .. }) = command {
        check_link(services, session, state, integration)?;
    }
    if !services.catalog.has_links() {
        return Ok(());
    }
    let is_linked = |database: &str| services.catalog.link_of_name(database).is_some();
    let changed_schema =
        uses.schemas.iter().find(|used| used.access != Access::Read && is_linked(used.name.database()));
    if let Some(used) = changed_schema {
        return Err(read_only(used.name.database()).into());
    }
    let (linked, others): (Vec<&ObjectUse>, Vec<&ObjectUse>) =
        uses.objects.iter().partition(|object| is_linked(object.name.database()));
    let Some(first) = linked.first() else { return Ok(()) };
    let database = first.name.database();
    if linked.iter().any(|object| object.access != Access::Read) {
        return Err(read_only(database).into());
    }
    let is_list = matches!(command, Command::Show(_) | Command::Describe { .. } | Command::DescribeRoutine { .. });
    if is_list || matches!(command, Command::Access(_)) {
        return Ok(());
    }
    let refused = |what: &str| Err(Failure::unsupported(&format!("{what} (database {database})")).into());
    if !matches!(command, Command::Query(_) | Command::Explain(_)) {
        return refused("statement that reads a linked database and is no query");
    }
    if linked.iter().any(|object| object.name.schema() == INFORMATION_SCHEMA) {
        return refused("INFORMATION_SCHEMA of a linked database; SHOW and DESCRIBE list what it has");
    }
    if linked.iter().any(|object| !is_relation(object.kind)) {
        return refused("stages, sequences and functions of a linked database");
    }
    if session.in_transaction() {
        return refused("linked database in a transaction");
    }
    if others.iter().any(|object| is_relation(object.kind)) {
        return refused("query over a linked database and another one");
    }
    Ok(())
}

fn is_relation(kind: UsedKind) -> bool {
    matches!(kind, UsedKind::Relation | UsedKind::Table | UsedKind::View)
}

fn read_only(database: &str) -> Failure {
    Failure::unsupported(&format!("change in the linked database {database}, which is read only"))
}

fn check_link(services: &Services, session: &dyn Session, state: &SessionState, name: &str) -> Result<(), RunError> {
    let principals = services.catalog.principals();
    let authority = Authority::new(&services.catalog, session, &state.role);
    let on = Securable::Integration(name.to_owned());
    let found = principals.catalog_integration(name);
    let found = found.filter(|found| authority.on(&found.owner, &on).contains(Privilege::Usage));
    let found = found.ok_or_else(|| Failure::missing_object("Integration", name))?;
    if !found.enabled {
        return Err(disabled(name).into());
    }
    Ok(services.engine.check_catalog_address(&found.uri)?)
}

/// What a statement fails with whose integration is switched off.
pub fn disabled(name: &str) -> Failure {
    let message =
        format!("Catalog integration '{name}' is not enabled; ALTER CATALOG INTEGRATION {name} SET ENABLED = TRUE.");
    Failure::new("003537", "55000", message)
}

/// `SYSTEM$VERIFY_CATALOG_INTEGRATION`.
pub fn verify(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    name: &str,
) -> Result<String, RunError> {
    check_link(services, session, state, name)?;
    Ok(services.engine.verify_catalog_integration(name)?)
}

/// A command on a catalog integration with its secret sealed, once the address is found to be allowed.
pub fn sealed(engine: &dyn Engine, command: &AccountCommand) -> Result<Option<AccountCommand>, RunError> {
    let mut command = command.clone();
    let properties = match &mut command {
        AccountCommand::CreateIntegration { properties, .. } => properties,
        AccountCommand::AlterIntegration { set, .. } => set,
        _ => return Ok(None),
    };
    for Property { name, value } in properties.iter_mut() {
        match (name.as_str(), value) {
            (SECRET_PROPERTY, PropertyValue::Text(secret)) => *secret = engine.seal_secret(secret)?,
            ("CATALOG_URI", PropertyValue::Text(uri)) => engine.check_catalog_address(uri)?,
            _ => {}
        }
    }
    Ok(Some(command))
}

/// Whether a failure is that of a cluster which cannot be reached.
pub fn is_unreachable(error: &RunError) -> bool {
    matches!(error, RunError::Failed(failure) if failure.sql_state == UNREACHABLE_STATE)
}
