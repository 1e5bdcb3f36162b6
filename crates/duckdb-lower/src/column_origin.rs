//! Where a result column comes from.

use std::sync::Arc;

use firn_engine::ObjectDescription;
use firn_sql::command::DataType;

/// What is known of a result column besides the engine's type.
#[derive(Clone, Debug)]
pub struct ColumnOrigin {
    pub source: Source,
    pub nullable: bool,
}

#[derive(Clone, Debug)]
pub enum Source {
    /// The table or view column that is shown unchanged: its place in the object's columns.
    Column { object: Arc<ObjectDescription>, column: usize },
    /// A computed value.
    Expression,
    /// What a cast at the outside says of its value.
    Cast(DataType),
    /// What an expression tells of its value: digits, or the longest text.
    Computed(DataType),
    /// A NULL, which counts as a text.
    Null,
}

impl ColumnOrigin {
    pub fn declared_type(&self) -> Option<&DataType> {
        match &self.source {
            Source::Column { object, column } => object.columns.get(*column).map(|column| &column.data_type),
            Source::Cast(data_type) | Source::Computed(data_type) => Some(data_type),
            Source::Expression | Source::Null => None,
        }
    }

    pub fn collation(&self) -> Option<&str> {
        match &self.source {
            Source::Column { object, column } => object.columns.get(*column)?.collation.as_deref(),
            _ => None,
        }
    }

    /// The type of a column that is made of this one. A text that was computed leaves room for longer ones.
    pub fn stored_type(&self) -> Option<DataType> {
        match &self.source {
            Source::Null | Source::Computed(DataType::Varchar { .. }) => Some(DataType::Varchar { length: None }),
            _ => self.declared_type().cloned(),
        }
    }
}
