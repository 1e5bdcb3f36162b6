//! Views are read with the rights of their owners: what a view reads has to be readable for its owner when the view is used.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use firn_catalog::ActiveRole;
use firn_engine::ObjectDescription;
use firn_sql::command::{Command, IfMissing, Persistence};
use firn_sql::owners_views::read_for_owners;
use firn_sql::privileges::{Privilege, PrivilegeSet};
use firn_sql::stored_views::{is_expanded_when_read, relations_of, sequences_of};
use firn_sql::{Access, Failure, ObjectName, ObjectUse, UsedKind, Uses, print};

use super::{Authority, Checks};
use crate::broken_views::{LIMIT_EXCEEDED, expansion_failed};
use crate::mutex::lock;
use crate::routines::role_of_owner;
use crate::run_error::RunError;
use crate::services::Services;

/// Views of views, and so on.
const DEPTH_MAX: usize = 64;
/// Past this many, all are forgotten.
const VIEWS_MAX: usize = 10_000;

/// What is known of a view's stored query.
pub struct ViewReads {
    pub uses: Uses,
    /// The sequences that it takes values of.
    sequences: Uses,
    /// How many times it reads each of the objects.
    pub counts: Vec<usize>,
    /// As `stored_views::is_expanded_when_read`.
    pub is_expanded: bool,
}

/// What each view reads, by its query.
#[derive(Default)]
pub struct ViewUses {
    known: Mutex<HashMap<String, Arc<ViewReads>>>,
}

impl ViewUses {
    /// Known once the view was read.
    pub fn find(&self, query: &str) -> Option<Arc<ViewReads>> {
        lock(&self.known).get(query).cloned()
    }

    fn insert(&self, query: &str, reads: &Arc<ViewReads>) {
        let mut known = lock(&self.known);
        if known.len() >= VIEWS_MAX {
            known.clear();
        }
        known.insert(query.to_owned(), Arc::clone(reads));
    }
}

impl Checks<'_> {
    /// Fails if the view's owner may not read what the view reads.
    pub(super) fn view(&self, view: &ObjectDescription) -> Result<(), RunError> {
        let Some(reads) = reads_of_view(self.services, view)? else { return Ok(()) };
        if self.depth >= DEPTH_MAX {
            return Err(Failure::limit_exceeded("nesting depth of views", DEPTH_MAX).into());
        }
        if !self.authorised.borrow_mut().insert((view.id, view.name.clone())) {
            return Ok(());
        }
        let owner = self.owner(view)?;
        let authority = Authority::new(self.authority.catalog, self.authority.session, &owner);
        let below = Checks {
            services: self.services,
            authority,
            depth: self.depth + 1,
            is_stored: view.persistence != Persistence::Temporary,
            authorised: self.authorised,
        };
        let decided = below.decide(&reads.uses).and_then(|_| below.decide(&reads.sequences));
        decided.map(drop).map_err(|error| match error {
            RunError::Failed(failure) if failure.code != LIMIT_EXCEEDED => {
                expansion_failed(view, self.authority.role, &failure).into()
            }
            other => other,
        })
    }

    fn owner(&self, view: &ObjectDescription) -> Result<ActiveRole, RunError> {
        match view.owner == self.authority.role.name {
            true => Ok(self.authority.role.clone()),
            false => role_of_owner(self.authority.catalog, &view.owner),
        }
    }
}

/// What a view reads; `None` for a view of which no query is stored: those of INFORMATION_SCHEMA.
pub fn reads_of_view(services: &Services, view: &ObjectDescription) -> Result<Option<Arc<ViewReads>>, RunError> {
    let Some(query) = &view.view_query else { return Ok(None) };
    if let Some(known) = services.view_uses.find(query) {
        return Ok(Some(known));
    }
    let tree = print::read_query(query)?;
    let (relations, counts): (Vec<ObjectName>, Vec<usize>) = relations_of(&tree).into_iter().unzip();
    let objects: Vec<ObjectUse> = relations.into_iter().map(read).collect();
    let uses = Uses { objects, ..Uses::default() };
    let sequences = Uses { objects: sequences_of(&tree).into_iter().map(taken_from).collect(), ..Uses::default() };
    let reads = Arc::new(ViewReads { uses, sequences, counts, is_expanded: is_expanded_when_read(&tree) });
    services.view_uses.insert(query, &reads);
    Ok(Some(reads))
}

/// What a statement that was expanded reads of INFORMATION_SCHEMA for the owners of definitions.
pub fn reads_of_owners(command: &Command) -> impl Iterator<Item = ObjectUse> {
    read_for_owners(command).into_iter().map(read)
}

fn taken_from(name: ObjectName) -> ObjectUse {
    let needs = PrivilegeSet::NONE.with(Privilege::Usage);
    ObjectUse { kind: UsedKind::Sequence, needs, ..read(name) }
}

fn read(name: ObjectName) -> ObjectUse {
    ObjectUse {
        written: name.to_string(),
        name,
        kind: UsedKind::Relation,
        access: Access::Read,
        needs: PrivilegeSet::NONE.with(Privilege::Select),
        if_missing: IfMissing::Fail,
    }
}
