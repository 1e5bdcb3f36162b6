//! The place of the cursor in a text that is being typed.

use super::super::lexer::{Piece, PieceKind, pieces};
use super::relations::{is_named, stored};

/// Where the cursor stands.
#[derive(Debug, PartialEq, Eq)]
pub struct Place {
    /// Where the word that is being typed begins.
    pub start: usize,
    pub prefix: String,
    /// The text without that word, which may be an open quote.
    pub around: String,
    /// `a.b` of `a.b.pre`.
    pub qualifiers: Vec<String>,
    /// The word before, in upper case.
    pub before: Option<String>,
    pub is_in_text: bool,
}

impl Place {
    pub fn at(line: &str, pos: usize) -> Self {
        let before_cursor = line.get(..pos).unwrap_or(line);
        let begun = pieces(before_cursor);
        let word = begun.last().filter(|piece| piece.kind == PieceKind::Word || is_open_name(piece, before_cursor));
        let start = word.map_or(pos, |piece| piece.range.start);
        let mut rest = begun.len() - usize::from(word.is_some());
        let mut qualifiers = Vec::new();
        while rest >= 2 && &before_cursor[begun[rest - 1].range.clone()] == "." && is_named(&begun[rest - 2]) {
            qualifiers.insert(0, stored(&before_cursor[begun[rest - 2].range.clone()]));
            rest -= 2;
        }
        let is_in_text = begun.last().is_some_and(|piece| is_open_text(piece, before_cursor));
        let word_before = begun[..rest].iter().rev().find(|piece| piece.kind != PieceKind::Space);
        Self {
            start,
            prefix: before_cursor[start.min(before_cursor.len())..].to_owned(),
            around: format!("{} {}", &line[..start.min(line.len())], line.get(pos..).unwrap_or_default()),
            qualifiers,
            before: word_before.map(|piece| before_cursor[piece.range.clone()].to_uppercase()),
            is_in_text,
        }
    }
}

fn is_open_name(piece: &Piece, text: &str) -> bool {
    let text = &text[piece.range.clone()];
    piece.kind == PieceKind::QuotedName && (text.len() == 1 || !text.ends_with('"'))
}

/// In a text or comment that is not closed there is nothing to offer.
fn is_open_text(piece: &Piece, text: &str) -> bool {
    let text = &text[piece.range.clone()];
    match piece.kind {
        PieceKind::Text if text.starts_with("$$") => text.len() < 4 || !text.ends_with("$$"),
        PieceKind::Text => text.len() == 1 || !text.ends_with('\''),
        PieceKind::Comment => !text.ends_with("*/"),
        _ => false,
    }
}
