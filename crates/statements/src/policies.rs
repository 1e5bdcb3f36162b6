//! Masking and row access policies. They are functions of a schema that the server alone calls. `bind` puts them into the tree
//! of a statement, in the place of every table and view that has some; `attach` decides who may attach and change them.

mod attach;
mod bind;
mod current_tags;
mod exemptions;
mod references;
mod relation;
mod tag_policies;
mod view_queries;

use firn_engine::{RoutineDescription, Session};
use firn_sql::Failure;
use firn_sql::command::PolicyReference;

use crate::broken_views::unnamed_column;
use crate::run_error::RunError;
use crate::services::Services;

pub use attach::{prepare as prepare_change, refuse_change_in_use};
pub use bind::{bind, is_read_otherwise, plan_steps};
use references::attachments;
pub use references::{PolicyNames, references};

/// The policy that was attached to an object of `database`. One that is gone keeps everybody from the object's data.
pub fn find(
    services: &Services,
    session: &dyn Session,
    database: &str,
    reference: &PolicyReference,
) -> Result<RoutineDescription, RunError> {
    for home in [database, &reference.database] {
        if services.catalog.database(home).is_some()
            && let Some(found) = with_id(session, home, reference.id)?
        {
            return Ok(found);
        }
    }
    // Its database has another name by now.
    let mut found = Vec::new();
    for record in services.catalog.databases() {
        found.extend(with_id(session, &record.name, reference.id)?);
    }
    match (found.pop(), found.is_empty()) {
        (Some(only), true) => Ok(only),
        _ => Err(Failure::new(
            "002003",
            "02000",
            "SQL compilation error:\na policy of the table does not exist any more or cannot be distinguished from a copy; unset it \
             or attach another one.",
        )
        .into()),
    }
}

/// A failure of a statement with policies, without the value that caused it: a policy may hide it, or have failed on it. Nor is a
/// column shown that the statement itself does not name: it is one of a secure view or function.
pub fn without_values(error: RunError, text: &str) -> RunError {
    match error {
        RunError::Failed(failure) if unnamed_column(text, &failure).is_some() => {
            let message = "SQL compilation error:\nFailure during expansion of a secure view, a secure function or a policy: its \
                           owner can find out why by running its query.";
            Failure::new("002037", "42601", message).into()
        }
        RunError::Failed(Failure { code, sql_state, .. }) if sql_state.starts_with("22") => {
            let message = "SQL execution error: a value cannot be used as the statement or a policy asks for. It is not shown, as \
                           the statement reads a table with policies.";
            Failure::new(code, sql_state, message).into()
        }
        other => other,
    }
}

fn with_id(session: &dyn Session, database: &str, id: i64) -> Result<Option<RoutineDescription>, RunError> {
    let mut all = session.routines(database)?.into_iter();
    Ok(all.find(|found| found.id == id && found.routine.kind.is_policy()))
}
