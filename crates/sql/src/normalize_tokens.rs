//! Syntax of the dialect that the parser does not know, rewritten at token level to syntax that it knows:
//! `IDENTIFIER('f')(…)`, `NTH_VALUE(…) FROM LAST`, `{*}`, `** [1, 2]`, types of several words and casts to structured
//! types. Every pass reads the tokens, without whitespace, once and builds a new list.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan, Word};

use crate::pivot_tokens;
use crate::reader::{name_parts_of, read_structured_type};
use crate::row_pattern_tokens;
use crate::semantic_view_tokens;
use crate::tokens::{is_space, is_system_call, is_word, next_code};

/// The third argument that NTH_VALUE has after FROM LAST.
pub const FROM_LAST: &str = "FROM LAST";

pub(crate) fn prepare(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut tokens = system_calls(called_identifiers(tokens));
    let signs = Signs::of(&tokens);
    let forms: [(bool, Form); 9] = [
        (signs.type_words, types_of_words),
        (signs.nth_value, nth_values),
        (signs.row_pattern, row_pattern_tokens::prepare),
        (signs.semantic_view, semantic_view_tokens::prepare),
        (signs.brace, rows_as_objects),
        (signs.two_stars, spread_arrays),
        (signs.structured, structured_casts),
        (signs.pivot, pivot_tokens::prepare),
        (signs.search, searched_stars),
    ];
    for (_, form) in forms.into_iter().filter(|(is_there, _)| *is_there) {
        tokens = form(tokens);
    }
    tokens
}

/// The one form that a printed tree has too: a structured type is one word of the tree.
pub(crate) fn prepare_printed(mut tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !Signs::of(&tokens).structured {
        return tokens;
    }
    tokens.retain(|token| !is_space(token));
    structured_casts(tokens)
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
    pivot: bool,
    search: bool,
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
                Token::Word(word) => {
                    signs.note(word.keyword);
                    signs.search |= is_search(word);
                }
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
            Keyword::PIVOT | Keyword::UNPIVOT => self.pivot = true,
            Keyword::MAP | Keyword::ARRAY | Keyword::OBJECT => self.structured = true,
            _ => {}
        }
    }
}

/// `IDENTIFIER('f')(…)` calls what the text names.
pub(crate) fn called_identifiers(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    if !tokens.iter().any(|token| is_word(&token.token, "IDENTIFIER")) {
        return tokens;
    }
    replaced(&tokens, |place| {
        is_word(&tokens[place].token, "IDENTIFIER").then(|| called_identifier(&tokens, place)).flatten()
    })
}

/// The tokens with some ranges replaced: `find` gets the index where a range may begin, and returns the replacement and
/// the index of the last token of the range.
fn replaced(
    tokens: &[TokenWithSpan],
    mut find: impl FnMut(usize) -> Option<(Vec<Token>, usize)>,
) -> Vec<TokenWithSpan> {
    let mut made = Vec::with_capacity(tokens.len());
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        match find(place) {
            Some((new, last)) => {
                let span = token.span.union(&tokens[last].span);
                made.extend(new.into_iter().map(|token| TokenWithSpan { token, span }));
                place = last + 1;
            }
            None => {
                made.push(token.clone());
                place += 1;
            }
        }
    }
    made
}

/// The tokens of the name, and where the text's bracket closes.
fn called_identifier(tokens: &[TokenWithSpan], place: usize) -> Option<(Vec<Token>, usize)> {
    let is = |place: usize, wanted: &Token| tokens.get(place).is_some_and(|token| token.token == *wanted);
    let Token::SingleQuotedString(name) = &tokens.get(place + 2)?.token else { return None };
    if !is(place + 1, &Token::LParen) || !is(place + 3, &Token::RParen) || !is(place + 4, &Token::LParen) {
        return None;
    }
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
    Some((name, place + 3))
}

/// `NCHAR VARYING` and `TIMESTAMP WITH LOCAL TIME ZONE` get their names of one word.
fn types_of_words(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    replaced(&tokens, |place| {
        if is_word(&tokens[place].token, "NCHAR") {
            let last = words_at(&tokens, place + 1, &["VARYING"])?;
            Some((vec![word("VARCHAR")], last))
        } else if is_word(&tokens[place].token, "TIMESTAMP") {
            let digits = precision_at(&tokens, place + 1);
            let last = words_at(&tokens, place + 1 + digits.len(), &["WITH", "LOCAL", "TIME", "ZONE"])?;
            let digits = digits.iter().map(|token| token.token.clone());
            Some((std::iter::once(word("TIMESTAMP_LTZ")).chain(digits).collect(), last))
        } else {
            None
        }
    })
}

/// `(3)`, or nothing.
fn precision_at(tokens: &[TokenWithSpan], place: usize) -> &[TokenWithSpan] {
    let found = tokens.get(place..place + 3).unwrap_or_default();
    let is_precision = matches!(
        found.iter().map(|token| &token.token).collect::<Vec<_>>()[..],
        [Token::LParen, Token::Number(..), Token::RParen]
    );
    if is_precision { found } else { &[] }
}

/// The last of these words, if they stand there.
fn words_at(tokens: &[TokenWithSpan], place: usize, words: &[&str]) -> Option<usize> {
    let found = tokens.get(place..place + words.len())?;
    let are_there = found.iter().zip(words).all(|(token, expected)| is_word(&token.token, expected));
    are_there.then(|| place + words.len() - 1)
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

/// Where the bracket at each place is closed.
fn closings(tokens: &[TokenWithSpan]) -> Vec<Option<usize>> {
    let mut closings = vec![None; tokens.len()];
    let mut open = Vec::new();
    for (place, token) in tokens.iter().enumerate() {
        match token.token {
            Token::LParen | Token::LBracket | Token::LBrace => open.push(place),
            Token::RParen | Token::RBracket | Token::RBrace => {
                if let Some(begin) = open.pop() {
                    closings[begin] = Some(place);
                }
            }
            _ => {}
        }
    }
    closings
}

/// FROM FIRST is what is meant anyway; FROM LAST becomes an argument.
fn nth_values(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let closings = closings(&tokens);
    let mut ends = vec![false; tokens.len()];
    for place in (0..tokens.len()).filter(|place| is_word(&tokens[*place].token, "NTH_VALUE")) {
        if let Some(Some(close)) = closings.get(place + 1)
            && direction(&tokens, *close).is_some()
        {
            ends[*close] = true;
        }
    }
    replaced(&tokens, |place| {
        let is_last = direction(&tokens, place).filter(|_| ends[place])?;
        let argument = [Token::Comma, Token::SingleQuotedString(FROM_LAST.to_owned())];
        let argument = argument.into_iter().filter(|_| is_last);
        Some((argument.chain([Token::RParen]).collect(), place + 2))
    })
}

/// Whether FROM LAST, or FROM FIRST, stands behind the bracket, and a window after it.
fn direction(tokens: &[TokenWithSpan], close: usize) -> Option<bool> {
    let is = |place: usize, name: &str| tokens.get(place).is_some_and(|token| is_word(&token.token, name));
    let goes_on = ["OVER", "IGNORE", "RESPECT"].iter().any(|name| is(close + 3, name));
    let is_last = is(close + 2, "LAST");
    (is(close + 1, "FROM") && goes_on && (is_last || is(close + 2, "FIRST"))).then_some(is_last)
}

/// `{*}` and `{t.* EXCLUDE a}` are objects of whole rows.
fn rows_as_objects(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut closes = (0..tokens.len()).filter(|place| tokens[*place].token == Token::RBrace);
    let mut ends = vec![false; tokens.len()];
    let mut begins = vec![false; tokens.len()];
    for place in 0..tokens.len() {
        if tokens[place].token == Token::LBrace && begins_with_star(&tokens, place + 1) {
            let Some(close) = closes.find(|close| *close > place) else { break };
            begins[place] = true;
            ends[close] = true;
        }
    }
    replaced(&tokens, |place| match (begins[place], ends[place]) {
        (true, _) => Some((vec![word("OBJECT_CONSTRUCT"), Token::LParen], place)),
        (_, true) => Some((vec![Token::RParen], place)),
        _ => None,
    })
}

fn begins_with_star(tokens: &[TokenWithSpan], from: usize) -> bool {
    let names = |token: &&TokenWithSpan| matches!(token.token, Token::Word(_) | Token::Period);
    let behind = tokens[from..].iter().find(|token| !names(token));
    behind.is_some_and(|token| token.token == Token::Mul)
}

/// `SEARCH((t.*), …)` has no need of the inner brackets.
fn searched_stars(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let closings = closings(&tokens);
    let mut ends = vec![false; tokens.len()];
    replaced(&tokens, |place| {
        if ends[place] {
            return Some((Vec::new(), place));
        }
        let is_open = |place: usize| tokens.get(place).is_some_and(|token| token.token == Token::LParen);
        let is_call = matches!(&tokens[place].token, Token::Word(word) if is_search(word));
        if !is_call || !is_open(place + 1) || !is_open(place + 2) || !begins_with_star(&tokens, place + 3) {
            return None;
        }
        ends[closings[place + 2]?] = true;
        Some((vec![tokens[place].token.clone(), Token::LParen], place + 2))
    })
}

fn is_search(word: &Word) -> bool {
    word.quote_style.is_none() && ["SEARCH", "SEARCH_IP"].iter().any(|name| word.value.eq_ignore_ascii_case(name))
}

/// `** [1, 2]` in a list stands for the elements of the array.
fn spread_arrays(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let closings = closings(&tokens);
    let mut ends = vec![false; tokens.len()];
    replaced(&tokens, |place| {
        if ends[place] {
            return Some((Vec::new(), place));
        }
        let open = spread_at(&tokens, place)?;
        // An empty one leaves nothing to stand in a list.
        let close = closings[open].filter(|close| *close > open + 1)?;
        ends[close] = true;
        Some((Vec::new(), open))
    })
}

/// The bracket of the array that the two stars at `place` spread.
fn spread_at(tokens: &[TokenWithSpan], place: usize) -> Option<usize> {
    let is = |place: usize, wanted: &Token| tokens.get(place).is_some_and(|token| token.token == *wanted);
    let before = &tokens.get(place.checked_sub(1)?)?.token;
    let is_in_list = matches!(before, Token::LParen | Token::LBracket | Token::Comma);
    let is_spread = is(place, &Token::Mul) && is(place + 1, &Token::Mul) && is(place + 2, &Token::LBracket);
    (is_in_list && is_spread).then_some(place + 2)
}

/// A structured type behind `::` or AS becomes one word, which no other text can become.
fn structured_casts(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    replaced(&tokens, |place| {
        let before = &tokens.get(place.checked_sub(1)?)?.token;
        if !casts(before) || !["MAP", "ARRAY", "OBJECT"].iter().any(|name| is_word(&tokens[place].token, name)) {
            return None;
        }
        let plain = bracketed(&tokens[place..])?;
        let (found, length) = read_structured_type(&plain)?;
        (length == plain.len()).then(|| (vec![word(&found.word())], place + length - 1))
    })
}

fn casts(token: &Token) -> bool {
    *token == Token::DoubleColon || is_word(token, "AS")
}

/// `ARRAY(…)`, in which nothing is cast.
fn bracketed(tokens: &[TokenWithSpan]) -> Option<Vec<Token>> {
    let mut depth = 0_usize;
    let mut found = Vec::new();
    for token in tokens.iter().map(|token| &token.token) {
        match token {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.checked_sub(1)?,
            other if casts(other) => return None,
            _ => {}
        }
        found.push(token.clone());
        match found.len() {
            1 => {}
            _ if depth == 0 => return (*token == Token::RParen).then_some(found),
            _ => {}
        }
    }
    None
}

fn word(value: &str) -> Token {
    Token::Word(Word { value: value.to_owned(), quote_style: None, keyword: Keyword::NoKeyword })
}

#[cfg(test)]
mod tests {
    use super::prepare;
    use crate::source::SourceStatement;
    use crate::tokens::tokenize;

    /// What a text without spaces of its own becomes.
    fn prepared(text: &str) -> String {
        let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
        let tokens = tokenize(&source).unwrap_or_default();
        let code = tokens.into_iter().filter(|token| !super::is_space(token)).collect();
        prepare(code).iter().map(|token| token.token.to_string()).collect::<Vec<_>>().join(" ")
    }

    fn check(before: &str, after: &str) {
        assert_eq!(prepared(before), after, "for {before}");
    }

    #[test]
    fn forms_are_spelled_in_others() {
        check(
            "IDENTIFIER('f')(IDENTIFIER('a.\"b\"')(1), IDENTIFIER('t'))",
            "F ( A . \"b\" ( 1 ) , IDENTIFIER ( 't' ) )",
        );
        check("NCHAR VARYING(3), TIMESTAMP(3) WITH LOCAL TIME ZONE", "VARCHAR ( 3 ) , TIMESTAMP_LTZ ( 3 )");
        check(
            "TIMESTAMP WITH LOCAL TIME ZONE, TIMESTAMP(TIMESTAMP(1))",
            "TIMESTAMP_LTZ , TIMESTAMP ( TIMESTAMP ( 1 ) )",
        );
        check("NTH_VALUE(a, 2) FROM LAST OVER ()", "NTH_VALUE ( a , 2 , 'FROM LAST' ) OVER ( )");
        check("NTH_VALUE(a, 2) FROM FIRST IGNORE NULLS OVER ()", "NTH_VALUE ( a , 2 ) IGNORE NULLS OVER ( )");
        check("NTH_VALUE(a, 2) FROM last", "NTH_VALUE ( a , 2 ) FROM last");
        check(
            "{*}, {t.* EXCLUDE a}, {'a': 1}",
            "OBJECT_CONSTRUCT ( * ) , OBJECT_CONSTRUCT ( t . * EXCLUDE a ) , { 'a' : 1 }",
        );
        check(
            "FROM a, b JOIN c ON x = f(y) PIVOT (z) AS p JOIN d ON q PIVOT(w)",
            "FROM a , ( SELECT * FROM ( SELECT * FROM b JOIN c ON x = f ( y ) ) PIVOT ( z ) AS p JOIN d ON q ) PIVOT ( w )",
        );
        check("FROM a JOIN b PIVOT (z) ON c WHERE PIVOT (1)", "FROM a JOIN b PIVOT ( z ) ON c WHERE PIVOT ( 1 )");
        check(
            "SEARCH((t.*), 'x'), search_ip((* EXCLUDE a), 'y')",
            "SEARCH ( t . * , 'x' ) , search_ip ( * EXCLUDE a , 'y' )",
        );
        check("SEARCH((a, b), 'x')", "SEARCH ( ( a , b ) , 'x' )");
        check("(** [1, ** [2, 3]], 4)", "( 1 , 2 , 3 , 4 )");
        check("(** [])", "( * * [ ] )");
        check(
            "a::ARRAY(INT)::MAP(VARCHAR, INT), OBJECT(a)",
            "a :: ARRAY(NUMBER(38,0)) :: MAP(VARCHAR,NUMBER(38,0)) , OBJECT ( a )",
        );
    }

    /// Each of these takes hours if a pass is quadratic: if every rewrite moves all later tokens or searches for their end.
    #[test]
    fn long_texts_are_read_once() {
        let many = 50_000;
        let nested = |begin: &str, end: &str| format!("{}1{}", begin.repeat(many), end.repeat(many));
        let count = |text: String, part: &str| prepared(&text).matches(part).count();
        assert_eq!(count(nested("IDENTIFIER('f')(", ")"), "F ("), many);
        assert_eq!(count(nested("TIMESTAMP(", ")") + " LOCAL", "TIMESTAMP ("), many);
        assert_eq!(count("NCHAR VARYING,".repeat(many), "VARCHAR"), many);
        assert_eq!(count("{*},".repeat(many), "OBJECT_CONSTRUCT ("), many);
        assert_eq!(count("{*".repeat(many), "OBJECT_CONSTRUCT"), 0);
        assert_eq!(count(nested("(** [", "])"), "["), 0);
        assert_eq!(count(nested("NTH_VALUE(", ") FROM LAST OVER ()"), "'FROM LAST'"), many);
        assert_eq!(count("a::ARRAY(INT),".repeat(many), "ARRAY(NUMBER(38,0))"), many);
        assert_eq!(count(nested("CAST(a AS ARRAY(", "))"), "ARRAY ("), many);
    }
}
