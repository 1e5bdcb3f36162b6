//! The engine's catalog as the binder reads it.

use std::sync::Arc;

use firn_binder::{ColumnSchema, RelationSchema, SchemaError, SchemaProvider};
use firn_sql::ObjectName;

use super::describe::Lookup;
use crate::{EngineError, ObjectDescription};

pub(crate) struct Schemas<'session>(pub(crate) &'session dyn Lookup);

impl SchemaProvider for Schemas<'_> {
    fn relation(&self, name: &ObjectName) -> Result<Option<Arc<dyn RelationSchema>>, SchemaError> {
        match self.0.find(name) {
            Ok(found) => Ok(found.map(|object| object as Arc<dyn RelationSchema>)),
            Err(error) => Err(SchemaError(Box::new(error))),
        }
    }
}

impl RelationSchema for ObjectDescription {
    fn name(&self) -> &ObjectName {
        &self.name
    }

    fn column_count(&self) -> usize {
        self.columns.len()
    }

    fn column(&self, index: usize) -> Option<ColumnSchema<'_>> {
        let column = self.columns.get(index)?;
        Some(ColumnSchema {
            name: &column.name,
            data_type: &column.data_type,
            nullable: !column.not_null,
            collation: column.collation.as_deref(),
        })
    }
}

/// The engine's own error, which the binder hands through.
pub(crate) fn engine_error(SchemaError(error): SchemaError) -> EngineError {
    match error.downcast::<EngineError>() {
        Ok(error) => *error,
        Err(error) => EngineError::Internal(error.to_string()),
    }
}
