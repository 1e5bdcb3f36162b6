//! SQL scripting: blocks of declarations, steps and exception handlers. A block is parsed once; the expressions and
//! statements inside stay texts, which are parsed with the values of the variables when they run.

mod as_expression;
mod declarations;
mod loops;
pub mod pipes;
mod procedures;
mod reader;
pub mod split;
mod steps;
pub(crate) mod variable_names;

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::bindings::{self, Bindings};
use crate::command::Routine;
pub use crate::command::block::{
    Action, AfterHandler, Assigned, Block, Declaration, DeclaredKind, Fragment, Handler, Loop, Returned, Source, Step,
};
use crate::names::ObjectName;
use crate::source::SourceStatement;
use crate::source_map::SourceMap;
use crate::tokens::{is_word, tokenize};
use crate::{Failure, print};
pub(crate) use as_expression::expression_of;
use reader::BlockReader;

/// Reads a whole block: `[DECLARE …] BEGIN … [EXCEPTION …] END`.
pub fn parse(source: &SourceStatement) -> Result<Block, Failure> {
    let mut reader = BlockReader::new(tokenize(source)?, source);
    let block = reader.block()?;
    reader.expect_end()?;
    Ok(block)
}

/// Reads the body of a procedure: a block, or one statement without BEGIN and END.
pub fn parse_body(source: &SourceStatement) -> Result<Block, Failure> {
    let tokens = tokenize(source)?;
    if split::begins_block(&tokens) {
        return parse(source);
    }
    let step = BlockReader::new(tokens, source).only_step()?;
    Ok(Block { carries_statement: false, declarations: Vec::new(), steps: vec![step], handlers: Vec::new() })
}

/// The block that the body of a routine is, if it is one.
pub(crate) fn of_routine(routine: &Routine) -> Result<Option<Block>, Failure> {
    let source = SourceStatement { text: routine.body.trim().to_owned(), line: 1, position: 0 };
    let is_block = split::begins_block(&tokenize(&source)?);
    if is_block { parse(&source).map(Some) } else { Ok(None) }
}

/// Refuses a function whose body is a block that cannot be converted to an expression.
pub(crate) fn check_function(routine: &Routine) -> Result<(), Failure> {
    match of_routine(routine)? {
        Some(block) => expression_of(&block).map(drop),
        None => Ok(()),
    }
}

/// The block that a statement is, if it is one: a block itself, CALL, EXECUTE IMMEDIATE, a chain of `->>`,
/// or a procedure that lives for one call.
pub(crate) fn of_tokens(
    tokens: &[TokenWithSpan],
    source: &SourceStatement,
    bindings: Option<&Bindings>,
) -> Result<Option<Block>, Failure> {
    if split::begins_block(tokens) {
        if bindings.is_some_and(|bindings| !bindings.is_empty()) && opens_with_values(tokens) {
            return Err(Failure::unsupported("bindings in a block that opens cursors with USING"));
        }
        let source = with_bindings(source.clone(), bindings)?;
        // What is wrong with its words counts over the request, what fails as it runs from where the block begins.
        let block = parse(&source)?;
        let is_first = (source.line, source.position) == (1, 0);
        return if is_first { Ok(Some(block)) } else { parse(&Fragment { line: 1, position: 0, ..source }).map(Some) };
    }
    if let Some((declaration, call)) = procedures::with_procedure(tokens, source)? {
        let call = with_bindings(call, bindings)?;
        return Ok(Some(carrying(&source.of_code(), Returned::Query(call), vec![declaration])));
    }
    if special(source)?.is_none() {
        return Ok(None);
    }
    let source = source.of_code();
    let bound = with_bindings(source.clone(), bindings)?;
    Ok(Some(carrying(&source, Returned::Query(bound), Vec::new())))
}

/// `OPEN c USING (…)`: the marks of its cursor are not the request's.
fn opens_with_values(tokens: &[TokenWithSpan]) -> bool {
    let code: Vec<&Token> =
        tokens.iter().map(|token| &token.token).filter(|token| !matches!(token, Token::Whitespace(_))).collect();
    code.windows(3).any(|words| is_word(words[0], "OPEN") && is_word(words[2], "USING"))
}

fn carrying(source: &SourceStatement, returned: Returned, declarations: Vec<Declaration>) -> Block {
    let step = Step { line: source.line, position: source.position, action: Action::Return(returned) };
    Block { carries_statement: true, declarations, steps: vec![step], handlers: Vec::new() }
}

/// Values that the request binds take the place of `?` and `:1`.
fn with_bindings(source: Fragment, bindings: Option<&Bindings>) -> Result<Fragment, Failure> {
    let Some(bindings) = bindings.filter(|bindings| !bindings.is_empty()) else { return Ok(source) };
    let mut marks = 0_usize;
    let text = rewritten(&source, |token, before| {
        let placeholder = match (token, before) {
            (Token::Placeholder(mark), _) if mark == "?" => {
                marks += 1;
                format!("?{marks}")
            }
            (Token::Number(position, _), Some(Token::Colon)) => format!(":{position}"),
            _ => return Ok(None),
        };
        // In the dialect a backslash begins an escape.
        bindings::bound_expression(bindings, &placeholder).map(|expr| Some(print::into_sql(expr).replace('\\', "\\\\")))
    })?;
    Ok(Fragment { text, ..source })
}

/// The text with some tokens replaced; `replacement` sees each token and the one before it. A colon before
/// a replaced number goes with it.
fn rewritten(
    source: &Fragment,
    mut replacement: impl FnMut(&Token, Option<&Token>) -> Result<Option<String>, Failure>,
) -> Result<String, Failure> {
    let tokens = tokenize(source)?;
    let map = SourceMap::new(source);
    let mut text = String::new();
    let mut before: Option<&Token> = None;
    for token in &tokens {
        match replacement(&token.token, before)? {
            Some(replaced) => {
                if matches!((&token.token, before), (Token::Number(..), Some(Token::Colon))) {
                    text.pop();
                }
                text.push_str(&replaced);
            }
            None => text.push_str(map.slice(token.span.start, token.span.end)),
        }
        if !matches!(token.token, Token::Whitespace(_)) {
            before = Some(&token.token);
        }
    }
    Ok(text)
}

/// Statements that the interpreter runs itself.
#[derive(Clone, Debug)]
pub enum Special {
    ExecuteImmediate {
        text: Fragment,
        using: Vec<Fragment>,
    },
    /// `EXECUTE IMMEDIATE FROM @stage/file`, or a path beside the file that runs.
    ExecuteFile(String),
    Call {
        name: CalledName,
        arguments: Vec<Argument>,
        into: Option<String>,
    },
    /// `a ->> b`.
    Chain(Vec<Fragment>),
}

#[derive(Clone, Debug)]
pub enum CalledName {
    Written(ObjectName),
    /// What stands in the brackets of `IDENTIFIER(…)`.
    Computed(Fragment),
}

#[derive(Clone, Debug)]
pub struct Argument {
    /// Of `name => value`.
    pub name: Option<String>,
    pub value: Fragment,
}

pub fn special(source: &Fragment) -> Result<Option<Special>, Failure> {
    if let Some(statements) = pipes::chain(source)? {
        return Ok(Some(Special::Chain(statements)));
    }
    let text = source.code();
    let begins = |word: &str| text.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
    if begins("EXECUTE") {
        let mut reader = BlockReader::new(tokenize(source)?, source);
        return reader.execute_immediate().map(Some);
    }
    let calls_function = || {
        let name = text.get("CALL".len()..).unwrap_or_default().trim_start().to_ascii_uppercase();
        name.starts_with("SYSTEM$")
    };
    if begins("CALL") && !calls_function() {
        let mut reader = BlockReader::new(tokenize(source)?, source);
        return reader.call().map(Some);
    }
    Ok(None)
}
