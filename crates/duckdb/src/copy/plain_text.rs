//! Finds out whether the engine's reader parses a CSV file as the dialect does: there are no escapes, blank lines,
//! delimiters at the end of a line, blanks around quotes, or digits with `_` or `x` among them. Every byte of a load is
//! scanned here first, so most are scanned in blocks, and large files by several threads.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::num::NonZero;
use std::ops::Range;
use std::path::Path;
use std::thread;

use firn_sql::file_formats::CsvFormat;

use firn_engine::stage_files::StagedFile;

const BLOCK_BYTES: usize = 256 << 10;

/// The smallest part of a file that is worth a thread.
const PART_BYTES_MIN: u64 = 32 << 20;
const PARTS_MAX: u64 = 4;

pub(super) fn is_plain(file: &StagedFile, csv: &CsvFormat) -> io::Result<bool> {
    let marks = Marks::of(csv);
    let length = std::fs::metadata(&file.place)?.len();
    let threads = thread::available_parallelism().map_or(1, NonZero::get) as u64;
    let parts = (length / PART_BYTES_MIN).clamp(1, threads.min(PARTS_MAX));
    let part = |number: u64| length * number / parts..length * (number + 1) / parts;
    thread::scope(|scope| {
        let others: Vec<_> =
            (1..parts).map(|number| scope.spawn(move || marks.leave_plain(&file.place, part(number)))).collect();
        let first = marks.leave_plain(&file.place, part(0));
        let others = others.into_iter().map(|other| other.join().unwrap_or(Ok(false)));
        std::iter::once(first).chain(others).try_fold(true, |all, one| Ok(all && one?))
    })
}

#[derive(Clone, Copy)]
struct Marks {
    delimiter: u8,
    quote: Option<u8>,
}

impl Marks {
    fn of(csv: &CsvFormat) -> Self {
        let delimiter = csv.field_delimiter.as_deref().and_then(|delimiter| delimiter.bytes().next());
        Self { delimiter: delimiter.unwrap_or(b','), quote: csv.enclosed_by.map(|quote| quote as u8) }
    }

    fn leave_plain(self, place: &Path, range: Range<u64>) -> io::Result<bool> {
        let mut source = File::open(place)?;
        // A text begins like a line.
        let mut last = [b'\n'];
        if let Some(before) = range.start.checked_sub(1) {
            source.seek(SeekFrom::Start(before))?;
            source.read_exact(&mut last)?;
        }
        let mut source = source.take(range.end - range.start);
        let mut block = vec![0; BLOCK_BYTES];
        let [mut last] = last;
        loop {
            let length = source.read(&mut block)?;
            let Some(&end) = block[..length].last() else { return Ok(true) };
            if !self.leave_block_plain(last, &block[..length]) {
                return Ok(false);
            }
            last = end;
        }
    }

    fn leave_block_plain(self, before: u8, block: &[u8]) -> bool {
        let [first, ..] = block else { return true };
        if self.is_odd(before, *first) {
            return false;
        }
        let pairs = || block.iter().zip(&block[1..]);
        if self.has_rare_byte(block) {
            return !pairs().any(|(last, byte)| self.is_odd(*last, *byte));
        }
        // Without branches, the compiler compares many bytes at a time.
        let ends = |last: u8| (last == b'\n') | (last == self.delimiter);
        !pairs().fold(false, |odd, (last, byte)| odd | ((*byte == b'\n') & ends(*last)))
    }

    /// Whether there is a byte that may be odd for another reason than the end of a line.
    fn has_rare_byte(self, block: &[u8]) -> bool {
        let quote = self.quote.unwrap_or(b'\\');
        block.iter().fold(false, |found, byte| {
            let byte = *byte;
            let is_mark = (byte == b'\\') | (byte == quote) | (byte == b'\r') | (byte == b'\t');
            found | is_mark | (byte == b'_') | (byte | 0x20 == b'x')
        })
    }

    fn is_odd(self, last: u8, byte: u8) -> bool {
        match byte {
            b'\\' => true,
            // A line may end in a carriage return and a line feed.
            b'\n' => last == b'\n' || last == self.delimiter,
            b'\r' => last == b'\n' || last == b'\r' || last == self.delimiter,
            b'_' => last.is_ascii_digit(),
            b'x' | b'X' => last == b'0',
            b' ' | b'\t' => Some(last) == self.quote,
            _ => Some(byte) == self.quote && (last == b' ' || last == b'\t'),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_plain_or_not_however_they_are_looked_at() {
        let marks = Marks { delimiter: b',', quote: Some(b'"') };
        let filler = "1,abc,2020-01-01 00:00:00\n".repeat(100);
        for (text, expected) in [
            ("1,2\n", true),
            ("1,2\r\n3,4\r\n", true),
            ("a b,c\n", true),
            ("a_b,x,0,1x\n", true),
            ("\"a b\",2\n", true),
            ("1,\n", false),
            ("1,2\n\n", false),
            ("1,\r\n", false),
            ("a\\b\n", false),
            ("1_0\n", false),
            ("0x1F\n", false),
            ("0X1F\n", false),
            ("\"a\" ,2\n", false),
            ("1, \"a\"\n", false),
            ("1,\t\"a\"\n", false),
        ] {
            assert_eq!(marks.leave_block_plain(b'\n', text.as_bytes()), expected, "{text:?}");
            let long = format!("{filler}{text}{filler}");
            assert_eq!(marks.leave_block_plain(b'\n', long.as_bytes()), expected, "{text:?} among others");
            for place in 1..text.len() {
                let (left, right) = text.as_bytes().split_at(place);
                let plain = marks.leave_block_plain(b'\n', left) && marks.leave_block_plain(left[place - 1], right);
                assert_eq!(plain, expected, "{text:?} cut at {place}");
            }
        }
        assert!(!marks.leave_block_plain(b'\n', b"\nfirst line"), "a blank line at the beginning");
    }
}
