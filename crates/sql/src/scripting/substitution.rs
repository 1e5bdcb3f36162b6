//! Puts the values of a block's variables in the place of their names: `:name` in statements, the bare
//! name too in expressions of the block itself. Inside of a subquery a bare name is a column.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::blocks::variable_names::{after_dot, name, takes_value};
use crate::constants::Constant;
use crate::source::{ParseLimits, SourceStatement};
use crate::tokens::{is_word, tokenize};
use crate::{Command, Failure, SessionRules, Statement, Substitutes, Variables, build, script};

/// Looks up the value of a variable, or of `RECORD.COLUMN`, in upper case unless it was quoted.
pub type Lookup<'a> = &'a dyn Fn(&str) -> Result<Option<Constant>, Failure>;

/// Everything a text of a block is parsed with.
#[derive(Clone, Copy)]
pub struct SubstitutionContext<'a> {
    pub limits: &'a ParseLimits,
    pub variables: &'a Variables,
    pub lookup: Lookup<'a>,
    /// Values for `?`, in order, or for `:1`, `:2` and so on.
    pub using: &'a [Constant],
    pub rules: SessionRules,
}

/// A statement of the block, and the variables that take its row: `SELECT … INTO :a, :b`.
pub fn statement(
    source: &SourceStatement,
    around: &SubstitutionContext<'_>,
) -> Result<(Statement, Vec<String>), Failure> {
    let (tokens, into) = without_targets(tokenize(source)?);
    let tokens = Substitution { around, bare: false }.apply(tokens)?;
    let substitutes = Substitutes { variables: Some(around.variables), bindings: None, rules: around.rules };
    Ok((script::parse_tokens(tokens, source, around.limits, substitutes)?, into))
}

/// A statement that stands alone, which may be a block.
pub fn whole(source: &SourceStatement, around: &SubstitutionContext<'_>) -> Result<Statement, Failure> {
    if crate::blocks::split::begins_block(&tokenize(source)?) {
        let block = crate::blocks::parse(source)?;
        return Ok(Statement::new(source.code(), Command::Block(Box::new(block))));
    }
    match statement(source, around)? {
        (statement, into) if into.is_empty() => Ok(statement),
        _ => Err(Failure::unsupported("SELECT INTO outside of a block")),
    }
}

/// A query for the value of an expression of the block.
pub fn expression(source: &SourceStatement, around: &SubstitutionContext<'_>) -> Result<Statement, Failure> {
    let tokens = Substitution { around, bare: true }.apply(tokenize(source)?)?;
    let substitutes = Substitutes { variables: Some(around.variables), bindings: None, rules: around.rules };
    script::parse_expression(tokens, source, around.limits, substitutes, |expr| build::select(vec![expr]))
}

struct Substitution<'a, 'b> {
    around: &'a SubstitutionContext<'b>,
    bare: bool,
}

impl Substitution<'_, '_> {
    fn apply(&self, tokens: Vec<TokenWithSpan>) -> Result<Vec<TokenWithSpan>, Failure> {
        let tokens: Vec<TokenWithSpan> =
            tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
        let mut replaced: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
        let mut using = self.around.using.iter();
        // For every open bracket, whether it holds a query.
        let mut brackets: Vec<bool> = Vec::new();
        let mut index = 0;
        while let Some(token) = tokens.get(index) {
            let next = tokens.get(index + 1).map_or(&Token::EOF, |next| &next.token);
            match &token.token {
                Token::LParen => brackets.push(is_word(next, "SELECT") || is_word(next, "WITH")),
                Token::RParen => drop(brackets.pop()),
                _ => {}
            }
            let after = replaced.last().map(|last| &last.token);
            let named = match &token.token {
                Token::Colon if takes_value(after) => Some((index + 1, true)),
                Token::Word(_) if self.bare && !brackets.contains(&true) && !after_dot(after) => Some((index, false)),
                _ => None,
            };
            if let Some((start, required)) = named
                && let Some((length, constant)) = self.variable(&tokens[start..], required)?
            {
                replaced
                    .extend(constant.tokens(&spanning(token, &tokens[start + length - 1]), self.around.rules.inputs));
                index = start + length;
                continue;
            }
            if let (Token::Colon, Token::Number(place, _)) = (&token.token, next)
                && takes_value(after)
                && let Some(value) =
                    place.parse().ok().and_then(|place: usize| self.around.using.get(place.checked_sub(1)?))
            {
                replaced.extend(value.tokens(&spanning(token, &tokens[index + 1]), self.around.rules.inputs));
                index += 2;
                continue;
            }
            if let (Token::Placeholder(mark), Some(value)) = (&token.token, using.as_slice().first())
                && mark == "?"
            {
                replaced.extend(value.tokens(token, self.around.rules.inputs));
                using.next();
                index += 1;
                continue;
            }
            if matches!(&token.token, Token::Placeholder(mark) if mark == "?") {
                return Err(Failure::new("002049", "42601", "Bind variable ? not set."));
            }
            replaced.push(token.clone());
            index += 1;
        }
        Ok(replaced)
    }

    /// The variable named by the first tokens, and how many of them name it.
    fn variable(&self, tokens: &[TokenWithSpan], required: bool) -> Result<Option<(usize, Constant)>, Failure> {
        let Some(first) = tokens.first().and_then(name) else { return Ok(None) };
        let token = |index: usize| tokens.get(index).map_or(&Token::EOF, |token| &token.token);
        if *token(1) == Token::Period
            && let Some(second) = tokens.get(2).and_then(name)
            && let Some(constant) = (self.around.lookup)(&format!("{first}.{second}"))?
        {
            return Ok(Some((3, constant)));
        }
        if !required && matches!(token(1), Token::LParen | Token::Period) {
            return Ok(None);
        }
        match (self.around.lookup)(&first)? {
            Some(constant) => Ok(Some((1, constant))),
            None if required => Err(unknown_variable(&first)),
            None => Ok(None),
        }
    }
}

/// The first token in the place of all up to the last one.
fn spanning(first: &TokenWithSpan, last: &TokenWithSpan) -> TokenWithSpan {
    TokenWithSpan { token: first.token.clone(), span: first.span.union(&last.span) }
}

/// Removes `INTO :a, :b` from a query. The colons are optional: nothing else may follow INTO there.
fn without_targets(tokens: Vec<TokenWithSpan>) -> (Vec<TokenWithSpan>, Vec<String>) {
    let tokens: Vec<TokenWithSpan> =
        tokens.into_iter().filter(|token| !matches!(token.token, Token::Whitespace(_))).collect();
    let token = |index: usize| tokens.get(index).map_or(&Token::EOF, |token| &token.token);
    let is_query = is_word(token(0), "SELECT") || is_word(token(0), "WITH");
    let mut depth = 0_usize;
    let place = (0..tokens.len()).find(|&index| {
        match token(index) {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && is_word(token(index), "INTO") && (is_query || *token(index + 1) == Token::Colon)
    });
    let Some(place) = place else { return (tokens, Vec::new()) };
    let (mut names, mut end) = (Vec::new(), place + 1);
    loop {
        let start = end + usize::from(*token(end) == Token::Colon);
        let Some(target) = tokens.get(start).and_then(name) else { break };
        names.push(target);
        end = start + 1;
        if *token(end) != Token::Comma {
            break;
        }
        end += 1;
    }
    let rest = tokens.iter().take(place).chain(tokens.iter().skip(end)).cloned().collect();
    (rest, names)
}

fn unknown_variable(name: &str) -> Failure {
    Failure::new(
        "002049",
        "42601",
        format!("SQL compilation error:\nBind variable :{name} not set; DECLARE or LET makes it."),
    )
}
