//! What CREATE VIEW stores beside the query that the engine gets.

use std::collections::HashSet;

use firn_engine::{Session, row_types_checksum};
use firn_sql::command::{Command, CreateMode, CreateView, Ddl};
use firn_sql::context::substitute_in_view;
use firn_sql::names::display_identifier;
use firn_sql::resolve::{namespace_within, resolve};
use firn_sql::stored_views::{complete_calls, is_expanded_when_read, relations_of};
use firn_sql::{Failure, ObjectName, Statement};

use crate::authorise::reads_of_view;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::view_sizes::ViewSizes;
use crate::{routines, semantic_views};

/// To be called before functions and semantic views are expanded. Does nothing with other statements than CREATE VIEW.
pub fn prepare(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    statement: &mut Statement,
) -> Result<(), RunError> {
    if !matches!(statement.command, Command::Ddl(Ddl::CreateView(_))) {
        return Ok(());
    }
    let namespace = namespace_within(&statement.command, &state.namespace)?;
    let mut stored = statement.clone();
    semantic_views::complete_names(&mut stored, &namespace)?;
    resolve(&mut stored, &state.namespace)?;
    let known = routines::known_calls(services, session, &state.role, &stored, &namespace)?;
    let Command::Ddl(Ddl::CreateView(stored)) = stored.command else { return Ok(()) };
    let CreateView { name, mut query, .. } = *stored;
    complete_calls(&mut query, &namespace, &known);
    let counted = relations_of(&query);
    refuse_too_many(services, session, &counted)?;
    let relations: Vec<ObjectName> = counted.into_iter().map(|(relation, _)| relation).collect();
    let context = state.sql_context(&services.catalog, &statement.text);
    let Command::Ddl(Ddl::CreateView(view)) = &mut statement.command else { return Ok(()) };
    if view.mode == CreateMode::OrReplace || view.or_alter {
        refuse_reading_itself(services, session, &name, &relations, &mut HashSet::new())?;
    }
    view.read_types = Some(checksum(session, &relations)?);
    if is_expanded_when_read(&query) {
        substitute_in_view(view, &context);
        view.unexpanded = Some(query);
    }
    Ok(())
}

/// The engine reads all of it to find the columns.
fn refuse_too_many(
    services: &Services,
    session: &dyn Session,
    relations: &[(ObjectName, usize)],
) -> Result<(), RunError> {
    let mut sizes = ViewSizes::new(services, session);
    for (relation, times) in relations {
        if let Some(found) = session.describe(relation)? {
            sizes.count(&found, *times)?;
        }
    }
    Ok(())
}

fn checksum(session: &dyn Session, relations: &[ObjectName]) -> Result<u64, RunError> {
    let mut found = Vec::new();
    for relation in relations {
        found.extend(session.describe_permanent(relation)?);
    }
    Ok(row_types_checksum(found.iter().map(|relation| relation.columns.as_slice())))
}

/// The view that is replaced is gone by the time that the new one would read it.
fn refuse_reading_itself(
    services: &Services,
    session: &dyn Session,
    view: &ObjectName,
    relations: &[ObjectName],
    seen: &mut HashSet<ObjectName>,
) -> Result<(), RunError> {
    for relation in relations {
        if !seen.insert(relation.clone()) {
            continue;
        }
        if relation == view {
            let shown = display_identifier(&view.name);
            let message = format!("SQL compilation error:\nthe view {shown} reads {shown} itself, which it replaces.");
            return Err(Failure::new("001003", "42601", message).into());
        }
        let Some(found) = session.describe(relation)? else { continue };
        if let Some(reads) = reads_of_view(services, &found)? {
            let below: Vec<ObjectName> = reads.uses.objects.iter().map(|used| used.name.clone()).collect();
            refuse_reading_itself(services, session, view, &below, seen)?;
        }
    }
    Ok(())
}
