//! A whole result as one file. Partitions are read one after the other while the client takes the file, so that memory is
//! bounded by one of them.

mod csv;
mod json_lines;
mod parquet_file;

use std::borrow::Cow;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use axum::body::Body;
use bytes::Bytes;
use firn_catalog::Caller;
use firn_statements::{PartitionBody, ResultView, StatementHandle, StatementView};
use firn_values::cells::shown::CellKind;
use flate2::read::MultiGzDecoder;
use http_body::Frame;
use parquet_file::ParquetFile;
use serde::Deserialize;

use crate::state::AppState;

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

/// The file as far as it is written.
enum Writer {
    Csv(Vec<Column>),
    JsonLines(Vec<Column>),
    Parquet(Box<ParquetFile>),
}

impl Writer {
    fn begin(format: Format, row_type: &str, first: &[Row<'_>]) -> io::Result<Self> {
        match format {
            Format::Csv => Ok(Self::Csv(serde_json::from_str(row_type)?)),
            Format::JsonLines => Ok(Self::JsonLines(serde_json::from_str(row_type)?)),
            Format::Parquet => Ok(Self::Parquet(Box::new(ParquetFile::begin(row_type, first)?))),
        }
    }

    fn write_head(&self, out: &mut Vec<u8>) {
        if let Self::Csv(columns) = self {
            csv::write_head(columns, out);
        }
    }

    fn write_rows(&mut self, rows: &[Row<'_>], out: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::Csv(columns) => rows.iter().for_each(|row| csv::write_row(columns, row, out)),
            Self::JsonLines(columns) => rows.iter().for_each(|row| json_lines::write_row(columns, row, out)),
            Self::Parquet(file) => out.extend(file.write_rows(rows)?),
        }
        Ok(())
    }

    fn write_end(&mut self, out: &mut Vec<u8>) -> io::Result<()> {
        if let Self::Parquet(file) = self {
            out.extend(file.finish()?);
        }
        Ok(())
    }
}

/// A column of the result, as its cells are written.
#[derive(Deserialize)]
struct Column {
    name: String,
    #[serde(rename = "type", deserialize_with = "kind_of_type")]
    kind: CellKind,
}

fn kind_of_type<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<CellKind, D::Error> {
    Cow::<str>::deserialize(deserializer).map(|name| CellKind::of_wire_type(&name))
}

#[derive(Deserialize)]
#[serde(transparent)]
struct Cell<'text>(#[serde(borrow)] Option<Cow<'text, str>>);

type Row<'text> = Vec<Cell<'text>>;

/// The file of a result whose first partition has been read.
pub fn body(app: AppState, caller: Caller, first: ResultView, format: Format) -> Body {
    let source = Source { app, caller, handle: first.handle, partitions: first.partitions.len(), next: 0, format };
    Body::new(Download { piece: Some(Box::pin(source.first_piece(first))) })
}

/// Makes each piece once the one before has been taken; it ends with the request that it answers.
struct Download {
    piece: Option<Pin<Box<dyn Future<Output = Piece> + Send>>>,
}

struct Piece {
    bytes: io::Result<Bytes>,
    /// For what follows, if anything does.
    source: Option<Rest>,
}

struct Rest {
    source: Source,
    writer: Writer,
}

impl http_body::Body for Download {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let Some(piece) = self.piece.as_mut() else { return Poll::Ready(None) };
        let Piece { bytes, source } = ready!(piece.as_mut().poll(context));
        self.piece = source.map(|rest| Box::pin(rest.next_piece()) as _);
        Poll::Ready(Some(bytes.map(Frame::data)))
    }
}

struct Source {
    app: AppState,
    caller: Caller,
    handle: StatementHandle,
    partitions: usize,
    next: usize,
    format: Format,
}

impl Source {
    async fn first_piece(mut self, first: ResultView) -> Piece {
        self.next = 1;
        let (format, is_last) = (self.format, self.is_done());
        let written = blocking(move || {
            let mut out = Vec::new();
            let mut writer = with_rows(&first.body, |rows| {
                let mut writer = Writer::begin(format, &first.row_type, rows)?;
                writer.write_head(&mut out);
                writer.write_rows(rows, &mut out)?;
                Ok(writer)
            })?;
            if is_last {
                writer.write_end(&mut out)?;
            }
            Ok((out, writer))
        });
        self.after(written.await)
    }

    fn is_done(&self) -> bool {
        self.next >= self.partitions
    }

    fn after(self, written: io::Result<(Vec<u8>, Writer)>) -> Piece {
        match written {
            Ok((out, writer)) => {
                let source = (!self.is_done()).then_some(Rest { source: self, writer });
                Piece { bytes: Ok(out.into()), source }
            }
            Err(error) => {
                tracing::error!(statement.handle = %self.handle, %error, "a download broke off");
                Piece { bytes: Err(error), source: None }
            }
        }
    }
}

impl Rest {
    async fn next_piece(self) -> Piece {
        let Self { mut source, mut writer } = self;
        let partition = Some(source.next as i64);
        // Asked for again: rights may have been revoked since the last one.
        let view = source.app.statements.fetch_more(&source.caller, source.handle, partition).await;
        source.next += 1;
        let body = match view {
            Ok(StatementView::Succeeded(view)) => view.body,
            Ok(_) => return source.after(Err(io::Error::other("the result is gone"))),
            Err(error) => return source.after(Err(io::Error::other(error.to_string()))),
        };
        let is_last = source.is_done();
        let written = blocking(move || {
            let mut out = Vec::new();
            with_rows(&body, |rows| writer.write_rows(rows, &mut out))?;
            if is_last {
                writer.write_end(&mut out)?;
            }
            Ok((out, writer))
        });
        let written = written.await;
        source.after(written)
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

fn with_rows<T>(body: &PartitionBody, take: impl FnOnce(&[Row<'_>]) -> io::Result<T>) -> io::Result<T> {
    #[derive(Deserialize)]
    struct Data<'text> {
        #[serde(borrow)]
        data: Vec<Row<'text>>,
    }
    match body {
        PartitionBody::Rows(rows) => take(&serde_json::from_slice::<Vec<Row<'_>>>(rows)?),
        PartitionBody::Compressed(compressed) => {
            let plain = io::read_to_string(MultiGzDecoder::new(&compressed[..]))?;
            take(&serde_json::from_str::<Data<'_>>(&plain)?.data)
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::compression::gzip;

    const ROW_TYPE: &str = r#"[{"name":"N","type":"fixed"},{"name":"a,b","type":"text"},{"name":"D","type":"date"},
        {"name":"V","type":"variant"},{"name":"F","type":"real"},{"name":"B","type":"boolean"}]"#;

    fn written(format: Format, rows: &str) -> String {
        let mut writer = Writer::begin(format, ROW_TYPE, &[]).unwrap();
        let mut plain = Vec::new();
        writer.write_head(&mut plain);
        let head = plain.len();
        let first = PartitionBody::Rows(rows.to_owned().into());
        with_rows(&first, |rows| writer.write_rows(rows, &mut plain)).unwrap();
        let later = PartitionBody::Compressed(gzip(format!("{{\"data\":{rows}}}").as_bytes()).unwrap().into());
        let mut compressed = Vec::new();
        with_rows(&later, |rows| writer.write_rows(rows, &mut compressed)).unwrap();
        assert_eq!(&plain[head..], compressed, "a later partition is written alike");
        String::from_utf8(plain).unwrap()
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
