//! Staged files as a relation: the columns `$1`, `$2` and so on, the METADATA columns, and, for COPY's own use, `@file`,
//! `@row` and `@line`.

use firn_engine::{ColumnDescription, ObjectDescription, ObjectOptions};
use firn_sql::ObjectName;
use firn_sql::command::{DataType, ObjectKind, Persistence};
use firn_sql::names::quote_literal;

use super::rows::FileRows;
use super::source::Source;
use crate::side_tables::{ColumnRecord, StoredObject};

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
pub(super) fn described(name: &ObjectName, mut columns: Vec<ColumnRecord>) -> StoredObject {
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
            id: 0,
            name: name.clone(),
            kind: ObjectKind::Table,
            owner: String::new(),
            comment: None,
            created_on_ms: 0,
            persistence: Persistence::Temporary,
            columns: Vec::new(),
            constraints: Vec::new(),
            view_text: None,
            view_query: None,
            sequence: None,
            options: ObjectOptions::default(),
        },
        columns,
        view_query: None,
    }
}

pub(super) fn column(name: &str, data_type: DataType) -> ColumnRecord {
    ColumnRecord {
        description: ColumnDescription {
            id: 0,
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

pub(super) fn text_type() -> DataType {
    DataType::Varchar { length: None }
}
