//! The tags of an object: read, and replaced as a whole.

use std::sync::Arc;

use firn_sql::command::AssignedTag;
use rusqlite::Connection;

use super::{Tagged, Tags, load_tags, write};
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::memory::Memory;

impl Catalog {
    pub fn tags(&self) -> Arc<Tags> {
        self.look(|memory| Arc::clone(&memory.tags))
    }

    pub fn tags_of(&self, tagged: &Tagged) -> Vec<AssignedTag> {
        self.look(|memory| memory.tags.get(tagged).cloned().unwrap_or_default())
    }

    /// These are all that it has.
    pub fn set_tags(&self, tagged: &Tagged, tags: &[AssignedTag]) -> Result<(), CatalogError> {
        let reload = |before: &Memory, connection: &Connection| {
            Ok(Memory { tags: Arc::new(load_tags(connection)?), ..before.clone() })
        };
        self.change(reload, |transaction, _| write(transaction, tagged, tags))
    }
}
