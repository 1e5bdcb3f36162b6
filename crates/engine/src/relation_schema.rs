//! Described objects as the binder reads them.

use firn_binder::{ColumnSchema, RelationSchema, SchemaError};
use firn_sql::ObjectName;

use crate::{EngineError, ObjectDescription};

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
impl From<SchemaError> for EngineError {
    fn from(SchemaError(error): SchemaError) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => *error,
            Err(error) => Self::Internal(error.to_string()),
        }
    }
}
