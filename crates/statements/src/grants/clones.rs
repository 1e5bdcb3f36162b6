//! Clones of schemas and databases: everything in the source has to be readable, and what the clone holds has the privileges of
//! what it was made of. What was dropped is brought back by its owner.

use std::collections::HashMap;

use firn_catalog::{ActiveRole, DatabaseRecord, FutureGrant, FuturePlace, GrantEdit, Holder, PrivilegeGrant};
use firn_engine::Session;
use firn_sql::command::{CreateMode, Ddl, ObjectKind, OwnershipTarget};
use firn_sql::names::{SchemaName, display_identifier};
use firn_sql::privileges::{Privilege, SecurableKind};
use firn_sql::{Failure, ObjectName};

use super::cloned_policies;
use super::cloned_views::{Handover, handovers, reads_only};
use super::managed_access::check_managed_clone;
use super::ownership::{WITH_OWNERS_RIGHTS, set_owners};
use super::targets::{Named, Place, named_within};
use crate::authorise::{Authority, Secured, within};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// What a statement clones, as it was before.
pub struct CloneSource {
    objects: HashMap<CloneKey, Source>,
}

/// What an object and its copy have in common: the kind, the schema unless it is the one that is cloned, the name and the types
/// of parameters.
type CloneKey = (SecurableKind, String, String, String);

struct Source {
    owner: String,
    grants: Vec<PrivilegeGrant>,
    /// Those on what is created in it, if it is a schema.
    future: Vec<FutureGrant>,
    /// What the cloning role gets of it if it is another's.
    handover: Handover,
}

/// An object of a clone.
struct Copied {
    kind: SecurableKind,
    id: i64,
    name: ObjectName,
    owner: String,
    place: Place,
}

/// Fails if the role may not clone the schema or database that the statement clones. `None` if it clones nothing.
pub fn check_clone(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    ddl: &Ddl,
) -> Result<Option<CloneSource>, RunError> {
    let (database, schema) = match ddl {
        Ddl::CreateDatabase { clone_of: Some(source), .. } => (source.as_str(), None),
        Ddl::CreateSchema { clone_of: Some(source), .. } => (source.database(), Some(source.schema.as_str())),
        _ => return Ok(None),
    };
    let Some(record) = services.catalog.database(database) else { return Ok(None) };
    if is_skipped(services, session, ddl)? {
        return Ok(None);
    }
    let authority = Authority::new(&services.catalog, session, &state.role);
    let named = named_within(services, session, &record)?.into_values();
    let named: Vec<Named> = named.filter(|named| schema.is_none_or(|schema| schema == named.name.schema())).collect();
    for named in &named {
        // The copy of a policy or tag is still its owner's.
        if matches!(named.kind, SecurableKind::MaskingPolicy | SecurableKind::RowAccessPolicy | SecurableKind::Tag) {
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
    check_managed_clone(services, session, state, ddl, &named)?;
    cloned_policies::check(services, session, state, (database, schema))?;
    source_of(services, session, &state.role, (&record, schema), &named).map(Some)
}

/// A schema and its clone.
pub struct ClonedSchema<'ddl> {
    pub source: &'ddl SchemaName,
    pub target: &'ddl SchemaName,
}

/// The schema that a statement clones, which the clone may replace. `None` if it clones none.
pub fn cloned_schema<'ddl>(
    services: &Services,
    session: &dyn Session,
    ddl: &'ddl Ddl,
) -> Result<Option<ClonedSchema<'ddl>>, RunError> {
    match ddl {
        Ddl::CreateSchema { name, clone_of: Some(source), .. } if !is_skipped(services, session, ddl)? => {
            Ok(Some(ClonedSchema { source, target: name }))
        }
        _ => Ok(None),
    }
}

/// IF NOT EXISTS of what exists.
fn is_skipped(services: &Services, session: &dyn Session, ddl: &Ddl) -> Result<bool, RunError> {
    Ok(match ddl {
        Ddl::CreateDatabase { name, mode: CreateMode::IfNotExists, .. } => services.catalog.database(name).is_some(),
        Ddl::CreateSchema { name, mode: CreateMode::IfNotExists, .. } => {
            session.schemas(name.database())?.iter().any(|found| found.name == name.schema)
        }
        _ => false,
    })
}

fn source_of(
    services: &Services,
    session: &dyn Session,
    role: &ActiveRole,
    (database, schema): (&DatabaseRecord, Option<&str>),
    named: &[Named],
) -> Result<CloneSource, RunError> {
    let granted = |kind: SecurableKind, id: i64| services.catalog.grants_on(&within(kind, database, id));
    let handovers = handovers(services, session, role, (database, schema), named)?;
    let object = |named: &Named| {
        let grants = granted(named.kind, named.id);
        let handover = handovers.get(&(named.kind, named.id)).copied().unwrap_or(Handover::Nothing);
        (key_of(named, schema), Source { owner: named.owner.clone(), grants, future: Vec::new(), handover })
    };
    let mut objects: HashMap<CloneKey, Source> = named.iter().map(object).collect();
    if schema.is_none() {
        for found in session.schemas(&database.name)? {
            let place = FuturePlace { database: database.id, schema: Some(found.id) };
            let future = services.catalog.future_grants_in(place);
            let grants = granted(SecurableKind::Schema, found.id);
            let handover = Handover::Nothing;
            objects.insert(key_of_schema(&found.name), Source { owner: found.owner, grants, future, handover });
        }
    }
    Ok(CloneSource { objects })
}

fn key_of(named: &Named, cloned_schema: Option<&str>) -> CloneKey {
    let signature = named.shown.strip_prefix(&named.name.to_string()).unwrap_or_default();
    let schema = cloned_schema.map_or(named.name.schema(), |_| "");
    (named.kind, schema.to_owned(), named.name.name.clone(), signature.to_owned())
}

fn key_of_schema(name: &str) -> CloneKey {
    (SecurableKind::Schema, String::new(), name.to_owned(), String::new())
}

/// Gives what a clone holds the privileges on what it was made of; the clone itself has none. Objects of roles that the cloning
/// role has go on belonging to these; what becomes of views and functions of others is in `cloned_views`.
pub fn grant_on_clone(
    services: &Services,
    session: &mut dyn Session,
    state: &SessionState,
    ddl: &Ddl,
    source: &CloneSource,
) -> Result<(), RunError> {
    let (database, schema) = match ddl {
        Ddl::CreateDatabase { name, .. } => (name.as_str(), None),
        Ddl::CreateSchema { name, .. } => (name.database(), Some(name.schema.as_str())),
        _ => return Ok(()),
    };
    let Some(record) = services.catalog.database(database) else { return Ok(()) };
    let copies = copies_in(services, session, state, &record, schema)?;
    let mut edits = Vec::new();
    let mut owners = Vec::new();
    for (key, copy) in copies {
        let Some(made_of) = source.objects.get(&key) else { continue };
        let has_owner = state.role.may_use_what_is_owned_by(&made_of.owner);
        if has_owner && copy.owner != made_of.owner {
            owners.push((copy.place.clone(), made_of.owner.as_str()));
        }
        if !has_owner && WITH_OWNERS_RIGHTS.contains(&copy.kind) {
            if made_of.handover != Handover::Nothing {
                owners.push((copy.place, state.role.name.as_str()));
            }
            let is_read_by_others = made_of.handover == Handover::WithPrivileges
                && reads_only(services, session, &copy.name, (database, schema))?;
            if !is_read_by_others {
                continue;
            }
        }
        edits.extend(edits_of(state, &record, (copy.kind, copy.id), made_of));
    }
    set_owners(services, session, state, &owners)?;
    services.catalog.edit_grants(&edits)?;
    services.changes.note_definitions_in(std::iter::once(database));
    Ok(())
}

/// The privileges on an object of the source, for its copy.
fn edits_of(
    state: &SessionState,
    record: &DatabaseRecord,
    (kind, id): (SecurableKind, i64),
    made_of: &Source,
) -> Vec<GrantEdit> {
    let is_copied = |grant: &PrivilegeGrant| match Holder::of_key(&grant.grantee) {
        Holder::DatabaseRole { database, .. } => database == record.id,
        Holder::Role(role) if grant.privilege == Privilege::Ownership => state.role.may_use_what_is_owned_by(&role),
        Holder::Role(_) | Holder::User(_) => true,
    };
    let is_of_other_database =
        |key: &str| matches!(Holder::of_key(key), Holder::DatabaseRole { database, .. } if database != record.id);
    let owns_source = state.role.may_use_what_is_owned_by(&made_of.owner);
    let grantor = |grant: &PrivilegeGrant| match owns_source && !is_of_other_database(&grant.granted_by) {
        true => grant.granted_by.to_string(),
        false => state.role.name.clone(),
    };
    let on = within(kind, record, id);
    let granted = made_of.grants.iter().filter(|grant| is_copied(grant)).map(|grant| GrantEdit::Grant {
        on: on.clone(),
        privilege: grant.privilege,
        grantee: grant.grantee.to_string(),
        granted_by: grantor(grant),
        grant_option: grant.grant_option,
    });
    let future = made_of.future.iter().filter(|future| is_copied(&future.grant));
    let future = future.map(|future| GrantEdit::GrantFuture {
        place: FuturePlace { database: record.id, schema: Some(id) },
        kind: future.kind,
        privilege: future.grant.privilege,
        grantee: future.grant.grantee.to_string(),
        granted_by: grantor(&future.grant),
        grant_option: future.grant.grant_option,
    });
    granted.chain(future).collect()
}

/// What a clone that the role has just made holds; nothing if somebody else's was there before it.
fn copies_in(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    database: &DatabaseRecord,
    schema: Option<&str>,
) -> Result<Vec<(CloneKey, Copied)>, RunError> {
    let schemas = session.schemas(&database.name)?;
    let owner = match schema {
        Some(schema) => schemas.iter().find(|found| found.name == schema).map(|found| found.owner.as_str()),
        None => Some(database.owner.as_str()),
    };
    if owner != Some(state.role.name.as_str()) {
        return Ok(Vec::new());
    }
    let mut copies = Vec::new();
    for named in named_within(services, session, database)?.into_values() {
        if schema.is_none_or(|schema| schema == named.name.schema()) {
            let key = key_of(&named, schema);
            let Named { kind, id, name, owner, place, .. } = named;
            copies.push((key, Copied { kind, id, name, owner, place }));
        }
    }
    if schema.is_none() {
        copies.extend(schemas.into_iter().map(|found| {
            let key = key_of_schema(&found.name);
            let name = ObjectName { database: None, schema: None, name: found.name.clone() };
            let schema = SchemaName { database: Some(database.name.clone()), schema: found.name };
            let place = Place::InDatabase(OwnershipTarget::Schema(schema), found.id);
            (key, Copied { kind: SecurableKind::Schema, id: found.id, name, owner: found.owner, place })
        }));
    }
    Ok(copies)
}

/// UNDROP of a table, a tag or a schema; that of a database is checked where it is done.
pub fn check_undrop(session: &dyn Session, state: &SessionState, ddl: &Ddl) -> Result<(), RunError> {
    let (database, kind, schema, name) = match ddl {
        Ddl::Undrop(OwnershipTarget::Object { name, .. }) => {
            (name.database(), ObjectKind::Table, name.schema(), name.name.as_str())
        }
        Ddl::Undrop(OwnershipTarget::Routine { name, .. }) => {
            (name.database(), ObjectKind::Tag, name.schema(), name.name.as_str())
        }
        Ddl::Undrop(OwnershipTarget::Schema(name)) => (name.database(), ObjectKind::Schema, "", name.schema.as_str()),
        _ => return Ok(()),
    };
    let dropped = session.dropped(database)?.into_iter();
    let of_name = dropped.filter(|found| found.kind == kind && found.schema == schema && found.name == name);
    match of_name.max_by_key(|found| found.dropped_on_ms) {
        Some(found) if !state.role.may_use_what_is_owned_by(&found.owner) => {
            let word = match kind {
                ObjectKind::Schema => "Schema",
                ObjectKind::Tag => "Tag",
                _ => "Table",
            };
            let message =
                format!("SQL compilation error:\n{word} '{}' did not exist or was purged.", display_identifier(name));
            Err(Failure::new("002003", "02000", message).into())
        }
        _ => Ok(()),
    }
}
