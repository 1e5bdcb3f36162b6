//! Texts that may become much longer than what they are made of: repeated, padded, with pieces replaced. The engine's own
//! functions would neither stop with their statement nor count what they make.

use super::{Answer, Evaluated, Kind, Native, Row};
use crate::interrupts::check_interrupt;
use Kind::{Binary, Integer, Text};

/// No text or value of bytes is longer.
const BYTES_MAX: u64 = 134_217_728;
/// So much is written between two looks at whether the statement goes on.
const PIECE_BYTES: usize = 1 << 20;

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_repeated", &[Text, Integer], Text, |row| {
        repeated(row.text(0).as_bytes(), row.integer(1)).and_then(text)
    }),
    Native::new(c"firn_repeated", &[Binary, Integer], Binary, |row| {
        repeated(row.bytes(0), row.integer(1)).map(Answer::Bytes)
    }),
    Native::new(c"firn_padded_left", &[Text, Integer, Text], Text, |row| {
        Ok(match cut_or_padding(row)? {
            Padded::Cut(text) => text.to_owned().into(),
            Padded::By(padding) => (padding + row.text(0)).into(),
        })
    }),
    Native::new(c"firn_padded_right", &[Text, Integer, Text], Text, |row| {
        Ok(match cut_or_padding(row)? {
            Padded::Cut(text) => text.to_owned().into(),
            Padded::By(padding) => (row.text(0).to_owned() + &padding).into(),
        })
    }),
    Native::new(c"firn_replaced", &[Text, Text, Text], Text, replaced),
];

fn text(bytes: Vec<u8>) -> Evaluated {
    // Whole repetitions of valid UTF-8 are valid UTF-8.
    Ok(Answer::Bytes(bytes))
}

fn check_length(bytes: u64) -> Result<(), String> {
    if bytes <= BYTES_MAX {
        return Ok(());
    }
    Err(format!("firn:100082:Max LOB size ({BYTES_MAX}) exceeded, actual size of parsed column is {bytes}"))
}

/// Nothing if the count is negative.
fn repeated(piece: &[u8], count: i64) -> Result<Vec<u8>, String> {
    let length = (piece.len() as u64).saturating_mul(count.max(0) as u64);
    check_length(length)?;
    let length = length as usize;
    let in_block = (PIECE_BYTES / piece.len().max(1)).clamp(1, count.max(1) as usize);
    let block = piece.repeat(in_block);
    let mut out = Vec::with_capacity(length);
    while out.len() < length {
        check_interrupt()?;
        let missing = block.len().min(length - out.len());
        out.extend_from_slice(&block[..missing]);
    }
    Ok(out)
}

enum Padded<'row> {
    /// The text is as long already, or longer.
    Cut(&'row str),
    By(String),
}

/// Arguments: the text, how many characters it shall have, and what is put beside it, from the start as often as needed.
fn cut_or_padding<'row>(row: &Row<'row>) -> Result<Padded<'row>, String> {
    let (text, padding) = (row.text(0), row.text(2));
    let wanted = row.integer(1).max(0) as u64;
    check_length(wanted)?;
    let length = text.chars().count() as u64;
    if length >= wanted || padding.is_empty() {
        let end = text.char_indices().nth(wanted as usize).map_or(text.len(), |(end, _)| end);
        return Ok(Padded::Cut(&text[..end]));
    }
    let missing = (wanted - length) as usize;
    let in_padding = padding.chars().count();
    let (whole, rest) = (missing / in_padding, missing % in_padding);
    let rest = padding.char_indices().nth(rest).map_or("", |(end, _)| &padding[..end]);
    let mut made = repeated(padding.as_bytes(), whole as i64)?;
    made.extend_from_slice(rest.as_bytes());
    check_length(made.len() as u64 + text.len() as u64)?;
    String::from_utf8(made).map(Padded::By).map_err(|_| "firn:100048:Invalid padding".to_owned())
}

/// Arguments: the text, what is looked for, and what is put in its place.
fn replaced(row: &Row<'_>) -> Evaluated {
    let (text, wanted, other) = (row.text(0), row.text(1), row.text(2));
    if wanted.is_empty() {
        return Ok(Answer::Text(text.to_owned()));
    }
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut looked) = (text, 0);
    while let Some((before, after)) = rest.split_once(wanted) {
        out.push_str(before);
        out.push_str(other);
        rest = after;
        if out.len() - looked > PIECE_BYTES {
            check_interrupt()?;
            check_length(out.len() as u64)?;
            looked = out.len();
        }
    }
    check_length(out.len() as u64 + rest.len() as u64)?;
    out.push_str(rest);
    Ok(Answer::Text(out))
}
