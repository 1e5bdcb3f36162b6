//! The record of an object in the side tables, which has more than its description.

use firn_engine::{ColumnDescription, ObjectDescription};

/// Everything that is known of a table, view or sequence.
#[derive(Clone, Debug)]
pub struct StoredObject {
    /// Its own `columns` are empty until `described` fills them.
    pub description: ObjectDescription,
    pub columns: Vec<ColumnRecord>,
    /// A view's query with every name completed, from which the engine's view can be made again.
    pub view_query: Option<String>,
}

/// A column and the sequence that fills it, if it has one.
#[derive(Clone, Debug)]
pub struct ColumnRecord {
    pub description: ColumnDescription,
    pub sequence_name: Option<String>,
}

impl StoredObject {
    pub fn described(&self) -> ObjectDescription {
        let columns = self.columns.iter().map(|column| column.description.clone()).collect();
        ObjectDescription { columns, view_query: self.view_query.clone(), ..self.description.clone() }
    }

    pub fn column_mut(&mut self, name: &str) -> Option<&mut ColumnRecord> {
        self.columns.iter_mut().find(|column| column.description.name == name)
    }
}
