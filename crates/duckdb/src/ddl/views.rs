//! Views. The engine keeps its own rewritten view; the record keeps the user's text and the resolved
//! query, from which the engine's view is made anew when names change.

use firn_engine::{ColumnDescription, EngineError, Integers, ObjectDescription, ObjectOptions};
use firn_sql::ast::{Query, SelectItem, SetExpr};
use firn_sql::command::{CreateView, IfMissing, ObjectKind, Persistence, ViewChange};
use firn_sql::names::{display_identifier, quote_identifier, quote_literal};
use firn_sql::{Failure, ObjectName, print};

use super::alter_table::column_of;
use super::renames::{Renamed, resolved_query};
use super::{DONE, Work, duplicate_column, engine_name};
use crate::connection::Connection;
use crate::describe::Lookup;
use crate::dialect::ViewQuery;
use crate::side_tables::{ColumnRecord, StoredObject, forget_object, write_object};
use crate::temporary::{TemporaryTables, temporary_name};
use crate::{dialect, errors, types};

impl Work<'_> {
    pub(super) fn create_view(&mut self, create: &CreateView) -> Result<String, EngineError> {
        let name = &create.name;
        self.require_schema(name)?;
        let is_temporary = create.persistence == Persistence::Temporary;
        let existing = if is_temporary { self.temporary.stored(name).cloned() } else { self.find_permanent(name)? };
        if let Some(status) = self.make_room(create.mode, ObjectKind::View, existing.as_ref())? {
            return Ok(status);
        }
        let mut query = (*create.query).clone();
        let readable = if is_temporary { self.temporary.clone() } else { TemporaryTables::default() };
        let mut lowered = engine_query(&query, &readable, self)?;
        let mut columns = self.result_columns(&lowered.columns, &lowered.query)?;
        if create.columns.is_empty() {
            self.refuse_duplicate_columns(&lowered.query)?;
        }
        if has_wildcard(&query.body) {
            query = with_columns_of_today(&query, &columns)?;
            lowered = engine_query(&query, &readable, self)?;
        }
        declare_columns(create, &mut columns)?;
        duplicate_column(columns.iter().map(|column| column.name.as_str()))?;
        let altered = existing.as_ref().filter(|_| create.or_alter).map(|existing| &existing.description);
        let stored = StoredObject {
            description: ObjectDescription {
                name: name.clone(),
                kind: ObjectKind::View,
                owner: altered.map_or_else(|| self.context.role.clone(), |altered| altered.owner.clone()),
                comment: create.comment.clone(),
                created_on_ms: altered.map_or_else(super::now_ms, |altered| altered.created_on_ms),
                persistence: create.persistence,
                columns: Vec::new(),
                constraints: Vec::new(),
                view_text: Some(create.text.clone()),
                sequence: None,
                options: ObjectOptions {
                    secure: create.secure,
                    materialized: create.materialized,
                    cluster_by: create.cluster_by.clone(),
                    ..ObjectOptions::default()
                },
            },
            columns: columns.into_iter().map(|description| ColumnRecord { description, sequence_name: None }).collect(),
            view_query: Some(print::into_sql(query)),
        };
        create_engine_view(self.connection, &stored, &print::into_sql(lowered.query))?;
        if is_temporary {
            self.temporary.record(stored);
        } else {
            if existing.is_some() {
                forget_object(self.connection, name)?;
            }
            write_object(self.connection, &stored)?;
        }
        if create.or_alter && existing.is_some() {
            return Ok(DONE.to_owned());
        }
        let kind = if create.materialized { "Materialized view" } else { "View" };
        Ok(format!("{kind} {} successfully created.", display_identifier(&name.name)))
    }

    pub(super) fn alter_view(
        &mut self,
        name: &ObjectName,
        if_missing: IfMissing,
        change: &ViewChange,
    ) -> Result<String, EngineError> {
        let Some(mut stored) = self.find_kind(ObjectKind::View, name, if_missing)? else {
            return Ok(DONE.to_owned());
        };
        match change {
            ViewChange::Rename(_) if stored.description.persistence == Persistence::Temporary => {
                return Err(Failure::unsupported("renaming a temporary view").into());
            }
            ViewChange::Rename(to) => {
                if to.database() != name.database() {
                    return Err(Failure::unsupported("renaming a view into another database").into());
                }
                self.require_schema(to)?;
                if self.find_permanent(to)?.is_some() {
                    return Err(Failure::already_exists(&display_identifier(&to.name)).into());
                }
                self.connection.execute(&format!("DROP VIEW {}", engine_name(name)))?;
                stored.description.name = to.clone();
                make_view(self.connection, &stored, &[])?;
            }
            ViewChange::SetComment(comment) => stored.description.comment.clone_from(comment),
            ViewChange::SetClustering(_) | ViewChange::Accepted if !stored.description.options.materialized => {
                return Err(Failure::unsupported("ALTER VIEW with what only materialized views have").into());
            }
            ViewChange::SetClustering(cluster_by) => stored.description.options.cluster_by.clone_from(cluster_by),
            ViewChange::Accepted => {}
            ViewChange::SetSecure(secure) => stored.description.options.secure = *secure,
            ViewChange::SetColumnComment { column, comment } => {
                column_of(&mut stored, column)?.description.comment.clone_from(comment);
            }
        }
        self.save(name, stored)?;
        Ok(DONE.to_owned())
    }
}

/// Gives the columns of a view's query the names and comments that CREATE VIEW lists.
fn declare_columns(create: &CreateView, columns: &mut [ColumnDescription]) -> Result<(), Failure> {
    if create.columns.is_empty() {
        return Ok(());
    }
    if create.columns.len() != columns.len() {
        let message = format!(
            "SQL compilation error:\nthe view declares {} columns but its query gives {}.",
            create.columns.len(),
            columns.len()
        );
        return Err(Failure::new("002057", "21S01", message));
    }
    for (column, declared) in columns.iter_mut().zip(&create.columns) {
        column.name.clone_from(&declared.name);
        column.comment.clone_from(&declared.comment);
    }
    Ok(())
}

/// Makes the engine's view of a recorded one, with `renamed` applied to the names in its query.
fn make_view(connection: &Connection, stored: &StoredObject, renamed: &[Renamed<'_>]) -> Result<(), EngineError> {
    let lowered = engine_query(&resolved_query(stored, renamed)?, &TemporaryTables::default(), connection)?;
    create_engine_view(connection, stored, &print::into_sql(lowered.query))
}

/// Makes the engine's views of recorded ones, of which one may read another that comes after it.
pub(crate) fn make_views(
    connection: &Connection,
    views: &[&StoredObject],
    renamed: &[Renamed<'_>],
) -> Result<(), EngineError> {
    let mut views = views.to_vec();
    while !views.is_empty() {
        let mut waiting = Vec::new();
        for view in &views {
            match make_view(connection, view, renamed) {
                Ok(()) => {}
                Err(EngineError::Failed(failure)) => waiting.push((*view, failure)),
                Err(error) => return Err(error),
            }
        }
        if waiting.len() == views.len() {
            // What they read is gone: they are there too, and say so when they are read.
            return waiting.iter().try_for_each(|(view, failure)| make_dead_view(connection, view, failure));
        }
        views = waiting.into_iter().map(|(view, _)| view).collect();
    }
    Ok(())
}

/// Makes the engine's view of a recorded one that cannot be read any more: reading it tells why.
fn make_dead_view(connection: &Connection, stored: &StoredObject, failure: &Failure) -> Result<(), EngineError> {
    let name = display_identifier(&stored.description.name.name);
    let reason = failure.message.trim_start_matches("SQL compilation error:").trim_start();
    let message =
        format!("SQL compilation error:\nFailure during expansion of view '{name}': SQL compilation error:\n{reason}");
    let raised = quote_literal(&errors::raised(&Failure::new("002037", "42601", message)));
    let types = stored.columns.iter().map(|column| types::engine_type(&column.description.data_type));
    let columns: Vec<String> = types.map(|engine_type| format!("CAST(NULL AS {engine_type})")).collect();
    let query = format!("SELECT {} WHERE CAST(error({raised}) AS BOOLEAN)", columns.join(", "));
    create_engine_view(connection, stored, &query)
}

/// A view's query in the engine's words. Only a temporary view reads temporary tables.
fn engine_query(query: &Query, temporary: &TemporaryTables, lookup: &dyn Lookup) -> Result<ViewQuery, EngineError> {
    dialect::view_query(query.clone(), temporary, lookup, Integers::Narrow)
}

fn has_wildcard(body: &SetExpr) -> bool {
    match body {
        SetExpr::Select(select) => select
            .projection
            .iter()
            .any(|item| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..))),
        SetExpr::Query(query) => has_wildcard(&query.body),
        SetExpr::SetOperation { left, .. } => has_wildcard(left),
        _ => false,
    }
}

/// `SELECT "A", "B" FROM (query)`: columns that its tables get later are not the view's. Where a name is repeated, the
/// columns are named by their positions.
fn with_columns_of_today(query: &Query, columns: &[ColumnDescription]) -> Result<Query, EngineError> {
    let repeated = duplicate_column(columns.iter().map(|column| column.name.as_str())).is_err();
    let (names, renamed) = match repeated {
        true => {
            let names: Vec<String> = (1..=columns.len()).map(|place| quote_identifier(&place.to_string())).collect();
            let renamed = format!("({})", names.join(", "));
            (names, renamed)
        }
        false => (columns.iter().map(|column| quote_identifier(&column.name)).collect(), String::new()),
    };
    let text = format!("SELECT {} FROM ({}) AS \"VIEWED\"{renamed}", names.join(", "), print::sql(query));
    Ok(print::read_query(&text)?)
}

fn create_engine_view(connection: &Connection, stored: &StoredObject, query: &str) -> Result<(), EngineError> {
    let columns: Vec<String> = stored.columns.iter().map(|column| quote_identifier(&column.description.name)).collect();
    let name = &stored.description.name;
    let (kind, relation) = match stored.description.persistence {
        Persistence::Temporary => ("TEMPORARY VIEW", temporary_name(name)),
        _ => ("VIEW", engine_name(name)),
    };
    connection.execute(&format!("CREATE OR REPLACE {kind} {relation} ({}) AS {query}", columns.join(", ")))?;
    Ok(())
}
