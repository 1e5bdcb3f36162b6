//! Tags and their values. A tag is an object of a schema, as policies are; the values are with the objects that have them:
//! in the records of schemas, tables and views, and in the catalog for everything else. A column has the tags of its table, a
//! table those of its schema, and so on, unless it has a value of its own.

mod assign;
mod commands;
mod lineage;
mod masks;
mod moves;
mod references;

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use firn_catalog::ActiveRole;
use firn_engine::{RoutineDescription, Session};
use firn_sql::command::{AssignedTag, RoutineKind, TagReference};
use firn_sql::names::quote_literal;
use firn_sql::{Failure, ObjectName};

use crate::authorise::{Authority, Secured};
use crate::run_error::RunError;
use crate::services::Services;

pub use assign::Assigning;
pub use commands::{TaggedCreation, run, tagged_creation};
pub use lineage::{Inherited, Level};
pub use masks::TagMask;
pub use moves::{follow_clone, refuse_drop_in_use, refuse_drop_of_masking_tag, retain_masks, tags_of_clone_source};
pub use references::{TagRow, rows};

/// The tags of the account. Those of a database are read once.
pub struct Tags<'a> {
    services: &'a Services,
    session: &'a dyn Session,
    known: RefCell<HashMap<i64, Rc<Vec<RoutineDescription>>>>,
}

impl<'a> Tags<'a> {
    pub fn new(services: &'a Services, session: &'a dyn Session) -> Self {
        Self { services, session, known: RefCell::default() }
    }

    /// `None` for a tag that was dropped: nothing has it any more.
    pub fn find(&self, reference: TagReference) -> Result<Option<RoutineDescription>, RunError> {
        let all = self.of_database(reference.database)?;
        Ok(all.iter().find(|found| found.id == reference.id).cloned())
    }

    /// A tag that the role may know of, by its name. APPLY TAG on the account lets every tag be known.
    pub fn named(&self, role: &ActiveRole, name: &ObjectName) -> Result<(TagReference, RoutineDescription), RunError> {
        let missing = || RunError::from(Failure::missing_object(RoutineKind::Tag.title(), &name.to_string()));
        let database = self.services.catalog.database(name.database()).ok_or_else(missing)?;
        let all = self.of_database(database.id)?;
        let found = all.iter().find(|found| found.routine.name == *name).ok_or_else(missing)?;
        match assign::applies_all(self.services, role) || self.sees(role, found)? {
            true => Ok((TagReference { database: database.id, id: found.id }, found.clone())),
            false => Err(missing()),
        }
    }

    pub fn sees(&self, role: &ActiveRole, tag: &RoutineDescription) -> Result<bool, RunError> {
        Authority::new(&self.services.catalog, self.session, role).sees(Secured::routine(tag))
    }

    /// As GET_DDL writes them: ` WITH TAG (DB.S.T='v')`, without those that the role may not know of.
    pub fn shown(&self, role: &ActiveRole, assigned: &[AssignedTag]) -> Result<String, RunError> {
        let mut shown = Vec::new();
        for known in assigned {
            if let Some(tag) = self.find(known.tag)?
                && self.sees(role, &tag)?
            {
                shown.push(format!("{}={}", tag.routine.name, quote_literal(&known.value)));
            }
        }
        Ok(if shown.is_empty() { String::new() } else { format!(" WITH TAG ({})", shown.join(", ")) })
    }

    fn of_database(&self, id: i64) -> Result<Rc<Vec<RoutineDescription>>, RunError> {
        if let Some(known) = self.known.borrow().get(&id) {
            return Ok(Rc::clone(known));
        }
        let record = self.services.catalog.databases().into_iter().find(|record| record.id == id);
        let mut found = match record {
            Some(record) => self.session.routines(&record.name)?,
            None => Vec::new(),
        };
        found.retain(|described| described.routine.kind == RoutineKind::Tag);
        let found = Rc::new(found);
        self.known.borrow_mut().insert(id, Rc::clone(&found));
        Ok(found)
    }
}
