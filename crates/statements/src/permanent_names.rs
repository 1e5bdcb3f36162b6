//! What stored definitions name is permanent, whatever temporary objects the session has.

use firn_engine::Session;
use firn_sql::command::Persistence;
use firn_sql::permanent_names::mean_permanent;
use firn_sql::{ObjectName, Statement, Uses};

use crate::run_error::RunError;

/// Those of the names that are of temporary objects in the session.
pub fn names_of_temporary<'names>(
    session: &dyn Session,
    names: impl Iterator<Item = &'names ObjectName>,
) -> Result<Vec<ObjectName>, RunError> {
    let mut found = Vec::new();
    for name in names {
        let object = session.describe(name)?;
        if object.is_some_and(|object| object.persistence == Persistence::Temporary) && !found.contains(name) {
            found.push(name.clone());
        }
    }
    Ok(found)
}

/// To be called with a definition that is resolved, and the uses that this has given.
pub fn bind_to_permanent(session: &dyn Session, definition: &mut Statement, uses: &Uses) -> Result<(), RunError> {
    let names = names_of_temporary(session, uses.objects.iter().map(|used| &used.name))?;
    mean_permanent(&mut definition.command, &names);
    Ok(())
}

/// The part of the uses of a role's own definition that is of temporary objects of the session which hide nothing, and the rest.
pub fn temporary_uses(session: &dyn Session, uses: &Uses) -> Result<(Uses, Uses), RunError> {
    let mut temporary = names_of_temporary(session, uses.objects.iter().map(|used| &used.name))?;
    let mut hiding = Vec::new();
    for name in &temporary {
        if session.describe_permanent(name)?.is_some() {
            hiding.push(name.clone());
        }
    }
    temporary.retain(|name| !hiding.contains(name));
    let (of_session, stored) = uses.objects.iter().cloned().partition(|used| temporary.contains(&used.name));
    Ok((Uses { objects: of_session, ..Uses::default() }, Uses { objects: stored, ..uses.clone() }))
}
