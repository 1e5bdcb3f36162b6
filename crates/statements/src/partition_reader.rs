//! A partition of a result while it is read, piece by piece: its memory does not depend on its size. Reading ends with an error
//! where the file is not what was written.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek};
use std::path::Path;

use bytes::Bytes;
use firn_catalog::registry::ResultFormat;
use firn_engine::regular_files;
use libdeflater::Crc;

pub struct PartitionReader(Content);

/// A later partition of a result, which is gzip.
pub struct OpenPartition {
    pub reader: PartitionReader,
    /// The `rowType` array of the result as JSON text.
    pub row_type: String,
    pub uncompressed_bytes: u64,
    pub format: ResultFormat,
}

enum Content {
    Held(Cursor<Bytes>),
    File(SummedFile),
}

impl PartitionReader {
    /// Of a partition that is in memory.
    pub fn held(content: Bytes) -> Self {
        Self(Content::Held(Cursor::new(content)))
    }

    /// Of a file with so many bytes, behind which there is their sum.
    pub(crate) fn open(path: &Path, length: u64) -> io::Result<Self> {
        let file = regular_files::open(path)?;
        // Servers before wrote no sum.
        let has_sum = file.metadata()?.len() != length;
        Ok(Self(Content::File(SummedFile { file, left: length, crc: Crc::new(), has_sum })))
    }

    /// Fails if reading from here would: who sends it on can still refuse it as a whole.
    pub fn verify(&mut self) -> io::Result<()> {
        match &mut self.0 {
            Content::Held(_) => Ok(()),
            Content::File(file) => file.verify(),
        }
    }
}

impl Read for PartitionReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match &mut self.0 {
            Content::Held(content) => content.read(buffer),
            Content::File(file) => file.read(buffer),
        }
    }
}

struct SummedFile {
    file: File,
    left: u64,
    crc: Crc,
    /// Whether a sum follows that was not looked at yet.
    has_sum: bool,
}

impl SummedFile {
    fn verify(&mut self) -> io::Result<()> {
        let (left, has_sum) = (self.left, self.has_sum);
        let read = io::copy(self, &mut io::sink());
        self.file.rewind()?;
        (self.left, self.has_sum, self.crc) = (left, has_sum, Crc::new());
        read.map(drop)
    }

    fn check_sum(&mut self) -> io::Result<()> {
        if !std::mem::take(&mut self.has_sum) {
            return Ok(());
        }
        let mut written = [0; 4];
        match self.file.read_exact(&mut written) {
            Ok(()) if written == self.crc.sum().to_le_bytes() => Ok(()),
            Ok(()) => Err(damaged()),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(damaged()),
            Err(error) => Err(error),
        }
    }
}

impl Read for SummedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.left == 0 {
            return self.check_sum().map(|()| 0);
        }
        let wanted = buffer.len().min(usize::try_from(self.left).unwrap_or(usize::MAX));
        let bytes = self.file.read(&mut buffer[..wanted])?;
        if bytes == 0 && wanted > 0 {
            return Err(damaged());
        }
        self.crc.update(&buffer[..bytes]);
        self.left -= bytes as u64;
        Ok(bytes)
    }
}

fn damaged() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the file is not what was written")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_of(content: &[u8], length: u64) -> io::Result<Vec<u8>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("1");
        std::fs::write(&path, content)?;
        let mut read = Vec::new();
        let mut reader = PartitionReader::open(&path, length)?;
        let verified = reader.verify();
        let outcome = reader.read_to_end(&mut read).map(drop);
        assert_eq!(verified.is_ok(), outcome.is_ok());
        outcome.map(|()| read)
    }

    fn summed(body: &[u8]) -> Vec<u8> {
        let mut crc = Crc::new();
        crc.update(body);
        [body, &crc.sum().to_le_bytes()].concat()
    }

    #[test]
    fn what_was_written_is_read() {
        assert_eq!(read_of(&summed(b"rows"), 4).ok().as_deref(), Some(&b"rows"[..]));
        assert_eq!(read_of(b"rows", 4).ok().as_deref(), Some(&b"rows"[..]), "servers before wrote no sum");
    }

    #[test]
    fn what_was_not_written_is_an_error() {
        let mut changed = summed(b"rows");
        changed[1] = b'x';
        for content in [changed.as_slice(), b"row", b"rows12"] {
            assert!(read_of(content, 4).is_err(), "{content:?}");
        }
    }
}
