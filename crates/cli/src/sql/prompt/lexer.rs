//! Pieces of a text that may not be finished yet, for colours and completion. It never fails, and covers every byte.

use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    pub kind: PieceKind,
    pub range: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceKind {
    Word,
    QuotedName,
    Text,
    Number,
    Comment,
    Space,
    Symbol,
}

pub fn pieces(text: &str) -> Vec<Piece> {
    let mut found = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let (kind, length) = first_piece(&text[start..]);
        found.push(Piece { kind, range: start..start + length });
        start += length;
    }
    found
}

fn first_piece(text: &str) -> (PieceKind, usize) {
    let first = text.chars().next().unwrap_or(' ');
    let up_to = |end: &str, skip: usize| text[skip..].find(end).map_or(text.len(), |place| skip + place + end.len());
    match first {
        '\'' => (PieceKind::Text, quoted_length(text, '\'')),
        '"' => (PieceKind::QuotedName, quoted_length(text, '"')),
        _ if text.starts_with("$$") => (PieceKind::Text, up_to("$$", 2)),
        _ if text.starts_with("--") || text.starts_with("//") => (PieceKind::Comment, line_length(text)),
        _ if text.starts_with("/*") => (PieceKind::Comment, up_to("*/", 2)),
        _ if first.is_whitespace() => (PieceKind::Space, length_while(text, char::is_whitespace)),
        _ if first.is_ascii_digit() => {
            (PieceKind::Number, length_while(text, |c| c.is_ascii_alphanumeric() || c == '.'))
        }
        _ if is_of_word(first) => (PieceKind::Word, length_while(text, is_of_word)),
        _ => (PieceKind::Symbol, first.len_utf8()),
    }
}

fn is_of_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_' || character == '$'
}

fn length_while(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|character| !belongs(character)).unwrap_or(text.len())
}

fn line_length(text: &str) -> usize {
    text.find('\n').unwrap_or(text.len())
}

/// A quote that is doubled, or stands behind a backslash in a text, does not end it.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut characters = text.char_indices().skip(1).peekable();
    while let Some((place, character)) = characters.next() {
        if character == '\\' && quote == '\'' {
            characters.next();
        } else if character == quote && characters.next_if(|(_, next)| *next == quote).is_none() {
            return place + 1;
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_cover_the_text() {
        let check = |text: &str, expected: &[(PieceKind, &str)]| {
            let found = pieces(text);
            let found: Vec<_> = found.iter().map(|piece| (piece.kind, &text[piece.range.clone()])).collect();
            assert_eq!(found, expected, "{text}");
        };
        use PieceKind::{Comment, Number, QuotedName, Space, Symbol, Text, Word};
        check("a.b", &[(Word, "a"), (Symbol, "."), (Word, "b")]);
        check("'it''s' x", &[(Text, "'it''s'"), (Space, " "), (Word, "x")]);
        check("'open", &[(Text, "'open")]);
        check("'a\\'b'", &[(Text, "'a\\'b'")]);
        check("\"a\"\"b\"", &[(QuotedName, "\"a\"\"b\"")]);
        check("$$ a $$;", &[(Text, "$$ a $$"), (Symbol, ";")]);
        check("$x", &[(Word, "$x")]);
        check("1.5e3", &[(Number, "1.5e3")]);
        check("-- c\nx", &[(Comment, "-- c"), (Space, "\n"), (Word, "x")]);
        check("/* c", &[(Comment, "/* c")]);
        check("ü→", &[(Word, "ü"), (Symbol, "→")]);
    }
}
