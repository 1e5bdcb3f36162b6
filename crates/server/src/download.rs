//! A whole result as one file. Partitions are read one after the other while the client takes the file, so that memory is
//! bounded by one of them.

mod csv;
mod json_lines;

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
use serde::Deserialize;

use crate::state::AppState;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    Csv,
    JsonLines,
}

impl Format {
    pub fn parse(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "csv" => Some(Self::Csv),
            "jsonl" => Some(Self::JsonLines),
            _ => None,
        }
    }

    pub const fn extension(self) -> &'static str {
        match self {
            Self::Csv => "csv",
            Self::JsonLines => "jsonl",
        }
    }

    pub const fn media_type(self) -> &'static str {
        match self {
            Self::Csv => "text/csv; charset=utf-8; header=present",
            Self::JsonLines => "application/jsonl",
        }
    }

    fn write_head(self, columns: &[Column], out: &mut Vec<u8>) {
        if self == Self::Csv {
            csv::write_head(columns, out);
        }
    }

    fn write_row(self, columns: &[Column], row: &Row<'_>, out: &mut Vec<u8>) {
        match self {
            Self::Csv => csv::write_row(columns, row, out),
            Self::JsonLines => json_lines::write_row(columns, row, out),
        }
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
    columns: Vec<Column>,
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
        let columns: Vec<Column> = match serde_json::from_str(&first.row_type) {
            Ok(columns) => columns,
            Err(error) => return Piece { bytes: Err(error.into()), source: None },
        };
        self.next = 1;
        let format = self.format;
        let written = blocking(move || {
            let mut out = Vec::new();
            format.write_head(&columns, &mut out);
            write_rows(format, &columns, &first.body, &mut out)?;
            Ok((out, columns))
        });
        self.after(written.await)
    }

    fn after(self, written: io::Result<(Vec<u8>, Vec<Column>)>) -> Piece {
        match written {
            Ok((out, columns)) => {
                let source = (self.next < self.partitions).then_some(Rest { source: self, columns });
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
        let Self { mut source, columns } = self;
        let partition = Some(source.next as i64);
        // Asked for again: rights may have been revoked since the last one.
        let view = source.app.statements.fetch_more(&source.caller, source.handle, partition).await;
        source.next += 1;
        let body = match view {
            Ok(StatementView::Succeeded(view)) => view.body,
            Ok(_) => return source.after(Err(io::Error::other("the result is gone"))),
            Err(error) => return source.after(Err(io::Error::other(error.to_string()))),
        };
        let format = source.format;
        let written = blocking(move || {
            let mut out = Vec::new();
            write_rows(format, &columns, &body, &mut out)?;
            Ok((out, columns))
        });
        let written = written.await;
        source.after(written)
    }
}

async fn blocking<T: Send + 'static>(work: impl FnOnce() -> io::Result<T> + Send + 'static) -> io::Result<T> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|error| Err(io::Error::other(error)))
}

fn write_rows(format: Format, columns: &[Column], body: &PartitionBody, out: &mut Vec<u8>) -> io::Result<()> {
    #[derive(Deserialize)]
    struct Data<'text> {
        #[serde(borrow)]
        data: Vec<Row<'text>>,
    }
    let write = |rows: &[Row<'_>], out: &mut Vec<u8>| rows.iter().for_each(|row| format.write_row(columns, row, out));
    match body {
        PartitionBody::Rows(rows) => write(&serde_json::from_slice::<Vec<Row<'_>>>(rows)?, out),
        PartitionBody::Compressed(compressed) => {
            let plain = io::read_to_string(MultiGzDecoder::new(&compressed[..]))?;
            write(&serde_json::from_str::<Data<'_>>(&plain)?.data, out);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::compression::gzip;

    const ROW_TYPE: &str = r#"[{"name":"N","type":"fixed"},{"name":"a,b","type":"text"},{"name":"D","type":"date"},
        {"name":"V","type":"variant"},{"name":"F","type":"real"},{"name":"B","type":"boolean"}]"#;

    fn written(format: Format, rows: &str) -> String {
        let columns: Vec<Column> = serde_json::from_str(ROW_TYPE).unwrap();
        let mut plain = Vec::new();
        format.write_head(&columns, &mut plain);
        let head = plain.len();
        write_rows(format, &columns, &PartitionBody::Rows(rows.to_owned().into()), &mut plain).unwrap();
        let later = gzip(format!("{{\"data\":{rows}}}").as_bytes()).unwrap();
        let mut compressed = Vec::new();
        write_rows(format, &columns, &PartitionBody::Compressed(later.into()), &mut compressed).unwrap();
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
