//! The pieces of a PUT or GET: blanks and comments, quoted texts, words.

use std::iter::Peekable;
use std::str::Chars;

use crate::Failure;
use crate::source::{SourceStatement, is_line_comment, without_comments_before};

pub(super) struct Scanner<'a> {
    source: &'a SourceStatement,
    rest: &'a str,
    question_marks: usize,
}

/// An unquoted word or number.
pub(super) struct Word(pub(super) String);

impl<'a> Scanner<'a> {
    /// Begins that many bytes after the comments before the statement.
    pub(super) fn new(source: &'a SourceStatement, from: usize) -> Self {
        Self { source, rest: source.code().get(from..).unwrap_or_default(), question_marks: 0 }
    }

    pub(super) fn skip_blanks(&mut self) {
        self.rest = without_comments_before(self.rest);
        if is_line_comment(self.rest) {
            self.rest = "";
        }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn eat(&mut self, expected: char) -> bool {
        match self.rest.strip_prefix(expected) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    pub(super) fn word(&mut self) -> Option<Word> {
        let word = self.until(|next| !(next.is_alphanumeric() || next == '_'));
        (!word.is_empty()).then(|| Word(word.to_owned()))
    }

    /// What comes before the next character of which `ends` is true.
    pub(super) fn until(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let length = self.rest.find(ends).unwrap_or(self.rest.len());
        self.take(length)
    }

    /// As `until`, where what is within double quotes does not end it.
    pub(super) fn outside_names(&mut self, ends: impl Fn(char) -> bool) -> &'a str {
        let mut quoted = false;
        let length = self.rest.find(|next: char| {
            quoted ^= next == '"';
            !quoted && ends(next)
        });
        self.take(length.unwrap_or(self.rest.len()))
    }

    /// `?`, `:1` or `:name`, with the number of its place among the `?`.
    pub(super) fn placeholder(&mut self) -> Option<String> {
        if self.eat('?') {
            self.question_marks += 1;
            return Some(format!("?{}", self.question_marks));
        }
        if !self.eat(':') {
            return None;
        }
        self.word().map(|Word(name)| format!(":{name}"))
    }

    /// A text within single quotes, if one begins here.
    pub(super) fn quoted(&mut self) -> Result<Option<String>, Failure> {
        let Some(inside) = self.rest.strip_prefix('\'') else { return Ok(None) };
        let mut text = String::new();
        let mut characters = inside.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '\'' if characters.peek() != Some(&'\'') => {
                    self.rest = rest_of(inside, characters);
                    return Ok(Some(text));
                }
                '\'' => text.extend(characters.next()),
                '\\' if matches!(characters.peek(), Some('\\' | '\'')) => text.extend(characters.next()),
                other => text.push(other),
            }
        }
        Err(self.unexpected())
    }

    pub(super) fn unexpected(&self) -> Failure {
        let text = &self.source.text;
        let before = &text[..text.len() - self.rest.len()];
        let lines = before.matches('\n').count() as u64;
        let on_last = before.rsplit('\n').next().unwrap_or_default().chars().count() as u64;
        let position = if lines == 0 { self.source.position + on_last } else { on_last };
        let found = self.rest.split_whitespace().next().unwrap_or("<EOF>");
        Failure::syntax(self.source.line + lines, position, found)
    }

    fn take(&mut self, length: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken
    }
}

fn rest_of<'a>(text: &'a str, characters: Peekable<Chars<'_>>) -> &'a str {
    let left: usize = characters.map(char::len_utf8).sum();
    &text[text.len() - left..]
}
