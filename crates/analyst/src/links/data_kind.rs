//! What kind of data a declared type has.

use super::entries::{ColumnKind, DataKind};

pub(super) fn data_kind(data_type: Option<&str>, kind: ColumnKind) -> DataKind {
    let base = data_type.unwrap_or_default().to_ascii_uppercase();
    let base = base.split(['(', ' ']).next().unwrap_or_default();
    match base {
        "DATE" | "DATETIME" | "TIME" => DataKind::Date,
        _ if base.starts_with("TIMESTAMP") => DataKind::Date,
        "BOOLEAN" | "BOOL" => DataKind::Boolean,
        "NUMBER" | "DECIMAL" | "NUMERIC" | "INT" | "INTEGER" | "BIGINT" | "SMALLINT" | "TINYINT" | "BYTEINT"
        | "FLOAT" | "FLOAT4" | "FLOAT8" | "DOUBLE" | "REAL" => DataKind::Number,
        "" => match kind {
            ColumnKind::Time => DataKind::Date,
            ColumnKind::Fact | ColumnKind::Metric => DataKind::Number,
            ColumnKind::Filter => DataKind::Boolean,
            ColumnKind::Dimension => DataKind::Text,
        },
        _ => DataKind::Text,
    }
}

/// Digits that name a thing are no quantity.
pub(super) fn is_code(words: &[String]) -> bool {
    let last = words.last().map(String::as_str);
    matches!(last, Some("code" | "id" | "number" | "zip" | "postcode" | "phone" | "year" | "key" | "date" | "name"))
}
