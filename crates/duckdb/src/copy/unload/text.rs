//! Rows as CSV or JSON, written here so that every option of the format holds.

use std::fs::File;
use std::io::{self, BufWriter, Write};

use firn_engine::EngineError;
use firn_engine::stage_files::IncomingFile;
use firn_sql::Failure;
use firn_sql::command::UnloadedFiles;
use firn_sql::file_formats::{BinaryText, Compression, CsvFormat, FileFormat};
use firn_sql::names::{quote_identifier, quote_literal};

use super::job::{Unload, Written};
use super::names::{self, PARTITION, chosen_compression, partition_folder};
use crate::chunks::ResultColumn;
use crate::encode;
use crate::logical_type::LogicalType;
use crate::stage_places::unreadable;

pub(super) fn write(unload: &Unload<'_>) -> Result<Vec<Written>, EngineError> {
    let connection = &unload.session.connection;
    let columns = connection.stream(&format!("SELECT * FROM ({}) AS q LIMIT 0", unload.sql))?.columns().to_vec();
    let partitioned = unload.copy.partition_by.is_some();
    let own = if partitioned { &columns[1..] } else { &columns[..] };
    check_columns(&unload.format, own)?;
    let items: Vec<String> = columns.iter().map(|column| text_of(column, &unload.format)).collect();
    let sql = format!("SELECT {} FROM ({}) AS q", items.join(", "), unload.sql);
    connection.expect_unchanged_since(unload.authorised_at);
    let mut stream = connection.stream(&sql)?;
    let mut writer = Writer::new(unload, own);
    while let Some(chunk) = stream.next_chunk()? {
        let cells = chunk.columns();
        for row in 0..chunk.row_count() {
            let mut texts = cells.iter().map(|column| encode::text(column, row));
            let partition = if partitioned { texts.next() } else { None };
            writer.add(partition, texts)?;
        }
    }
    writer.finish()
}

fn check_columns(format: &FileFormat, columns: &[ResultColumn]) -> Result<(), Failure> {
    let is_json = |column: &ResultColumn| is_semi_structured(&column.logical_type);
    match (format, columns) {
        (FileFormat::Json(_), [only]) if is_json(only) => Ok(()),
        (FileFormat::Json(_), _) => Err(Failure::new(
            "002019",
            "0A000",
            "SQL compilation error:\nJSON file format can produce one and only one column of type variant, object, or \
             array. Use CSV file format if you want to load more than one column, or OBJECT_CONSTRUCT(*).",
        )),
        _ => Ok(()),
    }
}

/// A column as the text that stands in a file.
fn text_of(column: &ResultColumn, format: &FileFormat) -> String {
    let name = quote_identifier(&column.name);
    let (date, time, timestamp, binary) = match format {
        FileFormat::Csv(csv) => {
            (csv.date_format.as_deref(), csv.time_format.as_deref(), csv.timestamp_format.as_deref(), csv.binary_format)
        }
        _ => (None, None, None, BinaryText::Hex),
    };
    let written = |model: &str| format!("firn_written_as({name}, {})", quote_literal(model));
    match (&column.logical_type, binary) {
        _ if column.name == PARTITION => format!("CAST({name} AS VARCHAR)"),
        (LogicalType::Varchar, _) => name,
        (logical_type, _) if is_semi_structured(logical_type) => format!("firn_to_json({name})"),
        (LogicalType::Date, _) => written(date.unwrap_or("YYYY-MM-DD")),
        (LogicalType::Time, _) => written(time.unwrap_or("HH24:MI:SS")),
        (LogicalType::Timestamp, _) => written(timestamp.unwrap_or("YYYY-MM-DD HH24:MI:SS.FF3")),
        (LogicalType::TimestampWithZone | LogicalType::TimestampTz, _) => {
            written(timestamp.unwrap_or("YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM"))
        }
        (LogicalType::Blob, BinaryText::Hex) => format!("hex({name})"),
        (LogicalType::Blob, BinaryText::Base64) => format!("to_base64({name})"),
        (LogicalType::Blob, BinaryText::Utf8) => format!("decode({name})"),
        _ => format!("firn_text({name})"),
    }
}

pub(super) fn is_semi_structured(logical_type: &LogicalType) -> bool {
    matches!(logical_type, LogicalType::Json | LogicalType::Variant | LogicalType::Object | LogicalType::VariantArray)
}

/// Whether a value of the type is enclosed in quotes where a format asks for them.
fn is_enclosed(logical_type: &LogicalType) -> bool {
    !matches!(
        logical_type,
        LogicalType::Boolean
            | LogicalType::Int8
            | LogicalType::Int16
            | LogicalType::Int32
            | LogicalType::Int64
            | LogicalType::Int128
            | LogicalType::Uint8
            | LogicalType::Uint16
            | LogicalType::Uint32
            | LogicalType::Uint64
            | LogicalType::Uint128
            | LogicalType::Float
            | LogicalType::Double
            | LogicalType::Decimal { .. }
    )
}

/// Writes rows into one file after the other.
struct Writer<'a> {
    unload: &'a Unload<'a>,
    names: Vec<String>,
    enclosed: Vec<bool>,
    bytes_max: u64,
    open: Option<OpenFile>,
    /// Of the file that is open, and its number in the partition.
    partition: Option<Option<String>>,
    number: usize,
    line: Vec<u8>,
    written: Vec<Written>,
}

struct OpenFile {
    incoming: IncomingFile,
    out: Output,
    rows: u64,
    bytes: u64,
}

enum Output {
    Plain(BufWriter<File>),
    Gzip(flate2::write::GzEncoder<BufWriter<File>>),
    Zstd(zstd::stream::write::Encoder<'static, BufWriter<File>>),
    Bzip2(bzip2::write::BzEncoder<BufWriter<File>>),
    Deflate(flate2::write::ZlibEncoder<BufWriter<File>>),
    RawDeflate(flate2::write::DeflateEncoder<BufWriter<File>>),
}

impl<'a> Writer<'a> {
    fn new(unload: &'a Unload<'a>, columns: &[ResultColumn]) -> Self {
        Self {
            unload,
            names: columns.iter().map(|column| column.name.clone()).collect(),
            enclosed: columns.iter().map(|column| is_enclosed(&column.logical_type)).collect(),
            bytes_max: match unload.copy.files {
                UnloadedFiles::Single => u64::MAX,
                UnloadedFiles::Several { bytes_max } => bytes_max,
            },
            open: None,
            partition: None,
            number: 0,
            line: Vec::new(),
            written: Vec::new(),
        }
    }

    fn add(
        &mut self,
        partition: Option<Option<String>>,
        cells: impl Iterator<Item = Option<String>>,
    ) -> Result<(), EngineError> {
        if self.open.is_some() && self.partition != partition {
            self.close()?;
            self.number = 0;
        } else if self.open.as_ref().is_some_and(|open| open.bytes >= self.bytes_max) {
            self.close()?;
            self.number += 1;
        }
        self.partition = partition;
        self.line.clear();
        match &self.unload.format {
            FileFormat::Csv(csv) => {
                for (index, cell) in cells.enumerate() {
                    if index > 0 {
                        self.line.extend_from_slice(csv.field_delimiter.as_deref().unwrap_or_default().as_bytes());
                    }
                    let enclosed = self.enclosed.get(index).copied().unwrap_or(true);
                    write_field(&mut self.line, cell.as_deref(), csv, enclosed)?;
                }
            }
            _ => cells.for_each(|cell| self.line.extend_from_slice(cell.as_deref().unwrap_or("null").as_bytes())),
        }
        self.line.extend_from_slice(self.record_end().as_bytes());
        let line = std::mem::take(&mut self.line);
        self.write_line(&line, 1)?;
        self.line = line;
        Ok(())
    }

    fn record_end(&self) -> String {
        match &self.unload.format {
            FileFormat::Csv(CsvFormat {
                record_delimiter: firn_sql::file_formats::RecordDelimiter::Text(text),
                ..
            }) => text.clone(),
            _ => "\n".to_owned(),
        }
    }

    fn write_line(&mut self, line: &[u8], rows: u64) -> Result<(), EngineError> {
        if self.open.is_none() {
            self.open = Some(self.fresh()?);
            self.write_header()?;
        }
        let Some(open) = &mut self.open else { return Ok(()) };
        open.out.write_all(line).map_err(unreadable)?;
        open.rows += rows;
        open.bytes += line.len() as u64;
        Ok(())
    }

    fn write_header(&mut self) -> Result<(), EngineError> {
        let FileFormat::Csv(csv) = &self.unload.format else { return Ok(()) };
        if !self.unload.copy.header {
            return Ok(());
        }
        let mut line = Vec::new();
        for (index, name) in self.names.iter().enumerate() {
            if index > 0 {
                line.extend_from_slice(csv.field_delimiter.as_deref().unwrap_or_default().as_bytes());
            }
            write_field(&mut line, Some(name), csv, true)?;
        }
        line.extend_from_slice(self.record_end().as_bytes());
        self.write_line(&line, 0)
    }

    fn fresh(&self) -> Result<OpenFile, EngineError> {
        let incoming = self.unload.session.shared.stage_files().receive();
        let file = BufWriter::new(File::create(incoming.place()).map_err(unreadable)?);
        let fast = flate2::Compression::fast();
        let out = match chosen_compression(&self.unload.format) {
            Compression::Gzip => Output::Gzip(flate2::write::GzEncoder::new(file, fast)),
            Compression::Zstd => Output::Zstd(zstd::stream::write::Encoder::new(file, 0).map_err(unreadable)?),
            Compression::Bzip2 => Output::Bzip2(bzip2::write::BzEncoder::new(file, bzip2::Compression::default())),
            Compression::Deflate => Output::Deflate(flate2::write::ZlibEncoder::new(file, fast)),
            Compression::RawDeflate => Output::RawDeflate(flate2::write::DeflateEncoder::new(file, fast)),
            _ => Output::Plain(file),
        };
        Ok(OpenFile { incoming, out, rows: 0, bytes: 0 })
    }

    fn close(&mut self) -> Result<(), EngineError> {
        let Some(open) = self.open.take() else { return Ok(()) };
        open.out.finish().map_err(unreadable)?;
        let folder = self.partition.clone().map(partition_folder);
        let path = names::path(self.unload, folder.as_deref(), self.number)?;
        self.written.push(Written { incoming: open.incoming, path, rows: open.rows, bytes: open.bytes });
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Written>, EngineError> {
        if self.written.is_empty() && self.open.is_none() && self.unload.copy.header {
            self.write_line(&[], 0)?;
        }
        self.close()?;
        Ok(self.written)
    }
}

impl Output {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(out) => out.write_all(bytes),
            Self::Gzip(out) => out.write_all(bytes),
            Self::Zstd(out) => out.write_all(bytes),
            Self::Bzip2(out) => out.write_all(bytes),
            Self::Deflate(out) => out.write_all(bytes),
            Self::RawDeflate(out) => out.write_all(bytes),
        }
    }

    fn finish(self) -> io::Result<()> {
        match self {
            Self::Plain(mut out) => out.flush(),
            Self::Gzip(out) => out.finish()?.flush(),
            Self::Zstd(out) => out.finish()?.flush(),
            Self::Bzip2(out) => out.finish()?.flush(),
            Self::Deflate(out) => out.finish()?.flush(),
            Self::RawDeflate(out) => out.finish()?.flush(),
        }
    }
}

fn write_field(line: &mut Vec<u8>, text: Option<&str>, csv: &CsvFormat, enclosed: bool) -> Result<(), Failure> {
    let Some(text) = text else {
        line.extend_from_slice(csv.null_if.first().map_or("", String::as_str).as_bytes());
        return Ok(());
    };
    match csv.enclosed_by.filter(|_| enclosed) {
        Some(quote) => {
            let escape = csv.escape.unwrap_or(quote);
            line.push(quote as u8);
            for character in text.chars() {
                if character == quote || character == escape {
                    line.push(escape as u8);
                }
                push(line, character);
            }
            line.push(quote as u8);
        }
        None if text.is_empty() && csv.empty_field_as_null && enclosed => {
            return Err(Failure::new(
                "100064",
                "22000",
                "Cannot unload empty string without file format option field_optionally_enclosed_by being specified.",
            ));
        }
        None => write_unenclosed(line, text, csv),
    }
    Ok(())
}

fn write_unenclosed(line: &mut Vec<u8>, text: &str, csv: &CsvFormat) {
    let Some(escape) = csv.escape_unenclosed.or(csv.escape) else {
        line.extend_from_slice(text.as_bytes());
        return;
    };
    let delimiter = csv.field_delimiter.as_deref().and_then(|delimiter| delimiter.chars().next());
    for character in text.chars() {
        let letter = match character {
            '\n' => Some('n'),
            '\r' => Some('r'),
            _ => None,
        };
        if letter.is_some() || character == escape || Some(character) == delimiter {
            line.push(escape as u8);
        }
        push(line, letter.unwrap_or(character));
    }
}

fn push(line: &mut Vec<u8>, character: char) {
    line.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
}
