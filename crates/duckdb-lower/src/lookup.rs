//! How the passes ask what a name stands for.

use std::sync::Arc;

use firn_engine::{EngineError, ObjectDescription};
use firn_sql::ObjectName;

use crate::stored::StoredObject;

/// Whoever can tell what a name stands for.
pub trait Lookup {
    fn find(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError>;

    /// The record of a permanent view.
    fn find_view(&self, name: &ObjectName) -> Result<Option<StoredObject>, EngineError>;
}
