//! Procedures that are no objects: those a block declares, and those of `WITH p AS PROCEDURE … CALL p(…)`.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use super::reader::BlockReader;
use super::{Declaration, DeclaredKind, Fragment};
use crate::Failure;
use crate::command::routine::{Rights, Routine};
use crate::command::{Command, Ddl};
use crate::names::quote_identifier;
use crate::parse;
use crate::reader::Reader;
use crate::source::SourceStatement;
use crate::source_map::SourceMap;
use crate::tokens::{is_word, tokenize};

/// What the head of a procedure may nest.
const NESTING_DEPTH_MAX: usize = 50;

/// `WITH name AS PROCEDURE … CALL …`: the procedure, and the call.
pub(super) fn with_procedure(
    tokens: &[TokenWithSpan],
    source: &SourceStatement,
) -> Result<Option<(Declaration, Fragment)>, Failure> {
    let code: Vec<&TokenWithSpan> =
        tokens.iter().filter(|token| !matches!(token.token, Token::Whitespace(_) | Token::EOF)).collect();
    let word = |index: usize, word: &str| code.get(index).is_some_and(|token| is_word(&token.token, word));
    if !(word(0, "WITH") && word(2, "AS") && word(3, "PROCEDURE")) {
        return Ok(None);
    }
    let map = SourceMap::new(source);
    let missing = || map.syntax_error(code.last().map_or(code[0].span.start, |last| last.span.end));
    let call = (4..code.len()).rev().find(|index| word(*index, "CALL")).ok_or_else(missing)?;
    let Some(Token::Word(name)) = code.get(1).map(|token| &token.token) else { return Err(missing()) };
    let name = match name.quote_style {
        None => name.value.to_ascii_uppercase(),
        Some(_) => name.value.clone(),
    };
    let definition = map.slice(code[4].span.start, code[call - 1].span.end);
    let routine = routine(&name, definition)?;
    let (line, position) = map.in_request(code[call].span.start);
    let last = code.last().map_or(code[call].span.end, |last| last.span.end);
    let fragment = Fragment { text: map.slice(code[call].span.start, last).to_owned(), line, position };
    Ok(Some((Declaration { name, kind: DeclaredKind::Procedure(Box::new(routine)) }, fragment)))
}

/// The procedure that `(parameters) RETURNS … AS …` defines. It runs with the rights of whoever calls it.
fn routine(name: &str, definition: &str) -> Result<Routine, Failure> {
    let text = format!("CREATE PROCEDURE {} {definition}", quote_identifier(name));
    let source = SourceStatement { text, line: 1, position: 0 };
    let mut reader = Reader::new(tokenize(&source)?, &source, NESTING_DEPTH_MAX);
    match parse::command(&mut reader)? {
        Command::Ddl(Ddl::CreateRoutine { routine, .. }) => Ok(Routine { rights: Rights::Caller, ..*routine }),
        _ => Err(reader.unexpected()),
    }
}

impl BlockReader<'_> {
    /// After `name PROCEDURE`: the rest of the declaration with its semicolon.
    pub(super) fn procedure(&mut self, name: &str) -> Result<DeclaredKind, Failure> {
        let start = self.next_place();
        self.fragment_until(|token| is_word(token, "AS"))?;
        self.expect("AS")?;
        if self.at("BEGIN") || self.at("DECLARE") {
            self.block()?;
        } else {
            self.string()?;
            self.expect_token(&Token::SemiColon)?;
        }
        let definition = self.text_since(start);
        let definition = definition.trim_end().trim_end_matches(';');
        Ok(DeclaredKind::Procedure(Box::new(routine(name, definition)?)))
    }
}
