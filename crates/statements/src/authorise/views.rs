//! Views are read with the rights of their owners: what a view reads has to be readable for its owner when the view is used.

use std::sync::Arc;

use firn_catalog::ActiveRole;
use firn_engine::ObjectDescription;
use firn_sql::command::{Command, IfMissing, Persistence};
use firn_sql::names::display_identifier;
use firn_sql::owners_views::read_for_owners;
use firn_sql::privileges::{Privilege, PrivilegeSet};
use firn_sql::stored_views::{is_expanded_when_read, relations_of, sequences_of};
use firn_sql::{Access, Failure, ObjectName, ObjectUse, UsedKind, Uses, print};

use super::authority::role_of_owner;
use super::{Authority, Checks};
use crate::run_error::RunError;
use crate::services::Services;
use crate::view_uses::ViewReads;

/// Views of views, and so on.
const DEPTH_MAX: usize = 64;
/// A limit is one of the statement, whichever view leads to it.
pub const LIMIT_EXCEEDED: &str = "000603";
/// So is the want of a warehouse.
pub const NO_WAREHOUSE: &str = "000606";
pub const EXPANSION_FAILED: &str = "002037";
const WRONG_ARGUMENTS: &str = "001044";

/// What is wrong below a secure view is not for who only reads it: it would name what the view hides.
pub fn expansion_failed(view: &ObjectDescription, role: &ActiveRole, failure: &Failure) -> Failure {
    let shown = display_identifier(&view.name.name);
    let reason = match view.options.secure && !role.may_use_what_is_owned_by(&view.owner) {
        true => "its owner can find out why by running its query.",
        false if failure.code == WRONG_ARGUMENTS => without_position(reason_of(failure)),
        false => reason_of(failure),
    };
    let message =
        format!("SQL compilation error:\nFailure during expansion of view '{shown}': SQL compilation error:\n{reason}");
    Failure::new(EXPANSION_FAILED, "42601", message)
}

fn reason_of(failure: &Failure) -> &str {
    failure.message.trim_start_matches("SQL compilation error:").trim_start()
}

/// The position is one in the expanded statement, which nobody has seen.
fn without_position(reason: &str) -> &str {
    match reason.split_once('\n') {
        Some((first, rest)) if first.starts_with("error line ") => rest,
        _ => reason,
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
