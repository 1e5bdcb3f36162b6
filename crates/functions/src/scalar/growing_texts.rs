//! REPEAT, LPAD, RPAD, REPLACE and others whose results may be much longer than their arguments. The engine's own
//! functions would neither stop with their statement nor account their memory.

use firn_values::running_call::{GrowingText, PIECE_BYTES, check_interrupt, check_length};

use super::native::{Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Binary, Integer, Text};

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

/// Nothing if the count is negative.
fn repeated(piece: &[u8], count: i64) -> Result<Vec<u8>, String> {
    let length = piece.len().saturating_mul(count.max(0) as usize);
    check_length(length)?;
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

/// Arguments: the text, the number of characters of the result, and the padding, which is repeated as often as needed.
fn cut_or_padding<'row>(row: &Row<'row>) -> Result<Padded<'row>, String> {
    let (text, padding) = (row.text(0), row.text(2));
    let wanted = row.integer(1).max(0) as usize;
    check_length(wanted)?;
    let length = text.chars().count();
    if length >= wanted || padding.is_empty() {
        let end = text.char_indices().nth(wanted).map_or(text.len(), |(end, _)| end);
        return Ok(Padded::Cut(&text[..end]));
    }
    let missing = wanted - length;
    let in_padding = padding.chars().count();
    let (whole, rest) = (missing / in_padding, missing % in_padding);
    let rest = padding.char_indices().nth(rest).map_or("", |(end, _)| &padding[..end]);
    let mut made = repeated(padding.as_bytes(), whole as i64)?;
    made.extend_from_slice(rest.as_bytes());
    check_length(made.len() + text.len())?;
    String::from_utf8(made).map(Padded::By).map_err(|_| "firn:100048:Invalid padding".to_owned())
}

/// Arguments: the text, what is looked for, and what is put in its place.
fn replaced(row: &Row<'_>) -> Evaluated {
    let (text, wanted, other) = (row.text(0), row.text(1), row.text(2));
    if wanted.is_empty() {
        return Ok(Answer::Text(text.to_owned()));
    }
    let mut out = GrowingText::default();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(wanted) {
        out.push(before)?;
        out.push(other)?;
        rest = after;
    }
    out.push(rest)?;
    Ok(Answer::Text(out.into_text()))
}
