//! Which tags an object has: its own and those of what it is in.

use firn_catalog::Tagged;
use firn_engine::ObjectDescription;
use firn_sql::command::AssignedTag;
use firn_sql::names::{INFORMATION_SCHEMA, SchemaName};

use super::Tags;
use crate::run_error::RunError;

/// Where a tag is assigned; each has the tags of those that follow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    Column,
    Table,
    Schema,
    Database,
    Account,
}

/// The tags of one level.
#[derive(Clone, Debug)]
pub struct Inherited {
    pub level: Level,
    pub tags: Vec<AssignedTag>,
}

impl Tags<'_> {
    /// The levels from a table or view outwards that have any tags.
    pub fn of_relation(&self, object: &ObjectDescription) -> Result<Vec<Inherited>, RunError> {
        let name = &object.name;
        if name.schema() == INFORMATION_SCHEMA {
            return Ok(Vec::new());
        }
        let own = Inherited { level: Level::Table, tags: object.options.policies.tags.clone() };
        let schema = SchemaName { database: name.database.clone(), schema: name.schema().to_owned() };
        let mut levels = self.of_schema(&schema)?;
        if !own.tags.is_empty() {
            levels.insert(0, own);
        }
        Ok(levels)
    }

    /// As `of_relation`, with the column's own.
    pub fn of_column(&self, object: &ObjectDescription, column: &str) -> Result<Vec<Inherited>, RunError> {
        let mut levels = self.of_relation(object)?;
        let own = object.options.policies.tags_of_column(column);
        if !own.is_empty() {
            levels.insert(0, Inherited { level: Level::Column, tags: own.to_vec() });
        }
        Ok(levels)
    }

    pub fn of_schema(&self, name: &SchemaName) -> Result<Vec<Inherited>, RunError> {
        let mut levels = self.within_database(name.database());
        let schemas = self.session.schemas(name.database())?;
        if let Some(found) = schemas.into_iter().find(|found| found.name == name.schema)
            && !found.tags.is_empty()
        {
            levels.insert(0, Inherited { level: Level::Schema, tags: found.tags });
        }
        Ok(levels)
    }

    /// The levels of a database and the account. The server's own database has no tags.
    pub fn within_database(&self, name: &str) -> Vec<Inherited> {
        let catalog = &self.services.catalog;
        let Some(record) = catalog.database(name).filter(|record| !record.is_own()) else { return Vec::new() };
        let of_database = catalog.tags_of(&Tagged::database(record.id));
        let levels = [(Level::Database, of_database), (Level::Account, self.of_account())];
        let levels = levels.into_iter().map(|(level, tags)| Inherited { level, tags });
        levels.filter(|inherited| !inherited.tags.is_empty()).collect()
    }

    pub fn of_account(&self) -> Vec<AssignedTag> {
        self.services.catalog.tags_of(&Tagged::of_account("ACCOUNT", ""))
    }
}
