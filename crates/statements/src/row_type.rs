//! The `rowType` array as JSON text, written once when the result is made.

use firn_engine::WireColumn;
use serde::Serialize;

/// The first eleven fields are always present; some clients fail without them.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RowTypeEntry<'column> {
    name: &'column str,
    database: &'column str,
    schema: &'column str,
    table: &'column str,
    nullable: bool,
    precision: Option<i64>,
    scale: Option<i64>,
    byte_length: Option<i64>,
    collation: Option<&'column str>,
    length: Option<i64>,
    #[serde(rename = "type")]
    type_name: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    ext_type_name: Option<&'column str>,
}

pub fn row_type_json(columns: &[WireColumn]) -> String {
    let entries: Vec<_> = columns
        .iter()
        .map(|column| RowTypeEntry {
            name: &column.name,
            database: &column.database,
            schema: &column.schema,
            table: &column.table,
            nullable: column.nullable,
            precision: column.precision,
            scale: column.scale,
            byte_length: column.byte_length,
            collation: column.collation.as_deref(),
            length: column.length,
            type_name: column.wire_type.as_str(),
            ext_type_name: column.ext_type_name.as_deref(),
        })
        .collect();
    serde_json::to_string(&entries).unwrap_or_else(|_| "[]".to_owned())
}
