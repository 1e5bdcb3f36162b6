//! Which objects have which tags themselves, for TAG_REFERENCES.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use firn_catalog::{DatabaseRecord, Securable, Tagged};
use firn_engine::{RoutineDescription, Session};
use firn_sql::command::{AssignedTag, ObjectKind};
use firn_sql::names::SchemaName;
use firn_sql::privileges::SecurableKind;

use super::Tags;
use crate::authorise::{Authority, Secured};
use crate::grants::{Named, named_within};
use crate::run_error::RunError;
use crate::services::Services;

/// A tag on an object or a column.
pub struct TagRow {
    pub tag: RoutineDescription,
    pub value: String,
    /// As SHOW GRANTS writes kinds, and `COLUMN`.
    pub domain: String,
    pub database: Option<String>,
    pub schema: Option<String>,
    pub name: String,
    pub column: Option<String>,
    pub object_id: Option<i64>,
}

/// Collects the rows of objects; with an authority, what its role may know of.
struct Rows<'a> {
    tags: Tags<'a>,
    authority: Option<&'a Authority<'a>>,
    found: Vec<TagRow>,
}

/// The tags of these databases and of the account.
pub fn rows(
    services: &Services,
    session: &dyn Session,
    authority: Option<&Authority<'_>>,
    databases: &[DatabaseRecord],
) -> Result<Vec<TagRow>, RunError> {
    let mut rows = Rows { tags: Tags::new(services, session), authority, found: Vec::new() };
    for database in databases {
        if !database.is_own() && !services.databases.set_aside.contains(&database.name) {
            rows.of_database(database)?;
        }
    }
    rows.of_catalog()?;
    Ok(rows.found)
}

impl Rows<'_> {
    fn add(
        &mut self,
        assigned: &[AssignedTag],
        row: impl Fn(RoutineDescription, String) -> TagRow,
    ) -> Result<(), RunError> {
        for known in assigned {
            let Some(tag) = self.tags.find(known.tag)? else { continue };
            let is_visible = match self.authority {
                Some(authority) => authority.sees(Secured::routine(&tag))?,
                None => true,
            };
            if is_visible {
                self.found.push(row(tag, known.value.clone()));
            }
        }
        Ok(())
    }

    fn of_database(&mut self, database: &DatabaseRecord) -> Result<(), RunError> {
        let session = self.tags.session;
        for schema in session.schemas(&database.name)?.into_iter().filter(|schema| !schema.tags.is_empty()) {
            let name = SchemaName { database: Some(database.name.clone()), schema: schema.name.clone() };
            if self.authority.is_none_or(|authority| authority.sees_schema(&name).unwrap_or_default()) {
                self.add(&schema.tags, |tag, value| TagRow {
                    tag,
                    value,
                    domain: "SCHEMA".to_owned(),
                    database: Some(database.name.clone()),
                    schema: None,
                    name: schema.name.clone(),
                    column: None,
                    object_id: Some(schema.id),
                })?;
            }
        }
        for object in session.objects(&database.name, None)? {
            let policies = &object.options.policies;
            let has_none = policies.tags.is_empty() && policies.column_tags.is_empty();
            if has_none || !self.authority.map_or(Ok(true), |authority| authority.sees(object.as_ref()))? {
                continue;
            }
            let kind = if object.kind == ObjectKind::View { "VIEW" } else { "TABLE" };
            let row = |column: Option<String>| {
                let object = &object;
                move |tag, value| TagRow {
                    tag,
                    value,
                    domain: if column.is_some() { "COLUMN" } else { kind }.to_owned(),
                    database: Some(object.name.database().to_owned()),
                    schema: Some(object.name.schema().to_owned()),
                    name: object.name.name.clone(),
                    column: column.clone(),
                    object_id: Some(object.id),
                }
            };
            self.add(&policies.tags, row(None))?;
            for tags in &policies.column_tags {
                self.add(&tags.tags, row(Some(tags.column.clone())))?;
            }
        }
        Ok(())
    }

    /// Those of databases and of all that is no schema, table or view.
    fn of_catalog(&mut self) -> Result<(), RunError> {
        let services = self.tags.services;
        let mut within: HashMap<i64, HashMap<(SecurableKind, i64), Named>> = HashMap::new();
        let mut tagged: Vec<_> =
            services.catalog.tags().iter().map(|(key, tags)| (key.clone(), tags.clone())).collect();
        tagged.sort_by(|(left, _), (right, _)| (&left.kind, &left.object).cmp(&(&right.kind, &right.object)));
        for (key, assigned) in tagged {
            let record = services.catalog.databases().into_iter().find(|record| record.id == key.database);
            let object = match &record {
                None if key.database != 0 => continue,
                None => self.of_account(&key),
                Some(record) if services.databases.set_aside.contains(&record.name) => continue,
                Some(record) => {
                    let named = match within.entry(key.database) {
                        Entry::Occupied(known) => known.into_mut(),
                        Entry::Vacant(vacant) => vacant.insert(named_within(services, self.tags.session, record)?),
                    };
                    self.in_database(&key, record, named)?
                }
            };
            let Some(object) = object else { continue };
            self.add(&assigned, |tag, value| TagRow {
                tag,
                value,
                domain: key.kind.clone(),
                database: object.database.clone(),
                schema: object.schema.clone(),
                name: object.name.clone(),
                column: None,
                object_id: object.id,
            })?;
        }
        Ok(())
    }

    /// `None` where it is gone or hidden from the role.
    fn of_account(&self, key: &Tagged) -> Option<Object> {
        let catalog = &self.tags.services.catalog;
        let principals = catalog.principals();
        let (name, owner, securable, id) = match key.kind.as_str() {
            // What everything has.
            "ACCOUNT" => return Some(Object { name: catalog.account(), ..Object::default() }),
            "WAREHOUSE" => {
                let found = catalog.warehouse(&key.object)?;
                (found.name, found.owner, Some(Securable::Warehouse(key.object.clone())), None)
            }
            "ROLE" => (key.object.clone(), principals.role(&key.object)?.owner.clone(), None, None),
            "USER" => {
                let user = principals.user_by_id(key.object.parse().ok()?)?;
                (user.name.clone(), user.owner.clone(), Some(Securable::User(user.id)), Some(user.id))
            }
            "INTEGRATION" => {
                let (owner, _) = principals.owner_of_integration(&key.object)?;
                (key.object.clone(), owner.to_owned(), Some(Securable::Integration(key.object.clone())), None)
            }
            "NETWORK_POLICY" => {
                let found = catalog.network_policies().into_iter().find(|found| found.name == key.object)?;
                (found.name, found.owner, None, None)
            }
            _ => return None,
        };
        let is_visible = self.authority.is_none_or(|authority| {
            let has_any = |on: &Securable| !catalog.privileges(authority.role, on).is_empty();
            authority.role.may_use_what_is_owned_by(&owner) || securable.as_ref().is_some_and(has_any)
        });
        is_visible.then(|| Object { name, id, ..Object::default() })
    }

    fn in_database(
        &self,
        key: &Tagged,
        record: &DatabaseRecord,
        within: &HashMap<(SecurableKind, i64), Named>,
    ) -> Result<Option<Object>, RunError> {
        let sees_database = self.authority.is_none_or(|authority| authority.sees_database(&record.name));
        if !sees_database {
            return Ok(None);
        }
        match key.kind.as_str() {
            "DATABASE" => Ok(Some(Object { name: record.name.clone(), id: Some(record.id), ..Object::default() })),
            "DATABASE_ROLE" => {
                let database = Some(record.name.clone());
                Ok(Some(Object { database, name: key.object.clone(), ..Object::default() }))
            }
            label => {
                let kind_and_id = SecurableKind::of_label(label).zip(key.object.parse().ok());
                let Some(named) = kind_and_id.and_then(|key| within.get(&key)) else { return Ok(None) };
                let (database, schema) = (named.name.database(), named.name.schema());
                let secured = Secured { kind: named.kind, database, schema, owner: &named.owner, id: named.id };
                let is_visible = self.authority.map_or(Ok(true), |authority| authority.sees(secured))?;
                Ok(is_visible.then(|| Object {
                    database: Some(database.to_owned()),
                    schema: Some(schema.to_owned()),
                    name: named.name.name.clone(),
                    id: Some(named.id),
                }))
            }
        }
    }
}

/// How an object is shown.
#[derive(Default)]
struct Object {
    database: Option<String>,
    schema: Option<String>,
    name: String,
    id: Option<i64>,
}
