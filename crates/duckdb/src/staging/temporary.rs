//! Temporary stages, and the stages of temporary tables. They exist until the session ends, hide permanent ones of their name,
//! and their files are removed with them.

use std::cell::RefCell;
use std::collections::HashMap;

use firn_engine::{EngineError, StageDescription, StageFiles};
use firn_sql::ObjectName;
use firn_sql::command::Persistence;
use firn_sql::stages::StageName;

use super::definition::described_stage;
use super::record::Record;

#[derive(Default)]
pub(crate) struct TemporaryStages {
    records: Vec<Record>,
    /// The folders of temporary tables that have files, by the identity of the table.
    of_tables: RefCell<HashMap<i64, String>>,
}

impl TemporaryStages {
    pub(crate) fn find(&self, name: &ObjectName) -> Option<&Record> {
        self.records.iter().find(|record| record.name == *name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &ObjectName> {
        self.records.iter().map(|record| &record.name)
    }

    /// The record of that identity.
    pub(crate) fn of_id(&mut self, id: i64) -> Option<&mut Record> {
        self.records.iter_mut().find(|record| record.id == id)
    }

    pub(crate) fn take(&mut self, name: &ObjectName) -> Option<Record> {
        let place = self.records.iter().position(|record| record.name == *name)?;
        Some(self.records.swap_remove(place))
    }

    pub(crate) fn put(&mut self, record: Record) {
        self.records.push(record);
    }

    pub(crate) fn describe(&self, name: &ObjectName) -> Result<Option<StageDescription>, EngineError> {
        self.find(name).map(described).transpose()
    }

    pub(crate) fn within(&self, database: &str, schema: Option<&str>) -> Result<Vec<StageDescription>, EngineError> {
        let is_within = |record: &&Record| {
            record.name.database() == database && schema.is_none_or(|schema| record.name.schema() == schema)
        };
        self.records.iter().filter(is_within).map(described).collect()
    }

    pub(crate) fn folder(&self, stage: &StageName) -> Option<String> {
        match stage {
            StageName::Named(name) => self.find(name)?.folder.clone(),
            StageName::Table(_) | StageName::User | StageName::Outside(_) => None,
        }
    }

    /// The folder of a temporary table's files, if there are any.
    pub(crate) fn folder_of_table(&self, id: i64) -> Option<String> {
        self.of_tables.borrow().get(&id).cloned()
    }

    pub(crate) fn folder_of_table_for_writing(&self, id: i64, files: &StageFiles) -> String {
        let mut of_tables = self.of_tables.borrow_mut();
        of_tables.entry(id).or_insert_with(|| files.fresh_temporary_folder()).clone()
    }

    /// Removes all of them, and returns the folders of their files.
    pub(crate) fn end(&mut self) -> Vec<String> {
        let of_tables = self.of_tables.take().into_values();
        self.records.drain(..).filter_map(|record| record.folder).chain(of_tables).collect()
    }
}

fn described(record: &Record) -> Result<StageDescription, EngineError> {
    Ok(StageDescription { persistence: Persistence::Temporary, ..described_stage(record.clone())? })
}
