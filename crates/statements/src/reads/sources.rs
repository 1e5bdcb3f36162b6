//! Reads that a statement takes over from earlier ones of its session: those that gave variables their values and filled
//! temporary tables and stages.

use std::collections::HashMap;

use firn_engine::Session;
use firn_sql::command::Persistence;
use firn_sql::privileges::Privilege;
use firn_sql::resolve::{Access, ObjectUse, UsedKind, Uses};

use super::Reads;
use crate::run_error::RunError;
use crate::session_state::SessionState;

/// What each temporary object of the session was filled from, by its identity.
pub type TemporaryReads = HashMap<i64, Reads>;

/// Before the statement is compiled: the message of a failure may quote the value of a variable.
pub fn note_variables(state: &SessionState, text: &str) {
    if may_name_variables(text) {
        take_over_variables(state);
    }
}

pub(super) fn take_over_variables(state: &SessionState) {
    if !state.variables.reads.is_empty() {
        state.reads.borrow_mut().take_over(&state.variables.reads);
    }
}

/// `$X`, GETVARIABLE('X') or SHOW VARIABLES.
fn may_name_variables(text: &str) -> bool {
    const VARIABLE: &[u8] = b"VARIABLE";
    text.contains('$') || text.as_bytes().windows(VARIABLE.len()).any(|part| part.eq_ignore_ascii_case(VARIABLE))
}

/// Records what the temporary objects that a statement has written were filled from.
pub fn note_filled(session: &dyn Session, state: &mut SessionState, uses: &Uses) -> Result<(), RunError> {
    if state.reads.borrow().is_empty() {
        return Ok(());
    }
    // Who names the stage of a table may write to it.
    let names_stage = |used: &ObjectUse| used.needs.contains(Privilege::Ownership);
    let is_written = |used: &&ObjectUse| match used.access {
        Access::Read => names_stage(used),
        Access::Drop => false,
        _ => true,
    };
    for used in uses.objects.iter().filter(is_written) {
        if let Some(id) = temporary_id(session, used)? {
            state.temporary_reads.entry(id).or_default().add_sources(&state.reads.borrow());
        }
    }
    Ok(())
}

fn temporary_id(session: &dyn Session, used: &ObjectUse) -> Result<Option<i64>, RunError> {
    let found = match used.kind {
        UsedKind::FileFormat => None,
        UsedKind::Stage => session.stage(&used.name)?.map(|found| (found.persistence, found.id)),
        _ => session.describe(&used.name)?.map(|found| (found.persistence, found.id)),
    };
    Ok(found.filter(|(persistence, _)| *persistence == Persistence::Temporary).map(|(_, id)| id))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_that_may_name_variables() {
        for text in ["SELECT $x", "show variables", "SELECT GetVariable('X')", "USE SCHEMA IDENTIFIER($X)"] {
            assert!(may_name_variables(text), "{text}");
        }
        for text in ["SELECT 1", "SELECT V FROM OTHER", ""] {
            assert!(!may_name_variables(text), "{text}");
        }
    }
}
