//! CREATE and ALTER VIEW.

use sqlparser::tokenizer::Token;

use super::{Modifiers, Reader, if_exists};
use crate::Failure;
use crate::command::{Command, CreateView, Ddl, ViewChange};

pub(super) fn create(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("VIEW", &["SECURE"])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.object_name()?;
    let columns = if reader.at_token(&Token::LParen) { view_columns(reader)? } else { Vec::new() };
    let mut comment = None;
    while !reader.eat("AS") {
        if let Some(text) = reader.comment()? {
            comment = Some(text);
        } else if reader.eat("CHANGE_TRACKING") {
            reader.expect_token(&Token::Eq)?;
            reader.property_value()?;
        } else if !reader.eat("COPY GRANTS") {
            return Err(view_clause_failure(reader));
        }
    }
    let query = reader.query()?;
    let text = reader.source_text().to_owned();
    Ok(Command::Ddl(Ddl::CreateView(Box::new(CreateView { name, mode, columns, query, text, comment }))))
}

fn view_clause_failure(reader: &Reader<'_>) -> Failure {
    if reader.at("WITH") || reader.at("ROW ACCESS POLICY") || reader.at("TAG") {
        return Failure::unsupported("policies and tags on views");
    }
    reader.unexpected()
}

fn view_columns(reader: &mut Reader<'_>) -> Result<Vec<String>, Failure> {
    reader.expect_token(&Token::LParen)?;
    let mut columns = Vec::new();
    loop {
        columns.push(reader.identifier()?);
        if reader.at("COMMENT") {
            return Err(Failure::unsupported("COMMENT on a view's column"));
        }
        if !reader.eat_token(&Token::Comma) {
            break;
        }
    }
    reader.expect_token(&Token::RParen)?;
    Ok(columns)
}

pub(super) fn alter(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.object_name()?;
    let change = if reader.eat("RENAME TO") {
        ViewChange::Rename(reader.object_name()?)
    } else if reader.eat("UNSET COMMENT") {
        ViewChange::SetComment(None)
    } else if reader.eat("SET") {
        match reader.comment()? {
            Some(comment) => ViewChange::SetComment(Some(comment)),
            None => return Err(unsupported_change(reader, "SET")),
        }
    } else {
        return Err(unsupported_change(reader, ""));
    };
    Ok(Command::Ddl(Ddl::AlterView { name, if_missing, change }))
}

fn unsupported_change(reader: &Reader<'_>, verb: &str) -> Failure {
    match reader.word() {
        Some(word) => Failure::unsupported(format!("ALTER VIEW {verb} {word}").replace("  ", " ").as_str()),
        None => reader.unexpected(),
    }
}
