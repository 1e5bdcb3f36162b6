//! Backslashes in quoted texts, as the dialect reads them: `\n` and its like, `\101`, `\x41`, `\u2744`. Before any
//! other character a backslash is dropped: a pattern needs two of them for one of its own.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::source::SourceStatement;
use crate::source_map::SourceMap;

/// Unescapes the strings that the library has unescaped differently.
pub(crate) fn read(tokens: &mut [TokenWithSpan], source: &SourceStatement) {
    if !source.text.contains('\\') {
        return;
    }
    let map = SourceMap::new(source);
    for token in tokens {
        if let Token::SingleQuotedString(text) = &mut token.token
            && let Some(inside) = map.slice(token.span.start, token.span.end).strip_prefix('\'')
            && inside.contains('\\')
        {
            *text = unescaped(inside.strip_suffix('\'').unwrap_or(inside));
        }
    }
}

fn unescaped(inside: &str) -> String {
    let mut out = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match character {
            '\'' => {
                characters.next();
                out.push('\'');
            }
            '\\' => characters = after_backslash(characters.as_str(), &mut out).chars(),
            other => out.push(other),
        }
    }
    out
}

/// Writes the character of an escape sequence after its backslash, and returns the rest of the text.
fn after_backslash<'text>(rest: &'text str, out: &mut String) -> &'text str {
    let coded = |digits: Option<&str>, radix| {
        digits.and_then(|digits| u32::from_str_radix(digits, radix).ok()).and_then(char::from_u32)
    };
    let (read, length) = match rest.chars().next() {
        None => return rest,
        Some('b') => ('\u{8}', 1),
        Some('f') => ('\u{c}', 1),
        Some('n') => ('\n', 1),
        Some('r') => ('\r', 1),
        Some('t') => ('\t', 1),
        Some(first @ 'x') => coded(rest.get(1..3), 16).map_or((first, 1), |read| (read, 3)),
        Some(first @ 'u') => coded(rest.get(1..5), 16).map_or((first, 1), |read| (read, 5)),
        Some('0'..='7') if rest.get(..3).is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_digit())) => {
            coded(rest.get(..3), 8).map_or(('\0', 1), |read| (read, 3))
        }
        Some('0') => ('\0', 1),
        Some(other) => (other, other.len_utf8()),
    };
    out.push(read);
    &rest[length..]
}

#[cfg(test)]
mod tests {
    use super::unescaped;

    #[test]
    fn backslashes_are_read() {
        for (inside, expected) in [
            (r"a\tb\\n", "a\tb\\n"),
            (r"\u2744-\x41-\101-\0.", "\u{2744}-A-A-\0."),
            (r"it''s \'x\'", "it's 'x'"),
            (r"\a\Z\z", "aZz"),
            (r"\u27 \xZ 10\%", "u27 xZ 10%"),
        ] {
            assert_eq!(unescaped(inside), expected, "{inside}");
        }
    }
}
