//! SHOW DATABASES and SHOW SCHEMAS.

use firn_sql::command::{SchemaOptions, Scope};
use firn_sql::names::{INFORMATION_SCHEMA, SchemaName};

use super::listing::{Listing, Viewer, comment, instant, missing_scope, text, yes_no};
use crate::authorise;
use crate::linked_databases::is_unreachable;
use crate::run_error::RunError;

pub fn databases(viewer: &Viewer) -> Result<Listing, RunError> {
    let mut listing = Listing::of(
        "created_on:instant name is_default is_current origin owner comment options retention_time kind owner_role_type",
    );
    for database in viewer.visible_databases()? {
        let default = viewer.state.own_user().and_then(|user| user.default_database.as_deref());
        let is_default = default == Some(database.name.as_str());
        let is_current = viewer.state.namespace.database.as_deref() == Some(&database.name);
        let (options, retention) = match viewer.services.databases.set_aside.contains(&database.name) {
            true => ("SET ASIDE", None),
            false => ("", Some(viewer.session.retention_days(&database.name, "")?.to_string())),
        };
        listing.add([
            instant(database.created_on_ms),
            text(&database.name),
            yes_no(is_default),
            yes_no(is_current),
            text(if database.is_own() { "SNOWFLAKE.ACCOUNT_USAGE" } else { "" }),
            text(&database.owner),
            comment(database.comment.as_deref()),
            text(options),
            retention,
            text(if database.is_own() { "APPLICATION" } else { "STANDARD" }),
            text("ROLE"),
        ]);
    }
    Ok(listing)
}

pub fn schemas(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let mut listing = Listing::of(
        "created_on:instant name is_default is_current database_name owner comment options retention_time owner_role_type",
    );
    let namespace = &viewer.state.namespace;
    for database in viewer.databases_in(scope)? {
        let is_current_database = namespace.database.as_deref() == Some(&database);
        let first = listing.rows.len();
        add_information_schema(&mut listing, viewer, &database);
        let schemas = match viewer.session.schemas(&database).map_err(RunError::from) {
            // A cluster that is down hides its own schemas alone.
            Err(error) if matches!(scope, Scope::Account) && is_unreachable(&error) => continue,
            schemas => schemas?,
        };
        for schema in schemas {
            let name = SchemaName { database: Some(database.clone()), schema: schema.name.clone() };
            if !viewer.authority.sees_schema(&name)? {
                continue;
            }
            let is_current = is_current_database && namespace.schema.as_deref() == Some(&schema.name);
            listing.add([
                instant(schema.created_on_ms),
                text(&schema.name),
                yes_no(false),
                yes_no(is_current),
                text(&database),
                text(&schema.owner),
                comment(schema.comment.as_deref()),
                text(&options_text(schema.options)),
                Some(viewer.session.retention_days(&database, &schema.name)?.to_string()),
                text("ROLE"),
            ]);
        }
        listing.rows[first..].sort_by(|left, right| left[1].cmp(&right[1]));
    }
    Ok(listing)
}

fn options_text(options: SchemaOptions) -> String {
    let said = [("TRANSIENT", options.transient), ("MANAGED ACCESS", options.managed_access)];
    said.iter().filter(|(_, said)| *said).map(|(words, _)| *words).collect::<Vec<_>>().join(", ")
}

/// It is as old as its database.
fn add_information_schema(listing: &mut Listing, viewer: &Viewer, database: &str) {
    let is_current = viewer.state.namespace.database.as_deref() == Some(database)
        && viewer.state.namespace.schema.as_deref() == Some(INFORMATION_SCHEMA);
    listing.add([
        viewer.services.catalog.database(database).and_then(|found| instant(found.created_on_ms)),
        text(INFORMATION_SCHEMA),
        yes_no(false),
        yes_no(is_current),
        text(database),
        text(""),
        text("Views describing the contents of schemas in this database"),
        text(""),
        text("1"),
        text(""),
    ]);
}

impl Viewer<'_> {
    pub(super) fn visible_databases(&self) -> Result<Vec<firn_catalog::DatabaseRecord>, RunError> {
        let mut visible = Vec::new();
        for database in self.services.catalog.databases() {
            if self.authority.sees_database(&database.name) {
                visible.push(database);
            }
        }
        Ok(visible)
    }

    /// What `IN name` means: a schema of the session's database, else a database.
    pub(super) fn schema_or_database(&self, name: &str) -> Result<Scope, RunError> {
        let schema = SchemaName { database: self.state.namespace.database.clone(), schema: name.to_owned() };
        if schema.database.is_some() && self.authority.sees_schema(&schema)? {
            return Ok(Scope::Schema(schema));
        }
        if self.authority.sees_database(name) {
            return Ok(Scope::Database(name.to_owned()));
        }
        Err(missing_scope(authorise::missing_schema(&schema)).into())
    }

    /// The databases an IN clause means; naming one that can't be seen is a failure.
    pub(super) fn databases_in(&self, scope: &Scope) -> Result<Vec<String>, RunError> {
        let all = || Ok(self.visible_databases()?.into_iter().map(|database| database.name).collect());
        let named = match scope {
            Scope::Database(name) => name.clone(),
            Scope::Schema(name) => match name.database.clone().or_else(|| self.state.namespace.database.clone()) {
                Some(database) => database,
                None => return all(),
            },
            Scope::Object(name) => name.database().to_owned(),
            Scope::SemanticView(view) => view.name.database().to_owned(),
            Scope::Session => match &self.state.namespace.database {
                Some(database) => database.clone(),
                None => return all(),
            },
            Scope::SchemaOrDatabase(name) => name.clone(),
            Scope::Account | Scope::User(_) | Scope::Grants(_) | Scope::Warehouse(_) => {
                return all();
            }
        };
        if !self.authority.sees_database(&named) {
            return Err(missing_scope(authorise::missing_database(&named)).into());
        }
        Ok(vec![named])
    }
}
