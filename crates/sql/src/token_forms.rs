//! Forms of the dialect that the parser does not know, spelled in ones that it knows while they are still tokens:
//! `IDENTIFIER('f')(…)`, `NTH_VALUE(…) FROM LAST`, `{*}`, `** [1, 2]`, types of several words and casts to structured
//! types.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use crate::parse::{is_system_call, name_parts_of};
use crate::row_pattern_tokens;
use crate::semantic_view_tokens;
use crate::structured_types;
use crate::tokens::is_word;

/// The third argument that NTH_VALUE has after FROM LAST.
pub const FROM_LAST: &str = "FROM LAST";

pub(crate) fn prepare(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut tokens = system_calls(called_identifiers(tokens));
    let signs = Signs::of(&tokens);
    let forms: [(bool, Form); 7] = [
        (signs.type_words, types_of_words),
        (signs.nth_value, nth_values),
        (signs.row_pattern, row_pattern_tokens::prepare),
        (signs.semantic_view, semantic_view_tokens::prepare),
        (signs.brace, rows_as_objects),
        (signs.two_stars, spread_arrays),
        (signs.structured, structured_casts),
    ];
    for (_, form) in forms.into_iter().filter(|(is_there, _)| *is_there) {
        tokens = form(tokens);
    }
    tokens
}

type Form = fn(Vec<TokenWithSpan>) -> Vec<TokenWithSpan>;

/// What the forms are known by, found in one look at the tokens.
#[derive(Default)]
struct Signs {
    type_words: bool,
    nth_value: bool,
    row_pattern: bool,
    semantic_view: bool,
    brace: bool,
    two_stars: bool,
    structured: bool,
}

impl Signs {
    fn of(tokens: &[TokenWithSpan]) -> Self {
        let mut signs = Self::default();
        let mut after_star = false;
        for token in tokens {
            let is_star = matches!(token.token, Token::Mul);
            signs.two_stars |= after_star && is_star;
            after_star = is_star;
            match &token.token {
                Token::LBrace => signs.brace = true,
                Token::Word(word) => signs.note(word.keyword),
                _ => {}
            }
        }
        signs
    }

    fn note(&mut self, keyword: Keyword) {
        match keyword {
            Keyword::VARYING | Keyword::LOCAL => self.type_words = true,
            Keyword::NTH_VALUE => self.nth_value = true,
            Keyword::MATCH_RECOGNIZE => self.row_pattern = true,
            Keyword::SEMANTIC_VIEW => self.semantic_view = true,
            Keyword::MAP | Keyword::ARRAY | Keyword::OBJECT => self.structured = true,
            _ => {}
        }
    }
}

/// `IDENTIFIER('f')(…)` calls what the text names.
pub(crate) fn called_identifiers(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    for place in (0..tokens.len()).rev() {
        if is_word(&tokens[place].token, "IDENTIFIER")
            && let Some((name, close)) = called_identifier(&tokens, place)
        {
            let span = tokens[place].span;
            tokens.splice(place..=close, name.into_iter().map(|token| TokenWithSpan { token, span }));
        }
    }
    tokens
}

/// The tokens of the name, and where the text's bracket closes.
fn called_identifier(tokens: &[TokenWithSpan], place: usize) -> Option<(Vec<Token>, usize)> {
    let open = next_code(tokens, place + 1).filter(|open| tokens[*open].token == Token::LParen)?;
    let text = next_code(tokens, open + 1)?;
    let Token::SingleQuotedString(name) = &tokens[text].token else { return None };
    let close = next_code(tokens, text + 1).filter(|close| tokens[*close].token == Token::RParen)?;
    next_code(tokens, close + 1).filter(|call| tokens[*call].token == Token::LParen)?;
    let parts = name_parts_of(name).ok()?;
    let is_plain =
        |part: &str| part.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_' || c == '$');
    let words = parts.iter().map(|part| Token::make_word(part, (!is_plain(part)).then_some('"')));
    let mut name = Vec::new();
    for word in words {
        if !name.is_empty() {
            name.push(Token::Period);
        }
        name.push(word);
    }
    Some((name, close))
}

/// `NCHAR VARYING` and `TIMESTAMP WITH LOCAL TIME ZONE` get their names of one word.
fn types_of_words(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    for place in 0..tokens.len() {
        let Some(token) = tokens.get(place) else { break };
        if is_word(&token.token, "NCHAR") {
            rename_type(&mut tokens, place, place, &["VARYING"], "VARCHAR");
        } else if is_word(&token.token, "TIMESTAMP") {
            let open = next_code(&tokens, place + 1).filter(|open| tokens[*open].token == Token::LParen);
            let end = open.and_then(|open| closing(&tokens, open)).unwrap_or(place);
            rename_type(&mut tokens, place, end, &["WITH", "LOCAL", "TIME", "ZONE"], "TIMESTAMP_LTZ");
        }
    }
    tokens
}

/// Takes `words` away behind `end`, if they stand there, and names the type at `place` instead.
fn rename_type(tokens: &mut Vec<TokenWithSpan>, place: usize, end: usize, words: &[&str], name: &str) -> Option<()> {
    let mut last = end;
    for expected in words {
        last = next_code(tokens, last + 1).filter(|found| is_word(&tokens[*found].token, expected))?;
    }
    tokens.drain(end + 1..=last);
    tokens[place].token = word(name);
    Some(())
}

/// `CALL SYSTEM$WAIT(1)` calls a function, unless it is a command of its own.
fn system_calls(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if is_system_call(&tokens) {
        return tokens;
    }
    let Some(first) = next_code(&tokens, 0).filter(|place| is_word(&tokens[*place].token, "CALL")) else {
        return tokens;
    };
    let is_system = |token: &Token| match token {
        Token::Word(word) => word.value.to_ascii_uppercase().starts_with("SYSTEM$"),
        _ => false,
    };
    if next_code(&tokens, first + 1).is_some_and(|place| is_system(&tokens[place].token)) {
        let select = Word { value: "SELECT".to_owned(), quote_style: None, keyword: Keyword::SELECT };
        tokens[first].token = Token::Word(select);
    }
    tokens
}

fn is_space(token: &TokenWithSpan) -> bool {
    matches!(token.token, Token::Whitespace(_))
}

/// The next token from `place` on that is no space.
pub(crate) fn next_code(tokens: &[TokenWithSpan], place: usize) -> Option<usize> {
    (place..tokens.len()).find(|place| !is_space(&tokens[*place]))
}

/// The bracket that closes the one at `open`.
pub(crate) fn closing(tokens: &[TokenWithSpan], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    (open..tokens.len()).find(|place| {
        match tokens[*place].token {
            Token::LParen | Token::LBracket | Token::LBrace => depth += 1,
            Token::RParen | Token::RBracket | Token::RBrace => depth -= 1,
            _ => {}
        }
        depth == 0
    })
}

/// FROM FIRST is what is meant anyway; FROM LAST becomes an argument.
fn nth_values(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut place = 0;
    while place < tokens.len() {
        if is_word(&tokens[place].token, "NTH_VALUE") {
            direct(&mut tokens, place);
        }
        place += 1;
    }
    tokens
}

fn direct(tokens: &mut Vec<TokenWithSpan>, name: usize) -> Option<()> {
    let open = next_code(tokens, name + 1).filter(|place| tokens[*place].token == Token::LParen)?;
    let close = closing(tokens, open)?;
    let from = next_code(tokens, close + 1).filter(|place| is_word(&tokens[*place].token, "FROM"))?;
    let side = next_code(tokens, from + 1)?;
    let is_last = is_word(&tokens[side].token, "LAST");
    let follows = next_code(tokens, side + 1)?;
    let goes_on = ["OVER", "IGNORE", "RESPECT"].iter().any(|word| is_word(&tokens[follows].token, word));
    if !goes_on || !(is_last || is_word(&tokens[side].token, "FIRST")) {
        return None;
    }
    tokens.drain(from..=side);
    if is_last {
        let span = tokens[close].span;
        let at_end = |token| TokenWithSpan { token, span };
        let argument = [Token::Comma, Token::SingleQuotedString(FROM_LAST.to_owned())];
        tokens.splice(close..close, argument.map(at_end));
    }
    Some(())
}

/// `{*}` and `{t.* EXCLUDE a}` are objects of whole rows.
fn rows_as_objects(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut place = 0;
    while place < tokens.len() {
        let is_row = tokens[place].token == Token::LBrace && begins_with_star(&tokens, place + 1);
        let close = (place..tokens.len()).find(|close| tokens[*close].token == Token::RBrace);
        if let Some(close) = close.filter(|_| is_row) {
            tokens[close].token = Token::RParen;
            tokens[place].token = Token::LParen;
            let name = TokenWithSpan { token: word("OBJECT_CONSTRUCT"), span: tokens[place].span };
            tokens.insert(place, name);
        }
        place += 1;
    }
    tokens
}

fn begins_with_star(tokens: &[TokenWithSpan], from: usize) -> bool {
    let mut place = from;
    while let Some(next) = next_code(tokens, place) {
        match tokens[next].token {
            Token::Mul => return true,
            Token::Word(_) | Token::Period => place = next + 1,
            _ => return false,
        }
    }
    false
}

/// `** [1, 2]` in a list stands for the elements of the array.
fn spread_arrays(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut place = 0;
    while place < tokens.len() {
        if let Some((open, close)) = spread_at(&tokens, place) {
            tokens.remove(close);
            tokens.drain(place..=open);
        }
        place += 1;
    }
    tokens
}

/// The brackets of the array that the two stars at `place` spread; an empty one leaves nothing to stand in a list.
fn spread_at(tokens: &[TokenWithSpan], place: usize) -> Option<(usize, usize)> {
    let is = |place: usize, wanted: &Token| tokens.get(place).is_some_and(|token| token.token == *wanted);
    let before = tokens[..place].iter().rfind(|token| !is_space(token))?;
    let is_in_list = matches!(before.token, Token::LParen | Token::LBracket | Token::Comma);
    if !is_in_list || !is(place, &Token::Mul) || !is(place + 1, &Token::Mul) {
        return None;
    }
    let open = next_code(tokens, place + 2).filter(|open| is(*open, &Token::LBracket))?;
    let close = closing(tokens, open)?;
    (next_code(tokens, open + 1)? < close).then_some((open, close))
}

/// A structured type behind `::` or AS becomes one word, which no other text can become.
fn structured_casts(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut place = 0;
    let mut follows_cast = false;
    while place < tokens.len() {
        if follows_cast && let Some((text, length)) = structured_at(&tokens, place) {
            tokens[place].span = tokens[place].span.union(&tokens[place + length - 1].span);
            tokens.drain(place + 1..place + length);
            tokens[place].token = word(&text);
        }
        if !is_space(&tokens[place]) {
            follows_cast = tokens[place].token == Token::DoubleColon || is_word(&tokens[place].token, "AS");
        }
        place += 1;
    }
    tokens
}

fn structured_at(tokens: &[TokenWithSpan], place: usize) -> Option<(String, usize)> {
    if !["MAP", "ARRAY", "OBJECT"].iter().any(|name| is_word(&tokens[place].token, name)) {
        return None;
    }
    let open = next_code(tokens, place + 1).filter(|open| tokens[*open].token == Token::LParen)?;
    let close = closing(tokens, open)?;
    let plain: Vec<Token> = tokens[place..=close].iter().map(|token| token.token.clone()).collect();
    let (found, length) = structured_types::read(&plain)?;
    (length == plain.len()).then(|| (found.word(), length))
}

fn word(value: &str) -> Token {
    Token::Word(Word { value: value.to_owned(), quote_style: None, keyword: Keyword::NoKeyword })
}
