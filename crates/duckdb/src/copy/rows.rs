//! The rows of staged CSV and JSON files, put into a temporary table with the place each came from.

use std::io;

use firn_engine::EngineError;
use firn_engine::error::of_disk;
use firn_engine::stage_files::StagedFile;
use firn_sql::Failure;
use firn_sql::file_formats::{Compression, FileFormat};
use firn_sql::names::quote_identifier;

use super::content::Content;
use super::documents::{self, Documents};
use super::records::{Place, RecordError, Records};
use super::source::Source;
use crate::appender::Appender;
use crate::connection::Connection;

/// Errors of one file that are recorded; further ones are only counted.
const ERRORS_RECORDED_MAX: usize = 10_000;

/// Rows between two checks for an interruption.
const ROWS_BETWEEN_CHECKS: u64 = 1_024;

/// How many fields a record has to have.
#[derive(Clone, Copy)]
pub(super) enum FieldCount {
    /// Another number is an error of the record.
    Exactly(usize),
    /// Missing fields are null, further ones are left out.
    UpTo(usize),
}

impl FieldCount {
    pub(super) fn columns(self) -> usize {
        match self {
            Self::Exactly(count) | Self::UpTo(count) => count,
        }
    }
}

/// What was found in one file.
#[derive(Clone, Debug, Default)]
pub(super) struct FileRows {
    pub(super) parsed: u64,
    pub(super) errors_count: u64,
    pub(super) errors: Vec<(Place, RecordError)>,
    /// The names of the fields of its documents.
    pub(super) field_names: Vec<String>,
}

impl FileRows {
    fn add_error(&mut self, place: Place, error: RecordError) {
        self.errors_count += 1;
        if self.errors.len() < ERRORS_RECORDED_MAX {
            self.errors.push((place, error));
        }
    }
}

/// Makes the table `name` and puts every readable row of the files into it.
pub(super) fn stage(
    connection: &Connection,
    name: &str,
    source: &Source,
    format: &FileFormat,
    count: FieldCount,
) -> Result<Vec<FileRows>, EngineError> {
    let columns: String = (1..=count.columns()).map(|number| format!(", \"${number}\" VARCHAR")).collect();
    connection.execute(&format!(
        "CREATE TEMP TABLE {} (\"@file\" INTEGER, \"@row\" BIGINT, \"@line\" BIGINT{columns})",
        quote_identifier(name)
    ))?;
    let mut appender = Appender::new(connection, name)?;
    let mut found = Vec::new();
    for (number, file) in (1..).zip(&source.files) {
        let mut filling = Filling { connection, appender: &mut appender, number, rows: FileRows::default() };
        let filled = match format {
            FileFormat::Csv(csv) => filling.csv(file, csv, count),
            FileFormat::Json(json) => filling.json(file, json),
            FileFormat::Parquet(_) => Err(EngineError::Internal("Parquet has no lines".to_owned()).into()),
        };
        let rows = filling.rows;
        filled.map_err(|error| unreadable(connection, error, source, file, format.compression()))?;
        found.push(rows);
    }
    appender.finish()?;
    Ok(found)
}

enum FillError {
    Content(io::Error),
    Engine(EngineError),
}

impl From<io::Error> for FillError {
    fn from(error: io::Error) -> Self {
        Self::Content(error)
    }
}

impl From<EngineError> for FillError {
    fn from(error: EngineError) -> Self {
        Self::Engine(error)
    }
}

struct Filling<'a, 'connection> {
    connection: &'a Connection,
    appender: &'a mut Appender<'connection>,
    number: u64,
    rows: FileRows,
}

impl Filling<'_, '_> {
    fn csv(
        &mut self,
        file: &StagedFile,
        format: &firn_sql::file_formats::CsvFormat,
        count: FieldCount,
    ) -> Result<(), FillError> {
        let mut records = Records::new(Content::open_text(self.connection, file, format)?, format)?;
        if format.parse_header {
            records.skip_header()?;
        }
        while let Some(record) = records.next()? {
            self.look(record.place.row)?;
            let checked = record.fields.and_then(|fields| checked_count(fields, count, format));
            match checked {
                Ok(fields) => {
                    let cells = fields.iter().map(Option::as_deref).chain(std::iter::repeat(None));
                    self.add(record.place, cells.take(count.columns()))?;
                }
                Err(error) => self.rows.add_error(record.place, error),
            }
            self.rows.parsed += 1;
        }
        Ok(())
    }

    fn json(&mut self, file: &StagedFile, format: &firn_sql::file_formats::JsonFormat) -> Result<(), FillError> {
        let mut documents = Documents::new(Content::open(self.connection, file, format.compression)?, format)?;
        while let Some(document) = documents.next()? {
            self.look(document.place.row)?;
            match document.text {
                Ok(text) => {
                    self.add(document.place, std::iter::once(Some(text.as_str())))?;
                    for name in documents::field_names(&text) {
                        if !self.rows.field_names.contains(&name) {
                            self.rows.field_names.push(name);
                        }
                    }
                }
                Err(error) => self.rows.add_error(document.place, error),
            }
            self.rows.parsed += 1;
        }
        Ok(())
    }

    fn add<'text>(&mut self, place: Place, cells: impl Iterator<Item = Option<&'text str>>) -> Result<(), EngineError> {
        self.appender.number(self.number)?;
        self.appender.number(place.row)?;
        self.appender.number(place.line)?;
        for cell in cells {
            self.appender.text(cell)?;
        }
        self.appender.end_row()
    }

    fn look(&self, row: u64) -> Result<(), EngineError> {
        if row.is_multiple_of(ROWS_BETWEEN_CHECKS) && self.connection.was_interrupted() {
            return Err(EngineError::Interrupted);
        }
        Ok(())
    }
}

fn checked_count(
    fields: Vec<Option<String>>,
    count: FieldCount,
    format: &firn_sql::file_formats::CsvFormat,
) -> Result<Vec<Option<String>>, RecordError> {
    match count {
        FieldCount::Exactly(wanted) if format.error_on_column_count_mismatch && fields.len() != wanted => {
            Err(RecordError {
                code: "100080",
                sql_state: "22000",
                message: format!(
                    "Number of columns in file ({}) does not match that of the corresponding table ({wanted}), use file \
                     format option error_on_column_count_mismatch=false to ignore this error",
                    fields.len()
                ),
                character: 1,
            })
        }
        _ => Ok(fields),
    }
}

/// The names on the first line of a file with PARSE_HEADER.
pub(super) fn header(
    connection: &Connection,
    source: &Source,
    file: &StagedFile,
    format: &firn_sql::file_formats::CsvFormat,
) -> Result<Vec<String>, EngineError> {
    let read = || -> io::Result<Vec<String>> {
        let mut records = Records::new(Content::open_text(connection, file, format)?, format)?;
        let fields = records.next()?.and_then(|record| record.fields.ok()).unwrap_or_default();
        Ok(fields.into_iter().map(Option::unwrap_or_default).collect())
    };
    read().map_err(|error| unreadable(connection, error.into(), source, file, format.compression))
}

pub(super) fn unreadable_content(
    connection: &Connection,
    error: io::Error,
    source: &Source,
    file: &StagedFile,
    compression: Compression,
) -> EngineError {
    unreadable(connection, error.into(), source, file, compression)
}

fn unreadable(
    connection: &Connection,
    error: FillError,
    source: &Source,
    file: &StagedFile,
    compression: Compression,
) -> EngineError {
    match error {
        _ if connection.was_interrupted() => EngineError::Interrupted,
        FillError::Engine(error) => error,
        FillError::Content(error) if error.kind() == io::ErrorKind::NotFound => Failure::new(
            "091016",
            "02000",
            format!("Remote file '{}' was not found; it was removed meanwhile.", source.shown(file)),
        )
        .into(),
        FillError::Content(error) => match (of_disk(&error), super::content::compression_of(file, compression)) {
            (Some(failure), _) => failure.into(),
            (None, Compression::None) => EngineError::Internal(format!("a staged file cannot be read: {error}")),
            (None, _) => Failure::new(
                "100069",
                "22000",
                format!("File '{}' cannot be decompressed; is COMPRESSION right?", source.shown(file)),
            )
            .into(),
        },
    }
}

/// A record's text, and where in it a field begins; for an error message.
pub(super) struct FoundRecord {
    pub(super) text: String,
    pub(super) offset: u64,
    pub(super) character: u64,
}

/// Reads a file again up to the row. `field` is counted from 1.
pub(super) fn find_record(
    connection: &Connection,
    file: &StagedFile,
    format: &FileFormat,
    row: u64,
    field: usize,
) -> Option<FoundRecord> {
    let FileFormat::Csv(csv) = format else { return None };
    let mut records = Records::new(Content::open_text(connection, file, csv).ok()?, csv).ok()?;
    if csv.parse_header {
        records.skip_header().ok()?;
    }
    while let Some(record) = records.next().ok()? {
        if record.place.row == row {
            return Some(FoundRecord {
                text: records.raw_text(),
                offset: record.place.offset,
                character: records.character_of(field),
            });
        }
    }
    None
}
