//! The engine's views, created from the recorded queries: when a view is created, and again when its own name changes.

use firn_duckdb_lower::dialect::{self, Purpose, ViewQuery};
use firn_duckdb_lower::lookup::MemoizedLookup;
use firn_duckdb_lower::temporary::TemporaryTables;
use firn_duckdb_lower::types;
use firn_engine::{EngineError, Integers, NOT_BOUND};
use firn_sql::ast::Query;
use firn_sql::command::Persistence;
use firn_sql::names::{display_identifier, quote_identifier, quote_literal};
use firn_sql::stored_views::is_expanded_when_read;
use firn_sql::{Failure, ObjectName, print};

use super::work::engine_name;
use crate::connection::Connection;
use crate::describe::{Lookup, read_object};
use crate::errors;
use crate::side_tables::{StoredObject, forget_object, write_object};

/// Makes the engine's view of a recorded one.
fn make_view(connection: &Connection, stored: &StoredObject) -> Result<(), EngineError> {
    let query = print::read_query(&stored.query())?;
    let temporary = TemporaryTables::default();
    if is_expanded_when_read(&query) {
        return make_unread_view(connection, stored, &temporary);
    }
    let lowered = engine_query(&query, &temporary, connection, Purpose::Stored)?;
    create_engine_view(connection, stored, &print::into_sql(lowered.query), &temporary)
}

/// Makes the engine's views of recorded ones, of which one may read another that comes after it.
pub(crate) fn make_views(connection: &Connection, views: &[&StoredObject]) -> Result<(), EngineError> {
    let mut views = views.to_vec();
    while !views.is_empty() {
        let mut waiting = Vec::new();
        for view in &views {
            match make_view(connection, view) {
                Ok(()) => {}
                Err(EngineError::Failed(failure)) => waiting.push((*view, failure)),
                Err(error) => return Err(error),
            }
        }
        if waiting.len() == views.len() {
            // A relation that they read does not exist any more: reading these views reports it.
            return waiting.iter().try_for_each(|(view, failure)| {
                make_invalid_view(connection, view, failure, &TemporaryTables::default())?;
                note_not_bound(connection, &view.description.name)
            });
        }
        views = waiting.into_iter().map(|(view, _)| view).collect();
    }
    Ok(())
}

/// Has statements expand a recorded view.
fn note_not_bound(connection: &Connection, name: &ObjectName) -> Result<(), EngineError> {
    let Some(mut stored) = read_object(connection, name)? else { return Ok(()) };
    stored.description.options.read_types = Some(NOT_BOUND);
    forget_object(connection, name)?;
    write_object(connection, &stored).map(drop)
}

/// Makes the engine's view of one that each statement expands: the engine never reads it.
pub(super) fn make_unread_view(
    connection: &Connection,
    stored: &StoredObject,
    temporary: &TemporaryTables,
) -> Result<(), EngineError> {
    make_invalid_view(connection, stored, &Failure::unsupported("reading it without expanding it"), temporary)
}

/// Makes the engine's view of a recorded one whose relations are missing: reading it raises the error.
fn make_invalid_view(
    connection: &Connection,
    stored: &StoredObject,
    failure: &Failure,
    temporary: &TemporaryTables,
) -> Result<(), EngineError> {
    let name = display_identifier(&stored.description.name.name);
    let reason = failure.message.trim_start_matches("SQL compilation error:").trim_start();
    let message =
        format!("SQL compilation error:\nFailure during expansion of view '{name}': SQL compilation error:\n{reason}");
    let raised = quote_literal(&errors::raised(&Failure::new("002037", "42601", message)));
    let types = stored.columns.iter().map(|column| types::engine_type(&column.description.data_type));
    let columns: Vec<String> = types.map(|engine_type| format!("CAST(NULL AS {engine_type})")).collect();
    let query = format!("SELECT {} WHERE CAST(error({raised}) AS BOOLEAN)", columns.join(", "));
    create_engine_view(connection, stored, &query, temporary)
}

/// Lowers a view's query. Only a temporary view reads temporary tables.
pub(super) fn engine_query(
    query: &Query,
    temporary: &TemporaryTables,
    lookup: &dyn Lookup,
    purpose: Purpose,
) -> Result<ViewQuery, EngineError> {
    dialect::view_query(query.clone(), temporary, &MemoizedLookup::new(lookup), Integers::Narrow, purpose)
}

pub(super) fn create_engine_view(
    connection: &Connection,
    stored: &StoredObject,
    query: &str,
    temporary: &TemporaryTables,
) -> Result<(), EngineError> {
    let columns: Vec<String> = stored.columns.iter().map(|column| quote_identifier(&column.description.name)).collect();
    let name = &stored.description.name;
    let (kind, relation) = match stored.description.persistence {
        Persistence::Temporary => ("TEMPORARY VIEW", temporary.engine_name(name)),
        _ => ("VIEW", engine_name(name)),
    };
    connection.execute(&format!("CREATE OR REPLACE {kind} {relation} ({}) AS {query}", columns.join(", ")))?;
    Ok(())
}
