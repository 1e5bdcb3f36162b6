//! The forms that results are written in. Every one takes row after row; none keeps them all.

use std::borrow::Cow;
use std::io::{self, Write};

use clap::ValueEnum;

use super::delimited::Delimited;
use super::json::Json;
use super::markdown::Markdown;
use super::table::TableWriter;
use super::vertical::Vertical;
use crate::server::statements::Column;

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    Table,
    Csv,
    Tsv,
    Json,
    Jsonl,
    Markdown,
    Vertical,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Header {
    Shown,
    Hidden,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colors {
    On,
    Off,
}

/// What becomes of control characters in formats that are read by programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Controls {
    Written,
    /// On a terminal, which they would steer.
    Escaped,
}

/// When rows stand below each other, a column a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Expanded {
    #[default]
    Never,
    Always,
    /// When a table would be wider than the screen.
    WhenWide,
}

#[derive(Clone, Debug)]
pub struct Layout {
    pub format: Format,
    pub header: Header,
    /// The text of NULL, where the format has no word of its own.
    pub null: Option<String>,
    pub colors: Colors,
    pub controls: Controls,
    pub expanded: Expanded,
    /// Columns of the screen.
    pub screen_width: usize,
}

/// Cells as people write them; none is NULL.
pub type Row<'a> = [Option<Cow<'a, str>>];

pub trait RowWriter {
    fn begin(&mut self, columns: &[Column], out: &mut dyn Write) -> io::Result<()>;
    fn row(&mut self, cells: &Row<'_>, out: &mut dyn Write) -> io::Result<()>;
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

impl Layout {
    pub fn writer(&self) -> Box<dyn RowWriter> {
        match self.format {
            Format::Table if self.expanded == Expanded::Always => Box::new(Vertical::new(self)),
            Format::Table => Box::new(TableWriter::new(self)),
            Format::Csv => Box::new(Delimited::csv(self)),
            Format::Tsv => Box::new(Delimited::tsv(self)),
            Format::Json => Box::new(Json::array()),
            Format::Jsonl => Box::new(Json::lines()),
            Format::Markdown => Box::new(Markdown::new(self)),
            Format::Vertical => Box::new(Vertical::new(self)),
        }
    }

    pub fn null_or<'a>(&'a self, word: &'a str) -> &'a str {
        self.null.as_deref().unwrap_or(word)
    }
}

#[cfg(test)]
pub(super) mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    pub fn layout(format: Format) -> Layout {
        let (header, colors, expanded) = (Header::Shown, Colors::Off, Expanded::Never);
        let controls = Controls::Written;
        Layout { format, header, null: None, colors, controls, expanded, screen_width: 40 }
    }

    /// What is written of columns, named with their types, and rows.
    pub fn written(layout: &Layout, columns: &[(&str, &str)], rows: &[&[Option<&str>]]) -> String {
        let column = |(name, kind): &(&str, &str)| Column { name: (*name).to_owned(), kind: (*kind).to_owned() };
        let columns: Vec<Column> = columns.iter().map(column).collect();
        let (mut out, mut writer) = (Vec::new(), layout.writer());
        writer.begin(&columns, &mut out).unwrap();
        for row in rows {
            let cells: Vec<_> = row.iter().map(|cell| cell.map(Cow::Borrowed)).collect();
            writer.row(&cells, &mut out).unwrap();
        }
        writer.end(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_format_writes_the_same_rows() {
        let columns = [("ID", "fixed"), ("NAME", "text"), ("DATA", "variant")];
        let rows: [&[Option<&str>]; 2] =
            [&[Some("1"), Some("a,\"b\"\n|"), Some("{\"x\":1}")], &[Some("20"), None, None]];
        let check = |format: Format, expected: &str| {
            assert_eq!(written(&layout(format), &columns, &rows), expected, "{format:?}");
        };
        check(
            Format::Table,
            "ID  NAME      DATA\n--  --------  -------\n 1  a,\"b\"\\n|  {\"x\":1}\n20  NULL      NULL\n",
        );
        check(Format::Csv, "ID,NAME,DATA\n1,\"a,\"\"b\"\"\n|\",\"{\"\"x\"\":1}\"\n20,,\n");
        check(Format::Tsv, "ID\tNAME\tDATA\n1\ta,\"b\"\\n|\t{\"x\":1}\n20\t\\N\t\\N\n");
        check(
            Format::Json,
            "[\n{\"ID\":1,\"NAME\":\"a,\\\"b\\\"\\n|\",\"DATA\":{\"x\":1}},\n{\"ID\":20,\"NAME\":null,\"DATA\":null}\n]\n",
        );
        check(
            Format::Jsonl,
            "{\"ID\":1,\"NAME\":\"a,\\\"b\\\"\\n|\",\"DATA\":{\"x\":1}}\n{\"ID\":20,\"NAME\":null,\"DATA\":null}\n",
        );
        check(
            Format::Markdown,
            "| ID | NAME | DATA |\n| ---: | --- | --- |\n| 1 | a,\"b\"<br>\\| | {\"x\":1} |\n| 20 | NULL | NULL |\n",
        );
        check(
            Format::Vertical,
            "-- row 1\nID    1\nNAME  a,\"b\"\\n|\nDATA  {\"x\":1}\n-- row 2\nID    20\nNAME  NULL\nDATA  NULL\n",
        );
    }

    #[test]
    fn results_without_rows_have_their_header() {
        let check = |format: Format, expected: &str| {
            assert_eq!(written(&layout(format), &[("A", "text")], &[]), expected, "{format:?}");
        };
        check(Format::Table, "A\n-\n");
        check(Format::Csv, "A\n");
        check(Format::Json, "[]\n");
        check(Format::Jsonl, "");
        check(Format::Vertical, "");
    }
}
