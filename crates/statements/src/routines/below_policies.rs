//! The functions that decide what a policy shows: those that its body calls, and those that they call in turn.

use std::collections::BTreeSet;

use firn_engine::{RoutineDescription, Session};
use firn_sql::routines::{Expansion, RoutineKind, called};
use firn_sql::{Namespace, ObjectName};

use super::named_for_owner;
use crate::authorise::role_of_owner;
use crate::limits::parse_limits;
use crate::run_error::RunError;
use crate::services::Services;

/// What is called below a policy.
#[derive(Default)]
pub struct BelowPolicy {
    /// Complete names, whether there are functions of them or not.
    pub names: BTreeSet<ObjectName>,
    /// All overloads that the calls may mean.
    pub functions: Vec<RoutineDescription>,
}

/// What cannot be parsed any more, or has no owner, calls nothing: a statement that reads it fails.
pub fn below_policy(
    services: &Services,
    session: &dyn Session,
    policy: &RoutineDescription,
) -> Result<BelowPolicy, RunError> {
    let limits = parse_limits(&services.limits);
    let mut below = BelowPolicy::default();
    let mut waiting = vec![policy.clone()];
    while let Some(RoutineDescription { routine, owner, .. }) = waiting.pop() {
        let Ok(body) = Expansion::of(&routine, &limits) else { continue };
        let Ok(owner) = role_of_owner(&services.catalog, &owner) else { continue };
        let namespace = Namespace { database: routine.name.database.clone(), schema: routine.name.schema.clone() };
        for name in called(&body.statement, &namespace)? {
            if !below.names.insert(name.clone()) {
                continue;
            }
            let found = named_for_owner(&services.catalog, session, &owner, RoutineKind::Function, &name)?;
            waiting.extend(found.iter().cloned());
            below.functions.extend(found);
        }
    }
    Ok(below)
}

/// Whether some policy calls a function of one of these names, or calls one that does.
pub fn is_below_a_policy(services: &Services, session: &dyn Session, names: &[&ObjectName]) -> Result<bool, RunError> {
    for database in services.catalog.databases() {
        let routines = session.routines(&database.name)?;
        for policy in routines.iter().filter(|described| described.routine.kind.is_policy()) {
            let below = below_policy(services, session, policy)?;
            if names.iter().any(|name| below.names.contains(*name)) {
                return Ok(true);
            }
        }
    }
    Ok(false)
}
