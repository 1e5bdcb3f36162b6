//! Staged files as a relation: the columns `$1`, `$2` and so on, those that tell where a row comes from,
//! and, for COPY's own use, `@file`, `@row` and `@line`. It lives as long as the statement.

use firn_engine::{ColumnDescription, EngineError, ExecutionContext, ObjectDescription, ObjectOptions};
use firn_sql::command::{DataType, ObjectKind, Persistence};
use firn_sql::file_formats::{CsvFormat, FileFormat};
use firn_sql::names::{quote_identifier, quote_literal};
use firn_sql::{ObjectName, ast, print};

use super::rows::{self, FieldCount, FileRows};
use super::source::Source;
use super::{STAGED_DATABASE, staged_parquet};
use crate::dialect;
use crate::session::DuckDbSession;
use crate::side_tables::{ColumnRecord, StoredObject};
use crate::temporary::engine_identifier;

pub(super) struct Staged {
    pub(super) name: ObjectName,
    pub(super) files: Vec<FileRows>,
    /// The columns that the files name themselves.
    pub(super) named: Vec<NamedColumn>,
}

pub(super) struct NamedColumn {
    pub(super) name: String,
    /// How it is written in a query over the relation.
    pub(super) expression: String,
}

/// Opens files as a relation of the session.
pub(super) fn open(
    session: &mut DuckDbSession,
    source: &Source,
    format: &FileFormat,
    count: FieldCount,
    context: &ExecutionContext,
) -> Result<Staged, EngineError> {
    let number = session.next_staged_number();
    let name = ObjectName::qualified(STAGED_DATABASE, "files", &number);
    match format {
        FileFormat::Csv(csv) => {
            let table = ObjectName::qualified(STAGED_DATABASE, "rows", &number);
            let files = rows::stage(&session.connection, &engine_identifier(&table), source, format, count)?;
            let texts = (1..=count.columns()).map(|number| column(&format!("${number}"), text_type())).collect();
            session.record_staged(&described(&table, texts));
            let columns: Vec<(String, String, DataType)> = (1..=count.columns())
                .map(|number| (format!("${number}"), format!("\"${number}\""), text_type()))
                .collect();
            make_view(session, &name, &table, source, &columns)?;
            Ok(Staged { name, files, named: named_fields(source, csv)? })
        }
        FileFormat::Json(_) => {
            let table = ObjectName::qualified(STAGED_DATABASE, "rows", &number);
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

fn named_fields(source: &Source, format: &CsvFormat) -> Result<Vec<NamedColumn>, EngineError> {
    let Some(first) = source.files.first().filter(|_| format.parse_header) else { return Ok(Vec::new()) };
    let names = rows::header(source, first, format)?;
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
    session: &mut DuckDbSession,
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

/// The METADATA columns, from expressions of a file's number, counted from 1, and a row's.
pub(super) fn metadata_items(source: &Source, file: &str, row: &str) -> Vec<String> {
    let paths: Vec<String> = source.files.iter().map(|file| quote_literal(file.path.as_str())).collect();
    let times: Vec<String> =
        source.files.iter().map(|file| format!("make_timestamp({})", file.modified_ms * 1_000)).collect();
    let keys: Vec<String> = source.content_keys.iter().map(|key| quote_literal(key)).collect();
    vec![
        format!("(CAST([{}] AS VARCHAR[]))[{file}] AS \"METADATA$FILENAME\"", paths.join(", ")),
        format!("CAST({row} AS BIGINT) AS \"METADATA$FILE_ROW_NUMBER\""),
        format!("(CAST([{}] AS TIMESTAMP[]))[{file}] AS \"METADATA$FILE_LAST_MODIFIED\"", times.join(", ")),
        format!("(CAST([{}] AS VARCHAR[]))[{file}] AS \"METADATA$FILE_CONTENT_KEY\"", keys.join(", ")),
        "now() AS \"METADATA$START_SCAN_TIME\"".to_owned(),
    ]
}

/// A staged relation's record, with the METADATA columns behind its own.
pub(crate) fn described(name: &ObjectName, mut columns: Vec<ColumnRecord>) -> StoredObject {
    columns.extend([
        column("METADATA$FILENAME", text_type()),
        column("METADATA$FILE_ROW_NUMBER", DataType::Integer),
        column("METADATA$FILE_LAST_MODIFIED", DataType::TimestampNtz { scale: 3 }),
        column("METADATA$FILE_CONTENT_KEY", text_type()),
        column("METADATA$START_SCAN_TIME", DataType::TimestampLtz { scale: 3 }),
        column("@file", DataType::Integer),
        column("@row", DataType::Integer),
        column("@line", DataType::Integer),
    ]);
    StoredObject {
        description: ObjectDescription {
            name: name.clone(),
            kind: ObjectKind::Table,
            owner: String::new(),
            comment: None,
            created_on_ms: 0,
            persistence: Persistence::Temporary,
            columns: Vec::new(),
            constraints: Vec::new(),
            view_text: None,
            sequence: None,
            options: ObjectOptions::default(),
        },
        columns,
        view_query: None,
    }
}

pub(crate) fn column(name: &str, data_type: DataType) -> ColumnRecord {
    ColumnRecord {
        description: ColumnDescription {
            name: name.to_owned(),
            data_type,
            not_null: false,
            default: None,
            autoincrement: None,
            comment: None,
            collation: None,
        },
        sequence_name: None,
    }
}

pub(crate) fn text_type() -> DataType {
    DataType::Varchar { length: None }
}

/// The engine's SQL of an expression of the dialect over a relation.
fn engine_expression(
    session: &DuckDbSession,
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
