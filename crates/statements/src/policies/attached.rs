//! Finds policies by their identities.

use firn_engine::{RoutineDescription, Session};
use firn_sql::Failure;
use firn_sql::command::PolicyReference;

use crate::run_error::RunError;
use crate::services::Services;

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

fn with_id(session: &dyn Session, database: &str, id: i64) -> Result<Option<RoutineDescription>, RunError> {
    let mut all = session.routines(database)?.into_iter();
    Ok(all.find(|found| found.id == id && found.routine.kind.is_policy()))
}
