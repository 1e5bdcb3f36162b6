//! Digests and encodings of bytes.

use base64::Engine as _;
use base64::alphabet::Alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use firn_values::running_call::{GrowingText, check_length};
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

use super::native::{Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Binary, Integer, Text};

const ALPHABET: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";
const PLAIN_CHARACTERS: usize = 62;

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_sha2", &[Binary, Integer], Binary, sha2),
    Native::new(c"firn_base64_encode_bytes", &[Binary, Integer, Text], Text, encode),
    Native::new(c"firn_base64_decode", &[Text, Text], Binary, decode),
    Native::new(c"firn_read_binary", &[Text, Text], Binary, read_binary),
    Native::new(c"firn_uuid_of_digest", &[Text], Text, |row| Ok(Answer::Text(uuid_of_digest(row.text(0))))),
];

fn sha2(row: &Row<'_>) -> Evaluated {
    let bytes = row.bytes(0);
    Ok(Answer::Bytes(match row.integer(1) {
        224 => Sha224::digest(bytes).to_vec(),
        0 | 256 => Sha256::digest(bytes).to_vec(),
        384 => Sha384::digest(bytes).to_vec(),
        512 => Sha512::digest(bytes).to_vec(),
        other => return Err(format!("firn:100048:Invalid digest size {other} for SHA2; use 224, 256, 384 or 512")),
    }))
}

/// Arguments: bytes, the greatest length of a line (0 for one line), the last characters of the alphabet.
fn encode(row: &Row<'_>) -> Evaluated {
    let (engine, padding) = engine(row.text(2))?;
    check_length(row.bytes(0).len().div_ceil(3) * 4)?;
    let text = engine.encode(row.bytes(0)).replace('=', &padding.to_string());
    let Ok(width @ 1..) = usize::try_from(row.integer(1)) else { return Ok(Answer::Text(text)) };
    let mut lines = GrowingText::default();
    let mut rest = text.as_str();
    loop {
        let end = rest.char_indices().nth(width).map(|(end, _)| end);
        let Some(end) = end else { break };
        lines.push(&rest[..end])?;
        lines.push("\n")?;
        rest = &rest[end..];
    }
    lines.push(rest)?;
    Ok(Answer::Text(lines.into_text()))
}

/// Arguments: a text and the format it holds bytes in.
fn read_binary(row: &Row<'_>) -> Evaluated {
    match row.text(1).to_ascii_uppercase().as_str() {
        "HEX" => hexadecimal(row.text(0)).map(Answer::Bytes),
        "BASE64" => base64_bytes(row.text(0), "").map(Answer::Bytes),
        "UTF-8" | "UTF8" => Ok(Answer::Bytes(row.text(0).as_bytes().to_vec())),
        other => Err(format!("firn:100048:Invalid binary format '{other}'; use HEX, BASE64 or UTF-8")),
    }
}

fn hexadecimal(text: &str) -> Result<Vec<u8>, String> {
    let refused = || format!("firn:100115:The following string is not a legal hex-encoded value: '{text}'");
    let digits: Vec<u8> = text.trim().bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    if !digits.len().is_multiple_of(2) {
        return Err(refused());
    }
    let value = |digit: u8| char::from(digit).to_digit(16);
    digits
        .chunks(2)
        .map(|pair| Some((value(pair[0])? * 16 + value(pair[1])?) as u8))
        .collect::<Option<Vec<u8>>>()
        .ok_or_else(refused)
}

fn decode(row: &Row<'_>) -> Evaluated {
    base64_bytes(row.text(0), row.text(1)).map(Answer::Bytes)
}

fn base64_bytes(written: &str, last_characters: &str) -> Result<Vec<u8>, String> {
    let (engine, padding) = engine(last_characters)?;
    let text: String = written.chars().filter(|character| !matches!(character, '\n' | '\r')).collect();
    let bare = text.trim_end_matches(padding);
    let refused = || format!("firn:100343:The following string is not a legal base64-encoded value: '{written}'");
    let whole_groups = text.chars().count().is_multiple_of(4);
    if !whole_groups {
        return Err(refused());
    }
    engine.decode(bare).map_err(|_| refused())
}

/// The alphabet's 62nd and 63rd characters and its padding may be other than `+/=`.
fn engine(last_characters: &str) -> Result<(GeneralPurpose, char), String> {
    let mut characters: Vec<char> = ALPHABET.chars().collect();
    for (place, character) in last_characters.chars().enumerate() {
        if let Some(slot) = characters.get_mut(PLAIN_CHARACTERS + place) {
            *slot = character;
        }
    }
    let padding = characters.pop().unwrap_or('=');
    let alphabet: String = characters.into_iter().collect();
    let alphabet = Alphabet::new(&alphabet).map_err(|_| {
        format!("firn:100048:Invalid base64 alphabet '{last_characters}'; give at most three characters")
    })?;
    let config = GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::RequireNone);
    Ok((GeneralPurpose::new(&alphabet, config), padding))
}

/// The name-based identifier (version 5) of a SHA-1 digest in hexadecimal digits.
fn uuid_of_digest(digest: &str) -> String {
    let variant = digest.get(16..17).and_then(|digit| u8::from_str_radix(digit, 16).ok()).unwrap_or(0) & 0x3 | 0x8;
    let piece = |start: usize, end: usize| digest.get(start..end).unwrap_or_default();
    format!("{}-{}-5{}-{variant:x}{}-{}", piece(0, 8), piece(8, 12), piece(13, 16), piece(17, 20), piece(20, 32))
}
