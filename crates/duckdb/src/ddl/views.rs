//! Views. The engine has a view of the lowered query; the record has the user's text and the query with its names as
//! `firn_sql::stored_names` has them, from which the engine's view is created again when the view's own name changes.

use firn_duckdb_lower::dialect::Purpose;
use firn_duckdb_lower::temporary::TemporaryTables;
use firn_engine::{ColumnDescription, EngineError, ObjectDescription, ObjectOptions, ObjectPolicies, fresh_object_id};
use firn_sql::ast::{Query, SelectItem, SetExpr};
use firn_sql::command::{CreateView, IfMissing, ObjectKind, Persistence, ViewChange};
use firn_sql::names::{display_identifier, quote_identifier};
use firn_sql::new_names::check_name;
use firn_sql::{Failure, ObjectName, print};

use super::alter_table::column_of;
use super::engine_views::{create_engine_view, engine_query, make_unread_view, make_views};
use super::work::{Work, duplicate_column, engine_name, now_ms};
use crate::side_tables::{ColumnRecord, StoredObject, forget_object};
use crate::status_text::DONE;

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
        let is_expanded = create.stored.as_ref().is_some_and(|stored| stored.is_expanded_when_read);
        let purpose = if is_expanded { Purpose::Columns } else { Purpose::Stored };
        let mut lowered = engine_query(&query, &readable, self, purpose)?;
        let mut columns = self.result_columns(&lowered.columns, &lowered.query)?;
        if create.columns.is_empty() {
            duplicate_column(columns.iter().map(|column| column.name.as_str()))?;
        }
        if has_wildcard(&query.body) {
            query = with_columns_of_today(&query, &columns)?;
            lowered = engine_query(&query, &readable, self, purpose)?;
        }
        if let Some(stored) = &create.stored {
            query = match has_wildcard(&stored.query.body) {
                true => with_columns_of_today(&stored.query, &columns)?,
                false => Query::clone(&stored.query),
            };
        }
        declare_columns(create, &mut columns)?;
        duplicate_column(columns.iter().map(|column| column.name.as_str()))?;
        // Some names are made of values or of expressions.
        columns.iter().try_for_each(|column| check_name(&column.name))?;
        let altered = existing.as_ref().filter(|_| create.or_alter).map(|existing| &existing.description);
        let stored = StoredObject {
            description: ObjectDescription {
                id: altered.map_or_else(fresh_object_id, |altered| altered.id),
                name: name.clone(),
                kind: ObjectKind::View,
                owner: altered.map_or_else(|| self.context.role.clone(), |altered| altered.owner.clone()),
                comment: create.comment.clone(),
                created_on_ms: altered.map_or_else(now_ms, |altered| altered.created_on_ms),
                persistence: create.persistence,
                columns: Vec::new(),
                constraints: Vec::new(),
                view_text: Some(create.text.clone()),
                view_query: None,
                sequence: None,
                options: ObjectOptions {
                    policies: policies_of_view(create, altered),
                    secure: create.secure,
                    materialized: create.materialized,
                    cluster_by: create.cluster_by.clone(),
                    read_types: create.read_types,
                    ..ObjectOptions::default()
                },
            },
            columns: columns.into_iter().map(|description| ColumnRecord { description, sequence_name: None }).collect(),
            view_query: Some(print::into_sql(query)),
        };
        match is_expanded {
            true => make_unread_view(self.connection, &stored, self.temporary)?,
            false => create_engine_view(self.connection, &stored, &print::into_sql(lowered.query), self.temporary)?,
        }
        if is_temporary {
            self.temporary.record(stored);
        } else {
            if existing.is_some() {
                forget_object(self.connection, name)?;
            }
            self.write(&stored)?;
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
                self.save(name, stored.clone())?;
                make_views(self.connection, &[&stored])?;
                return Ok(DONE.to_owned());
            }
            ViewChange::SetPolicies(changes) => {
                changes.iter().for_each(|change| stored.description.options.policies.apply(change));
            }
            ViewChange::SetComment(comment) => stored.description.comment.clone_from(comment),
            ViewChange::SetClustering(_) | ViewChange::Accepted if !stored.description.options.materialized => {
                return Err(Failure::unsupported("ALTER VIEW with what only materialized views have").into());
            }
            ViewChange::SetClustering(cluster_by) => stored.description.options.cluster_by.clone_from(cluster_by),
            ViewChange::Accepted => {}
            ViewChange::SetSecure(secure) => stored.description.options.secure = *secure,
            ViewChange::SetColumnComments(comments) => {
                for (column, comment) in comments {
                    column_of(&mut stored, column)?.description.comment.clone_from(comment);
                }
            }
        }
        self.save(name, stored)?;
        Ok(DONE.to_owned())
    }
}

fn policies_of_view(create: &CreateView, altered: Option<&ObjectDescription>) -> ObjectPolicies {
    let mut policies = altered.map(|altered| altered.options.policies.clone()).unwrap_or_default();
    create.policies.iter().for_each(|change| policies.apply(change));
    policies
}

/// Gives the columns of a view's query the names and comments that CREATE VIEW lists.
fn declare_columns(create: &CreateView, columns: &mut [ColumnDescription]) -> Result<(), Failure> {
    if create.columns.is_empty() {
        return Ok(());
    }
    if create.columns.len() != columns.len() {
        let message = format!(
            "SQL compilation error:\nView definition for '{}' declared {} column(s), but view query produces {} column(s).",
            create.name,
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
