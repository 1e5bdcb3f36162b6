//! Whether what a statement read may still be read: every object is looked up by its identity, whatever it is called by now. The
//! role needs the privileges that the use of it needs, and its policies have to be those of then. What was dropped does not count.

use std::collections::HashMap;
use std::sync::Arc;

use firn_catalog::registry::{EndState, PastStatement};
use firn_catalog::{ActiveRole, DatabaseRecord};
use firn_engine::{ObjectDescription, RoutineDescription, Session};
use firn_sql::ObjectName;
use firn_sql::command::{RoutineKind, SecondaryRoles};
use firn_sql::privileges::PrivilegeSet;

use super::{listed, refusal_of};
use crate::authorise::{Authority, Secured, with_usage_of_stage};
use crate::reads::{REDACTED, ReadKind, ReadObject, Reads, policy_checksum};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::{SessionState, with_secondary};

/// For a role with all others of the user.
pub(super) fn are_readable(
    services: &Services,
    session: &dyn Session,
    role: &ActiveRole,
    reads: &Reads,
) -> Result<bool, RunError> {
    // A policy may show less to a session without one of the roles.
    if reads.is_incomplete || !reads.roles.iter().all(|name| role.held.contains(name)) {
        return Ok(false);
    }
    let databases: HashMap<i64, DatabaseRecord> =
        services.catalog.databases().into_iter().map(|record| (record.id, record)).collect();
    let mut readers = Readers { services, session, role, others: HashMap::new() };
    for read in &reads.objects {
        let Some(database) = databases.get(&read.database) else { continue };
        if !readers.is_readable(read, database)? {
            return Ok(false);
        }
    }
    for seen in &reads.seen {
        let Some(database) = databases.get(&seen.database) else { continue };
        let other = seen.reader.as_ref().and_then(|reader| readers.other(reader));
        let roles: Vec<&ActiveRole> = [Some(role), other.as_ref()].into_iter().flatten().collect();
        if !listed::are_visible(services, session, &roles, (seen, database))? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Puts the refusal in the place of messages, and hides texts, that may show what the session's user may no longer read.
pub fn hide_values(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    past: &mut [PastStatement],
) -> Result<(), RunError> {
    let changed_on_ms = services.catalog.access_changed_on_ms();
    let role = with_secondary(&services.catalog, &state.caller, state.role.clone(), SecondaryRoles::All).0;
    let mut known: HashMap<String, bool> = HashMap::new();
    for statement in past.iter_mut() {
        let failed = statement.state == Some(EndState::Failed);
        let Some(recorded) = statement.reads.take().filter(|_| statement.created_on_ms <= changed_on_ms) else {
            continue;
        };
        let is_computed = statement.parent.is_some() && Reads::parse(&recorded).is_none_or(|reads| reads.in_text);
        if !(failed || is_computed) {
            continue;
        }
        let is_readable = match known.get(&recorded) {
            Some(is_readable) => *is_readable,
            None => {
                let reads = Reads::parse(&recorded).unwrap_or_else(Reads::incomplete);
                let is_readable = match are_readable(services, session, &role, &reads) {
                    Err(RunError::Failed(_)) => false,
                    checked => checked?,
                };
                known.insert(recorded, is_readable);
                is_readable
            }
        };
        if !is_readable && failed {
            statement.message = Some(refusal_of(statement.handle).message);
        }
        if !is_readable && is_computed {
            statement.text = REDACTED.to_owned();
        }
    }
    Ok(())
}

/// The role of the user, and those that views and routines read with.
struct Readers<'a> {
    services: &'a Services,
    session: &'a dyn Session,
    role: &'a ActiveRole,
    others: HashMap<String, Option<ActiveRole>>,
}

impl Readers<'_> {
    fn is_readable(&mut self, read: &ReadObject, database: &DatabaseRecord) -> Result<bool, RunError> {
        let Some(needs) = read.needs() else { return Ok(false) };
        let name = ObjectName::qualified(&database.name, &read.schema, &read.name);
        match read.kind {
            ReadKind::Database => self.allows(read, |authority| Ok(authority.on_database(database)), needs),
            ReadKind::Relation => {
                let Some(found) = self.relation(read.id, &name)? else { return Ok(true) };
                let allowed = self.allows(read, |authority| authority.object(&Secured::from(&*found)), needs)?;
                Ok(allowed && policy_checksum(self.services, self.session, &found)? == read.policies)
            }
            ReadKind::Stage => {
                let mut all = self.session.permanent_stages(&database.name, None)?.into_iter();
                let Some(found) = all.find(|found| found.id == read.id) else { return Ok(true) };
                let privileges =
                    |authority: &Authority<'_>| Ok(with_usage_of_stage(authority.object(&Secured::stage(&found))?));
                self.allows(read, privileges, needs)
            }
            ReadKind::Function => self.routine(read, RoutineKind::Function, database, needs),
            ReadKind::Procedure => self.routine(read, RoutineKind::Procedure, database, needs),
            ReadKind::SemanticView => {
                let mut all = self.services.catalog.semantic_views(&database.name, None)?.into_iter();
                let Some(found) = all.find(|found| found.id == read.id) else { return Ok(true) };
                self.allows(read, |authority| authority.object(&Secured::semantic_view(&found)), needs)
            }
        }
    }

    /// The permanent one: a temporary object of the session has another identity.
    fn relation(&self, id: i64, name: &ObjectName) -> Result<Option<Arc<ObjectDescription>>, RunError> {
        if let Some(found) = self.session.describe_permanent(name)?.filter(|found| found.id == id) {
            return Ok(Some(found));
        }
        Ok(self.session.permanent_objects(name.database(), None)?.into_iter().find(|found| found.id == id))
    }

    fn routine(
        &mut self,
        read: &ReadObject,
        kind: RoutineKind,
        database: &DatabaseRecord,
        needs: PrivilegeSet,
    ) -> Result<bool, RunError> {
        let is_it = |found: &RoutineDescription| found.id == read.id && found.routine.kind == kind;
        let Some(found) = self.session.routines(&database.name)?.into_iter().find(is_it) else { return Ok(true) };
        self.allows(read, |authority| authority.object(&Secured::routine(&found)), needs)
    }

    /// Whether the user, or the owner for whom it was read, has the privileges.
    fn allows(
        &mut self,
        read: &ReadObject,
        privileges: impl Fn(&Authority<'_>) -> Result<PrivilegeSet, RunError>,
        needs: PrivilegeSet,
    ) -> Result<bool, RunError> {
        let (catalog, session) = (&self.services.catalog, self.session);
        let allows = |role: &ActiveRole| {
            let privileges = privileges(&Authority::new(catalog, session, role))?;
            Ok(!privileges.is_empty() && privileges.contains_all(needs))
        };
        if allows(self.role)? {
            return Ok(true);
        }
        match read.reader.as_ref().and_then(|reader| self.other(reader)) {
            Some(role) => allows(&role),
            None => Ok(false),
        }
    }

    fn other(&mut self, reader: &str) -> Option<ActiveRole> {
        let find = || self.services.catalog.principals().role_with_inherited(reader);
        self.others.entry(reader.to_owned()).or_insert_with(find).clone()
    }
}
