//! A record of a `.slt` file: a query, and before it what sets the session up for it.

use sqlparser::dialect::SnowflakeDialect;
use sqlparser::tokenizer::{Token, Tokenizer, Whitespace};

/// Statements that may run again before a variant.
const REPEATABLE: &[&[&str]] =
    &[&["SET"], &["USE"], &["ALTER", "SESSION"], &["CREATE", "OR", "REPLACE"], &["CREATE", "TEMP"]];

pub struct Script {
    /// Ends with a semicolon, or is empty.
    pub setup: String,
    pub query: String,
    /// The names of the query, as the dialect folds them.
    pub names: Vec<String>,
}

impl Script {
    /// `None` for what ends in anything but a query, or changes data on the way.
    pub fn read(sql: &str) -> Option<Self> {
        let tokens = Tokenizer::new(&SnowflakeDialect, sql).tokenize().ok()?;
        let mut statements: Vec<&[Token]> = tokens.split(|token| *token == Token::SemiColon).collect();
        statements.retain(|statement| first_words(statement).next().is_some());
        let query = statements.pop()?;
        let is_query =
            query.iter().find(|token| !matches!(token, Token::Whitespace(_))).is_some_and(|first| match first {
                Token::Word(word) => matches!(word.value.to_ascii_uppercase().as_str(), "SELECT" | "WITH"),
                _ => false,
            });
        let is_repeatable = |statement: &&[Token]| {
            REPEATABLE.iter().any(|words| {
                let mut found = first_words(statement);
                words.iter().all(|word| found.next().is_some_and(|found| found == *word))
            })
        };
        // A flow hands rows from one statement to the next.
        let is_flow = query.contains(&Token::LongArrow);
        let names = names_of(query);
        // Every variant is a statement of the history itself.
        let is_history = names.iter().any(|name| name.starts_with("QUERY_HISTORY"));
        // WITH … AS PROCEDURE is a call.
        let is_call = names.iter().any(|name| name == "PROCEDURE");
        if !is_query || is_flow || is_history || is_call || !statements.iter().all(is_repeatable) {
            return None;
        }
        let setup: String = statements.iter().map(|statement| format!("{}; ", text_of(statement))).collect();
        Some(Self { setup, query: text_of(query).trim().to_owned(), names })
    }

    pub fn text(&self) -> String {
        self.with(&self.query)
    }

    /// Another query after the same setup.
    pub fn with(&self, query: &str) -> String {
        format!("{}{query}", self.setup)
    }
}

fn first_words(tokens: &[Token]) -> impl Iterator<Item = String> {
    tokens.iter().filter(|token| !matches!(token, Token::Whitespace(_))).map_while(|token| match token {
        Token::Word(word) => Some(word.value.to_ascii_uppercase()),
        _ => None,
    })
}

fn text_of(tokens: &[Token]) -> String {
    let shown = tokens.iter().filter(|token| !is_comment(token));
    shown.map(ToString::to_string).collect()
}

fn is_comment(token: &Token) -> bool {
    matches!(token, Token::Whitespace(Whitespace::SingleLineComment { .. } | Whitespace::MultiLineComment(_)))
}

/// Every word of a query may name a column.
pub fn names_of(tokens: &[Token]) -> Vec<String> {
    let words = tokens.iter().filter_map(|token| match token {
        Token::Word(word) if word.quote_style.is_some() => Some(word.value.clone()),
        Token::Word(word) => Some(word.value.to_uppercase()),
        _ => None,
    });
    distinct(words.filter(|name| !name.is_empty()).collect())
}

/// Of names that differ in case only, one: no table has both.
pub fn distinct(mut names: Vec<String>) -> Vec<String> {
    names.sort_by_key(|name| (name.to_uppercase(), name.clone()));
    names.dedup_by_key(|name| name.to_uppercase());
    names
}
