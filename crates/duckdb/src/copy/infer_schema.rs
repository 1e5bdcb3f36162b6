//! INFER_SCHEMA: the columns of staged files with the narrowest types that hold all their values.

use std::collections::BTreeMap;
use std::ops::Range;

use chrono::NaiveDate;
use firn_duckdb_lower::temporary::engine_identifier;
use firn_engine::EngineError;
use firn_engine::stage_files::StagedFile;
use firn_sql::command::DataType;
use firn_sql::file_formats::{CsvFormat, FileFormat, JsonFormat};
use firn_sql::names::{display_identifier, quote_identifier, quote_literal};
use firn_sql::{Failure, ObjectName};

use super::content::Content;
use super::documents::Documents;
use super::records::Records;
use super::source::Source;
use super::staged_relation::{column, described, text_type};
use super::{rows, staged_parquet};
use crate::connection::Connection;
use crate::result_types;
use crate::session_state::SessionState;

/// One column as it was found.
struct Found {
    name: String,
    type_name: String,
    expression: String,
    files: Vec<String>,
}

/// Options of INFER_SCHEMA besides the location and the format.
#[derive(Clone, Copy)]
pub(super) struct Inference {
    pub(super) ignore_case: bool,
    pub(super) files_max: usize,
    /// Of files that have records to be looked at: CSV and JSON.
    pub(super) records_max: usize,
}

impl Default for Inference {
    fn default() -> Self {
        Self { ignore_case: false, files_max: usize::MAX, records_max: usize::MAX }
    }
}

impl Inference {
    fn name(self, found: String) -> String {
        if self.ignore_case { found.to_uppercase() } else { found }
    }

    /// What reads a field of a document.
    fn expression(self, name: &str, path: &str, type_name: &str) -> String {
        match self.ignore_case {
            true => format!("GET_IGNORE_CASE ($1, {})::{type_name}", quote_literal(name)),
            false => format!("$1:{path}::{type_name}"),
        }
    }
}

/// Opens the columns of files as a relation of the session.
pub(super) fn open(
    session: &mut SessionState,
    source: &Source,
    format: &FileFormat,
    inference: Inference,
) -> Result<ObjectName, EngineError> {
    let found = match format {
        FileFormat::Parquet(parquet) => parquet_columns(session, source, parquet, inference)?,
        FileFormat::Csv(csv) => csv_columns(&session.connection, source, csv, inference)?,
        FileFormat::Json(json) => json_columns(&session.connection, source, json, inference)?,
    };
    if let Some(of_nuls) = found.iter().find(|found| found.name.contains('\0')) {
        return Err(with_nul(of_nuls).into());
    }
    let name = session.name_staged().rows;
    let table = quote_identifier(&engine_identifier(&name));
    session.connection.execute(&format!(
        "CREATE TEMP TABLE {table} (\"COLUMN_NAME\" VARCHAR, \"TYPE\" VARCHAR, \"NULLABLE\" BOOLEAN, \
         \"EXPRESSION\" VARCHAR, \"FILENAMES\" VARCHAR, \"ORDER_ID\" BIGINT)"
    ))?;
    let values: Vec<String> = found
        .iter()
        .enumerate()
        .map(|(order, found)| {
            let texts = [&found.name, &found.type_name].map(|text| quote_literal(text)).join(", ");
            let files = quote_literal(&found.files.join(", "));
            format!("({texts}, true, {}, {files}, {order})", quote_literal(&found.expression))
        })
        .collect();
    if !values.is_empty() {
        session.connection.execute(&format!("INSERT INTO temp.main.{table} VALUES {}", values.join(", ")))?;
    }
    let mut stored = described(&name, Vec::new());
    stored.columns = vec![
        column("COLUMN_NAME", text_type()),
        column("TYPE", text_type()),
        column("NULLABLE", DataType::Boolean),
        column("EXPRESSION", text_type()),
        column("FILENAMES", text_type()),
        column("ORDER_ID", DataType::Integer),
    ];
    session.record_staged(&stored);
    Ok(name)
}

fn parquet_columns(
    session: &SessionState,
    source: &Source,
    format: &firn_sql::file_formats::ParquetFormat,
    inference: Inference,
) -> Result<Vec<Found>, EngineError> {
    if source.files.is_empty() {
        return Ok(Vec::new());
    }
    let files: Vec<String> = source.files.iter().map(|file| file.path.to_string()).collect();
    let columns = staged_parquet::columns(&session.connection, source, format)?;
    Ok(columns
        .into_iter()
        .map(|column| {
            let type_name = type_name(&result_types::type_of_result(&column.logical_type));
            let path = display_identifier(&column.name);
            let name = inference.name(column.name);
            let expression = inference.expression(&name, &path, &type_name);
            Found { name, type_name, expression, files: files.clone() }
        })
        .collect())
}

fn type_name(data_type: &DataType) -> String {
    match data_type {
        DataType::Integer => "NUMBER(38, 0)".to_owned(),
        DataType::Number { precision, scale } => format!("NUMBER({precision}, {scale})"),
        DataType::Float => "REAL".to_owned(),
        DataType::Varchar { .. } => "TEXT".to_owned(),
        DataType::Boolean => "BOOLEAN".to_owned(),
        DataType::Date => "DATE".to_owned(),
        DataType::Time { .. } => "TIME".to_owned(),
        DataType::TimestampNtz { .. } => "TIMESTAMP_NTZ".to_owned(),
        DataType::TimestampLtz { .. } => "TIMESTAMP_LTZ".to_owned(),
        DataType::TimestampTz { .. } => "TIMESTAMP_TZ".to_owned(),
        DataType::Binary { .. } => "BINARY".to_owned(),
        DataType::Variant => "VARIANT".to_owned(),
        DataType::Object => "OBJECT".to_owned(),
        DataType::Array => "ARRAY".to_owned(),
        DataType::Geography => "GEOGRAPHY".to_owned(),
        DataType::Geometry => "GEOMETRY".to_owned(),
        DataType::Vector { .. } | DataType::Structured(_) => data_type.full_name(),
    }
}

/// What the values of one column have in common so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Kind {
    #[default]
    Nothing,
    Boolean,
    Number {
        digits: u8,
        scale: u8,
    },
    Real,
    Date,
    Timestamp,
    Text,
    Variant,
}

impl Kind {
    fn of_text(text: &str) -> Self {
        let digits: usize = text.bytes().filter(u8::is_ascii_digit).count();
        let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
        let is_number = digits > 0 && unsigned.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
        if is_number && unsigned.matches('.').count() <= 1 {
            let scale = unsigned.split_once('.').map_or(0, |(_, fraction)| fraction.len());
            return match (u8::try_from(digits), u8::try_from(scale)) {
                (Ok(digits), Ok(scale)) if digits <= 38 && scale <= 37 => Self::Number { digits, scale },
                _ => Self::Text,
            };
        }
        let shape: String = text.chars().map(|c| if c.is_ascii_digit() { '9' } else { c }).collect();
        match shape.as_str() {
            "9999-99-99" if is_date(text) => Self::Date,
            shape if !is_date_and_time(text) && shape.starts_with("9999-99-99") => Self::Text,
            shape if shape.starts_with("9999-99-99 99:99:99") || shape.starts_with("9999-99-99T99:99:99") => {
                match shape[19..].trim_start_matches('.').trim_matches('9') {
                    "" => Self::Timestamp,
                    _ => Self::Text,
                }
            }
            _ if ["true", "false"].iter().any(|word| text.eq_ignore_ascii_case(word)) => Self::Boolean,
            _ => Self::Text,
        }
    }

    fn of_json(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Self::Nothing,
            serde_json::Value::Bool(_) => Self::Boolean,
            serde_json::Value::Number(number) => match Self::of_text(&number.to_string()) {
                Self::Text => Self::Real,
                kind => kind,
            },
            serde_json::Value::String(text) => match Self::of_text(text) {
                kind @ (Self::Date | Self::Timestamp) => kind,
                _ => Self::Text,
            },
            serde_json::Value::Array(_) | serde_json::Value::Object(_) => Self::Variant,
        }
    }

    fn with(self, other: Self) -> Self {
        match (self, other) {
            (Self::Nothing, kind) | (kind, Self::Nothing) => kind,
            (one, other) if one == other => one,
            (Self::Number { digits, scale }, Self::Number { digits: more, scale: finer }) => {
                let whole = (digits - scale.min(digits)).max(more - finer.min(more));
                let scale = scale.max(finer);
                if whole + scale > 38 { Self::Text } else { Self::Number { digits: whole + scale, scale } }
            }
            (Self::Number { .. } | Self::Real, Self::Number { .. } | Self::Real) => Self::Real,
            (Self::Date | Self::Timestamp, Self::Date | Self::Timestamp) => Self::Timestamp,
            (Self::Variant, _) | (_, Self::Variant) => Self::Variant,
            _ => Self::Text,
        }
    }

    fn name(self) -> String {
        match self {
            Self::Boolean => "BOOLEAN".to_owned(),
            Self::Number { digits, scale } => format!("NUMBER({}, {scale})", digits.max(1)),
            Self::Real => "REAL".to_owned(),
            Self::Date => "DATE".to_owned(),
            Self::Timestamp => "TIMESTAMP_NTZ".to_owned(),
            Self::Nothing | Self::Text => "TEXT".to_owned(),
            Self::Variant => "VARIANT".to_owned(),
        }
    }
}

fn csv_columns(
    connection: &Connection,
    source: &Source,
    format: &CsvFormat,
    inference: Inference,
) -> Result<Vec<Found>, EngineError> {
    let mut columns: Vec<(String, Kind, Vec<String>)> = Vec::new();
    for file in &source.files {
        let unreadable =
            |error: std::io::Error| rows::unreadable_content(connection, error, source, file, format.compression);
        let content = Content::open_text(connection, file, format).map_err(unreadable)?;
        let mut records = Records::new(content, format).map_err(unreadable)?;
        let mut names = Vec::new();
        if format.parse_header {
            names = rows::header(connection, source, file, format)?;
            records.skip_header().map_err(unreadable)?;
        }
        let mut see = |index: usize, seen: Kind| {
            let name = names.get(index);
            while columns.len() <= index {
                let name = name.cloned().unwrap_or_else(|| format!("c{}", index + 1));
                columns.push((name, Kind::Nothing, Vec::new()));
            }
            let (_, kind, files) = &mut columns[index];
            *kind = kind.with(seen);
            if files.last().map(String::as_str) != Some(file.path.as_str()) {
                files.push(file.path.to_string());
            }
        };
        (0..names.len()).for_each(|index| see(index, Kind::Nothing));
        for _ in 0..inference.records_max {
            let Some(record) = records.next().map_err(unreadable)? else { break };
            let Ok(fields) = record.fields else { return Err(broken(source, file, record.place.line).into()) };
            for (index, field) in fields.iter().enumerate() {
                see(index, field.as_deref().map_or(Kind::Nothing, Kind::of_text));
            }
        }
    }
    let found = (1..).zip(columns).map(|(number, (name, kind, files))| Found {
        name: inference.name(name),
        type_name: kind.name(),
        expression: format!("${number}::{}", kind.name()),
        files,
    });
    Ok(found.collect())
}

fn json_columns(
    connection: &Connection,
    source: &Source,
    format: &JsonFormat,
    inference: Inference,
) -> Result<Vec<Found>, EngineError> {
    let mut columns: BTreeMap<String, (Kind, Vec<String>)> = BTreeMap::new();
    for file in &source.files {
        let unreadable =
            |error: std::io::Error| rows::unreadable_content(connection, error, source, file, format.compression);
        let content = Content::open(connection, file, format.compression).map_err(unreadable)?;
        let mut documents = Documents::new(content, format).map_err(unreadable)?;
        for _ in 0..inference.records_max {
            let Some(document) = documents.next().map_err(unreadable)? else { break };
            let Ok(text) = document.text else { return Err(broken(source, file, document.place.line).into()) };
            let fields: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).unwrap_or_default();
            for (name, value) in fields {
                let (kind, files) = columns.entry(inference.name(name)).or_default();
                *kind = kind.with(Kind::of_json(&value));
                if files.last().map(String::as_str) != Some(file.path.as_str()) {
                    files.push(file.path.to_string());
                }
            }
        }
    }
    let found = columns.into_iter().map(|(name, (kind, files))| Found {
        expression: inference.expression(&name, &quoted_key(&name), &kind.name()),
        name,
        type_name: kind.name(),
        files,
    });
    Ok(found.collect())
}

/// Whether there is such a day. Of a text of that shape.
fn is_date(text: &str) -> bool {
    text.get(..10).is_some_and(|date| NaiveDate::parse_from_str(date, "%Y-%m-%d").is_ok())
}

fn is_date_and_time(text: &str) -> bool {
    let number = |range: Range<usize>| text.get(range).and_then(|digits| digits.parse::<u8>().ok());
    let parts = (number(11..13), number(14..16), number(17..19));
    is_date(text) && matches!(parts, (Some(0..=23), Some(0..=59), Some(0..=59)))
}

/// A key as a path names it; keys have the letter case they are written in.
fn quoted_key(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if plain { name.to_owned() } else { quote_identifier(name) }
}

fn with_nul(found: &Found) -> Failure {
    let message = format!(
        "File '{}': the name of a column contains a NUL character. Files are read as UTF-8 unless \
         ENCODING says otherwise, such as 'UTF16'.",
        found.files.join("', '")
    );
    Failure::new("100069", "22000", message)
}

fn broken(source: &Source, file: &StagedFile, line: u64) -> Failure {
    Failure::new(
        "100069",
        "22000",
        format!("File '{}' cannot be read at line {line}; a COPY with VALIDATION_MODE tells why.", source.shown(file)),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_hold_all_values() {
        let check = |texts: &[&str], expected: &str| {
            let kind = texts.iter().fold(Kind::Nothing, |kind, text| kind.with(Kind::of_text(text)));
            assert_eq!(kind.name(), expected, "{texts:?}");
        };
        check(&["1", "-23", "456"], "NUMBER(3, 0)");
        check(&["1.5", "100", "-0.25"], "NUMBER(5, 2)");
        check(&["true", "FALSE"], "BOOLEAN");
        check(&["2020-01-01", "2020-01-01 10:00:00"], "TIMESTAMP_NTZ");
        check(&["2020-01-01"], "DATE");
        check(&["2020-01-01 10:00:00.5"], "TIMESTAMP_NTZ");
        check(&["2020-01-01 10:00:00+01"], "TEXT");
        check(&["1", "x"], "TEXT");
        check(&["1", "true"], "TEXT");
        check(&[], "TEXT");
        check(&["1.2.3"], "TEXT");
        // No such days and times: a column of dates would not take them.
        check(&["2024-02-29", "2024-02-30"], "TEXT");
        check(&["2024-13-01"], "TEXT");
        check(&["2023-02-29 10:00:00"], "TEXT");
        check(&["2024-01-01T24:00:00"], "TEXT");
        check(&["2024-01-01 10:60:00.5"], "TEXT");
        check(&["2024-01-01 23:59:59"], "TIMESTAMP_NTZ");
    }
}
