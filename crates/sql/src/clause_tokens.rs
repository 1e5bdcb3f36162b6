//! Syntax of the dialect that the parser does not know, rewritten at token level to syntax that it knows:
//!
//! - `PRIOR a` outside of CONNECT BY is `"__PRIOR"(a)`, and `CONNECT_BY_ROOT a` is `"__ROOT"(a)`;
//! - `UPDATE ALL BY NAME` and `INSERT ALL BY NAME` of a MERGE are `UPDATE SET *` and `INSERT *`.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::Failure;
use crate::source::SourceStatement;
use crate::source_map::SourceMap;
use crate::tokens::is_word;

/// The parent's value of a column, in the place of PRIOR.
pub(crate) const PRIOR: &str = "__PRIOR";

/// The root's value of a column, in the place of CONNECT_BY_ROOT.
pub(crate) const ROOT: &str = "__ROOT";

/// Words that end a CONNECT BY clause.
const CONNECT_ENDS: [&str; 11] =
    ["SELECT", "START", "WHERE", "GROUP", "ORDER", "HAVING", "QUALIFY", "LIMIT", "UNION", "INTERSECT", "EXCEPT"];

pub(crate) fn prepare(tokens: Vec<TokenWithSpan>, source: &SourceStatement) -> Result<Vec<TokenWithSpan>, Failure> {
    refuse_hexadecimal_numbers(&tokens)?;
    refuse_methods(&tokens)?;
    let has = |word: &str| tokens.iter().any(|token| is_word(&token.token, word));
    if has("CONNECT") && (has("PRIOR") || has("CONNECT_BY_ROOT")) {
        if has("SIBLINGS") && orders_siblings(&tokens) {
            return Err(Failure::unsupported("ORDER SIBLINGS BY"));
        }
        return Ok(with_operators_as_calls(tokens));
    }
    let first = tokens.iter().find(|token| is_code(token));
    if first.is_some_and(|first| is_word(&first.token, "MERGE")) {
        return with_all_by_name(tokens, source);
    }
    Ok(tokens)
}

/// The dialect has bytes in hexadecimal digits, `X'1F'`, but no numbers.
fn refuse_hexadecimal_numbers(tokens: &[TokenWithSpan]) -> Result<(), Failure> {
    let number = tokens.iter().find_map(|token| match &token.token {
        Token::HexStringLiteral(digits) => {
            let width = token.span.end.column.saturating_sub(token.span.start.column);
            (width == digits.chars().count() as u64 + 2).then_some(digits)
        }
        _ => None,
    });
    match number {
        Some(digits) => {
            Err(Failure::unsupported(&format!("number 0x{digits}; TO_NUMBER('{digits}', 'XXXX') reads it")))
        }
        None => Ok(()),
    }
}

/// `model!PREDICT(…)`: classes that the vendor's services offer.
fn refuse_methods(tokens: &[TokenWithSpan]) -> Result<(), Failure> {
    let method = tokens.windows(4).find_map(|next| match [0, 1, 2, 3].map(|place| &next[place].token) {
        [Token::Word(_), Token::ExclamationMark, Token::Word(method), Token::LParen] => Some(&method.value),
        _ => None,
    });
    method.map_or(Ok(()), |method| Err(Failure::method(method)))
}

fn orders_siblings(tokens: &[TokenWithSpan]) -> bool {
    let code: Vec<&Token> = tokens.iter().filter(|token| is_code(token)).map(|token| &token.token).collect();
    code.windows(3).any(|next| is_word(next[0], "ORDER") && is_word(next[1], "SIBLINGS") && is_word(next[2], "BY"))
}

fn is_code(token: &TokenWithSpan) -> bool {
    !matches!(token.token, Token::Whitespace(_))
}

fn with_operators_as_calls(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let tokens: Vec<TokenWithSpan> = tokens.into_iter().filter(is_code).collect();
    let mut made = Vec::with_capacity(tokens.len() + 4);
    // For every open bracket, whether it is in a CONNECT BY clause.
    let mut connecting = vec![false];
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        let inside = connecting.last().copied().unwrap_or_default();
        match &token.token {
            Token::LParen => connecting.push(inside),
            Token::RParen if connecting.len() > 1 => drop(connecting.pop()),
            word if is_word(word, "CONNECT") => set_last(&mut connecting, true),
            word if CONNECT_ENDS.iter().any(|end| is_word(word, end)) => set_last(&mut connecting, false),
            word if (is_word(word, "PRIOR") && !inside) || is_word(word, "CONNECT_BY_ROOT") => {
                let name = if is_word(word, "PRIOR") { PRIOR } else { ROOT };
                let length = name_length(&tokens[index + 1..]);
                if length > 0 {
                    let at = |token: Token| TokenWithSpan { token, span: tokens[index].span };
                    made.extend([at(Token::make_word(name, Some('"'))), at(Token::LParen)]);
                    made.extend_from_slice(&tokens[index + 1..=index + length]);
                    let end = TokenWithSpan { token: Token::RParen, span: tokens[index + length].span };
                    made.push(end);
                    index += length + 1;
                    continue;
                }
            }
            _ => {}
        }
        made.push(token.clone());
        index += 1;
    }
    made
}

fn set_last(connecting: &mut [bool], value: bool) {
    if let Some(last) = connecting.last_mut() {
        *last = value;
    }
}

/// How many tokens the column's name takes that begins here: `a`, `t.a`.
fn name_length(tokens: &[TokenWithSpan]) -> usize {
    let word = |index: usize| matches!(tokens.get(index).map(|token| &token.token), Some(Token::Word(_)));
    let dot = |index: usize| matches!(tokens.get(index).map(|token| &token.token), Some(Token::Period));
    let mut length = usize::from(word(0));
    while length > 0 && dot(length) && word(length + 1) {
        length += 2;
    }
    length
}

fn with_all_by_name(tokens: Vec<TokenWithSpan>, source: &SourceStatement) -> Result<Vec<TokenWithSpan>, Failure> {
    let tokens: Vec<TokenWithSpan> = tokens.into_iter().filter(is_code).collect();
    let mut made: Vec<TokenWithSpan> = Vec::with_capacity(tokens.len());
    let mut index = 0;
    while let Some(token) = tokens.get(index) {
        let after_action =
            made.last().is_some_and(|last| is_word(&last.token, "UPDATE") || is_word(&last.token, "INSERT"));
        let word =
            |distance: usize, word: &str| tokens.get(index + distance).is_some_and(|token| is_word(&token.token, word));
        let after_set = made.last().is_some_and(|last| is_word(&last.token, "SET"));
        if (after_action || after_set) && token.token == Token::Mul {
            return Err(SourceMap::new(source).syntax_error(token.span.start));
        }
        if after_action && word(0, "ALL") && word(1, "BY") && word(2, "NAME") {
            let at = |token: Token| TokenWithSpan { token, span: tokens[index].span };
            if made.last().is_some_and(|last| is_word(&last.token, "UPDATE")) {
                made.push(at(Token::make_word("SET", None)));
            }
            made.push(at(Token::Mul));
            index += 3;
            continue;
        }
        made.push(token.clone());
        index += 1;
    }
    Ok(made)
}
