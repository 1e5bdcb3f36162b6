//! COMPRESS and DECOMPRESS_… with a method such as `ZLIB(9)`.

use std::io::{self, Read};

use bzip2::Compression as BzipLevel;
use bzip2::read::{BzDecoder, BzEncoder};
use firn_values::running_call::{VALUE_BYTES_MAX, check_interrupt};
use flate2::Compression as ZlibLevel;
use flate2::read::{ZlibDecoder, ZlibEncoder};

use super::native::{Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Binary, Text};

const BYTES_MAX: u64 = VALUE_BYTES_MAX as u64;
/// Bytes that are processed between two checks for an interruption.
const PIECE_BYTES: usize = 1 << 16;

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_compress_bytes", &[Binary, Text], Binary, compress),
    Native::new(c"firn_decompress", &[Binary, Text], Binary, |row| decompress(row).map(Answer::Bytes)),
    Native::new(c"firn_decompress_text", &[Binary, Text], Text, |row| {
        let text = String::from_utf8(decompress(row)?);
        text.map(Answer::Text)
            .map_err(|_| "firn:100048:The decompressed value is not valid UTF-8; use DECOMPRESS_BINARY".to_owned())
    }),
];

enum Method {
    Snappy,
    Zlib,
    Zstd,
    Bzip2,
}

/// A method and its level; 0 is the method's own choice.
fn method(text: &str) -> Result<(Method, u32), String> {
    let refused = || {
        format!(
            "firn:100048:Invalid compression method '{text}'; use SNAPPY, ZLIB, ZSTD or BZ2, with a level in brackets"
        )
    };
    let written = text.trim().to_ascii_uppercase();
    let (name, level) = match written.split_once('(') {
        Some((name, rest)) => {
            let digits = rest.strip_suffix(')').ok_or_else(refused)?;
            (name.trim(), digits.trim().parse().map_err(|_| refused())?)
        }
        None => (written.as_str(), 0),
    };
    let (method, level_max) = match name {
        "SNAPPY" => (Method::Snappy, u32::MAX),
        "ZLIB" => (Method::Zlib, 9),
        "ZSTD" => (Method::Zstd, 22),
        "BZ2" => (Method::Bzip2, 9),
        _ => return Err(refused()),
    };
    if level > level_max { Err(refused()) } else { Ok((method, level)) }
}

fn compress(row: &Row<'_>) -> Evaluated {
    let (method, level) = method(row.text(1))?;
    let bytes = Stoppable(row.bytes(0));
    let mut out = Vec::new();
    let written = match method {
        Method::Snappy => {
            snap::raw::Encoder::new().compress_vec(row.bytes(0)).map(|made| out = made).map_err(io::Error::from)
        }
        Method::Zlib => {
            let level = if level == 0 { ZlibLevel::default() } else { ZlibLevel::new(level) };
            ZlibEncoder::new(bytes, level).read_to_end(&mut out).map(drop)
        }
        Method::Zstd => {
            let encoder = zstd::stream::read::Encoder::new(bytes, level as i32);
            encoder.and_then(|mut encoder| encoder.read_to_end(&mut out)).map(drop)
        }
        Method::Bzip2 => {
            let level = if level == 0 { BzipLevel::default() } else { BzipLevel::new(level) };
            BzEncoder::new(bytes, level).read_to_end(&mut out).map(drop)
        }
    };
    check_interrupt()?;
    match written {
        Ok(()) => Ok(Answer::Bytes(out)),
        Err(_) => Err("firn:100048:The value cannot be compressed".to_owned()),
    }
}

fn decompress(row: &Row<'_>) -> Result<Vec<u8>, String> {
    let (method, _) = method(row.text(1))?;
    let bytes = row.bytes(0);
    let read = match method {
        Method::Snappy => snappy(bytes),
        Method::Zlib => limited(ZlibDecoder::new(bytes)),
        Method::Zstd => zstd::stream::read::Decoder::new(bytes).and_then(limited),
        Method::Bzip2 => limited(BzDecoder::new(bytes)),
    };
    check_interrupt()?;
    read.map_err(|_| format!("firn:100048:Invalid data: it was not compressed with {}", row.text(1)))
}

fn snappy(bytes: &[u8]) -> io::Result<Vec<u8>> {
    let length = snap::raw::decompress_len(bytes)?;
    if length as u64 > BYTES_MAX {
        return Err(too_long());
    }
    Ok(snap::raw::Decoder::new().decompress_vec(bytes)?)
}

fn limited(reader: impl Read) -> io::Result<Vec<u8>> {
    let mut out = Vec::new();
    Stoppable(reader.take(BYTES_MAX + 1)).read_to_end(&mut out)?;
    if out.len() as u64 > BYTES_MAX { Err(too_long()) } else { Ok(out) }
}

/// Reads in pieces as long as the statement runs.
struct Stoppable<R>(R);

impl<R: Read> Read for Stoppable<R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        check_interrupt().map_err(io::Error::other)?;
        let length = into.len().min(PIECE_BYTES);
        self.0.read(&mut into[..length])
    }
}

fn too_long() -> io::Error {
    io::Error::other("too long")
}
