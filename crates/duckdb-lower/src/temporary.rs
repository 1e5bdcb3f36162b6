//! A session's temporary tables and views. They are in the engine's temporary catalog under their full name, and visible
//! to their session only.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use firn_engine::ObjectDescription;
use firn_sql::ObjectName;
use firn_sql::names::quote_identifier;

use super::stored::StoredObject;

#[derive(Clone, Default)]
pub struct TemporaryTables {
    tables: HashMap<ObjectName, TemporaryTable>,
    /// The engine's identifiers of those that are set aside.
    taken: HashSet<String>,
}

#[derive(Clone)]
struct TemporaryTable {
    description: Arc<ObjectDescription>,
    stored: StoredObject,
    /// The engine's.
    identifier: String,
}

/// A table or view that is set aside: no name means it, and another may have its name.
pub struct TableAside {
    stored: StoredObject,
    identifier: String,
}

impl TableAside {
    pub fn name(&self) -> &ObjectName {
        &self.stored.description.name
    }
}

impl TemporaryTables {
    pub fn is_empty(&self) -> bool {
        self.tables.is_empty()
    }

    pub fn names(&self) -> impl Iterator<Item = &ObjectName> {
        self.tables.keys()
    }

    pub fn contains(&self, name: &ObjectName) -> bool {
        self.tables.contains_key(name)
    }

    pub fn description(&self, name: &ObjectName) -> Option<Arc<ObjectDescription>> {
        if self.tables.is_empty() {
            return None;
        }
        self.tables.get(name).map(|table| table.description.clone())
    }

    pub fn stored(&self, name: &ObjectName) -> Option<&StoredObject> {
        self.tables.get(name).map(|table| &table.stored)
    }

    pub fn within(&self, database: &str, schema: Option<&str>) -> Vec<Arc<ObjectDescription>> {
        self.tables
            .iter()
            .filter(|(name, _)| name.database() == database && schema.is_none_or(|schema| name.schema() == schema))
            .map(|(_, table)| table.description.clone())
            .collect()
    }

    pub fn record(&mut self, stored: StoredObject) {
        let identifier = self.identifier(&stored.description.name);
        self.insert(stored, identifier);
    }

    fn insert(&mut self, stored: StoredObject, identifier: String) {
        let description = Arc::new(stored.described());
        self.tables.insert(description.name.clone(), TemporaryTable { description, stored, identifier });
    }

    /// Sets all tables and views aside.
    pub fn set_aside(&mut self) -> Vec<TableAside> {
        let aside =
            self.tables.drain().map(|(_, TemporaryTable { stored, identifier, .. })| TableAside { stored, identifier });
        let aside: Vec<TableAside> = aside.collect();
        self.taken.extend(aside.iter().map(|table| table.identifier.clone()));
        aside
    }

    /// Takes back what was set aside.
    pub fn take_back(&mut self, aside: TableAside) {
        self.taken.remove(&aside.identifier);
        self.insert(aside.stored, aside.identifier);
    }

    /// The one-part name under which the engine has a temporary table or view of this name, or is to have it.
    pub fn identifier(&self, name: &ObjectName) -> String {
        if let Some(known) = self.tables.get(name) {
            return known.identifier.clone();
        }
        let identifier = engine_identifier(name);
        match self.taken.contains(&identifier) {
            false => identifier,
            // Of these numbers one more than are taken are tried.
            true => (2..=self.taken.len() + 2)
                .map(|number| format!("{identifier} {number}"))
                .find(|numbered| !self.taken.contains(numbered))
                .unwrap_or(identifier),
        }
    }

    /// The engine's whole name of a temporary table or view, for hand-made statements.
    pub fn engine_name(&self, name: &ObjectName) -> String {
        format!("temp.main.{}", quote_identifier(&self.identifier(name)))
    }

    pub fn forget(&mut self, name: &ObjectName) {
        self.tables.remove(name);
    }
}

/// The one-part name of a temporary table in the engine, unless another has it that is set aside.
pub fn engine_identifier(name: &ObjectName) -> String {
    format!("{}.{}.{}", name.database(), name.schema(), name.name)
}
