//! Maps tokens back to the text and to positions in the request.

use sqlparser::tokenizer::{Location, Token, Tokenizer};

use crate::Failure;
use crate::dialect::DIALECT;
use crate::secrets_in_text;
use crate::source::SourceStatement;

/// Finds places of a statement's text by the line and column its tokens carry.
pub(crate) struct SourceMap<'a> {
    source: &'a SourceStatement,
    line_starts: Vec<usize>,
    ascii: bool,
}

impl<'a> SourceMap<'a> {
    pub fn new(source: &'a SourceStatement) -> Self {
        let text = &source.text;
        let line_starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(index, _)| index + 1))
            .collect();
        Self { source, line_starts, ascii: text.is_ascii() }
    }

    /// The text between two locations, the second one excluded.
    pub fn slice(&self, start: Location, end: Location) -> &'a str {
        self.source.text.get(self.offset(start)..self.offset(end)).unwrap_or_default()
    }

    pub fn offset(&self, location: Location) -> usize {
        let text = &self.source.text;
        let Some(line_start) = location.line.checked_sub(1).and_then(|line| self.line_starts.get(line as usize)) else {
            return text.len();
        };
        let column = location.column.saturating_sub(1) as usize;
        if self.ascii {
            return (line_start + column).min(text.len());
        }
        text[*line_start..].char_indices().nth(column).map_or(text.len(), |(index, _)| line_start + index)
    }

    /// The syntax error at `location`, as the contract reports it.
    pub fn syntax_error(&self, location: Location) -> Failure {
        let location = if location.line == 0 { self.end() } else { location };
        let (line, position) = self.in_request(location);
        Failure::syntax(line, position, &self.token_text(location))
    }

    pub fn in_request(&self, location: Location) -> (u64, u64) {
        let position = location.column.saturating_sub(1);
        let shift = if location.line == 1 { self.source.position } else { 0 };
        (self.source.line + location.line.saturating_sub(1), position + shift)
    }

    fn token_text(&self, location: Location) -> String {
        let rest = &self.source.text[self.offset(location)..];
        if rest.trim_start().is_empty() {
            return "<EOF>".to_owned();
        }
        let tokens = Tokenizer::new(&DIALECT, rest).tokenize_with_location().unwrap_or_default();
        let Some(first) = tokens.into_iter().find(|token| !matches!(token.token, Token::Whitespace(_))) else {
            let start = self.source.text.len() - rest.len();
            let length = rest.chars().next().map_or(0, char::len_utf8);
            return secrets_in_text::hidden_part(&self.source.text, start..start + length);
        };
        let here = SourceStatement { text: rest.to_owned(), line: 1, position: 0 };
        let within = SourceMap::new(&here);
        let start = self.source.text.len() - rest.len();
        let token = start + within.offset(first.span.start)..start + within.offset(first.span.end);
        secrets_in_text::hidden_part(&self.source.text, token)
    }

    fn end(&self) -> Location {
        let text = self.source.text.trim_end();
        let line_start = text.rfind('\n').map_or(0, |index| index + 1);
        let lines_before = text.bytes().filter(|byte| *byte == b'\n').count();
        Location { line: lines_before as u64 + 1, column: text[line_start..].chars().count() as u64 + 1 }
    }
}
