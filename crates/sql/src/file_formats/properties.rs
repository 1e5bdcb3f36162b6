//! A format's options as DESCRIBE lists them.

use super::{BinaryText, Compression, CsvFormat, FileFormat, JsonFormat, ParquetFormat, RecordDelimiter};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatProperty {
    pub name: &'static str,
    /// `String`, `Boolean`, `Integer` or `List`.
    pub kind: &'static str,
    pub value: String,
    pub default: String,
}

/// Every option of the format with its value and its default.
pub fn described(format: &FileFormat) -> Vec<FormatProperty> {
    let standard = match format {
        FileFormat::Csv(_) => FileFormat::of(&[]),
        other => FileFormat::of(&[crate::command::Property {
            name: "TYPE".to_owned(),
            value: crate::command::PropertyValue::Text(other.format_type().name().to_owned()),
        }]),
    };
    let values = rows(format);
    let defaults = standard.as_ref().map(rows).unwrap_or_default();
    let default_of = |index: usize| defaults.get(index).map(|row| row.2.clone()).unwrap_or_default();
    values
        .into_iter()
        .enumerate()
        .map(|(index, (name, kind, value))| FormatProperty { name, kind, value, default: default_of(index) })
        .collect()
}

type Row = (&'static str, &'static str, String);

fn rows(format: &FileFormat) -> Vec<Row> {
    let mut rows = vec![("TYPE", "String", format.format_type().name().to_owned())];
    rows.extend(match format {
        FileFormat::Csv(csv) => csv_rows(csv),
        FileFormat::Json(json) => json_rows(json),
        FileFormat::Parquet(parquet) => parquet_rows(parquet),
    });
    rows
}

fn csv_rows(csv: &CsvFormat) -> Vec<Row> {
    let record = match &csv.record_delimiter {
        RecordDelimiter::NewLine => "\n".to_owned(),
        RecordDelimiter::Text(text) => text.clone(),
    };
    vec![
        ("RECORD_DELIMITER", "String", shown(&record)),
        ("FIELD_DELIMITER", "String", shown(csv.field_delimiter.as_deref().unwrap_or("NONE"))),
        ("FILE_EXTENSION", "String", csv.file_extension.clone().unwrap_or_default()),
        ("SKIP_HEADER", "Integer", csv.skip_header.to_string()),
        ("PARSE_HEADER", "Boolean", csv.parse_header.to_string()),
        ("DATE_FORMAT", "String", model(csv.date_format.as_deref())),
        ("TIME_FORMAT", "String", model(csv.time_format.as_deref())),
        ("TIMESTAMP_FORMAT", "String", model(csv.timestamp_format.as_deref())),
        ("BINARY_FORMAT", "String", binary(csv.binary_format)),
        ("ESCAPE", "String", character(csv.escape)),
        ("ESCAPE_UNENCLOSED_FIELD", "String", character(csv.escape_unenclosed)),
        ("TRIM_SPACE", "Boolean", csv.trim_space.to_string()),
        ("FIELD_OPTIONALLY_ENCLOSED_BY", "String", character(csv.enclosed_by)),
        ("NULL_IF", "List", list(&csv.null_if)),
        ("COMPRESSION", "String", compression(csv.compression)),
        ("ERROR_ON_COLUMN_COUNT_MISMATCH", "Boolean", csv.error_on_column_count_mismatch.to_string()),
        ("VALIDATE_UTF8", "Boolean", "true".to_owned()),
        ("SKIP_BLANK_LINES", "Boolean", csv.skip_blank_lines.to_string()),
        ("REPLACE_INVALID_CHARACTERS", "Boolean", csv.replace_invalid_characters.to_string()),
        ("EMPTY_FIELD_AS_NULL", "Boolean", csv.empty_field_as_null.to_string()),
        ("SKIP_BYTE_ORDER_MARK", "Boolean", csv.skip_byte_order_mark.to_string()),
        ("ENCODING", "String", csv.encoding.name().to_owned()),
        ("MULTI_LINE", "Boolean", "true".to_owned()),
    ]
}

fn json_rows(json: &JsonFormat) -> Vec<Row> {
    vec![
        ("FILE_EXTENSION", "String", json.file_extension.clone().unwrap_or_default()),
        ("DATE_FORMAT", "String", model(json.date_format.as_deref())),
        ("TIME_FORMAT", "String", model(json.time_format.as_deref())),
        ("TIMESTAMP_FORMAT", "String", model(json.timestamp_format.as_deref())),
        ("BINARY_FORMAT", "String", binary(json.binary_format)),
        ("TRIM_SPACE", "Boolean", json.trim_space.to_string()),
        ("NULL_IF", "List", list(&json.null_if)),
        ("COMPRESSION", "String", compression(json.compression)),
        ("ENABLE_OCTAL", "Boolean", "false".to_owned()),
        ("ALLOW_DUPLICATE", "Boolean", "false".to_owned()),
        ("STRIP_OUTER_ARRAY", "Boolean", json.strip_outer_array.to_string()),
        ("STRIP_NULL_VALUES", "Boolean", json.strip_null_values.to_string()),
        ("IGNORE_UTF8_ERRORS", "Boolean", "false".to_owned()),
        ("REPLACE_INVALID_CHARACTERS", "Boolean", json.replace_invalid_characters.to_string()),
        ("SKIP_BYTE_ORDER_MARK", "Boolean", json.skip_byte_order_mark.to_string()),
        ("MULTI_LINE", "Boolean", "true".to_owned()),
    ]
}

fn parquet_rows(parquet: &ParquetFormat) -> Vec<Row> {
    vec![
        ("TRIM_SPACE", "Boolean", "false".to_owned()),
        ("NULL_IF", "List", list(&parquet.null_if)),
        ("COMPRESSION", "String", compression(parquet.compression)),
        ("BINARY_AS_TEXT", "Boolean", parquet.binary_as_text.to_string()),
        ("REPLACE_INVALID_CHARACTERS", "Boolean", parquet.replace_invalid_characters.to_string()),
    ]
}

fn shown(text: &str) -> String {
    text.replace('\n', "\\n").replace('\r', "\\r").replace('\t', "\\t")
}

fn model(model: Option<&str>) -> String {
    model.unwrap_or("AUTO").to_owned()
}

fn character(character: Option<char>) -> String {
    match character {
        None => "NONE".to_owned(),
        Some('\\') => "\\\\".to_owned(),
        Some(other) => other.to_string(),
    }
}

fn list(texts: &[String]) -> String {
    let quoted: Vec<String> = texts.iter().map(|text| text.replace('\\', "\\\\")).collect();
    format!("[{}]", quoted.join(", "))
}

fn binary(format: BinaryText) -> String {
    match format {
        BinaryText::Hex => "HEX",
        BinaryText::Base64 => "BASE64",
        BinaryText::Utf8 => "UTF8",
    }
    .to_owned()
}

fn compression(compression: Compression) -> String {
    match compression {
        Compression::Auto => "AUTO",
        Compression::None => "NONE",
        Compression::Gzip => "GZIP",
        Compression::Zstd => "ZSTD",
        Compression::Bzip2 => "BZ2",
        Compression::Deflate => "DEFLATE",
        Compression::RawDeflate => "RAW_DEFLATE",
        Compression::Snappy => "SNAPPY",
    }
    .to_owned()
}
