//! CREATE and ALTER SEQUENCE.

use sqlparser::tokenizer::Token;

use super::{Modifiers, Reader, if_exists};
use crate::Failure;
use crate::command::{Autoincrement, Command, Ddl, SequenceChange, SequenceOrder};

pub(super) fn create(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("SEQUENCE", &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.object_name()?;
    let (mut start, mut increment, mut comment) = (1, 1, None);
    let mut order = SequenceOrder::Ordered;
    reader.eat("WITH");
    while !reader.at_end() {
        if let Some(number) = step(reader, "START", "WITH")? {
            start = number;
        } else if let Some(number) = step(reader, "INCREMENT", "BY")? {
            increment = number;
        } else if let Some(text) = reader.comment()? {
            comment = Some(text);
        } else if let Some(word) = reader.eat_one_of(&["ORDER", "NOORDER"]) {
            order = if word == "ORDER" { SequenceOrder::Ordered } else { SequenceOrder::Unordered };
        } else if !reader.eat_token(&Token::Comma) {
            return Err(reader.unexpected());
        }
    }
    check_increment(increment)?;
    Ok(Command::Ddl(Ddl::CreateSequence { name, mode, numbering: Autoincrement { start, increment }, order, comment }))
}

/// `START [WITH] [=] n` and `INCREMENT [BY] [=] n`.
pub(super) fn step(reader: &mut Reader<'_>, word: &str, filler: &str) -> Result<Option<i64>, Failure> {
    if !reader.eat(word) {
        return Ok(None);
    }
    reader.eat(filler);
    reader.eat_token(&Token::Eq);
    reader.integer().map(Some)
}

pub(super) fn check_increment(increment: i64) -> Result<(), Failure> {
    if increment == 0 {
        return Err(Failure::invalid_value("INCREMENT", "0", "use a number above or below zero"));
    }
    Ok(())
}

pub(super) fn alter(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.object_name()?;
    let change = change(reader)?;
    Ok(Command::Ddl(Ddl::AlterSequence { name, if_missing, change }))
}

fn change(reader: &mut Reader<'_>) -> Result<SequenceChange, Failure> {
    if reader.eat("RENAME TO") {
        return Ok(SequenceChange::Rename(reader.object_name()?));
    }
    if reader.eat("UNSET COMMENT") {
        return Ok(SequenceChange::SetComment(None));
    }
    reader.eat("SET");
    if let Some(increment) = step(reader, "INCREMENT", "BY")? {
        check_increment(increment)?;
        return Ok(SequenceChange::SetIncrement(increment));
    }
    match reader.comment()? {
        Some(comment) => Ok(SequenceChange::SetComment(Some(comment))),
        None if reader.eat("NOORDER") => Ok(SequenceChange::SetUnordered),
        None if reader.at("ORDER") => Err(Failure::unsupported("ALTER SEQUENCE ORDER")),
        None => Err(reader.unexpected()),
    }
}
