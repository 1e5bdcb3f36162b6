//! Policies in what is cloned. The copy of a policy is still its owner's and is read in its new place, where the cloning role may
//! create or own what the body does not name completely.

use std::ops::ControlFlow;

use firn_engine::Session;
use firn_sql::command::Command;
use firn_sql::names::display_identifier;
use firn_sql::resolve::resolve;
use firn_sql::routines::{Expansion, Routine, calls_of, completed, is_of_user};
use firn_sql::{Failure, ObjectName, ParseLimits, stored_names};

use crate::limits::parse_limits;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// Fails if the clone of a database or schema would hold a policy of an owner whose role the caller does not have, and if that
/// policy would read other objects there.
pub(super) fn check(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    (database, schema): (&str, Option<&str>),
) -> Result<(), RunError> {
    let limits = parse_limits(&services.limits);
    for described in session.routines(database)? {
        let routine = &described.routine;
        let is_cloned = routine.kind.is_policy() && schema.is_none_or(|schema| schema == routine.name.schema());
        if is_cloned && !state.role.may_use_what_is_owned_by(&described.owner) && reads_its_place(routine, &limits) {
            let place = schema.map_or("database", |_| "schema");
            let message = format!(
                "SQL access control error:\nInsufficient privileges to operate on {place} '{}': it holds a policy of another \
                 role that names objects without their database. The policy's owner can clone it, or write complete names \
                 in the policy's body.",
                display_identifier(schema.unwrap_or(database))
            );
            return Err(Failure::new("003001", "42501", message).into());
        }
    }
    Ok(())
}

/// Whether a name in the body is completed by the place of the policy. A body that cannot be read counts as such.
fn reads_its_place(policy: &Routine, limits: &ParseLimits) -> bool {
    let Ok(mut body) = Expansion::of(policy, limits) else { return true };
    let place = stored_names::placeholders();
    let is_there = ObjectName::is_marked;
    let calls = body.statement.command.each_tree_mut(&mut |tree| {
        let names = calls_of(tree).into_iter().map(|(name, _)| name).filter(is_of_user);
        match names.filter_map(|name| completed(&name, &place)).any(|name| is_there(&name)) {
            true => ControlFlow::Break(Failure::unsupported("a second search")),
            false => ControlFlow::Continue(()),
        }
    });
    let is_query = matches!(body.statement.command, Command::Query(_));
    let relations = resolve(&mut body.statement, &place);
    !is_query || calls.is_break() || relations.map_or(true, |uses| uses.objects.iter().any(|used| is_there(&used.name)))
}
