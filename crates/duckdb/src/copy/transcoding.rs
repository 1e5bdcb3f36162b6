//! Texts in other encodings, read as UTF-8. Bytes that are no character become one that UTF-8 does not have, so that they
//! are found, or replaced, as those of a file in UTF-8 are.

use std::io::{self, Cursor, Read};

use encoding_rs::{
    BIG5, DecoderResult, EUC_JP, EUC_KR, GB18030, ISO_2022_JP, ISO_8859_2, ISO_8859_5, ISO_8859_6, ISO_8859_7,
    ISO_8859_8, ISO_8859_15, KOI8_R, SHIFT_JIS, UTF_16BE, UTF_16LE, WINDOWS_874, WINDOWS_1250, WINDOWS_1251,
    WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255, WINDOWS_1256, WINDOWS_1258,
};
use firn_sql::file_formats::Encoding;

const PIECE_BYTES: usize = 64 << 10;
const MALFORMED: u8 = 0xff;

type Source = Box<dyn Read + Send>;

/// The content as UTF-8, or as it is where the records are decoded field by field.
pub(super) fn as_utf8(source: Source, encoding: Encoding) -> io::Result<Source> {
    let (source, encoding) = match encoding.name() {
        "UTF16" => by_byte_order_mark(source)?,
        name => match decoded_as(name) {
            Some(encoding) => (source, encoding),
            None => return Ok(source),
        },
    };
    Ok(Box::new(Transcoded {
        source,
        decoder: encoding.new_decoder_without_bom_handling(),
        input: vec![0; PIECE_BYTES],
        input_range: (0, 0),
        output: vec![0; PIECE_BYTES],
        output_range: (0, 0),
        state: State::Reading,
    }))
}

fn decoded_as(name: &str) -> Option<&'static encoding_rs::Encoding> {
    Some(match name {
        "BIG5" => BIG5,
        "EUCJP" => EUC_JP,
        "EUCKR" | "WINDOWS949" => EUC_KR,
        "GB18030" => GB18030,
        "ISO2022JP" => ISO_2022_JP,
        "ISO885915" => ISO_8859_15,
        "ISO88592" => ISO_8859_2,
        "ISO88595" => ISO_8859_5,
        "ISO88596" => ISO_8859_6,
        "ISO88597" => ISO_8859_7,
        "ISO88598" => ISO_8859_8,
        "ISO88599" | "WINDOWS1254" => WINDOWS_1254,
        "KOI8R" => KOI8_R,
        "SHIFTJIS" => SHIFT_JIS,
        "UTF16BE" => UTF_16BE,
        "UTF16LE" => UTF_16LE,
        "WINDOWS874" => WINDOWS_874,
        "WINDOWS1250" => WINDOWS_1250,
        "WINDOWS1251" => WINDOWS_1251,
        "WINDOWS1252" => WINDOWS_1252,
        "WINDOWS1253" => WINDOWS_1253,
        "WINDOWS1255" => WINDOWS_1255,
        "WINDOWS1256" => WINDOWS_1256,
        "WINDOWS1258" => WINDOWS_1258,
        _ => return None,
    })
}

/// Without a mark it is big-endian.
fn by_byte_order_mark(mut source: Source) -> io::Result<(Source, &'static encoding_rs::Encoding)> {
    let mut first = Vec::new();
    source.by_ref().take(2).read_to_end(&mut first)?;
    let encoding = if first == [0xff, 0xfe] { UTF_16LE } else { UTF_16BE };
    Ok((Box::new(Cursor::new(first).chain(source)), encoding))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Reading,
    /// The source has ended; the decoder may hold half a character.
    SourceEnded,
    Ended,
}

struct Transcoded {
    source: Source,
    decoder: encoding_rs::Decoder,
    input: Vec<u8>,
    /// What of the input is not decoded yet.
    input_range: (usize, usize),
    output: Vec<u8>,
    /// What of the output is not read yet.
    output_range: (usize, usize),
    state: State,
}

impl Transcoded {
    fn decode(&mut self) -> io::Result<()> {
        if self.input_range.0 == self.input_range.1 && self.state == State::Reading {
            let length = self.source.read(&mut self.input)?;
            self.input_range = (0, length);
            if length == 0 {
                self.state = State::SourceEnded;
            }
        }
        let (from, to) = self.input_range;
        // The last byte is for a malformed sequence.
        let room = self.output.len() - 1;
        let (result, read, mut written) = self.decoder.decode_to_utf8_without_replacement(
            &self.input[from..to],
            &mut self.output[..room],
            self.state == State::SourceEnded,
        );
        self.input_range.0 += read;
        match result {
            DecoderResult::Malformed(..) => {
                self.output[written] = MALFORMED;
                written += 1;
            }
            DecoderResult::InputEmpty if self.state == State::SourceEnded => self.state = State::Ended,
            DecoderResult::InputEmpty | DecoderResult::OutputFull => {}
        }
        self.output_range = (0, written);
        Ok(())
    }
}

impl Read for Transcoded {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        while self.output_range.0 == self.output_range.1 {
            if self.state == State::Ended {
                return Ok(0);
            }
            self.decode()?;
        }
        let (from, to) = self.output_range;
        let length = into.len().min(to - from);
        into[..length].copy_from_slice(&self.output[from..from + length]);
        self.output_range.0 += length;
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn check(encoding: &str, bytes: &[u8], expected: &[u8]) {
        let encoding = Encoding::named(encoding).unwrap();
        for repeats in [1, 40_000] {
            let mut read = Vec::new();
            let source = Box::new(Cursor::new(bytes.repeat(repeats)));
            as_utf8(source, encoding).unwrap().read_to_end(&mut read).unwrap();
            assert!(read == expected.repeat(repeats), "{}, {repeats} times", encoding.name());
        }
    }

    #[test]
    fn texts_are_read_as_utf_8() {
        check("windows-1252", b"caf\xe9 \x80", "café €".as_bytes());
        check("UTF16LE", b"a\0\xac\x20\x3d\xd8\x00\xde", "a€😀".as_bytes());
        check("utf-16be", b"\0a\x20\xac", "a€".as_bytes());
        check("UTF16", b"\0a\x20\xac", "a€".as_bytes());
        check("SHIFT_JIS", b"\x93\xfa\x96\x7b", "日本".as_bytes());
        check("KOI8-R", b"\xed\xc9\xd2", "Мир".as_bytes());
        check("UTF8", b"caf\xc3\xa9", "café".as_bytes());
        // Its records are decoded field by field.
        check("ISO-8859-1", b"caf\xe9", b"caf\xe9");
    }

    #[test]
    fn a_byte_order_mark_says_which_utf_16_it_is() {
        let bytes = [b"\xff\xfe".as_slice(), b"a\0\xac\x20"].concat();
        let mut read = String::new();
        let utf_16 = Encoding::named("UTF16").unwrap();
        as_utf8(Box::new(Cursor::new(bytes)), utf_16).unwrap().read_to_string(&mut read).unwrap();
        // The records skip the mark, as SKIP_BYTE_ORDER_MARK says.
        assert_eq!(read, "\u{feff}a€");
    }

    #[test]
    fn what_is_no_character_is_no_utf_8() {
        check("WINDOWS874", b"a\xdb", b"a\xff");
        let mut read = Vec::new();
        let utf_16 = Encoding::named("UTF16LE").unwrap();
        as_utf8(Box::new(Cursor::new(b"a\0\x3d")), utf_16).unwrap().read_to_end(&mut read).unwrap();
        assert_eq!(read, b"a\xff", "half a character at the end");
    }

    #[test]
    fn every_encoding_is_decoded_somewhere() {
        let by_field = [Encoding::UTF_8, Encoding::LATIN_1];
        for encoding in Encoding::all().filter(|encoding| !by_field.contains(encoding) && encoding.name() != "UTF16") {
            assert!(decoded_as(encoding.name()).is_some(), "{}", encoding.name());
        }
    }
}
