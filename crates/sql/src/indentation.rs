//! Texts without the spaces that their lines begin with. The tokenizer makes a token of each, and a long statement has
//! more of them than of anything else.

use std::borrow::Cow;

use sqlparser::tokenizer::{Location, TokenWithSpan};

/// A text without indentation, and what was taken from each of its lines.
pub(crate) struct Unindented<'text> {
    pub(crate) text: Cow<'text, str>,
    taken: Vec<u64>,
}

impl<'text> Unindented<'text> {
    /// The text as it is where lines may begin inside of a string, a quoted name or a comment.
    pub(crate) fn of(text: &'text str) -> Self {
        let is_plain = !text.contains('\\') && !["$$", "--", "//", "/*"].iter().any(|sign| text.contains(sign));
        match is_plain.then(|| without_indentation(text)).flatten() {
            Some((text, taken)) => Self { text: Cow::Owned(text), taken },
            None => Self { text: Cow::Borrowed(text), taken: Vec::new() },
        }
    }

    /// Where something of this text stands in the one with indentation.
    pub(crate) fn shift(&self, location: &mut Location) {
        let line = location.line.checked_sub(1).and_then(|line| usize::try_from(line).ok());
        location.column += line.and_then(|line| self.taken.get(line)).copied().unwrap_or(0);
    }

    pub(crate) fn shift_all(&self, tokens: &mut [TokenWithSpan]) {
        if self.taken.is_empty() {
            return;
        }
        for token in tokens {
            self.shift(&mut token.span.start);
            self.shift(&mut token.span.end);
        }
    }
}

/// `None` if there is nothing to take, or a quote is still open at the end of a line.
fn without_indentation(text: &str) -> Option<(String, Vec<u64>)> {
    if !text.contains("\n ") && !text.contains("\n\t") {
        return None;
    }
    let mut shorter = String::with_capacity(text.len());
    let mut taken = Vec::new();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        // Places of the first line are counted from where the statement begins.
        let stripped = if number == 0 { line } else { line.trim_start_matches([' ', '\t']) };
        if leaves_quote_open(stripped) {
            return None;
        }
        taken.push((line.len() - stripped.len()) as u64);
        shorter.push_str(stripped);
    }
    Some((shorter, taken))
}

fn leaves_quote_open(line: &str) -> bool {
    let mut open = None;
    for byte in line.bytes().filter(|byte| matches!(byte, b'\'' | b'"')) {
        match open {
            None => open = Some(byte),
            Some(quote) if quote == byte => open = None,
            Some(_) => {}
        }
    }
    open.is_some()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use sqlparser::tokenizer::{Token, Tokenizer};

    use super::*;
    use crate::dialect::DIALECT;

    fn code(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
        tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect()
    }

    #[test]
    fn tokens_are_the_same_and_where_they_were() {
        let front = include_str!("../../../bench/front.sql");
        for (text, is_shorter) in [
            (front, true),
            ("select\n    1,\n\t'a b'\r\n  from \"T\"", true),
            ("  select\n 'it''s', \"a'b\"\n   , 2", true),
            ("select 'ä'\n   , 'ö', \"ü\"\n   from t", true),
            ("select @s/a\n   from t", true),
            ("select 'a\n   b'", false),
            ("select \"a\n   b\"", false),
            ("select ' \" ' \"\n   \", 1", false),
            ("select $$a\n   b$$", false),
            ("select 1 -- it's\n   , 2", false),
            ("select 'a\\'\n   b'", false),
            ("select 1, 2", false),
        ] {
            let unindented = Unindented::of(text);
            assert_eq!(unindented.text.len() < text.len(), is_shorter, "{text}");
            let mut tokens = Tokenizer::new(&DIALECT, &unindented.text).tokenize_with_location().unwrap();
            unindented.shift_all(&mut tokens);
            assert_eq!(code(tokens), code(Tokenizer::new(&DIALECT, text).tokenize_with_location().unwrap()), "{text}");
        }
    }

    #[test]
    fn an_error_reports_its_location_in_the_original_text() {
        let failure = crate::testing::parse("select\n     'abc").unwrap_err();
        assert!(failure.message.contains("line 2 at position 5"), "{}", failure.message);
        let failure = crate::testing::parse("select 1\n     from )").unwrap_err();
        assert!(failure.message.contains("line 2 at position 10"), "{}", failure.message);
    }
}
