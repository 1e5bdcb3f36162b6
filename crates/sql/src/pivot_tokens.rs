//! `FROM a JOIN b ON … PIVOT (…)`: a pivot behind the condition of a join turns what the join shows. The parser knows
//! pivots of one relation only, so the join becomes a subquery: `FROM (SELECT * FROM a JOIN b ON …) PIVOT (…)`.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::tokens::is_keyword;

/// What is known of the FROM of a query, one for every bracket that is open.
#[derive(Clone, Copy, Default)]
struct From {
    /// The first token behind FROM, or behind the last comma in it.
    begin: Option<usize>,
    join: Join,
}

#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Join {
    #[default]
    Nowhere,
    /// A pivot here belongs to the relation that is joined.
    BeforeCondition,
    AfterCondition,
}

pub(crate) fn prepare(tokens: Vec<TokenWithSpan>) -> Vec<TokenWithSpan> {
    let mut begins = vec![0_usize; tokens.len()];
    let mut ends = vec![false; tokens.len()];
    let mut open = vec![From::default()];
    for (place, token) in tokens.iter().enumerate() {
        match &token.token {
            Token::LParen => open.push(From::default()),
            Token::RParen if open.len() > 1 => drop(open.pop()),
            other => {
                let opens_bracket = tokens.get(place + 1).is_some_and(|next| next.token == Token::LParen);
                let Some(from) = open.last_mut() else { continue };
                if opens_bracket
                    && (is_keyword(other, Keyword::PIVOT) || is_keyword(other, Keyword::UNPIVOT))
                    && from.join == Join::AfterCondition
                    && let Some(begin) = from.begin
                {
                    begins[begin] += 1;
                    ends[place] = true;
                    from.join = Join::Nowhere;
                } else if !is_of_comparison(&tokens[..place], other) {
                    from.note(other, place);
                }
            }
        }
    }
    let mut made = Vec::with_capacity(tokens.len() + 8);
    for (place, token) in tokens.into_iter().enumerate() {
        let at = |token: Token, span| TokenWithSpan { token, span };
        for _ in 0..begins[place] {
            let select = [Token::LParen, keyword("SELECT"), Token::Mul, keyword("FROM")];
            made.extend(select.map(|new| at(new, token.span)));
        }
        if ends[place] {
            made.push(at(Token::RParen, token.span));
        }
        made.push(token);
    }
    made
}

impl From {
    fn note(&mut self, token: &Token, place: usize) {
        let Token::Word(word) = token else {
            if *token == Token::Comma && self.begin.is_some() {
                *self = Self { begin: Some(place + 1), join: Join::Nowhere };
            }
            return;
        };
        match word.keyword {
            Keyword::FROM => *self = Self { begin: Some(place + 1), join: Join::Nowhere },
            Keyword::JOIN => self.join = Join::BeforeCondition,
            Keyword::ON | Keyword::USING if self.join == Join::BeforeCondition => self.join = Join::AfterCondition,
            Keyword::SELECT
            | Keyword::WHERE
            | Keyword::GROUP
            | Keyword::ORDER
            | Keyword::HAVING
            | Keyword::QUALIFY
            | Keyword::LIMIT
            | Keyword::UNION
            | Keyword::INTERSECT
            | Keyword::EXCEPT
            | Keyword::MINUS => *self = Self::default(),
            _ => {}
        }
    }
}

/// The FROM of `IS DISTINCT FROM`.
fn is_of_comparison(before: &[TokenWithSpan], token: &Token) -> bool {
    is_keyword(token, Keyword::FROM) && before.last().is_some_and(|last| is_keyword(&last.token, Keyword::DISTINCT))
}

fn keyword(word: &str) -> Token {
    Token::make_keyword(word)
}
