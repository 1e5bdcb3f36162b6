//! SHOW TABLES, VIEWS, OBJECTS, COLUMNS and SEQUENCES.

use std::collections::HashMap;
use std::sync::Arc;

use firn_engine::{ObjectDescription, Session, TableSize};
use firn_sql::command::{Autoincrement, ObjectKind, Persistence, Scope, Show};
use firn_sql::names::SchemaName;
use firn_sql::{Failure, ObjectName, shown_default};

use super::listing::{Listing, Viewer, comment, has_wanted_name, instant, missing_scope, text, yes_no};
use super::type_names;
use crate::authorise;
use crate::clock::now_ms;
use crate::linked_databases::is_unreachable;
use crate::run_error::RunError;

/// What tables and views have in common.
const OBJECT: &str = "created_on:instant name database_name schema_name kind comment cluster_by rows:integer \
                      bytes:integer owner retention_time";

const TABLE: &str = "automatic_clustering change_tracking search_optimization search_optimization_progress \
                     search_optimization_bytes:integer is_external enable_schema_evolution owner_role_type is_event \
                     is_hybrid is_iceberg is_dynamic is_immutable";

/// An object and, if it is a table, its size.
type CountedObject = (Arc<ObjectDescription>, Option<TableSize>);

pub fn tables(viewer: &Viewer, command: &Show) -> Result<Listing, RunError> {
    let mut listing = Listing::of(&format!("{OBJECT} {TABLE}"));
    let mut retention = Retention::of(viewer);
    for (object, rows) in viewer.counted_objects_in(command, &[ObjectKind::Table])? {
        let off = || text("OFF");
        let no = || text("N");
        let of_table = [off(), off(), off(), None, None, no(), no(), text("ROLE"), no(), no(), no(), no(), no()];
        let kind = persistence_word(&object);
        listing.rows.push(object_row(&object, kind, rows, &mut retention)?.into_iter().chain(of_table).collect());
    }
    Ok(listing)
}

pub fn tables_and_views(viewer: &Viewer, command: &Show) -> Result<Listing, RunError> {
    let mut listing = Listing::of(&format!("{OBJECT} owner_role_type is_hybrid is_dynamic is_iceberg"));
    let mut retention = Retention::of(viewer);
    for (object, rows) in viewer.counted_objects_in(command, &[ObjectKind::Table, ObjectKind::View])? {
        let rest = [text("ROLE"), text("N"), text("N"), text("N")];
        // Clients take any other word for an external object.
        let kind = if object.kind == ObjectKind::View { "VIEW" } else { "TABLE" };
        listing.rows.push(object_row(&object, kind, rows, &mut retention)?.into_iter().chain(rest).collect());
    }
    Ok(listing)
}

fn object_row(
    object: &ObjectDescription,
    kind: &str,
    size: Option<TableSize>,
    retention: &mut Retention,
) -> Result<[Option<String>; 11], RunError> {
    Ok([
        instant(object.created_on_ms),
        text(&object.name.name),
        text(object.name.database()),
        text(object.name.schema()),
        text(kind),
        comment(object.comment.as_deref()),
        Some(object.options.cluster_by.as_ref().map_or_else(String::new, |names| format!("LINEAR({names})"))),
        size.map(|size| size.rows.to_string()),
        size.and_then(|size| size.bytes).map(|bytes| bytes.to_string()),
        text(&object.owner),
        Some(retention.days(object)?.to_string()),
    ])
}

/// The retention time of objects; every schema is looked up once.
struct Retention<'a> {
    session: &'a dyn Session,
    /// By database and schema.
    days_of_schemas: HashMap<(String, String), u8>,
}

impl<'a> Retention<'a> {
    fn of(viewer: &Viewer<'a>) -> Self {
        Self { session: viewer.session, days_of_schemas: HashMap::new() }
    }

    fn days(&mut self, object: &ObjectDescription) -> Result<u8, RunError> {
        if object.kind != ObjectKind::Table {
            return Ok(0);
        }
        let days = match object.options.retention_days {
            Some(days) => days,
            None => self.days_of_schema(object.name.database(), object.name.schema())?,
        };
        Ok(if object.persistence == Persistence::Permanent { days } else { days.min(1) })
    }

    fn days_of_schema(&mut self, database: &str, schema: &str) -> Result<u8, RunError> {
        let key = (database.to_owned(), schema.to_owned());
        if let Some(days) = self.days_of_schemas.get(&key) {
            return Ok(*days);
        }
        let days = self.session.retention_days(database, schema)?;
        self.days_of_schemas.insert(key, days);
        Ok(days)
    }
}

pub fn views(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let mut listing = Listing::of(
        "created_on:instant name reserved database_name schema_name owner comment text is_secure is_materialized \
         owner_role_type change_tracking",
    );
    for object in viewer.objects_in(scope, &[ObjectKind::View])? {
        listing.add([
            instant(object.created_on_ms),
            text(&object.name.name),
            text(""),
            text(object.name.database()),
            text(object.name.schema()),
            text(&object.owner),
            comment(object.comment.as_deref()),
            object.view_text.clone().filter(|_| viewer.authority.may_read_text(&object)),
            Some(object.options.secure.to_string()),
            Some(object.options.materialized.to_string()),
            text("ROLE"),
            text("OFF"),
        ]);
    }
    Ok(listing)
}

/// Their rows are computed when they are read, so they are never stale.
pub fn materialized_views(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let mut listing = Listing::of(
        "created_on:instant name reserved database_name schema_name cluster_by rows:number bytes:number \
         source_database_name source_schema_name source_table_name refreshed_on:instant compacted_on:instant owner \
         invalid invalid_reason behind_by comment text is_secure automatic_clustering owner_role_type",
    );
    let views = viewer.objects_in(scope, &[ObjectKind::View])?;
    for object in views.iter().filter(|object| object.options.materialized) {
        let cluster_by = object.options.cluster_by.as_ref().map(|keys| format!("LINEAR({keys})"));
        listing.add([
            instant(object.created_on_ms),
            text(&object.name.name),
            text(""),
            text(object.name.database()),
            text(object.name.schema()),
            Some(cluster_by.unwrap_or_default()),
            None,
            None,
            None,
            None,
            None,
            instant(now_ms()),
            None,
            text(&object.owner),
            text("false"),
            None,
            text("0s"),
            comment(object.comment.as_deref()),
            object.view_text.clone().filter(|_| viewer.authority.may_read_text(object)),
            Some(object.options.secure.to_string()),
            text("OFF"),
            text("ROLE"),
        ]);
    }
    Ok(listing)
}

pub fn columns(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let mut listing = Listing::of(
        "table_name schema_name column_name data_type null? default kind expression comment database_name \
         autoincrement",
    );
    for object in viewer.objects_in(scope, &[ObjectKind::Table, ObjectKind::View])? {
        for column in &object.columns {
            listing.add([
                text(&object.name.name),
                text(object.name.schema()),
                text(&column.name),
                Some(type_names::json(&column.data_type, column.not_null)),
                text(if column.not_null { "NOT_NULL" } else { "true" }),
                Some(column.default.as_deref().map(shown_default).unwrap_or_default()),
                text("COLUMN"),
                text(""),
                comment(column.comment.as_deref()),
                text(object.name.database()),
                Some(column.autoincrement.map(autoincrement_words).unwrap_or_default()),
            ]);
        }
    }
    Ok(listing)
}

pub fn sequences(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let mut listing = Listing::of(
        "name database_name schema_name next_value:integer interval:integer created_on:instant owner comment \
         owner_role_type ordered",
    );
    for object in viewer.objects_in(scope, &[ObjectKind::Sequence])? {
        listing.add([
            text(&object.name.name),
            text(object.name.database()),
            text(object.name.schema()),
            object.sequence.map(|sequence| sequence.start.to_string()),
            object.sequence.map(|sequence| sequence.increment.to_string()),
            instant(object.created_on_ms),
            text(&object.owner),
            comment(object.comment.as_deref()),
            text("ROLE"),
            yes_no(!object.options.unordered),
        ]);
    }
    Ok(listing)
}

impl Viewer<'_> {
    /// What the command lists of these kinds, in the order of names. Only tables that it shows with their sizes are counted.
    fn counted_objects_in(&self, command: &Show, kinds: &[ObjectKind]) -> Result<Vec<CountedObject>, RunError> {
        let mut objects = self.objects_in(&command.scope, kinds)?;
        objects.retain(|object| has_wanted_name(&object.name.name, command));
        objects.truncate(command.limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)));
        if command.terse {
            return Ok(objects.into_iter().map(|object| (object, None)).collect());
        }
        // Nobody counts the rows of tables on a cluster.
        let is_linked = |database: &str| self.services.catalog.link_of_name(database).is_some();
        let is_table =
            |object: &Arc<ObjectDescription>| object.kind == ObjectKind::Table && !is_linked(object.name.database());
        let tables: Vec<&ObjectDescription> =
            objects.iter().filter(|object| is_table(object)).map(AsRef::as_ref).collect();
        let counted = self.services.table_sizes.of_tables(self.session, &self.services.changes, &tables)?;
        let mut counts = counted.into_iter();
        let counted = objects.into_iter().filter_map(|object| match is_table(&object) {
            // A table that was dropped since it was listed is left out.
            true => counts.next().flatten().map(|size| (object, Some(size))),
            false => Some((object, None)),
        });
        Ok(counted.collect())
    }

    pub(super) fn objects_in(
        &self,
        scope: &Scope,
        kinds: &[ObjectKind],
    ) -> Result<Vec<Arc<ObjectDescription>>, RunError> {
        if let Scope::Object(name) = scope {
            return Ok(vec![self.object(name)?]);
        }
        let mut found = Vec::new();
        for database in self.databases_in(scope)? {
            match self.objects_of(scope, &database, kinds) {
                // It was dropped meanwhile.
                Err(_) if matches!(scope, Scope::Account) && self.services.catalog.database(&database).is_none() => {}
                // A cluster that is down hides its own tables alone.
                Err(error) if matches!(scope, Scope::Account) && is_unreachable(&error) => {}
                objects => found.extend(objects?),
            }
        }
        found.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(found)
    }

    fn objects_of(
        &self,
        scope: &Scope,
        database: &str,
        kinds: &[ObjectKind],
    ) -> Result<Vec<Arc<ObjectDescription>>, RunError> {
        let schema = self.schema_in(scope, database)?;
        let mut found = Vec::new();
        for object in self.session.objects(database, schema.as_deref())? {
            if kinds.contains(&object.kind) && self.may_see(&object)? {
                found.push(object);
            }
        }
        Ok(found)
    }

    fn object(&self, name: &ObjectName) -> Result<Arc<ObjectDescription>, RunError> {
        let found = self.session.describe(name)?;
        match found {
            Some(object) if self.may_see(&object)? => Ok(object),
            _ => Err(Failure::missing_object("Object", &name.to_string()).into()),
        }
    }

    fn may_see(&self, object: &ObjectDescription) -> Result<bool, RunError> {
        self.authority.sees(object)
    }

    /// The one schema a scope means, or `None` for all of the database.
    pub(super) fn schema_in(&self, scope: &Scope, database: &str) -> Result<Option<String>, RunError> {
        let named = match scope {
            Scope::Schema(name) => name.schema.clone(),
            Scope::Session => return Ok(self.state.namespace.schema.clone()),
            _ => return Ok(None),
        };
        let name = SchemaName { database: Some(database.to_owned()), schema: named };
        match self.authority.sees_schema(&name)? {
            true => Ok(Some(name.schema)),
            false => Err(missing_scope(authorise::missing_schema(&name)).into()),
        }
    }
}

fn persistence_word(table: &ObjectDescription) -> &'static str {
    match table.persistence {
        Persistence::Permanent => "TABLE",
        Persistence::Transient => "TRANSIENT",
        Persistence::Temporary => "TEMPORARY",
    }
}

fn autoincrement_words(autoincrement: Autoincrement) -> String {
    format!("IDENTITY START {} INCREMENT {} ORDER", autoincrement.start, autoincrement.increment)
}
