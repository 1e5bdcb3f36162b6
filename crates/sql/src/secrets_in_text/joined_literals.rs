//! Statements whose text is joined of literals: `'alter user u set pass' || 'word = ''p'''`. Secrets are looked for in what the
//! literals give together.

use std::borrow::Cow;
use std::ops::Range;

/// Where the secrets of the joined text are in the text itself.
pub(super) fn values(text: &str, find: impl Fn(&str) -> Vec<Range<usize>>) -> Vec<Range<usize>> {
    let joined = Joined::of(text);
    match joined.text {
        Cow::Borrowed(_) => Vec::new(),
        Cow::Owned(ref whole) => find(whole).into_iter().map(|found| joined.place(found)).collect(),
    }
}

struct Joined<'a> {
    text: Cow<'a, str>,
    /// Where the parts begin, there and in the text.
    parts: Vec<(usize, usize)>,
}

impl<'a> Joined<'a> {
    fn of(text: &'a str) -> Self {
        let mut joined = Self { text: Cow::Borrowed(text), parts: vec![(0, 0)] };
        if !text.contains("||") {
            return joined;
        }
        let mut whole = String::new();
        let (mut copied, mut in_literal) = (0, false);
        let mut position = 0;
        while let Some(found) = text[position..].find('\'') {
            let quote = position + found;
            position = quote + 1;
            if in_literal && let Some(next) = next_literal(text, position) {
                whole.push_str(&text[copied..quote]);
                joined.parts.push((whole.len(), next));
                (copied, position) = (next, next);
                continue;
            }
            in_literal = !in_literal;
        }
        if joined.parts.len() > 1 {
            whole.push_str(&text[copied..]);
            joined.text = Cow::Owned(whole);
        }
        joined
    }

    fn place(&self, found: Range<usize>) -> Range<usize> {
        let start = self.parts.iter().rfind(|(at, _)| *at <= found.start);
        let end = self.parts.iter().rfind(|(at, _)| *at < found.end);
        let original = |part: Option<&(usize, usize)>, at: usize| part.map_or(at, |(from, to)| at - from + to);
        original(start, found.start)..original(end, found.end)
    }
}

/// Where the literal begins that follows behind `||`.
fn next_literal(text: &str, behind: usize) -> Option<usize> {
    let next = text[behind..].trim_start().strip_prefix("||")?.trim_start().strip_prefix('\'')?;
    Some(text.len() - next.len())
}

#[cfg(test)]
mod tests {
    use super::super::hidden;

    #[test]
    fn secrets_of_joined_literals_are_hidden() {
        for (text, expected) in [
            (
                "execute immediate 'alter user u set pass' || 'word = ''p'' x'",
                "execute immediate 'alter user u set pass' || 'word = ''****'' x'",
            ),
            (
                "execute immediate 'alter user u set password' || ' = ''p' || 'q'''",
                "execute immediate 'alter user u set password' || ' = ''****'''",
            ),
            (
                "execute immediate 'alter user u set password = ''' || 'secret' || ''''",
                "execute immediate 'alter user u set password = ''' || '****' || ''''",
            ),
            ("select 'a' || 'b' || c || 'it''s' from t", "select 'a' || 'b' || c || 'it''s' from t"),
        ] {
            assert_eq!(hidden(text), expected);
        }
    }
}
