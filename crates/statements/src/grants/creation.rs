//! What new objects get: future grants, and with COPY GRANTS those of the object they replace, or of the table they copy.

use std::collections::HashMap;

use firn_catalog::{FuturePlace, GrantEdit, Holder, PrivilegeGrant, Securable};
use firn_engine::Session;
use firn_sql::ObjectName;
use firn_sql::command::{Command, Ddl, LoginPolicyCommand, OwnershipTarget, Persistence, StageCommand, TableSource};
use firn_sql::names::SchemaName;
use firn_sql::privileges::{Privilege, SecurableKind};
use firn_sql::semantic_views::SemanticViewCommand;

use super::ownership::set_owners;
use super::targets::{Named, Place, named_within};
use crate::authorise::within;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// What a database held before a statement that creates something, by kind and id; its schemas too.
pub struct Existing {
    database: String,
    objects: HashMap<(SecurableKind, i64), Named>,
    schemas: HashMap<i64, String>,
    /// The privileges on the table that CLONE or LIKE copies with COPY GRANTS.
    of_source: Vec<PrivilegeGrant>,
}

/// The database in which a statement creates something that privileges are granted on, with what is in it. `None` where
/// nobody gets anything by a creation there.
pub fn existing(services: &Services, session: &dyn Session, command: &Command) -> Result<Option<Existing>, RunError> {
    let Some(database) = database_of(command) else { return Ok(None) };
    let Some(record) = services.catalog.database(&database) else { return Ok(None) };
    if !services.catalog.has_future_grants(record.id) && !copies_grants(command) {
        return Ok(None);
    }
    let objects = named_within(services, session, &record)?;
    let schemas = session.schemas(&database)?.into_iter().map(|schema| (schema.id, schema.name)).collect();
    let of_source = match source_of_grants(command) {
        Some(source) => grants_on_table(services, session, source)?,
        None => Vec::new(),
    };
    Ok(Some(Existing { database, objects, schemas, of_source }))
}

fn source_of_grants(command: &Command) -> Option<&ObjectName> {
    match command {
        Command::Ddl(Ddl::CreateTable(table)) if table.copy_grants => match &table.source {
            TableSource::Like(source) | TableSource::Clone(source) => Some(source),
            TableSource::Definition | TableSource::Query(_) | TableSource::Template(_) => None,
        },
        _ => None,
    }
}

fn grants_on_table(
    services: &Services,
    session: &dyn Session,
    table: &ObjectName,
) -> Result<Vec<PrivilegeGrant>, RunError> {
    let Some(record) = services.catalog.database(table.database()) else { return Ok(Vec::new()) };
    // Nobody has privileges on a temporary table, which may have the name of a permanent one.
    if session.describe(table)?.is_none_or(|found| found.persistence == Persistence::Temporary) {
        return Ok(Vec::new());
    }
    let named = named_within(services, session, &record)?.into_values();
    let found = named.into_iter().find(|named| named.kind == SecurableKind::Table && named.name == *table);
    Ok(found.map_or_else(Vec::new, |found| services.catalog.grants_on(&within(found.kind, &record, found.id))))
}

fn database_of(command: &Command) -> Option<String> {
    let name = match command {
        Command::Ddl(Ddl::CreateSchema { name, .. }) => return name.database.clone(),
        Command::Ddl(Ddl::CreateTable(table)) => &table.name,
        Command::Ddl(Ddl::CreateView(view)) => &view.name,
        Command::Ddl(Ddl::CreateSequence { name, .. }) => name,
        Command::Ddl(Ddl::CreateRoutine { routine, .. }) => &routine.name,
        Command::Stages(StageCommand::CreateStage(create)) => &create.name,
        Command::Stages(StageCommand::CreateFormat { name, .. }) => name,
        Command::SemanticViews(command) => return command.creates_in().map(str::to_owned),
        Command::LoginPolicies(LoginPolicyCommand::Create { name, .. }) => name,
        _ => return None,
    };
    name.database.clone()
}

/// Whether the object gets the privileges on the one that it replaces or is cloned from.
fn copies_grants(command: &Command) -> bool {
    match command {
        Command::Ddl(Ddl::CreateTable(table)) => table.copy_grants,
        Command::Ddl(Ddl::CreateView(view)) => view.copy_grants || view.or_alter,
        Command::Ddl(Ddl::CreateRoutine { copy_grants, .. })
        | Command::SemanticViews(SemanticViewCommand::Create { copy_grants, .. }) => *copy_grants,
        _ => false,
    }
}

fn clones_schema(command: &Command) -> bool {
    matches!(command, Command::Ddl(Ddl::CreateSchema { clone_of: Some(_), .. }))
}

/// Grants on what is there now and was not before.
pub fn grant_on_creation(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    command: &Command,
    before: &Existing,
) -> Result<(), RunError> {
    let Some(record) = services.catalog.database(&before.database) else { return Ok(()) };
    let mut edits = Vec::new();
    let mut owners = Vec::new();
    let mut schemas = HashMap::new();
    for schema in session.schemas(&before.database)? {
        if !before.schemas.contains_key(&schema.id) {
            let on = within(SecurableKind::Schema, &record, schema.id);
            let place = FuturePlace { database: record.id, schema: None };
            let granted = future(services, place, SecurableKind::Schema);
            let name = SchemaName { database: Some(before.database.clone()), schema: schema.name.clone() };
            let place = Place::InDatabase(OwnershipTarget::Schema(name), schema.id);
            owners.extend(owner_among(&granted).map(|owner| (place, owner)));
            edits.extend(granted.iter().filter_map(|grant| edit(grant, &on)));
        }
        schemas.insert(schema.name, schema.id);
    }
    for (key, named) in named_within(services, session, &record)? {
        // The objects of a clone have the privileges of those that they were made of.
        if before.objects.contains_key(&key) || clones_schema(command) {
            continue;
        }
        let on = within(named.kind, &record, named.id);
        edits.extend(copied_grants(command, before, &named, (record.id, &state.role.name), &on));
        let schema = schemas.get(named.name.schema()).copied();
        let granted = of_new_object(services, record.id, schema, named.kind);
        owners.extend(owner_among(&granted).map(|owner| (named.place.clone(), owner)));
        edits.extend(granted.iter().filter_map(|grant| edit(grant, &on)));
    }
    services.catalog.edit_grants(&edits)?;
    for (place, owner) in owners {
        set_owners(services, session, state, &[(place, &owner)])?;
    }
    services.changes.note_definitions_in(std::iter::once(before.database.as_str()));
    Ok(())
}

/// Those of the schema stand before those of its database: where there are any of the kind, these alone count.
fn of_new_object(services: &Services, database: i64, schema: Option<i64>, kind: SecurableKind) -> Vec<PrivilegeGrant> {
    let of_schema = schema.map(|schema| future(services, FuturePlace { database, schema: Some(schema) }, kind));
    match of_schema {
        Some(granted) if !granted.is_empty() => granted,
        _ => future(services, FuturePlace { database, schema: None }, kind),
    }
}

fn future(services: &Services, place: FuturePlace, kind: SecurableKind) -> Vec<PrivilegeGrant> {
    let granted = services.catalog.future_grants_in(place).into_iter();
    granted.filter(|future| future.kind == kind).map(|future| future.grant).collect()
}

fn owner_among(granted: &[PrivilegeGrant]) -> Option<String> {
    let owner = granted.iter().find(|grant| grant.privilege == Privilege::Ownership);
    owner.map(|grant| grant.grantee.to_string())
}

/// `None` for ownership, which is no grant.
fn edit(grant: &PrivilegeGrant, on: &Securable) -> Option<GrantEdit> {
    (grant.privilege != Privilege::Ownership).then(|| GrantEdit::Grant {
        on: on.clone(),
        privilege: grant.privilege,
        grantee: grant.grantee.to_string(),
        granted_by: grant.granted_by.to_string(),
        grant_option: grant.grant_option,
    })
}

/// The privileges on the object of the same name that was replaced; where there was none, those on the table that was copied.
fn copied_grants(
    command: &Command,
    before: &Existing,
    new: &Named,
    (database, creator): (i64, &str),
    on: &Securable,
) -> Vec<GrantEdit> {
    if !copies_grants(command) {
        return Vec::new();
    }
    if let Some(old) = before.objects.values().find(|old| old.kind == new.kind && old.shown == new.shown) {
        let from = Securable::Within { kind: old.kind, database, id: old.id };
        return vec![GrantEdit::Copy { from, to: on.clone() }];
    }
    // A role of another database cannot have privileges here.
    let is_copied = |grant: &&PrivilegeGrant| match Holder::of_key(&grant.grantee) {
        Holder::DatabaseRole { database: of_role, .. } => of_role == database,
        Holder::Role(_) | Holder::User(_) => true,
    };
    let copied = before.of_source.iter().filter(is_copied).filter_map(|grant| edit(grant, on));
    copied.map(|copied| granted_by(copied, creator)).collect()
}

fn granted_by(edit: GrantEdit, role: &str) -> GrantEdit {
    match edit {
        GrantEdit::Grant { on, privilege, grantee, grant_option, .. } => {
            GrantEdit::Grant { on, privilege, grantee, granted_by: role.to_owned(), grant_option }
        }
        other => other,
    }
}
