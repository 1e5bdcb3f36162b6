//! The objects of a database: as a session sees them, where its temporary ones hide permanent ones of their names, and the
//! permanent ones alone, which decisions about what stays are made of.

use std::sync::Arc;

use firn_engine::{EngineError, FormatDescription, ObjectDescription, StageDescription};

use crate::session_state::SessionState;
use crate::{describe, drops, staging};

impl SessionState {
    pub(super) fn objects(
        &self,
        database: &str,
        schema: Option<&str>,
    ) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
        let mut objects = self.permanent_objects(database, schema)?;
        objects.retain(|object| self.temporary.description(&object.name).is_none());
        objects.extend(self.temporary.within(database, schema));
        objects.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(objects)
    }

    pub(super) fn permanent_objects(
        &self,
        database: &str,
        schema: Option<&str>,
    ) -> Result<Vec<Arc<ObjectDescription>>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(Vec::new());
        }
        let mut objects = match self.transaction_is_open() {
            true => describe::read_objects(&self.connection, database, schema)?,
            false => {
                let known = self.shared.catalog.objects(&self.connection, database)?;
                let is_within =
                    |object: &&Arc<ObjectDescription>| schema.is_none_or(|name| object.name.schema() == name);
                let within = known.iter().filter(is_within).cloned().collect();
                describe::with_next_values(&self.connection, database, within)?
            }
        };
        objects.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(objects)
    }

    pub(super) fn stages(&self, database: &str, schema: Option<&str>) -> Result<Vec<StageDescription>, EngineError> {
        let mut stages = self.permanent_stages(database, schema)?;
        stages.retain(|stage| self.temporary_stages.find(&stage.name).is_none());
        if self.shared.has_database(database) {
            stages.extend(self.temporary_stages.within(database, schema)?);
        }
        stages.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(stages)
    }

    pub(super) fn permanent_stages(
        &self,
        database: &str,
        schema: Option<&str>,
    ) -> Result<Vec<StageDescription>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(Vec::new());
        }
        let mut stages = staging::stages(&self.connection, database, schema)?;
        stages.retain(|stage| !drops::is_dropped_schema(stage.name.schema()));
        stages.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(stages)
    }

    pub(super) fn file_formats(
        &self,
        database: &str,
        schema: Option<&str>,
    ) -> Result<Vec<FormatDescription>, EngineError> {
        let mut formats = self.permanent_file_formats(database, schema)?;
        formats.retain(|format| self.temporary_formats.find(&format.name).is_none());
        if self.shared.has_database(database) {
            formats.extend(self.temporary_formats.within(database, schema)?);
        }
        formats.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(formats)
    }

    pub(super) fn permanent_file_formats(
        &self,
        database: &str,
        schema: Option<&str>,
    ) -> Result<Vec<FormatDescription>, EngineError> {
        if !self.shared.has_database(database) {
            return Ok(Vec::new());
        }
        let mut formats = staging::file_formats(&self.connection, database, schema)?;
        formats.retain(|format| !drops::is_dropped_schema(format.name.schema()));
        formats.sort_by(|left, right| left.name.cmp(&right.name));
        Ok(formats)
    }
}
