//! Rows beyond the first partition: drivers fetch each stored partition from an address of its own, without a token. The address is
//! signed, and good for some hours as long as the user may see the result.

use std::io::{self, Read};

use axum::body::Body;
use axum::http::HeaderValue;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE};
use axum::response::Response;
use firn_catalog::registry::ResultFormat;
use firn_catalog::{FileLink, LinkUse};
use firn_statements::{OpenPartition, PartitionBody, PartitionReader, ResultView, StatementHandle};
use flate2::read::MultiGzDecoder;
use serde_json::{Value, json};

use super::caller::DriverCaller;
use super::rows::BooleanRewriter;
use crate::clock::now_ms;
use crate::piecewise_body::{Piece, PieceSource, piecewise};
use crate::state::AppState;

const LIFETIME_MS: i64 = 6 * 3_600_000;
const PIECE_BYTES: u64 = 256 << 10;
const STORED_PIECE_BYTES: u64 = 1 << 20;
/// A stored partition is `{"data":[` and rows and `]}`.
const HEAD: &[u8] = br#"{"data":["#;
const TAIL_BYTES: u64 = 2;

/// The rows of a partition as they are stored.
pub fn path_of(handle: StatementHandle, partition: usize) -> String {
    format!("/queries/{handle}/chunks/{partition}")
}

/// The rows of a partition of Arrow, for drivers that do not read that.
pub fn path_as_json(handle: StatementHandle, partition: usize) -> String {
    format!("/queries/{handle}/chunks/{partition}/json")
}

/// What a driver is sent about the partitions that follow the first one.
pub fn listed(app: &AppState, driver: &DriverCaller, view: &ResultView, base: &str) -> Vec<Value> {
    let expires_on_ms = now_ms() + LIFETIME_MS;
    let later = view.partitions.iter().enumerate().skip(1);
    let is_made_json = view.format == ResultFormat::Arrow && matches!(view.body, PartitionBody::Rows(_));
    let path = if is_made_json { path_as_json } else { path_of };
    let frame_bytes = if view.format == ResultFormat::Arrow { 0 } else { HEAD.len() as u64 + TAIL_BYTES };
    let chunk = later.map(|(index, partition)| {
        let link = FileLink {
            link_use: LinkUse::Anyone,
            user_id: driver.caller.user.id,
            role: view.role.clone(),
            expires_on_ms,
            address: path(view.handle, index),
            login: None,
        };
        let signature = app.catalog.sign_link(&link);
        json!({
            "url": format!("{base}{}", link.url(&signature)),
            "rowCount": partition.rows,
            "uncompressedSize": partition.uncompressed_bytes.saturating_sub(frame_bytes),
            "compressedSize": partition.compressed_bytes,
        })
    });
    chunk.collect()
}

/// Rows without the brackets around them are no JSON: the driver for Node parses what calls itself so.
const ROWS_TYPE: &str = "text/plain";

/// The rows of a partition in the format that it is stored in, made piece by piece as the driver takes them.
pub fn response(opened: OpenPartition) -> io::Result<Response> {
    let (source, media_type) = match opened.format {
        ResultFormat::Json => (Source::Rows(Box::new(ChunkRows::new(opened)?)), ROWS_TYPE),
        ResultFormat::Arrow => (Source::Stored(opened.reader), "application/vnd.apache.arrow.stream"),
    };
    let is_compressed = matches!(source, Source::Stored(_));
    let mut response = Response::new(piecewise(source));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media_type));
    if is_compressed {
        response.headers_mut().insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    Ok(response)
}

/// The rows of a partition of Arrow with commas between.
pub fn response_as_json(opened: OpenPartition) -> io::Result<Response> {
    let row_type = opened.row_type.clone();
    let mut json = Vec::new();
    opened.into_json_rows()?.read_to_end(&mut json)?;
    // Without the brackets around all rows.
    let rows = json.get(1..json.len().saturating_sub(1)).unwrap_or_default();
    let rows = match BooleanRewriter::of(&row_type) {
        Some(mut rewriter) => {
            let mut rewritten = Vec::new();
            rewriter.rewrite(rows, &mut rewritten);
            rewritten
        }
        None => rows.to_vec(),
    };
    let mut response = Response::new(Body::from(rows));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(ROWS_TYPE));
    Ok(response)
}

enum Source {
    Rows(Box<ChunkRows>),
    /// As it is stored.
    Stored(PartitionReader),
}

impl Source {
    /// The next bytes, and whether others follow.
    fn read_piece(&mut self) -> io::Result<(Vec<u8>, bool)> {
        match self {
            Self::Rows(rows) => Ok((rows.read_piece()?, rows.left > 0)),
            Self::Stored(reader) => {
                let mut piece = Vec::with_capacity(STORED_PIECE_BYTES as usize);
                let read = reader.take(STORED_PIECE_BYTES).read_to_end(&mut piece)?;
                Ok((piece, read as u64 == STORED_PIECE_BYTES))
            }
        }
    }
}

struct ChunkRows {
    reader: MultiGzDecoder<PartitionReader>,
    left: u64,
    rewriter: Option<BooleanRewriter>,
}

impl ChunkRows {
    fn new(opened: OpenPartition) -> io::Result<Self> {
        let mut reader = MultiGzDecoder::new(opened.reader);
        let mut head = [0; HEAD.len()];
        reader.read_exact(&mut head)?;
        let left = opened.uncompressed_bytes.checked_sub(HEAD.len() as u64 + TAIL_BYTES).filter(|_| head == *HEAD);
        let left =
            left.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the partition does not begin with rows"))?;
        Ok(Self { reader, left, rewriter: BooleanRewriter::of(&opened.row_type) })
    }

    fn read_piece(&mut self) -> io::Result<Vec<u8>> {
        let wanted = self.left.min(PIECE_BYTES);
        let mut piece = Vec::with_capacity(wanted as usize);
        self.reader.by_ref().take(wanted).read_to_end(&mut piece)?;
        if piece.len() as u64 != wanted {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        self.left -= wanted;
        if self.left == 0 {
            // The sum of the file is checked at its end.
            io::copy(&mut self.reader, &mut io::sink())?;
        }
        match &mut self.rewriter {
            Some(rewriter) => {
                let mut rewritten = Vec::new();
                rewriter.rewrite(&piece, &mut rewritten);
                Ok(rewritten)
            }
            None => Ok(piece),
        }
    }
}

impl PieceSource for Source {
    async fn next_piece(mut self) -> Piece<Self> {
        let read = tokio::task::spawn_blocking(move || self.read_piece().map(|piece| (piece, self))).await;
        match read.unwrap_or_else(|error| Err(io::Error::other(error))) {
            Ok(((piece, goes_on), source)) => Piece { bytes: Ok(piece.into()), rest: goes_on.then_some(source) },
            Err(error) => {
                tracing::error!(%error, "a chunk of a result broke off");
                Piece { bytes: Err(error), rest: None }
            }
        }
    }
}
