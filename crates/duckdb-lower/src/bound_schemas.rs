//! The engine's catalog as the binder reads it.

use std::sync::Arc;

use firn_binder::{RelationSchema, SchemaError, SchemaProvider};
use firn_sql::ObjectName;

use crate::lookup::Lookup;

pub(crate) struct Schemas<'session>(pub(crate) &'session dyn Lookup);

impl SchemaProvider for Schemas<'_> {
    fn relation(&self, name: &ObjectName) -> Result<Option<Arc<dyn RelationSchema>>, SchemaError> {
        match self.0.find(name) {
            Ok(found) => Ok(found.map(|object| object as Arc<dyn RelationSchema>)),
            Err(error) => Err(SchemaError(Box::new(error))),
        }
    }
}
