//! What the binder asks of a catalog.

use std::sync::Arc;

use firn_sql::ObjectName;
use firn_sql::ast::ObjectName as TreeName;
use firn_sql::command::DataType;
use firn_sql::routines::Routine;

/// Knows the tables and views that a statement may name.
pub trait SchemaProvider {
    /// `None` if there is no table or view of this complete name.
    fn relation(&self, name: &ObjectName) -> Result<Option<Arc<dyn RelationSchema>>, SchemaError>;

    /// The users' functions that a call of this name may mean.
    fn overloads(&self, _: &TreeName) -> Vec<&Routine> {
        Vec::new()
    }
}

/// The columns of a table or a view. They are read in place, so that a catalog hands out what it has cached.
pub trait RelationSchema: Send + Sync {
    fn name(&self) -> &ObjectName;

    fn column_count(&self) -> usize;

    /// Columns are counted from zero; there is none past `column_count`.
    fn column(&self, index: usize) -> Option<ColumnSchema<'_>>;
}

#[derive(Clone, Copy, Debug)]
pub struct ColumnSchema<'schema> {
    pub name: &'schema str,
    pub data_type: &'schema DataType,
    pub nullable: bool,
    pub collation: Option<&'schema str>,
}

/// The catalog could not be read.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct SchemaError(pub Box<dyn std::error::Error + Send + Sync>);
