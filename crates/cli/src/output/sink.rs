//! Where results go: the standard output, a file, or a pager once there is more than the screen holds.

use std::fs::File;
use std::io::{self, BufWriter, Stdout, Write};
use std::path::Path;

use super::pager::Paged;

const BUFFER_BYTES: usize = 64 << 10;

pub enum Sink {
    Standard(BufWriter<Stdout>),
    File(BufWriter<File>),
    Paged(Paged),
}

impl Sink {
    pub fn standard() -> Self {
        Self::Standard(BufWriter::with_capacity(BUFFER_BYTES, io::stdout()))
    }

    pub fn paged(rows: usize, columns: usize) -> Self {
        Self::Paged(Paged::new(rows, columns))
    }

    /// Appends to a file that was opened before.
    pub fn appending(path: &Path) -> io::Result<Self> {
        let file = File::options().append(true).create(true).open(path)?;
        Ok(Self::File(BufWriter::with_capacity(BUFFER_BYTES, file)))
    }

    /// Writes what is left, and waits for the pager's end.
    pub fn finish(self) -> io::Result<()> {
        match self {
            Self::Standard(mut out) => out.flush(),
            Self::File(mut out) => out.flush(),
            Self::Paged(paged) => paged.finish(),
        }
    }

    fn writer(&mut self) -> &mut dyn Write {
        match self {
            Self::Standard(out) => out,
            Self::File(out) => out,
            Self::Paged(paged) => paged,
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.writer().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.writer().flush()
    }
}
