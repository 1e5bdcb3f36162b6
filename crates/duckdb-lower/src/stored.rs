//! The record of an object in the side tables, which has more than its description.

use std::borrow::Cow;

use firn_engine::{ColumnDescription, ObjectDescription};
use firn_sql::stored_names::complete;

/// Everything that is known of a table, view or sequence.
#[derive(Clone, Debug)]
pub struct StoredObject {
    /// Its own `columns` are empty until `described` fills them.
    pub description: ObjectDescription,
    pub columns: Vec<ColumnRecord>,
    /// A view's query as it is recorded; `query` has it with complete names.
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
        let view_query = self.view_query.as_ref().map(|_| self.query().into_owned());
        ObjectDescription { columns, view_query, ..self.description.clone() }
    }

    /// A view's query, with names that are completed by the view's own database and schema.
    pub fn query(&self) -> Cow<'_, str> {
        let name = &self.description.name;
        complete(self.view_query.as_deref().unwrap_or_default(), name.database(), name.schema())
    }

    pub fn column_mut(&mut self, name: &str) -> Option<&mut ColumnRecord> {
        self.columns.iter_mut().find(|column| column.description.name == name)
    }
}
