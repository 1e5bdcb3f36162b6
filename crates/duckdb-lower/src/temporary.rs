//! A session's temporary tables and views. They are in the engine's temporary catalog under their full name, and visible
//! to their session only.

use std::collections::HashMap;
use std::sync::Arc;

use firn_engine::ObjectDescription;
use firn_sql::ObjectName;
use firn_sql::names::quote_identifier;

use super::stored::StoredObject;

#[derive(Clone, Default)]
pub struct TemporaryTables {
    tables: HashMap<ObjectName, TemporaryTable>,
}

#[derive(Clone)]
struct TemporaryTable {
    description: Arc<ObjectDescription>,
    stored: StoredObject,
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
        let description = Arc::new(stored.described());
        self.tables.insert(description.name.clone(), TemporaryTable { description, stored });
    }

    pub fn forget(&mut self, name: &ObjectName) {
        self.tables.remove(name);
    }
}

/// The one-part name under which the engine keeps a temporary table.
pub fn engine_identifier(name: &ObjectName) -> String {
    format!("{}.{}.{}", name.database(), name.schema(), name.name)
}

/// The engine's whole name of a temporary table or view, for hand-made statements.
pub fn temporary_name(name: &ObjectName) -> String {
    format!("temp.main.{}", quote_identifier(&engine_identifier(name)))
}
