//! SHOW GRANTS ON and TO ROLE: until there are other privileges, the owner's.

use firn_sql::Failure;
use firn_sql::command::{Grantee, ObjectKind, Scope};
use firn_sql::names::{SchemaName, display_identifier};

use super::{Listing, Viewer, instant, text};
use crate::authorise;
use crate::run_error::RunError;

pub fn grants_on(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let mut listing =
        Listing::of("created_on:instant privilege granted_on name granted_to grantee_name grant_option granted_by");
    let (kind, name, owner, created_on_ms) = match scope {
        Scope::Database(name) => database(viewer, name)?,
        Scope::Schema(name) => schema(viewer, name)?,
        scope => object(viewer, scope)?,
    };
    listing.add([
        instant(created_on_ms),
        text("OWNERSHIP"),
        text(kind),
        Some(name),
        text("ROLE"),
        text(&owner),
        text("true"),
        text(&owner),
    ]);
    Ok(listing)
}

/// SHOW GRANTS TO ROLE: the roles it was granted, and what it owns of what the caller may see.
pub fn grants_to_role(viewer: &Viewer, role: &str) -> Result<Listing, RunError> {
    let catalog = &viewer.services.catalog;
    let principals = catalog.principals();
    if principals.role(role).is_none() {
        return Err(Failure::missing_object("Role", role).into());
    }
    let mut listing =
        Listing::of("created_on:instant privilege granted_on name granted_to grantee_name grant_option granted_by");
    for grant in principals.role_grants() {
        if matches!(&grant.grantee, Grantee::Role(grantee) if grantee == role) {
            listing.add([
                instant(grant.created_on_ms),
                text("USAGE"),
                text("ROLE"),
                text(&grant.role),
                text("ROLE"),
                text(role),
                text("false"),
                text(&grant.granted_by),
            ]);
        }
    }
    let mut owned = owned_objects(viewer, role)?;
    owned.extend(
        principals
            .roles()
            .filter(|found| found.owner == role)
            .map(|found| ("ROLE", display_identifier(&found.name), found.owner.clone(), found.created_on_ms)),
    );
    owned.extend(
        catalog
            .warehouses()
            .into_iter()
            .filter(|found| found.owner == role)
            .map(|found| ("WAREHOUSE", display_identifier(&found.name), found.owner.clone(), found.created_on_ms)),
    );
    for (kind, name, owner, created_on_ms) in owned {
        listing.add([
            instant(created_on_ms),
            text("OWNERSHIP"),
            text(kind),
            Some(name),
            text("ROLE"),
            text(role),
            text("true"),
            text(&owner),
        ]);
    }
    Ok(listing)
}

fn owned_objects(viewer: &Viewer, role: &str) -> Result<Vec<Owned>, RunError> {
    let mut owned = Vec::new();
    for database in viewer.visible_databases()? {
        for schema in viewer.session.schemas(&database.name)?.into_iter().filter(|schema| schema.owner == role) {
            let name = SchemaName { database: Some(database.name.clone()), schema: schema.name };
            owned.push(("SCHEMA", name.to_string(), schema.owner, schema.created_on_ms));
        }
        if database.owner == role {
            owned.push(("DATABASE", display_identifier(&database.name), database.owner, database.created_on_ms));
        }
    }
    let kinds = [ObjectKind::Table, ObjectKind::View, ObjectKind::Sequence];
    for found in viewer.objects_in(&Scope::Account, &kinds)?.into_iter().filter(|found| found.owner == role) {
        owned.push((kind_word(found.kind), found.name.to_string(), found.owner.clone(), found.created_on_ms));
    }
    Ok(owned)
}

fn kind_word(kind: ObjectKind) -> &'static str {
    match kind {
        ObjectKind::View => "VIEW",
        ObjectKind::Sequence => "SEQUENCE",
        _ => "TABLE",
    }
}

type Owned = (&'static str, String, String, i64);

fn database(viewer: &Viewer, name: &str) -> Result<Owned, RunError> {
    let missing = || authorise::missing_database(name);
    let found = viewer.visible_databases()?.into_iter().find(|database| database.name == name).ok_or_else(missing)?;
    Ok(("DATABASE", display_identifier(&found.name), found.owner, found.created_on_ms))
}

fn schema(viewer: &Viewer, name: &SchemaName) -> Result<Owned, RunError> {
    let missing = || authorise::missing_schema(name);
    let (catalog, role) = (&viewer.services.catalog, &viewer.state.role);
    if !authorise::schema_is_visible(catalog, viewer.session, role, name)? {
        return Err(missing().into());
    }
    let schemas = viewer.session.schemas(name.database())?;
    let found = schemas.into_iter().find(|schema| schema.name == name.schema).ok_or_else(missing)?;
    Ok(("SCHEMA", name.to_string(), found.owner, found.created_on_ms))
}

fn object(viewer: &Viewer, scope: &Scope) -> Result<Owned, RunError> {
    let kinds = [ObjectKind::Table, ObjectKind::View, ObjectKind::Sequence];
    let found = viewer.objects_in(scope, &kinds)?;
    let found = found.first().ok_or_else(|| RunError::Internal("an object that was found is gone".to_owned()))?;
    Ok((kind_word(found.kind), found.name.to_string(), found.owner.clone(), found.created_on_ms))
}
