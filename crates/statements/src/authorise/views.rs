//! Views are read with the rights of their owners: what a view reads has to be readable for its owner when the view is used.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};

use firn_catalog::ActiveRole;
use firn_engine::ObjectDescription;
use firn_sql::ast::{ObjectName as TreeName, ObjectNamePart, visit_relations};
use firn_sql::command::IfMissing;
use firn_sql::names::display_identifier;
use firn_sql::privileges::{Privilege, PrivilegeSet};
use firn_sql::{Access, Failure, ObjectName, ObjectUse, UsedKind, Uses, print};

use super::{Authority, Checks};
use crate::broken_views::expansion_failed;
use crate::mutex::lock;
use crate::routines::role_of_owner;
use crate::run_error::RunError;
use crate::services::Services;

/// Views of views, and so on.
const DEPTH_MAX: usize = 64;
/// Past this many, all are forgotten.
const VIEWS_MAX: usize = 10_000;

/// What each view reads, by its query.
#[derive(Default)]
pub struct ViewUses {
    known: Mutex<HashMap<String, Arc<Uses>>>,
}

impl ViewUses {
    /// Known once the view was read.
    pub fn find(&self, query: &str) -> Option<Arc<Uses>> {
        lock(&self.known).get(query).cloned()
    }

    fn insert(&self, query: &str, uses: &Arc<Uses>) {
        let mut known = lock(&self.known);
        if known.len() >= VIEWS_MAX {
            known.clear();
        }
        known.insert(query.to_owned(), Arc::clone(uses));
    }
}

impl Checks<'_> {
    /// Fails if the view's owner may not read what the view reads.
    pub(super) fn view(&self, view: &ObjectDescription) -> Result<(), RunError> {
        let Some(uses) = uses_of_view(self.services, view)? else { return Ok(()) };
        if self.depth >= DEPTH_MAX {
            return Err(Failure::limit_exceeded("nesting depth of views", DEPTH_MAX).into());
        }
        let owner = self.owner(view)?;
        let authority = Authority::new(self.authority.catalog, self.authority.session, &owner);
        let below = Checks { services: self.services, authority, depth: self.depth + 1 };
        below.decide(&uses).map(drop).map_err(|error| match error {
            RunError::Failed(failure) if failure.code != "000603" => {
                expansion_failed(&display_identifier(&view.name.name), &failure).into()
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
pub fn uses_of_view(services: &Services, view: &ObjectDescription) -> Result<Option<Arc<Uses>>, RunError> {
    let Some(query) = &view.view_query else { return Ok(None) };
    if let Some(known) = services.view_uses.find(query) {
        return Ok(Some(known));
    }
    let objects: Vec<ObjectUse> = relations_of(query)?.into_iter().map(read).collect();
    let uses = Arc::new(Uses { objects, ..Uses::default() });
    services.view_uses.insert(query, &uses);
    Ok(Some(uses))
}

/// The relations that a view's resolved query reads, each once.
fn relations_of(query: &str) -> Result<Vec<ObjectName>, Failure> {
    let mut found: Vec<ObjectName> = Vec::new();
    let tree = print::read_query(query)?;
    let _: ControlFlow<()> = visit_relations(&tree, |relation| {
        // Names of one part are those of CTEs.
        found.extend(complete_name(relation).filter(|name| !found.contains(name)));
        ControlFlow::Continue(())
    });
    Ok(found)
}

pub fn complete_name(relation: &TreeName) -> Option<ObjectName> {
    let part = |part: &ObjectNamePart| match part {
        ObjectNamePart::Identifier(identifier) => Some(identifier.value.clone()),
        ObjectNamePart::Function(_) => None,
    };
    let parts: Vec<String> = relation.0.iter().filter_map(part).collect();
    let [database, schema, name] = <[String; 3]>::try_from(parts).ok()?;
    Some(ObjectName::qualified(&database, &schema, &name))
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
