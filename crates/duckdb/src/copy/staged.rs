//! Opens staged files as a relation that lives as long as the statement.

use firn_duckdb_lower::dialect;
use firn_duckdb_lower::temporary::engine_identifier;
use firn_engine::{EngineError, ExecutionContext};
use firn_sql::command::DataType;
use firn_sql::file_formats::{CsvFormat, FileFormat};
use firn_sql::names::{quote_identifier, quote_literal};
use firn_sql::{ObjectName, ast, print};

use super::rows::{self, FieldCount, FileRows};
use super::source::Source;
use super::staged_parquet;
use super::staged_relation::{NamedColumn, Staged, column, described, metadata_items, text_type};
use crate::connection::Connection;
use crate::session_state::{SessionState, StagedNames};

/// Opens files as a relation of the session.
pub(super) fn open(
    session: &mut SessionState,
    source: &Source,
    format: &FileFormat,
    count: FieldCount,
    context: &ExecutionContext,
) -> Result<Staged, EngineError> {
    let StagedNames { rows: table, files: name } = session.name_staged();
    match format {
        FileFormat::Csv(csv) => {
            let files = rows::stage(&session.connection, &engine_identifier(&table), source, format, count)?;
            let texts = (1..=count.columns()).map(|number| column(&format!("${number}"), text_type())).collect();
            session.record_staged(&described(&table, texts));
            let columns: Vec<(String, String, DataType)> = (1..=count.columns())
                .map(|number| (format!("${number}"), format!("\"${number}\""), text_type()))
                .collect();
            make_view(session, &name, &table, source, &columns)?;
            Ok(Staged { name, files, named: named_fields(&session.connection, source, csv)? })
        }
        FileFormat::Json(_) => {
            let count = FieldCount::UpTo(1);
            let files = rows::stage(&session.connection, &engine_identifier(&table), source, format, count)?;
            session.record_staged(&described(&table, vec![column("$1", text_type())]));
            let parsed = engine_expression(session, &table, "PARSE_JSON(\"$1\")", context)?;
            make_view(session, &name, &table, source, &[("$1".to_owned(), parsed, DataType::Variant)])?;
            Ok(Staged { name, named: named_keys(&files), files })
        }
        FileFormat::Parquet(parquet) => staged_parquet::open(session, name, source, parquet),
    }
}

fn named_fields(connection: &Connection, source: &Source, format: &CsvFormat) -> Result<Vec<NamedColumn>, EngineError> {
    let Some(first) = source.files.first().filter(|_| format.parse_header) else { return Ok(Vec::new()) };
    let names = rows::header(connection, source, first, format)?;
    let named = (1..).zip(names).map(|(number, name)| NamedColumn { name, expression: format!("\"${number}\"") });
    Ok(named.collect())
}

fn named_keys(files: &[FileRows]) -> Vec<NamedColumn> {
    let mut names: Vec<&String> = files.iter().flat_map(|file| &file.field_names).collect();
    names.sort_unstable();
    names.dedup();
    let expression = |name: &String| format!("GET(\"$1\", {})", quote_literal(name));
    names.into_iter().map(|name| NamedColumn { name: name.clone(), expression: expression(name) }).collect()
}

/// The view over a table of rows, with what is known of their files.
fn make_view(
    session: &mut SessionState,
    name: &ObjectName,
    table: &ObjectName,
    source: &Source,
    columns: &[(String, String, DataType)],
) -> Result<(), EngineError> {
    let mut items = vec!["\"@file\"".to_owned(), "\"@row\"".to_owned(), "\"@line\"".to_owned()];
    items.extend(metadata_items(source, "\"@file\"", "\"@row\""));
    items.extend(columns.iter().map(|(name, expression, _)| format!("{expression} AS {}", quote_identifier(name))));
    session.connection.execute(&format!(
        "CREATE TEMP VIEW {} AS SELECT {} FROM temp.main.{}",
        quote_identifier(&engine_identifier(name)),
        items.join(", "),
        quote_identifier(&engine_identifier(table))
    ))?;
    let described_columns = columns.iter().map(|(name, _, data_type)| column(name, data_type.clone())).collect();
    session.record_staged(&described(name, described_columns));
    Ok(())
}

/// The engine's SQL of an expression of the dialect over a relation.
fn engine_expression(
    session: &SessionState,
    relation: &ObjectName,
    expression: &str,
    context: &ExecutionContext,
) -> Result<String, EngineError> {
    let parts = [relation.database(), relation.schema(), &relation.name].map(quote_identifier).join(".");
    let mut query = print::read_query(&format!("SELECT {expression} AS \"x\" FROM {parts}"))?;
    dialect::rewrite(&mut query, &session.rewrite_context(context))?;
    match query.body.as_mut() {
        ast::SetExpr::Select(select) => match select.projection.pop() {
            Some(ast::SelectItem::ExprWithAlias { expr, .. } | ast::SelectItem::UnnamedExpr(expr)) => {
                Ok(print::into_sql(expr))
            }
            _ => Err(EngineError::Internal("an expression became none".to_owned())),
        },
        _ => Err(EngineError::Internal("a query became none".to_owned())),
    }
}
