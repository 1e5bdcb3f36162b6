//! Comments and literals of a text. What begins in a comment ends with it, and the quote that ends a literal begins no other one:
//! without this, `/* password=' */ DROP TABLE t` would hide the statement behind it.

use std::ops::Range;

/// A literal that ends in the name of a property is longer.
const SHORTEST_NAME: usize = 5;

/// The comments and the closing quotes of a text that is complete; of another one nothing is known.
pub(super) struct Lexemes {
    /// What they say, without the signs around it.
    comments: Vec<Range<usize>>,
    closing_quotes: Vec<usize>,
}

impl Lexemes {
    pub(super) fn of(text: &str) -> Self {
        let mut found = Self { comments: Vec::new(), closing_quotes: Vec::new() };
        let mut position = 0;
        while position < text.len() {
            match found.next(text.as_bytes(), position) {
                Some(end) => position = end,
                None => return Self { comments: Vec::new(), closing_quotes: Vec::new() },
            }
        }
        found
    }

    /// Where the lexeme ends that begins at the position; `None` if it has no end.
    fn next(&mut self, bytes: &[u8], position: usize) -> Option<usize> {
        let rest = &bytes[position..];
        let end_of = |sign: &[u8], from: usize| {
            let found = bytes.get(from..)?.windows(sign.len()).position(|window| window == sign)?;
            Some(from + found)
        };
        if rest.starts_with(b"--") || rest.starts_with(b"//") {
            let end = end_of(b"\n", position).unwrap_or(bytes.len());
            self.comments.push(position + 2..end);
            return Some(end);
        }
        if rest.starts_with(b"/*") {
            let end = end_of(b"*/", position + 2)?;
            self.comments.push(position + 2..end);
            return Some(end + 2);
        }
        if rest.starts_with(b"$$") {
            return end_of(b"$$", position + 2).map(|end| end + 2);
        }
        match rest[0] {
            b'\'' => {
                let end = literal_end(bytes, position + 1)?;
                if end - position > SHORTEST_NAME {
                    self.closing_quotes.push(end);
                }
                Some(end + 1)
            }
            b'"' => end_of(b"\"", position + 1).map(|end| end + 1),
            _ => Some(position + 1),
        }
    }

    /// The part of a value that can be one.
    pub(super) fn clipped(&self, value: Range<usize>) -> Range<usize> {
        let opening = value.start.saturating_sub(1);
        if self.closing_quotes.binary_search(&opening).is_ok() {
            return value.start..value.start;
        }
        let comment = self.comments.iter().find(|comment| comment.contains(&opening));
        comment.map_or(value.clone(), |comment| value.start.min(comment.end)..value.end.min(comment.end))
    }
}

/// Where the quote is that ends a literal: one that is neither doubled nor behind a backslash.
pub(super) fn literal_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut position = from;
    loop {
        match (bytes.get(position)?, bytes.get(position + 1)) {
            (b'\\', _) | (b'\'', Some(b'\'')) => position += 2,
            (b'\'', _) => return Some(position),
            _ => position += 1,
        }
    }
}
