//! Names of sequences in defaults: when a database or a schema gets another name, the defaults that mention it follow. A default
//! is bound to its sequence, unlike the query of a view, which is bound when it is read.

use std::ops::ControlFlow;

use firn_engine::EngineError;
use firn_sql::ast::{self, Expr, Value, VisitorMut};
use firn_sql::names::quote_identifier;
use firn_sql::tree::Tree;
use firn_sql::{Failure, print};

use crate::connection::Connection;
use crate::side_tables::{ColumnRecord, StoredObject, forget_object, write_object};

/// A name that has changed.
pub(crate) enum Renamed<'name> {
    Database { from: &'name str, to: &'name str },
    Schema { database: &'name str, from: &'name str, to: &'name str },
}

/// Makes the recorded defaults of a table follow `renamed`, and returns the columns that changed.
pub(super) fn follow_defaults(
    columns: &mut [ColumnRecord],
    renamed: &[Renamed<'_>],
) -> Result<Vec<usize>, EngineError> {
    let mut changed = Vec::new();
    for (index, column) in columns.iter_mut().enumerate() {
        let Some(text) = &column.description.default else { continue };
        let mut expr = print::read_expression(text)?;
        // The visitor never breaks.
        let _ = expr.walk_mut(&mut Renamer { renamed });
        let followed = print::into_sql(expr);
        if followed != *text {
            column.description.default = Some(followed);
            changed.push(index);
        }
    }
    Ok(changed)
}

/// Makes the record of a table follow `renamed`. The engine's own defaults name no database.
pub(crate) fn remake_record(
    connection: &Connection,
    mut stored: StoredObject,
    renamed: &[Renamed<'_>],
) -> Result<(), EngineError> {
    if follow_defaults(&mut stored.columns, renamed)?.is_empty() {
        return Ok(());
    }
    forget_object(connection, &stored.description.name)?;
    write_object(connection, &stored).map(drop)
}

/// Takes the database out of the names of sequences in a default: the engine looks for them in the
/// table's own database, so that the default survives when that is renamed.
pub(super) fn without_database(expr: &mut Expr, database: &str) {
    let prefix = format!("{}.", quote_identifier(database));
    // The visitor never breaks.
    let _ = expr.walk_mut(&mut Localizer { prefix });
}

struct Localizer {
    prefix: String,
}

impl VisitorMut for Localizer {
    type Break = Failure;

    fn pre_visit_value(&mut self, value: &mut ast::ValueWithSpan) -> ControlFlow<Failure> {
        if let Value::SingleQuotedString(text) = &mut value.value
            && let Some(rest) = text.strip_prefix(&self.prefix)
            && rest.starts_with('"')
        {
            *text = rest.to_owned();
        }
        ControlFlow::Continue(())
    }
}

struct Renamer<'names> {
    renamed: &'names [Renamed<'names>],
}

impl Renamer<'_> {
    /// A sequence is named by a text, `NEXTVAL('"DB"."SCHEMA"."SEQ"')`.
    fn follow_sequence(&self, text: &mut String) {
        for renamed in self.renamed {
            let (before, after) = match renamed {
                Renamed::Database { from, to } => {
                    (format!("{}.", quote_identifier(from)), format!("{}.", quote_identifier(to)))
                }
                Renamed::Schema { database, from, to } => {
                    let database = quote_identifier(database);
                    (format!("{database}.{}.", quote_identifier(from)), format!("{database}.{}.", quote_identifier(to)))
                }
            };
            if let Some(rest) = text.strip_prefix(&before) {
                *text = format!("{after}{rest}");
            }
        }
    }
}

impl VisitorMut for Renamer<'_> {
    type Break = Failure;

    fn pre_visit_value(&mut self, value: &mut ast::ValueWithSpan) -> ControlFlow<Failure> {
        if let Value::SingleQuotedString(text) = &mut value.value {
            self.follow_sequence(text);
        }
        ControlFlow::Continue(())
    }
}
