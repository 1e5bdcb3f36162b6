//! The authorisation step: every object a statement names is checked here, before it runs. As there are no privileges,
//! ownership decides: of the object, its schema or its database. An object that the caller may not use is reported as
//! missing.

use firn_catalog::{ActiveRole, Catalog};
use firn_engine::Session;
use firn_sql::names::{INFORMATION_SCHEMA, SchemaName, display_identifier};
use firn_sql::resolve::{Access, ObjectUse, UsedKind, Uses};
use firn_sql::{Failure, ObjectName};

use crate::run_error::RunError;

pub fn authorise(catalog: &Catalog, session: &dyn Session, role: &ActiveRole, uses: &Uses) -> Result<(), RunError> {
    for object in &uses.objects {
        authorise_object(catalog, session, role, object)?;
    }
    for (schema, access) in &uses.schemas {
        authorise_schema(catalog, session, role, schema, *access)?;
    }
    for (database, access) in &uses.databases {
        authorise_database(catalog, session, role, database, *access)?;
    }
    Ok(())
}

/// A database can be seen by whoever owns it or anything in it.
pub fn database_is_visible(
    catalog: &Catalog,
    session: &dyn Session,
    role: &ActiveRole,
    name: &str,
) -> Result<bool, RunError> {
    let Some(database) = catalog.database(name) else { return Ok(false) };
    if role.may_use_what_is_owned_by(&database.owner) {
        return Ok(true);
    }
    match owns_anything_in(session, role, name) {
        // It was dropped meanwhile.
        Err(_) if catalog.database(name).is_none() => Ok(false),
        owns => owns,
    }
}

fn owns_anything_in(session: &dyn Session, role: &ActiveRole, database: &str) -> Result<bool, RunError> {
    let owns = |owner: &str| role.may_use_what_is_owned_by(owner);
    Ok(session.schemas(database)?.iter().any(|schema| owns(&schema.owner))
        || session.objects(database, None)?.iter().any(|object| owns(&object.owner)))
}

/// A schema can be seen by whoever owns it, its database or anything in it.
pub fn schema_is_visible(
    catalog: &Catalog,
    session: &dyn Session,
    role: &ActiveRole,
    name: &SchemaName,
) -> Result<bool, RunError> {
    if owns_schema(catalog, session, role, name.database(), &name.schema)? {
        return Ok(true);
    }
    if catalog.database(name.database()).is_none() {
        return Ok(false);
    }
    let objects = session.objects(name.database(), Some(&name.schema))?;
    Ok(objects.iter().any(|object| role.may_use_what_is_owned_by(&object.owner)))
}

/// Whether the role may use an object with this owner in this place.
pub fn owns_object(
    catalog: &Catalog,
    session: &dyn Session,
    role: &ActiveRole,
    name: &ObjectName,
    owner: &str,
) -> Result<bool, RunError> {
    Ok(role.may_use_what_is_owned_by(owner) || owns_schema(catalog, session, role, name.database(), name.schema())?)
}

/// The views of the vendor's own database cannot be answered here, whoever asks.
pub fn missing_database(name: &str) -> Failure {
    if name == "SNOWFLAKE" {
        return Failure::unsupported("database SNOWFLAKE");
    }
    Failure::missing_object("Database", &display_identifier(name))
}

pub fn missing_schema(name: &SchemaName) -> Failure {
    Failure::missing_object("Schema", &name.to_string())
}

/// Where the schema cannot be seen, it is the schema that is missing.
fn missing_object(
    catalog: &Catalog,
    session: &dyn Session,
    role: &ActiveRole,
    object: &ObjectUse,
) -> Result<Failure, RunError> {
    let name = &object.name;
    let schema = SchemaName { database: name.database.clone(), schema: name.schema().to_owned() };
    if schema.schema != INFORMATION_SCHEMA && !schema_is_visible(catalog, session, role, &schema)? {
        return Ok(missing_schema(&schema));
    }
    let kind = match object.kind {
        UsedKind::Stage => "Stage",
        UsedKind::FileFormat => "File format",
        _ => "Object",
    };
    Ok(Failure::missing_object(kind, &object.written))
}

fn authorise_object(
    catalog: &Catalog,
    session: &dyn Session,
    role: &ActiveRole,
    object: &ObjectUse,
) -> Result<(), RunError> {
    let name = &object.name;
    if catalog.database(name.database()).is_none() {
        return Err(missing_database(name.database()).into());
    }
    if name.schema() == INFORMATION_SCHEMA && !database_is_visible(catalog, session, role, name.database())? {
        return Err(missing_database(name.database()).into());
    }
    let owner = owner_of(session, object)?;
    let missing = || missing_object(catalog, session, role, object);
    match (&owner, object.access) {
        (Some(owner), _) => match owns_object(catalog, session, role, name, owner)? {
            true => Ok(()),
            false => Err(missing()?.into()),
        },
        (None, Access::Create) => {
            let schema = SchemaName { database: name.database.clone(), schema: name.schema().to_owned() };
            match owns_schema(catalog, session, role, name.database(), name.schema())? {
                true => Ok(()),
                false => Err(missing_schema(&schema).into()),
            }
        }
        (None, Access::Read | Access::Write) => Err(missing()?.into()),
        // The engine knows whether the command bears a missing object.
        (None, Access::Change | Access::Drop) => Ok(()),
    }
}

fn owner_of(session: &dyn Session, object: &ObjectUse) -> Result<Option<String>, RunError> {
    Ok(match object.kind {
        UsedKind::Stage => session.stage(&object.name)?.map(|found| found.owner),
        UsedKind::FileFormat => session.file_format(&object.name)?.map(|found| found.owner),
        _ => session.describe(&object.name)?.map(|found| found.owner.clone()),
    })
}

fn authorise_schema(
    catalog: &Catalog,
    session: &dyn Session,
    role: &ActiveRole,
    schema: &SchemaName,
    access: Access,
) -> Result<(), RunError> {
    let Some(database) = catalog.database(schema.database()) else {
        return Err(missing_database(schema.database()).into());
    };
    let exists = session.schemas(schema.database())?.iter().any(|found| found.name == schema.schema);
    let allowed = match access {
        Access::Create => role.may_use_what_is_owned_by(&database.owner),
        Access::Read => exists && schema_is_visible(catalog, session, role, schema)?,
        _ if !exists => return Ok(()),
        _ => owns_schema(catalog, session, role, schema.database(), &schema.schema)?,
    };
    match (allowed, access) {
        (true, _) => Ok(()),
        (false, Access::Create) => Err(missing_database(schema.database()).into()),
        (false, _) => Err(missing_schema(schema).into()),
    }
}

fn authorise_database(
    catalog: &Catalog,
    session: &dyn Session,
    role: &ActiveRole,
    name: &str,
    access: Access,
) -> Result<(), RunError> {
    if access == Access::Create {
        let may_create = role.is_account_admin() || role.held.contains("SYSADMIN");
        return match may_create {
            true => Ok(()),
            false => Err(Failure::insufficient_privileges("account", &catalog.account()).into()),
        };
    }
    let Some(database) = catalog.database(name) else {
        return if access == Access::Read { Err(missing_database(name).into()) } else { Ok(()) };
    };
    let allowed = match access {
        Access::Read => database_is_visible(catalog, session, role, name)?,
        _ => role.may_use_what_is_owned_by(&database.owner),
    };
    if allowed { Ok(()) } else { Err(missing_database(name).into()) }
}

fn owns_schema(
    catalog: &Catalog,
    session: &dyn Session,
    role: &ActiveRole,
    database: &str,
    schema: &str,
) -> Result<bool, RunError> {
    let Some(record) = catalog.database(database) else { return Ok(false) };
    let schemas = session.schemas(database)?;
    let Some(found) = schemas.iter().find(|found| found.name == schema) else { return Ok(false) };
    Ok(role.may_use_what_is_owned_by(&record.owner) || role.may_use_what_is_owned_by(&found.owner))
}
