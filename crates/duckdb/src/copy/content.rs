//! A staged file's content: opened, decompressed and read piece by piece, with a look ahead.

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use firn_engine::stage_files::StagedFile;
use firn_sql::file_formats::{Compression, CsvFormat};
use firn_values::running_call::StopSignal;

use super::transcoding::as_utf8;
use crate::connection::Connection;

const PIECE_BYTES: usize = 256 << 10;

const BYTE_ORDER_MARK: [u8; 3] = [0xef, 0xbb, 0xbf];

/// How a file is compressed, where AUTO goes by its name or else by its first bytes.
pub(super) fn compression_of(file: &StagedFile, compression: Compression) -> Compression {
    let name = file.path.as_str().to_ascii_lowercase();
    match compression {
        Compression::Auto if name.ends_with(".gz") || name.ends_with(".gzip") => Compression::Gzip,
        Compression::Auto if name.ends_with(".zst") || name.ends_with(".zstd") => Compression::Zstd,
        Compression::Auto if name.ends_with(".bz2") => Compression::Bzip2,
        Compression::Auto if name.ends_with(".deflate") => Compression::Deflate,
        Compression::Auto if name.ends_with(".raw_deflate") => Compression::RawDeflate,
        Compression::Auto => detected(file).unwrap_or(Compression::None),
        chosen => chosen,
    }
}

/// No text begins like this.
fn detected(file: &StagedFile) -> Option<Compression> {
    let mut first = [0; 4];
    File::open(&file.place).ok()?.read_exact(&mut first).ok()?;
    match first {
        [0x1f, 0x8b, 0x08, _] => Some(Compression::Gzip),
        [0x28, 0xb5, 0x2f, 0xfd] => Some(Compression::Zstd),
        [b'B', b'Z', b'h', b'1'..=b'9'] if begins_with_bzip2_block(file) => Some(Compression::Bzip2),
        _ => None,
    }
}

/// `BZh1` could begin a text; the number of pi behind it does not.
fn begins_with_bzip2_block(file: &StagedFile) -> bool {
    let mut first = [0; 10];
    let read = File::open(&file.place).and_then(|mut file| file.read_exact(&mut first));
    read.is_ok() && first[4..] == [0x31, 0x41, 0x59, 0x26, 0x53, 0x59]
}

pub(super) struct Content {
    source: Box<dyn Read + Send>,
    buffer: Vec<u8>,
    position: usize,
    ended: bool,
    /// Bytes behind the position.
    consumed: u64,
    /// Of the statement that reads.
    stop_signal: Option<Arc<dyn StopSignal>>,
}

impl Content {
    pub(super) fn open(connection: &Connection, file: &StagedFile, compression: Compression) -> io::Result<Self> {
        let raw = File::open(&file.place)?;
        let source: Box<dyn Read + Send> = match compression_of(file, compression) {
            Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(raw)),
            Compression::Zstd => Box::new(zstd::stream::read::Decoder::new(raw)?),
            Compression::Bzip2 => Box::new(bzip2::read::MultiBzDecoder::new(raw)),
            Compression::Deflate => Box::new(flate2::read::ZlibDecoder::new(raw)),
            Compression::RawDeflate => Box::new(flate2::read::DeflateDecoder::new(raw)),
            Compression::None | Compression::Auto | Compression::Snappy => Box::new(raw),
        };
        Ok(Self { stop_signal: Some(connection.stop_signal()), ..Self::of(source) })
    }

    /// As UTF-8, whatever encoding the file has.
    pub(super) fn open_text(connection: &Connection, file: &StagedFile, format: &CsvFormat) -> io::Result<Self> {
        let content = Self::open(connection, file, format.compression)?;
        Ok(Self { source: as_utf8(content.source, format.encoding)?, ..content })
    }

    pub(super) fn of(source: Box<dyn Read + Send>) -> Self {
        Self { source, buffer: Vec::new(), position: 0, ended: false, consumed: 0, stop_signal: None }
    }

    pub(super) fn skip_byte_order_mark(&mut self) -> io::Result<()> {
        if self.starts_with(&BYTE_ORDER_MARK)? {
            self.advance(BYTE_ORDER_MARK.len());
        }
        Ok(())
    }

    pub(super) fn offset(&self) -> u64 {
        self.consumed
    }

    /// What is in the buffer from here on; empty only at the end.
    pub(super) fn ahead(&mut self) -> io::Result<&[u8]> {
        self.fill(1)?;
        Ok(&self.buffer[self.position..])
    }

    pub(super) fn peek(&mut self) -> io::Result<Option<u8>> {
        self.peek_nth(0)
    }

    pub(super) fn peek_nth(&mut self, distance: usize) -> io::Result<Option<u8>> {
        if self.position + distance >= self.buffer.len() {
            self.fill(distance + 1)?;
        }
        Ok(self.buffer.get(self.position + distance).copied())
    }

    pub(super) fn starts_with(&mut self, text: &[u8]) -> io::Result<bool> {
        self.fill(text.len())?;
        Ok(self.buffer[self.position..].starts_with(text))
    }

    pub(super) fn advance(&mut self, bytes: usize) {
        self.position += bytes;
        self.consumed += bytes as u64;
    }

    /// A stopped statement fails here: a line may be longer than the time that it has.
    fn fill(&mut self, wanted: usize) -> io::Result<()> {
        while !self.ended && self.buffer.len() - self.position < wanted {
            if self.stop_signal.as_ref().is_some_and(|signal| signal.is_stopped()) {
                return Err(io::Error::other("the statement was stopped"));
            }
            if self.position > 0 {
                self.buffer.drain(..self.position);
                self.position = 0;
            }
            let start = self.buffer.len();
            self.buffer.resize(start + PIECE_BYTES, 0);
            let read = self.source.read(&mut self.buffer[start..]);
            let length = match read {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => 0,
                Err(error) => {
                    self.buffer.truncate(start);
                    return Err(error);
                }
                Ok(0) => {
                    self.ended = true;
                    0
                }
                Ok(length) => length,
            };
            self.buffer.truncate(start + length);
        }
        Ok(())
    }
}
