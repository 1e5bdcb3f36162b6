//! Escapes characters that are literals in the dialect's patterns and operators in our regular expression library: a
//! brace that begins no repetition, and inside of `[…]` an opening bracket and the doubled signs of set operators.

use std::borrow::Cow;

/// The pattern in the syntax of our library.
pub(super) fn respelled(pattern: &str) -> Cow<'_, str> {
    if !pattern.contains(['{', '[']) {
        return Cow::Borrowed(pattern);
    }
    let mut written = String::with_capacity(pattern.len() + 8);
    let mut rest = pattern;
    while let Some(next) = rest.chars().next() {
        let length = match next {
            '\\' => escape_length(rest),
            '[' => class(rest, &mut written),
            '{' if !begins_repetition(rest) => {
                written.push('\\');
                1
            }
            other => other.len_utf8(),
        };
        if next != '[' {
            written.push_str(&rest[..length]);
        }
        rest = &rest[length..];
    }
    Cow::Owned(written)
}

/// Of a backslash with what it escapes; `\p{…}` and `\x{…}` keep their braces.
fn escape_length(rest: &str) -> usize {
    let mut letters = rest.char_indices().skip(1);
    let Some((start, escaped)) = letters.next() else { return rest.len() };
    let end = start + escaped.len_utf8();
    let braced = matches!(escaped, 'p' | 'P' | 'x') && rest[end..].starts_with('{');
    match rest[end..].find('}') {
        Some(close) if braced => end + close + 1,
        _ => end,
    }
}

/// `{2}`, `{2,}` or `{2,5}`.
fn begins_repetition(rest: &str) -> bool {
    let Some(inside) = rest[1..].split_once('}').map(|(inside, _)| inside) else { return false };
    let (least, most) = inside.split_once(',').unwrap_or((inside, ""));
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    !least.is_empty() && digits(least) && digits(most)
}

/// Writes the class at the start, and returns its length. One without an end is left for the library to refuse.
fn class(rest: &str, written: &mut String) -> usize {
    let mut place = 1 + usize::from(rest[1..].starts_with('^'));
    // The first one is a member of the class.
    place += usize::from(rest[place..].starts_with(']'));
    written.push_str(&rest[..place]);
    let mut before = None;
    while let Some(next) = rest[place..].chars().next() {
        let length = match next {
            '\\' => escape_length(&rest[place..]),
            '[' => named_class_length(&rest[place..]).unwrap_or_else(|| {
                written.push('\\');
                1
            }),
            '&' | '~' | '-' if before == Some(next) => {
                written.push('\\');
                1
            }
            other => other.len_utf8(),
        };
        written.push_str(&rest[place..place + length]);
        place += length;
        if next == ']' {
            return place;
        }
        before = Some(next);
    }
    rest.len()
}

/// `[:alpha:]`.
fn named_class_length(rest: &str) -> Option<usize> {
    let name = rest.strip_prefix("[:")?;
    let end = name.find(":]")?;
    let is_name = name[..end].bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'^');
    is_name.then_some("[:".len() + end + ":]".len())
}

#[cfg(test)]
mod tests {
    use super::respelled;

    #[test]
    fn brackets_that_mean_themselves_are_escaped() {
        let cases = [
            ("a{2}b{1,}c{1,3}", "a{2}b{1,}c{1,3}"),
            (r#"({"app".*})"#, r#"(\{"app".*})"#),
            ("{a}", r"\{a}"),
            (r"\{a\}", r"\{a\}"),
            (r"\p{L}\x{41}", r"\p{L}\x{41}"),
            ("[[({]", r"[\[({]"),
            ("[^[:alpha:]_]", "[^[:alpha:]_]"),
            ("[]a]", "[]a]"),
            (r"[\]\[]{2}", r"[\]\[]{2}"),
            ("[a&&b]", r"[a&\&b]"),
            ("[a--]", r"[a-\-]"),
            ("[é{]x{", r"[é{]x\{"),
            ("[abc", "[abc"),
        ];
        for (pattern, expected) in cases {
            assert_eq!(respelled(pattern), expected, "{pattern}");
        }
    }
}
