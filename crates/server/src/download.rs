//! A whole result as one file. The stored partitions are read one after the other, piece by piece, while the client takes the file:
//! what is ahead of the client is bounded by a piece, however large partitions are.

mod csv;
pub mod file_name;
mod json_lines;
mod parquet_file;
mod rows;
mod turns;
mod unique_names;

use std::borrow::Cow;
use std::io::{self, Read};

use axum::body::Body;
use firn_catalog::Caller;
use firn_statements::{PartitionBody, PartitionReader, ResultView, StatementHandle};
use firn_values::cells::shown::{CellKind, TextKinds};
use flate2::read::MultiGzDecoder;
use parquet_file::ParquetFile;
use serde::Deserialize;

use crate::error::ApiError;
use crate::piecewise_body::{Piece, PieceSource, piecewise};
use crate::state::AppState;
use rows::RowReader;
pub use turns::{DownloadTurns, Turn};
use unique_names::unique_names;

/// A piece is as long as this, or as one row.
const PIECE_BYTES: usize = 128 << 10;
/// A row group of Parquet is made from so much JSON.
const ROW_GROUP_BYTES: usize = 4 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    JsonLines,
    Parquet,
}

impl Format {
    pub fn parse(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "jsonl" => Some(Self::JsonLines),
            "parquet" => Some(Self::Parquet),
            _ => None,
        }
    }

    pub const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
            Self::Parquet => "parquet",
        }
    }

    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::JsonLines => "application/jsonl",
            Self::Parquet => "application/vnd.apache.parquet",
        }
    }
}

/// How the rows are written.
enum Writer {
    Csv(Vec<Column>),
    JsonLines(Vec<Column>),
    Parquet(ParquetFile),
}

impl Writer {
    fn new(format: Format, row_type: &str, texts: TextKinds) -> serde_json::Result<Self> {
        Ok(match format {
            Format::Csv => Self::Csv(columns_of(row_type, texts)?),
            Format::JsonLines => {
                let mut columns = columns_of(row_type, texts)?;
                let names = unique_names(columns.iter().map(|column| column.name.as_str()));
                columns.iter_mut().zip(names).for_each(|(column, name)| column.name = name);
                Self::JsonLines(columns)
            }
            Format::Parquet => Self::Parquet(ParquetFile::new(row_type, texts)?),
        })
    }

    fn head(&self) -> Vec<u8> {
        let mut head = Vec::new();
        if let Self::Csv(columns) = self {
            csv::write_head(columns, &mut head);
        }
        head
    }

    /// Writes rows until there are enough of them or the partition ends.
    fn write_rows(&mut self, rows: &mut Option<Rows>, out: &mut Vec<u8>) -> io::Result<()> {
        if let Self::Parquet(file) = self {
            let group = read_group(rows)?;
            out.extend(file.write_rows(&serde_json::from_slice::<Vec<Row<'_>>>(&group)?)?);
            return Ok(());
        }
        while let Some(reader) = rows
            && out.len() < PIECE_BYTES
        {
            match reader.next_row()? {
                Some(row) => self.write_row(&serde_json::from_slice::<Row<'_>>(row)?, out),
                None => *rows = None,
            }
        }
        Ok(())
    }

    fn write_row(&self, row: &Row<'_>, out: &mut Vec<u8>) {
        match self {
            Self::Csv(columns) => csv::write_row(columns, row, out),
            Self::JsonLines(columns) => json_lines::write_row(columns, row, out),
            Self::Parquet(_) => {}
        }
    }

    fn write_end(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        if let Self::Parquet(file) = self {
            out.extend(file.finish()?);
        }
        Ok(())
    }
}

/// The rows of a row group as a JSON array, which ends with its partition.
fn read_group(rows: &mut Option<Rows>) -> io::Result<Vec<u8>> {
    let mut group = vec![b'['];
    while let Some(reader) = rows
        && group.len() < ROW_GROUP_BYTES
    {
        match reader.next_row()? {
            Some(row) => {
                if group.len() > 1 {
                    group.push(b',');
                }
                group.extend_from_slice(row);
            }
            None => *rows = None,
        }
    }
    group.push(b']');
    Ok(group)
}

/// A column of the result, as its cells are written.
#[derive(Deserialize)]
struct Column {
    name: String,
    #[serde(rename = "type", deserialize_with = "kind_of_type")]
    kind: CellKind,
}

/// A column whose cells an output format made texts of is one of texts.
fn columns_of(row_type: &str, texts: TextKinds) -> serde_json::Result<Vec<Column>> {
    let mut columns: Vec<Column> = serde_json::from_str(row_type)?;
    for column in columns.iter_mut().filter(|column| texts.has(column.kind)) {
        column.kind = CellKind::Text;
    }
    Ok(columns)
}

fn kind_of_type<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<CellKind, D::Error> {
    Cow::<str>::deserialize(deserializer).map(|name| CellKind::of_wire_type(&name))
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Cell<'text>(#[serde(borrow)] Option<Cow<'text, str>>);

type Row<'text> = Vec<Cell<'text>>;

/// The file of a result whose first partition has been read.
pub fn body(app: AppState, caller: Caller, first: ResultView, format: Format, turn: Turn) -> Result<Body, ApiError> {
    let writer = Writer::new(format, &first.row_type, first.texts).map_err(|_| ApiError::UnreadablePartition)?;
    let rows = rows_of(first.body)?;
    let source = Source { app, caller, handle: first.handle, partitions: first.partitions.len(), next: 1, turn };
    let file = ResultFile { head: writer.head(), writer, rows: Some(rows) };
    Ok(piecewise(Download { source, file }))
}

/// Where the partitions of a result come from.
struct Source {
    app: AppState,
    caller: Caller,
    handle: StatementHandle,
    partitions: usize,
    next: usize,
    turn: Turn,
}

impl Source {
    /// Asked for each time: rights may have been revoked since the last one.
    async fn open_next(&mut self) -> io::Result<Rows> {
        let opened = self.app.statements.open_partition(&self.caller, self.handle, self.next as i64).await;
        self.next += 1;
        let reader = opened.map_err(|error| io::Error::other(error.to_string()))?;
        Ok(RowReader::new(reader))
    }
}

/// The file as far as it was made.
struct ResultFile {
    writer: Writer,
    /// Those of the partition at work.
    rows: Option<Rows>,
    head: Vec<u8>,
}

type Rows = RowReader<Box<dyn Read + Send>>;

impl ResultFile {
    /// `is_last_partition` is whether nothing follows the rows at work.
    fn write_piece(&mut self, is_last_partition: bool) -> io::Result<Vec<u8>> {
        let mut out = std::mem::take(&mut self.head);
        self.writer.write_rows(&mut self.rows, &mut out)?;
        if self.rows.is_none() && is_last_partition {
            self.writer.write_end(&mut out)?;
        }
        Ok(out)
    }
}

struct Download {
    source: Source,
    file: ResultFile,
}

impl PieceSource for Download {
    async fn next_piece(self) -> Piece<Self> {
        next_piece(self.source, self.file).await
    }
}

async fn next_piece(mut source: Source, mut file: ResultFile) -> Piece<Download> {
    let _piece = source.turn.of_piece().await;
    if file.rows.is_none() {
        match source.open_next().await {
            Ok(rows) => file.rows = Some(rows),
            Err(error) => return broken_off(&source, error),
        }
    }
    let is_last_partition = source.next >= source.partitions;
    let written = tokio::task::spawn_blocking(move || file.write_piece(is_last_partition).map(|out| (out, file))).await;
    match written.unwrap_or_else(|error| Err(io::Error::other(error))) {
        Ok((out, file)) => {
            let is_last = file.rows.is_none() && is_last_partition;
            Piece { bytes: Ok(out.into()), rest: (!is_last).then_some(Download { source, file }) }
        }
        Err(error) => broken_off(&source, error),
    }
}

fn broken_off(source: &Source, error: io::Error) -> Piece<Download> {
    tracing::error!(statement.handle = %source.handle, %error, "a download broke off");
    Piece { bytes: Err(error), rest: None }
}

fn rows_of(body: PartitionBody) -> Result<Rows, ApiError> {
    Ok(RowReader::new(match body {
        PartitionBody::Rows(rows) => Box::new(PartitionReader::held(rows)),
        PartitionBody::Compressed(compressed) => Box::new(MultiGzDecoder::new(PartitionReader::held(compressed))),
        PartitionBody::Arrow(_) | PartitionBody::CompressedArrow(_) => return Err(ApiError::UnreadablePartition),
    }))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::compression::gzip;

    const ROW_TYPE: &str = r#"[{"name":"N","type":"fixed"},{"name":"a,b","type":"text"},{"name":"D","type":"date"},
        {"name":"V","type":"variant"},{"name":"F","type":"real"},{"name":"B","type":"boolean"}]"#;

    fn written(format: Format, rows: &str) -> String {
        let rows_of = |body: PartitionBody| {
            let writer = Writer::new(format, ROW_TYPE, TextKinds::default()).unwrap();
            ResultFile { writer, rows: Some(rows_of(body).unwrap()), head: Vec::new() }.write_piece(true).unwrap()
        };
        let plain = rows_of(PartitionBody::Rows(rows.to_owned().into()));
        let later = gzip(format!("{{\"data\":{rows}}}").as_bytes()).unwrap();
        assert_eq!(plain, rows_of(PartitionBody::Compressed(later.into())), "a later partition is written alike");
        let mut file = Writer::new(format, ROW_TYPE, TextKinds::default()).unwrap().head();
        file.extend(plain);
        String::from_utf8(file).unwrap()
    }

    #[test]
    fn rows_become_csv() {
        let check = |rows: &str, expected: &str| {
            assert_eq!(written(Format::Csv, rows), format!("N,\"a,b\",D,V,F,B\r\n{expected}"), "{rows}");
        };
        check("[]", "");
        check(
            r#"[["1.50","x","19727","{\n  \"k\": [1, 2]\n}","1e100","true"]]"#,
            "1.50,x,2024-01-05,\"{\"\"k\"\":[1,2]}\",1e100,true\r\n",
        );
        check("[[null,null,null,null,null,null]]", ",,,,,\r\n");
        check(r#"[["1","",null,null,null,null]]"#, "1,\"\",,,,\r\n");
        check(r#"[["1","say \"hi\",\r\nyou",null,null,null,null]]"#, "1,\"say \"\"hi\"\",\r\nyou\",,,,\r\n");
        check(r#"[["1"," x",null,"\"text\"",null,null]]"#, "1,\" x\",,\"\"\"text\"\"\",,\r\n");
    }

    #[test]
    fn rows_become_json_lines() {
        let check = |rows: &str, expected: &str| assert_eq!(written(Format::JsonLines, rows), expected, "{rows}");
        check("[]", "");
        check(
            r#"[["123456789012345678901234567890.50","x\n\"","19727","{\n  \"k\": [1, \"a b\"]\n}","1e100","true"]]"#,
            "{\"N\":123456789012345678901234567890.50,\"a,b\":\"x\\n\\\"\",\"D\":\"2024-01-05\",\"V\":{\"k\":[1,\"a b\"]},\"F\":1e100,\"B\":true}\n",
        );
        check(
            r#"[[null,"",null,"undefined","NaN","false"]]"#,
            "{\"N\":null,\"a,b\":\"\",\"D\":null,\"V\":\"undefined\",\"F\":\"NaN\",\"B\":false}\n",
        );
    }
}
