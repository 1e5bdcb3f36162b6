//! Temporary file formats. They exist until the session ends and hide permanent ones of their name.

use firn_engine::{EngineError, FormatDescription};
use firn_sql::ObjectName;

use super::definition::described_format;
use super::record::Record;

#[derive(Default)]
pub(crate) struct TemporaryFormats(Vec<Record>);

impl TemporaryFormats {
    pub(crate) fn find(&self, name: &ObjectName) -> Option<&Record> {
        self.0.iter().find(|record| record.name == *name)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &ObjectName> {
        self.0.iter().map(|record| &record.name)
    }

    /// The record of that identity.
    pub(crate) fn of_id(&mut self, id: i64) -> Option<&mut Record> {
        self.0.iter_mut().find(|record| record.id == id)
    }

    pub(crate) fn take(&mut self, name: &ObjectName) -> Option<Record> {
        let place = self.0.iter().position(|record| record.name == *name)?;
        Some(self.0.swap_remove(place))
    }

    pub(crate) fn put(&mut self, record: Record) {
        self.0.push(record);
    }

    pub(crate) fn describe(&self, name: &ObjectName) -> Result<Option<FormatDescription>, EngineError> {
        self.find(name).cloned().map(described_format).transpose()
    }

    pub(crate) fn within(&self, database: &str, schema: Option<&str>) -> Result<Vec<FormatDescription>, EngineError> {
        let is_within = |record: &&Record| {
            record.name.database() == database && schema.is_none_or(|schema| record.name.schema() == schema)
        };
        self.0.iter().filter(is_within).cloned().map(described_format).collect()
    }
}
