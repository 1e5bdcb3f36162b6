//! Views and functions of other owners in what is cloned. With the rights of its old owner, the copy would read what the cloning role
//! puts beside it; so it becomes the cloning role's. Those who may read the source read the copy only if that shows them nothing
//! else: what the old owner could read, and nothing outside of the clone. What hides its text from others stays its owner's.

use std::collections::HashMap;

use firn_catalog::{ActiveRole, DatabaseRecord};
use firn_engine::{ObjectDescription, Session};
use firn_sql::ObjectName;
use firn_sql::command::{ObjectKind, RoutineKind};
use firn_sql::names::INFORMATION_SCHEMA;
use firn_sql::privileges::SecurableKind;

use super::targets::Named;
use crate::authorise::{authorise_stored, reads_of_view, role_of_owner};
use crate::run_error::RunError;
use crate::services::Services;

/// Views of views, and so on.
const DEPTH_MAX: usize = 64;

/// What the cloning role gets of an object of another owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Handover {
    Nothing,
    Ownership,
    /// Others go on reading it too, if it reads nothing outside of the clone.
    WithPrivileges,
}

/// What becomes of the views, semantic views and functions of other owners in a source, by kind and id.
pub(super) fn handovers(
    services: &Services,
    session: &dyn Session,
    role: &ActiveRole,
    (database, schema): (&DatabaseRecord, Option<&str>),
    named: &[Named],
) -> Result<HashMap<(SecurableKind, i64), Handover>, RunError> {
    let is_other = |owner: &str| !role.may_use_what_is_owned_by(owner);
    let mut found = HashMap::new();
    for object in session.permanent_objects(&database.name, schema)? {
        if object.kind == ObjectKind::View && !object.options.secure && is_other(&object.owner) {
            let handover = match owner_reads(services, session, &object)? {
                true => Handover::WithPrivileges,
                false => Handover::Ownership,
            };
            found.insert((SecurableKind::View, object.id), handover);
        }
    }
    for described in session.routines(&database.name)? {
        if described.routine.kind == RoutineKind::Function && !described.routine.secure {
            found.insert((SecurableKind::Function, described.id), Handover::Ownership);
        }
    }
    let semantic_views = named.iter().filter(|named| named.kind == SecurableKind::SemanticView);
    found.extend(semantic_views.map(|named| ((named.kind, named.id), Handover::Ownership)));
    Ok(found)
}

/// Whether the owner of a view may read all that it reads. Of functions nobody knows.
fn owner_reads(services: &Services, session: &dyn Session, view: &ObjectDescription) -> Result<bool, RunError> {
    let Some(reads) = reads_of_view(services, view)? else { return Ok(false) };
    if reads.is_expanded || !reads.sequences.objects.is_empty() {
        return Ok(false);
    }
    let owner = role_of_owner(&services.catalog, &view.owner)?;
    match authorise_stored(services, session, &owner, &reads.uses) {
        Ok(()) => Ok(true),
        Err(RunError::Failed(_)) => Ok(false),
        Err(other) => Err(other),
    }
}

/// Whether a view, and each that it reads, reads nothing outside of a database or schema.
pub(super) fn reads_only(
    services: &Services,
    session: &dyn Session,
    name: &ObjectName,
    (database, schema): (&str, Option<&str>),
) -> Result<bool, RunError> {
    let mut waiting = vec![(name.clone(), 0)];
    while let Some((name, depth)) = waiting.pop() {
        let is_inside = name.database() == database && schema.is_none_or(|schema| schema == name.schema());
        if !is_inside || name.schema() == INFORMATION_SCHEMA || depth >= DEPTH_MAX {
            return Ok(false);
        }
        let Some(found) = session.describe_permanent(&name)? else { return Ok(false) };
        let Some(reads) = reads_of_view(services, &found)? else { continue };
        if reads.is_expanded {
            return Ok(false);
        }
        waiting.extend(reads.uses.objects.iter().map(|used| (used.name.clone(), depth + 1)));
    }
    Ok(true)
}
