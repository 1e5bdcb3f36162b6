//! The pipe operator: `a ->> b ->> c` runs its statements in order, and `FROM $1` reads the result of the one before,
//! `FROM $2` that of the one before that.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::{Fragment, split};
use crate::Failure;
use crate::source::SourceStatement;
use crate::source_map::SourceMap;
use crate::tokens::{is_word, tokenize};

/// The prefix of references to results of the chain, in the place of a statement's handle.
const MARK: char = '$';

/// The statements of a chain; `None` for a statement without a pipe.
pub(super) fn chain(source: &Fragment) -> Result<Option<Vec<Fragment>>, Failure> {
    if !source.text.contains("->>") {
        return Ok(None);
    }
    let tokens = tokenize(source)?;
    if split::holds_block(&tokens) {
        return Ok(None);
    }
    let mut parts: Vec<Vec<&TokenWithSpan>> = vec![Vec::new()];
    let mut depth = 0_usize;
    for token in tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF)) {
        match token.token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            Token::LongArrow if depth == 0 => {
                parts.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(token);
        }
    }
    if parts.len() == 1 {
        return Ok(None);
    }
    let map = SourceMap::new(source);
    let nothing = || {
        let arrow = tokens.iter().find(|token| token.token == Token::LongArrow);
        arrow.map_or_else(|| Failure::syntax(1, 0, "->>"), |arrow| map.syntax_error(arrow.span.start))
    };
    parts.iter().map(|part| fragment_of(part, &map).ok_or_else(nothing)).collect::<Result<_, _>>().map(Some)
}

const SCAN: (&str, &str) = ("TABLE(RESULT_SCAN('", "'))");

/// A part of the chain, in which results of others are read with RESULT_SCAN.
fn fragment_of(tokens: &[&TokenWithSpan], map: &SourceMap<'_>) -> Option<SourceStatement> {
    let (first, last) = (tokens.first()?, tokens.last()?);
    let (line, position) = map.in_request(first.span.start);
    let mut text = String::new();
    let mut from = first.span.start;
    // `FROM $1, $2` reads both.
    let mut is_read = false;
    for pair in tokens.windows(2) {
        let [before, token] = pair else { continue };
        let begins = is_word(&before.token, "FROM") || is_word(&before.token, "JOIN");
        match &token.token {
            Token::Comma => {}
            Token::Placeholder(name)
                if (begins || is_read && before.token == Token::Comma) && reference(name).is_some() =>
            {
                text.push_str(map.slice(from, token.span.start));
                text.push_str(&format!("{}{name}{}", SCAN.0, SCAN.1));
                from = token.span.end;
                is_read = true;
            }
            _ => is_read = false,
        }
    }
    text.push_str(map.slice(from, last.span.end));
    Some(SourceStatement { text, line, position })
}

/// A piece of a chain's part as it was written: `$1` where a result is read.
pub(crate) fn as_written(text: &str) -> String {
    let (start, end) = (format!("{}{MARK}", SCAN.0), SCAN.1);
    let mut pieces = text.split(&start);
    let mut written = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        written.push(MARK);
        written.push_str(&piece.replacen(end, "", 1));
    }
    written
}

/// How many statements back the referenced result is.
pub fn reference(name: &str) -> Option<usize> {
    name.strip_prefix(MARK)?.parse().ok().filter(|distance| *distance > 0)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;

    fn parts(text: &str) -> Option<Vec<String>> {
        let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
        Some(chain(&source).unwrap()?.into_iter().map(|part| part.text).collect())
    }

    #[test]
    fn chains_are_taken_apart() {
        assert_eq!(parts("select 1"), None);
        assert_eq!(parts("select '->>'"), None);
        assert_eq!(
            parts("show tables ->> select $1, \"name\" from $1 join $2").unwrap(),
            ["show tables", "select $1, \"name\" from TABLE(RESULT_SCAN('$1')) join TABLE(RESULT_SCAN('$2'))"]
        );
        assert_eq!(
            parts("select 1 ->> select $1, $2 from $1, $2 as b, c").unwrap()[1],
            "select $1, $2 from TABLE(RESULT_SCAN('$1')), TABLE(RESULT_SCAN('$2')) as b, c"
        );
        assert_eq!(as_written("max(a) from TABLE(RESULT_SCAN('$2'))) + 1"), "max(a) from $2) + 1");
        assert_eq!(parts("begin ->> commit").unwrap(), ["begin", "commit"]);
        assert_eq!(parts("begin select 1 ->> select 2; end"), None);
    }
}
