//! The rows of a partition one after the other, from its JSON as it comes: memory is bounded by the largest row.

use std::io::{self, Read};

const READ_BYTES: usize = 64 << 10;
/// A buffer that a large row has made larger is given back.
const BUFFER_BYTES_MAX: usize = 1 << 20;

/// Reads `[[…],…]`, or the same inside of `{"data":…}`. The cells of a row are texts and `null`.
pub(super) struct RowReader<R> {
    source: R,
    buffer: Vec<u8>,
    /// Where what was not given out yet begins.
    start: usize,
    is_inside: bool,
}

impl<R: Read> RowReader<R> {
    pub(super) fn new(source: R) -> Self {
        Self { source, buffer: Vec::new(), start: 0, is_inside: false }
    }

    /// The JSON of the next row; `None` behind the last one.
    pub(super) fn next_row(&mut self) -> io::Result<Option<&[u8]>> {
        if !self.is_inside {
            while self.next_byte()? != b'[' {}
            self.is_inside = true;
        }
        loop {
            match self.next_byte()? {
                b'[' => break,
                b']' => return self.read_to_end().map(|()| None),
                _ => {}
            }
        }
        let length = self.length_of_row()?;
        let begin = self.start - 1;
        self.start = begin + length;
        Ok(Some(&self.buffer[begin..begin + length]))
    }

    /// What follows the rows; the source may find at its very end that it is damaged.
    fn read_to_end(&mut self) -> io::Result<()> {
        io::copy(&mut self.source, &mut io::sink()).map(drop)
    }

    fn next_byte(&mut self) -> io::Result<u8> {
        while self.start == self.buffer.len() {
            self.read_more(0)?;
        }
        self.start += 1;
        Ok(self.buffer[self.start - 1])
    }

    /// The bytes of the row whose `[` is before `start`.
    fn length_of_row(&mut self) -> io::Result<usize> {
        let (mut length, mut is_in_text, mut is_escaped) = (1, false, false);
        loop {
            let begin = self.start - 1;
            for &byte in &self.buffer[begin + length..] {
                length += 1;
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if is_in_text => is_escaped = true,
                    b'"' => is_in_text = !is_in_text,
                    b']' if !is_in_text => return Ok(length),
                    _ => {}
                }
            }
            self.read_more(1)?;
        }
    }

    /// Reads on; of what was given out, the last `kept` bytes stay.
    fn read_more(&mut self, kept: usize) -> io::Result<()> {
        self.buffer.drain(..self.start - kept);
        self.start = kept;
        if self.buffer.len() < READ_BYTES {
            self.buffer.shrink_to(BUFFER_BYTES_MAX);
        }
        let held = self.buffer.len();
        self.buffer.resize(held + READ_BYTES, 0);
        let read = self.source.read(&mut self.buffer[held..]);
        self.buffer.truncate(held + *read.as_ref().unwrap_or(&0));
        match read? {
            0 => Err(io::ErrorKind::UnexpectedEof.into()),
            _ => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    /// Gives a few bytes at a time.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let bytes = self.1.min(self.0.len()).min(buffer.len());
            buffer[..bytes].copy_from_slice(&self.0[..bytes]);
            self.0 = &self.0[bytes..];
            Ok(bytes)
        }
    }

    fn rows_of(text: &str, bytes: usize) -> io::Result<Vec<String>> {
        let mut reader = RowReader::new(Slow(text.as_bytes(), bytes));
        let mut rows = Vec::new();
        while let Some(row) = reader.next_row()? {
            rows.push(String::from_utf8(row.to_vec()).unwrap());
        }
        Ok(rows)
    }

    #[test]
    fn rows_are_cut_at_their_ends() {
        let rows = [r#"["1",null]"#, r#"["]","[\"\\"]"#, r#"[ "a" , "b,]\\\"" ]"#, "[]"];
        for bytes in [1, 2, 3, 7, 1000] {
            assert_eq!(rows_of(&format!("[{}]", rows.join(",")), bytes).unwrap(), rows);
            assert_eq!(rows_of(&format!("{{\"data\":[{}]}}", rows.join(", ")), bytes).unwrap(), rows);
            assert!(rows_of("[]", bytes).unwrap().is_empty());
        }
    }

    #[test]
    fn a_row_may_be_larger_than_what_is_read_at_a_time() {
        let row = format!("[\"{}\"]", "x".repeat(300_000));
        assert_eq!(rows_of(&format!("[{row},[\"1\"],{row}]"), 100_000).unwrap(), [row.as_str(), "[\"1\"]", &row]);
    }

    #[test]
    fn what_ends_early_is_an_error() {
        for text in ["", "[", "[[\"a\"]", "[[\"a", "{\"data\":"] {
            assert_eq!(rows_of(text, 4).unwrap_err().kind(), io::ErrorKind::UnexpectedEof, "{text}");
        }
    }
}
