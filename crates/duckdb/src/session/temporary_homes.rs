//! The schemas that the session's temporary objects are in. Another session may drop, replace or rename one: what is temporary in it
//! ends then, and is not in another schema that gets the name.

use std::collections::HashMap;

use firn_duckdb_lower::STAGED_DATABASE;
use firn_engine::EngineError;
use firn_sql::ObjectName;

use crate::ddl;
use crate::session_state::SessionState;

/// By the names of database and schema, the identities of the schemas that had them when something temporary was made there.
pub(crate) type TemporaryHomes = HashMap<SchemaKey, SchemaIdentity>;

type SchemaKey = (String, String);

/// A clone of a database has the schemas of its source by their ids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SchemaIdentity {
    database: i64,
    schema: i64,
}

impl SessionState {
    /// Drops the temporary objects whose schema is gone, or has no longer its name. Not in a transaction, which goes on with the
    /// schemas that it began with; nor while objects are set aside, of which no name means any.
    pub(super) fn end_orphaned(&mut self) -> Result<(), EngineError> {
        for (database, schema) in self.orphaned_homes() {
            let is_within = |name: &&ObjectName| name.database() == database && name.schema() == schema;
            let relations: Vec<ObjectName> = self.temporary.names().filter(is_within).cloned().collect();
            ddl::drop_temporary(self, &relations)?;
            let stages: Vec<ObjectName> = self.temporary_stages.names().filter(is_within).cloned().collect();
            for folder in stages.iter().filter_map(|name| self.temporary_stages.take(name)?.folder) {
                self.shared.abandon_folder(&folder);
            }
            let formats: Vec<ObjectName> = self.temporary_formats.names().filter(is_within).cloned().collect();
            formats.iter().for_each(|name| drop(self.temporary_formats.take(name)));
            self.homes.remove(&(database, schema));
        }
        Ok(())
    }

    /// Nothing new is made beside what is to end: the command is authorised again once that has ended.
    pub(super) fn refuse_beside_orphaned(&self) -> Result<(), EngineError> {
        if self.orphaned_homes().is_empty() { Ok(()) } else { Err(EngineError::Outdated) }
    }

    /// Records where temporary objects are that a command has made. It still has the locks of their schemas.
    pub(super) fn note_homes(&mut self) {
        let names = self.temporary.names().chain(self.temporary_stages.names()).chain(self.temporary_formats.names());
        let of_schemas = names.filter(|name| name.database() != STAGED_DATABASE);
        let keys = of_schemas.map(|name| (name.database().to_owned(), name.schema().to_owned()));
        let new: Vec<SchemaKey> = keys.filter(|key| !self.homes.contains_key(key)).collect();
        for key in new {
            if let Ok(Some(identity)) = self.schema_identity(&key) {
                self.homes.insert(key, identity);
            }
        }
    }

    fn orphaned_homes(&self) -> Vec<SchemaKey> {
        if self.transaction_is_open() || !self.set_aside.is_empty() {
            return Vec::new();
        }
        // A database that cannot be read now may be there again later.
        let is_gone = |(key, home): &(&SchemaKey, &SchemaIdentity)| {
            self.schema_identity(key).is_ok_and(|current| current != Some(**home))
        };
        self.homes.iter().filter(is_gone).map(|(key, _)| key.clone()).collect()
    }

    /// Of the schema that has these names now.
    fn schema_identity(&self, (database, schema): &SchemaKey) -> Result<Option<SchemaIdentity>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(None);
        }
        let schemas = self.shared.catalog.schemas(&self.connection, database)?;
        let Some(found) = schemas.iter().find(|found| found.name == *schema) else { return Ok(None) };
        let database = self.shared.catalog.database_id(&self.connection, database)?;
        Ok(Some(SchemaIdentity { database, schema: found.id }))
    }
}
