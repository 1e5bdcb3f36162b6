//! How the passes look up tables and views.

use std::cell::RefCell;
use std::collections::HashMap;
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

/// Resolves each name once, for passes between which nothing changes.
pub struct MemoizedLookup<'lookup> {
    lookup: &'lookup dyn Lookup,
    found: RefCell<HashMap<ObjectName, Option<Arc<ObjectDescription>>>>,
}

impl<'lookup> MemoizedLookup<'lookup> {
    pub fn new(lookup: &'lookup dyn Lookup) -> Self {
        Self { lookup, found: RefCell::default() }
    }
}

impl Lookup for MemoizedLookup<'_> {
    fn find(&self, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, EngineError> {
        if let Some(known) = self.found.borrow().get(name) {
            return Ok(known.clone());
        }
        let found = self.lookup.find(name)?;
        self.found.borrow_mut().insert(name.clone(), found.clone());
        Ok(found)
    }

    fn find_view(&self, name: &ObjectName) -> Result<Option<StoredObject>, EngineError> {
        self.lookup.find_view(name)
    }
}
