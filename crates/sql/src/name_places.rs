//! Where the text of a statement has a name that its tree has no place for.

use sqlparser::tokenizer::{Token, TokenWithSpan};

use crate::Failure;
use crate::names::display_identifier;
use crate::source::SourceStatement;
use crate::tokens::{is_space, is_word, tokenize};

/// Puts the place of the column into a failure about a column that a definition names: the first place of its name that is
/// neither that of a table nor part of a longer name.
pub fn locate_column(failure: Failure, text: &str) -> Failure {
    const UNPLACED: &str = "SQL compilation error: error line 1 at position 0\ninvalid identifier '";
    let Some(name) = failure.message.strip_prefix(UNPLACED).and_then(|rest| rest.strip_suffix('\'')) else {
        return failure;
    };
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    let Ok(tokens) = tokenize(&source) else { return failure };
    let code: Vec<&TokenWithSpan> = tokens.iter().filter(|token| !is_space(token)).collect();
    let token_at = |place: Option<usize>| place.and_then(|place| code.get(place)).map(|token| &token.token);
    let is_column = |place: usize| {
        let before = token_at(place.checked_sub(1));
        is_named(&code[place].token, name)
            && !matches!(before, Some(Token::Period))
            && !before.is_some_and(is_before_table)
            && token_at(place.checked_add(1)) != Some(&Token::Period)
    };
    let Some(found) = (0..code.len()).find(|place| is_column(*place)) else { return failure };
    let start = code[found].span.start;
    let message = format!("SQL compilation error:\ninvalid identifier '{name}'");
    Failure { message, ..failure }.at(start.line, start.column.saturating_sub(1))
}

fn is_named(token: &Token, name: &str) -> bool {
    match token {
        Token::Word(word) if word.quote_style.is_none() => display_identifier(&word.value.to_ascii_uppercase()) == name,
        Token::Word(word) => display_identifier(&word.value) == name,
        _ => false,
    }
}

fn is_before_table(token: &Token) -> bool {
    is_word(token, "TABLE") || is_word(token, "EXISTS")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_of_definitions_have_places() {
        let unplaced = |name: &str| {
            let message = format!("SQL compilation error: error line 1 at position 0\ninvalid identifier '{name}'");
            Failure::new("000904", "42000", message)
        };
        for (text, name, expected) in [
            ("alter table t drop column zzz", "ZZZ", "error line 1 at position 26"),
            ("alter table zzz drop a, \"z z\"", "\"z z\"", "error line 1 at position 24"),
            ("alter table zzz drop\n zzz", "ZZZ", "error line 2 at position 1"),
            ("alter table d.zzz.t alter column zzz drop not null", "ZZZ", "error line 1 at position 33"),
            ("alter table t drop column b", "ZZZ", "error line 1 at position 0"),
        ] {
            let located = locate_column(unplaced(name), text);
            assert_eq!(located.message, format!("SQL compilation error: {expected}\ninvalid identifier '{name}'"));
        }
    }
}
