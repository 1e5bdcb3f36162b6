//! How the passes look up tables and views.

use std::sync::Arc;

use firn_engine::{EngineError, ObjectDescription};
use firn_sql::ObjectName;

use crate::stored::StoredObject;

/// Resolves names to descriptions of objects.
pub trait Lookup {
    fn find(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError>;

    /// The record of a permanent view.
    fn find_view(&self, name: &ObjectName) -> Result<Option<StoredObject>, EngineError>;
}
