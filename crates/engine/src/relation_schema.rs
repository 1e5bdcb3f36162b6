//! Described objects as the binder reads them.

use firn_binder::{ColumnSchema, RelationSchema};
use firn_sql::ObjectName;

use crate::ObjectDescription;

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
