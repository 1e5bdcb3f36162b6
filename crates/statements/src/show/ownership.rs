//! SHOW GRANTS ON: until there are other privileges, the owner's.

use firn_sql::command::{ObjectKind, Scope};
use firn_sql::names::{SchemaName, display_identifier};

use super::{Listing, Viewer, instant, text};
use crate::authorise;
use crate::run::RunError;

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

type Owned = (&'static str, String, String, i64);

fn database(viewer: &Viewer, name: &str) -> Result<Owned, RunError> {
    let missing = || authorise::missing_database(name);
    let found = viewer.visible_databases()?.into_iter().find(|database| database.name == name).ok_or_else(missing)?;
    Ok(("DATABASE", display_identifier(&found.name), found.owner, found.created_on_ms))
}

fn schema(viewer: &Viewer, name: &SchemaName) -> Result<Owned, RunError> {
    let missing = || authorise::missing_schema(name);
    let (catalog, role) = (&viewer.runner.catalog, &viewer.state.role);
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
    let kind = match found.kind {
        ObjectKind::View => "VIEW",
        ObjectKind::Sequence => "SEQUENCE",
        _ => "TABLE",
    };
    Ok((kind, found.name.to_string(), found.owner.clone(), found.created_on_ms))
}
