//! Clauses that the grammar has and firn does not.

use crate::Failure;

/// Refuses a clause by name if it is there.
pub(super) fn refuse(present: bool, clause: &str) -> Result<(), Failure> {
    if present { Err(Failure::unsupported(clause)) } else { Ok(()) }
}
