//! What CREATE VIEW stores beside the query that the engine gets.

use std::collections::HashSet;

use firn_engine::{Session, row_types_checksum};
use firn_sql::ast::Query;
use firn_sql::command::{Command, CreateMode, CreateView, Ddl, Persistence, StoredQuery};
use firn_sql::context::substitute_in_view;
use firn_sql::names::display_identifier;
use firn_sql::resolve::{namespace_within, resolve};
use firn_sql::stored_names::placeholders;
use firn_sql::stored_views::{complete_calls, is_expanded_when_read, relations_of, sequences_of};
use firn_sql::{Failure, Namespace, ObjectName, Statement, has_variables_in_view};

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
    if has_variables_in_view(&statement.text)? {
        let way_out = "GETVARIABLE('NAME') is evaluated by the statement that reads the view";
        return Err(Failure::unsupported(&format!("session variable in a view; {way_out}")).into());
    }
    let namespace = namespace_within(&statement.command, &state.namespace)?;
    let mut bound = statement.clone();
    semantic_views::complete_names(&mut bound, &namespace)?;
    resolve(&mut bound, &state.namespace)?;
    let known = routines::known_calls(services, session, &state.role, &bound, &namespace)?;
    let Command::Ddl(Ddl::CreateView(bound)) = bound.command else { return Ok(()) };
    let stored = stored_query(statement, &namespace, &known)?;
    let CreateView { name, query, persistence, .. } = *bound;
    refuse_sequences_elsewhere(&query, &name)?;
    let counted = relations_of(&query);
    refuse_too_many(services, session, &counted)?;
    let relations: Vec<ObjectName> = counted.into_iter().map(|(relation, _)| relation).collect();
    if persistence != Persistence::Temporary {
        relations.iter().try_for_each(|relation| refuse_temporary(session, relation))?;
    }
    let context = state.sql_context(&services.catalog, &statement.text);
    let Command::Ddl(Ddl::CreateView(view)) = &mut statement.command else { return Ok(()) };
    if view.mode == CreateMode::OrReplace || view.or_alter {
        refuse_reading_itself(services, session, &name, &relations, &mut HashSet::new())?;
    }
    view.read_types = Some(checksum(session, &relations)?);
    if stored.is_expanded_when_read {
        substitute_in_view(view, &context);
    }
    view.stored = Some(stored);
    Ok(())
}

/// The query of CREATE VIEW with the names of relations, functions and semantic views as they are recorded.
fn stored_query(statement: &Statement, namespace: &Namespace, known: &[ObjectName]) -> Result<StoredQuery, RunError> {
    let Command::Ddl(Ddl::CreateView(view)) = &statement.command else {
        return Err(RunError::Internal("a view is not a view any more".to_owned()));
    };
    let mut stored = Statement::new(&statement.text, Command::Query(view.query.clone()));
    let placeholders = placeholders();
    semantic_views::complete_names(&mut stored, &placeholders)?;
    resolve(&mut stored, &placeholders)?;
    let Command::Query(mut query) = stored.command else {
        return Err(RunError::Internal("the query of a view became something else".to_owned()));
    };
    complete_calls(&mut query, namespace, known);
    let is_expanded_when_read = is_expanded_when_read(&query);
    Ok(StoredQuery { query, is_expanded_when_read })
}

/// The engine would bind the view to a permanent object of that name, which nobody has authorised.
fn refuse_temporary(session: &dyn Session, relation: &ObjectName) -> Result<(), RunError> {
    match session.describe(relation)? {
        Some(found) if found.persistence == Persistence::Temporary => {
            let what = format!("a permanent view over the temporary object {relation}; CREATE TEMPORARY VIEW reads it");
            Err(Failure::unsupported(&what).into())
        }
        _ => Ok(()),
    }
}

/// A transaction of the engine writes to one database, and taking a value of a sequence is a write.
fn refuse_sequences_elsewhere(query: &Query, view: &ObjectName) -> Result<(), Failure> {
    match sequences_of(query).into_iter().find(|sequence| sequence.database() != view.database()) {
        Some(sequence) => Err(Failure::unsupported(&format!("sequence {sequence} of another database in a view"))),
        None => Ok(()),
    }
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
            sizes.count_below_view(&found, *times)?;
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
