//! Parses CSV exactly by the dialect's options. A record that cannot be parsed is reported with its position, and parsing
//! continues after it.

use std::io;

use firn_sql::file_formats::{CsvFormat, Encoding, RecordDelimiter};

use super::content::Content;

/// The longest record; a longer one is an error.
const RECORD_BYTES_MAX: usize = 128 << 20;

/// Where a record stands in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// Counted from 1, without the skipped header.
    pub(super) row: u64,
    /// The line it begins on, counted from 1.
    pub(super) line: u64,
    pub(super) offset: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct RecordError {
    pub(super) code: &'static str,
    pub(super) sql_state: &'static str,
    pub(super) message: String,
    /// Counted in characters of the record from 1.
    pub(super) character: u64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) place: Place,
    pub(super) fields: Result<Vec<Option<String>>, RecordError>,
}

pub(super) struct Records<'format> {
    content: Content,
    format: &'format CsvFormat,
    delimiter: Vec<u8>,
    line: u64,
    row: u64,
    /// The record being read, and where in it each field begins.
    raw: Vec<u8>,
    starts: Vec<usize>,
    /// Whether a byte may end or escape something.
    is_special: [bool; 256],
}

impl<'format> Records<'format> {
    pub(super) fn new(mut content: Content, format: &'format CsvFormat) -> io::Result<Self> {
        if format.skip_byte_order_mark {
            content.skip_byte_order_mark()?;
        }
        let delimiter = format.field_delimiter.clone().unwrap_or_default().into_bytes();
        let is_special = special_bytes(format, &delimiter);
        let mut records =
            Self { content, format, delimiter, line: 1, row: 0, raw: Vec::new(), starts: Vec::new(), is_special };
        for _ in 0..format.skip_header {
            records.skip_line()?;
        }
        Ok(records)
    }

    /// Leaves out the line of names.
    pub(super) fn skip_header(&mut self) -> io::Result<()> {
        self.raw.clear();
        let _ = self.record()?;
        Ok(())
    }

    /// The text of the record that was read last.
    pub(super) fn raw_text(&self) -> String {
        String::from_utf8_lossy(&self.raw).into_owned()
    }

    /// Where the field of this number, counted from 1, begins in that text, in characters from 1.
    pub(super) fn character_of(&self, field: usize) -> u64 {
        let start = field.checked_sub(1).and_then(|index| self.starts.get(index)).copied().unwrap_or(0);
        String::from_utf8_lossy(&self.raw[..start]).chars().count() as u64 + 1
    }

    pub(super) fn next(&mut self) -> io::Result<Option<Record>> {
        loop {
            if self.content.peek()?.is_none() {
                return Ok(None);
            }
            let place = Place { row: self.row + 1, line: self.line, offset: self.content.offset() };
            self.raw.clear();
            self.starts.clear();
            let fields = self.record()?;
            let is_blank = self.raw.is_empty();
            if is_blank && self.format.skip_blank_lines {
                continue;
            }
            self.row += 1;
            return Ok(Some(Record { place, fields }));
        }
    }

    fn record(&mut self) -> io::Result<Result<Vec<Option<String>>, RecordError>> {
        let mut fields = Vec::new();
        loop {
            self.starts.push(self.raw.len());
            let field = match self.field()? {
                Ok(field) => field,
                Err(error) => {
                    self.skip_line()?;
                    return Ok(Err(error));
                }
            };
            fields.push(field);
            if self.at_delimiter()? {
                self.take(self.delimiter.len())?;
            } else {
                self.end_record()?;
                return Ok(Ok(fields));
            }
        }
    }

    /// One field, up to what ends it.
    fn field(&mut self) -> io::Result<Result<Option<String>, RecordError>> {
        if self.format.trim_space {
            self.skip_spaces()?;
        }
        match (self.format.enclosed_by, self.content.peek()?) {
            (Some(quote), Some(next)) if next == quote as u8 => self.enclosed(next),
            _ => self.unenclosed(),
        }
    }

    fn enclosed(&mut self, quote: u8) -> io::Result<Result<Option<String>, RecordError>> {
        self.take(1)?;
        let escape = self.format.escape.map(|escape| escape as u8).filter(|escape| *escape != quote);
        let mut bytes = Vec::new();
        loop {
            match self.content.peek()? {
                None => return Ok(Err(self.error("100065", "Found end of file while looking for the end of a field"))),
                Some(byte) if Some(byte) == escape => self.escaped(&mut bytes)?,
                Some(byte) if byte == quote => {
                    self.take(1)?;
                    if self.content.peek()? != Some(quote) {
                        break;
                    }
                    bytes.push(quote);
                    self.take(1)?;
                }
                Some(byte) => match self.plain_run()? {
                    0 => {
                        bytes.push(byte);
                        self.take_counting_lines(byte)?;
                    }
                    run => self.take_run(run, &mut bytes)?,
                },
            }
            if self.raw.len() > RECORD_BYTES_MAX {
                return Ok(Err(self.error("100069", "A record is longer than 128 MiB")));
            }
        }
        if self.format.trim_space {
            self.skip_spaces()?;
        }
        if !self.at_delimiter()? && !self.at_record_end()? {
            let found = self.content.peek()?.map_or(' ', char::from);
            let delimiter = self.format.field_delimiter.as_deref().unwrap_or("end of line").to_owned();
            let message = format!("Found character '{found}' instead of field delimiter '{delimiter}'");
            return Ok(Err(self.error("100016", &message)));
        }
        Ok(self.text(bytes).map(|text| if self.is_null(&text, &text) { None } else { Some(text) }))
    }

    fn unenclosed(&mut self) -> io::Result<Result<Option<String>, RecordError>> {
        let escapes = [self.format.escape_unenclosed, self.format.escape].map(|escape| escape.map(|c| c as u8));
        let start = self.raw.len();
        let mut bytes = Vec::new();
        while !self.at_delimiter()? && !self.at_record_end()? {
            let Some(byte) = self.content.peek()? else { break };
            match self.plain_run()? {
                0 if escapes.contains(&Some(byte)) => self.escaped(&mut bytes)?,
                run => self.take_run(run.max(1), &mut bytes)?,
            }
            if self.raw.len() > RECORD_BYTES_MAX {
                return Ok(Err(self.error("100069", "A record is longer than 128 MiB")));
            }
        }
        let written = match self.text(self.raw[start..].to_vec()) {
            Ok(written) => written,
            Err(error) => return Ok(Err(error)),
        };
        let read = match self.text(bytes) {
            Ok(read) => read,
            Err(error) => return Ok(Err(error)),
        };
        let (written, read) = match self.format.trim_space {
            true => (written.trim_end_matches([' ', '\t']).to_owned(), read.trim_end_matches([' ', '\t']).to_owned()),
            false => (written, read),
        };
        if written.is_empty() {
            return Ok(Ok((!self.format.empty_field_as_null).then(String::new)));
        }
        Ok(Ok(if self.is_null(&written, &read) { None } else { Some(read) }))
    }

    /// The character behind an escape, which has been seen but not taken.
    fn escaped(&mut self, bytes: &mut Vec<u8>) -> io::Result<()> {
        self.take(1)?;
        let Some(byte) = self.content.peek()? else { return Ok(()) };
        bytes.push(match byte {
            b't' => b'\t',
            b'n' => b'\n',
            b'r' => b'\r',
            b'b' => 8,
            b'f' => 12,
            other => other,
        });
        self.take_counting_lines(byte)
    }

    fn is_null(&self, written: &str, read: &str) -> bool {
        self.format.null_if.iter().any(|null| null == read || null == written)
    }

    fn text(&self, bytes: Vec<u8>) -> Result<String, RecordError> {
        if self.format.encoding == Encoding::LATIN_1 {
            return Ok(bytes.into_iter().map(char::from).collect());
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(text),
            Err(error) if self.format.replace_invalid_characters => {
                Ok(String::from_utf8_lossy(error.as_bytes()).into_owned())
            }
            Err(error) => {
                let shown: String = error.as_bytes().iter().take(50).map(|byte| format!("{byte:02x}")).collect();
                Err(self.error("100144", &format!("Invalid UTF8 detected in string '0x{shown}'")))
            }
        }
    }

    fn error(&self, code: &'static str, message: &str) -> RecordError {
        let character = String::from_utf8_lossy(&self.raw).chars().count() as u64;
        RecordError { code, sql_state: "22000", message: message.to_owned(), character }
    }

    fn at_delimiter(&mut self) -> io::Result<bool> {
        match self.delimiter.as_slice() {
            [] => Ok(false),
            [only] => Ok(self.content.peek()? == Some(*only)),
            several => {
                let several = several.to_vec();
                self.content.starts_with(&several)
            }
        }
    }

    fn at_record_end(&mut self) -> io::Result<bool> {
        match &self.format.record_delimiter {
            RecordDelimiter::NewLine => Ok(matches!(self.content.peek()?, None | Some(b'\n' | b'\r'))),
            RecordDelimiter::Text(text) => {
                Ok(self.content.peek()?.is_none() || self.content.starts_with(text.as_bytes())?)
            }
        }
    }

    /// Behind what ends the record; the end of the file ends one too.
    fn end_record(&mut self) -> io::Result<()> {
        match &self.format.record_delimiter {
            RecordDelimiter::NewLine => {
                let length = match (self.content.peek()?, self.content.peek_nth(1)?) {
                    (Some(b'\r'), Some(b'\n')) => 2,
                    (Some(_), _) => 1,
                    (None, _) => 0,
                };
                self.content.advance(length);
            }
            RecordDelimiter::Text(text) => {
                if self.content.peek()?.is_some() {
                    self.content.advance(text.len());
                }
            }
        }
        self.line += 1;
        Ok(())
    }

    /// To the beginning of the next line, whatever the rest of this one is.
    fn skip_line(&mut self) -> io::Result<()> {
        if self.content.peek()?.is_none() {
            return Ok(());
        }
        while !self.at_record_end()? {
            if self.raw.len() <= RECORD_BYTES_MAX {
                self.take(1)?;
            } else {
                let run = self.plain_run()?;
                self.content.advance(run.max(1));
            }
        }
        self.end_record()
    }

    fn skip_spaces(&mut self) -> io::Result<()> {
        while matches!(self.content.peek()?, Some(b' ' | b'\t')) && !self.at_delimiter()? {
            self.take(1)?;
        }
        Ok(())
    }

    fn take_counting_lines(&mut self, byte: u8) -> io::Result<()> {
        if byte == b'\n' {
            self.line += 1;
        }
        self.take(1)
    }

    /// How many bytes ahead end and escape nothing.
    fn plain_run(&mut self) -> io::Result<usize> {
        let is_special = &self.is_special;
        let ahead = self.content.ahead()?;
        Ok(ahead.iter().position(|byte| is_special[usize::from(*byte)]).unwrap_or(ahead.len()))
    }

    fn take_run(&mut self, length: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.extend_from_slice(&self.content.ahead()?[..length]);
        self.take(length)
    }

    fn take(&mut self, bytes: usize) -> io::Result<()> {
        let ahead = self.content.ahead()?;
        self.raw.extend_from_slice(&ahead[..bytes.min(ahead.len())]);
        self.content.advance(bytes);
        Ok(())
    }
}

fn special_bytes(format: &CsvFormat, delimiter: &[u8]) -> [bool; 256] {
    let record_delimiter: &[u8] = match &format.record_delimiter {
        RecordDelimiter::NewLine => b"\r\n",
        RecordDelimiter::Text(text) => text.as_bytes(),
    };
    let characters = [format.escape, format.escape_unenclosed, format.enclosed_by];
    let mut is_special = [false; 256];
    // Lines are counted also in quoted fields.
    let first = [delimiter.first(), record_delimiter.first(), Some(&b'\n'), Some(&b'\r')];
    for byte in first.into_iter().flatten().copied().chain(characters.into_iter().flatten().map(|c| c as u8)) {
        is_special[usize::from(byte)] = true;
    }
    is_special
}

#[cfg(test)]
#[path = "records_test.rs"]
mod tests;
