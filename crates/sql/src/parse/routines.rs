//! CREATE, ALTER and DROP of functions and procedures.

use sqlparser::tokenizer::Token;

use super::{Modifiers, Reader, if_exists, policies, tags};
use crate::command::routine::{Direction, Parameter, Returns, Rights, Routine, RoutineChange, RoutineKind};
use crate::command::{Command, Ddl};
use crate::data_types::DataType;
use crate::names::ObjectName;
use crate::reader::read_type;
use crate::source::SourceStatement;
use crate::tokens::tokenize;
use crate::{Failure, print};

pub(super) fn create(reader: &mut Reader<'_>, modifiers: &Modifiers, kind: RoutineKind) -> Result<Command, Failure> {
    if kind.is_policy() {
        return policies::create(reader, modifiers, kind);
    }
    if kind == RoutineKind::Tag {
        return tags::create(reader, modifiers);
    }
    modifiers.allow(kind.word(), &["SECURE"])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.object_name()?;
    let parameters = parameters(reader, kind)?;
    let copy_grants = reader.eat("COPY GRANTS");
    reader.expect("RETURNS")?;
    let secure = modifiers.words.contains(&"SECURE");
    let mut routine = Routine { secure, ..Routine::new(kind, name, parameters, returns(reader)?) };
    clauses(reader, &mut routine)?;
    Ok(Command::Ddl(Ddl::CreateRoutine { routine: Box::new(routine), mode, copy_grants }))
}

pub(super) fn parameters(reader: &mut Reader<'_>, kind: RoutineKind) -> Result<Vec<Parameter>, Failure> {
    reader.expect_token(&Token::LParen)?;
    let mut parameters: Vec<Parameter> = Vec::new();
    while !reader.eat_token(&Token::RParen) {
        let name = reader.identifier()?;
        let direction = direction(reader, kind);
        let data_type = read_type(reader)?;
        let default = if reader.eat("DEFAULT") {
            let is_end = |reader: &Reader<'_>| reader.at_token(&Token::Comma);
            Some(print::sql(&reader.expression_until(is_end)?))
        } else {
            None
        };
        if parameters.iter().any(|parameter| parameter.name == name) {
            return Err(Failure::invalid_value("parameter", &name, "give each parameter a name of its own"));
        }
        parameters.push(Parameter { name, direction, data_type, default });
        if !reader.eat_token(&Token::Comma) {
            reader.expect_token(&Token::RParen)?;
            break;
        }
    }
    Ok(parameters)
}

/// Only procedures give values back through their arguments.
fn direction(reader: &mut Reader<'_>, kind: RoutineKind) -> Direction {
    if kind == RoutineKind::Procedure && reader.eat_one_of(&["OUTPUT", "OUT"]).is_some() {
        return Direction::Out;
    }
    reader.eat_one_of(&["INPUT", "IN"]);
    Direction::In
}

fn returns(reader: &mut Reader<'_>) -> Result<Returns, Failure> {
    if !reader.eat("TABLE") {
        let data_type = read_type(reader)?;
        reader.eat("NOT NULL");
        return Ok(Returns::Value(data_type));
    }
    reader.expect_token(&Token::LParen)?;
    let mut columns = Vec::new();
    while !reader.eat_token(&Token::RParen) {
        columns.push((reader.identifier()?, read_type(reader)?));
        if !reader.eat_token(&Token::Comma) {
            reader.expect_token(&Token::RParen)?;
            break;
        }
    }
    Ok(Returns::Table(columns))
}

fn clauses(reader: &mut Reader<'_>, routine: &mut Routine) -> Result<(), Failure> {
    const REFUSED: [&str; 6] =
        ["HANDLER", "IMPORTS", "PACKAGES", "RUNTIME_VERSION", "TARGET_PATH", "EXTERNAL_ACCESS_INTEGRATIONS"];
    loop {
        if reader.eat("LANGUAGE") {
            let language = reader.identifier()?;
            if language != "SQL" {
                return Err(Failure::unsupported(&format!("{} in LANGUAGE {language}", routine.kind.word())));
            }
        } else if reader.eat("COMMENT") {
            reader.eat_token(&Token::Eq);
            routine.comment = Some(reader.string()?);
        } else if reader.eat("EXECUTE AS") {
            routine.rights = rights(reader)?;
        } else if let Some(clause) = reader.eat_one_of(&REFUSED) {
            return Err(Failure::unsupported(&format!("{} … {clause}", routine.kind.word())));
        } else if reader.eat_one_of(&["STRICT", "RETURNS NULL ON NULL INPUT"]).is_some() {
            routine.strict = true;
        } else if reader.eat("MEMOIZABLE") {
            routine.memoizable = true;
        } else if reader.eat("AS") {
            routine.body = body(reader)?;
            return Ok(());
        } else if reader.eat_one_of(&["CALLED ON NULL INPUT", "VOLATILE", "IMMUTABLE", "NOT NULL", "NULL"]).is_none() {
            return Err(reader.unexpected());
        }
    }
}

/// A text, or the block itself.
fn body(reader: &mut Reader<'_>) -> Result<String, Failure> {
    if reader.at("BEGIN") || reader.at("DECLARE") {
        return Ok(reader.rest_text());
    }
    reader.string()
}

fn rights(reader: &mut Reader<'_>) -> Result<Rights, Failure> {
    match reader.eat_one_of(&["OWNER", "CALLER", "RESTRICTED CALLER"]) {
        Some("OWNER") => Ok(Rights::Owner),
        Some("CALLER") => Ok(Rights::Caller),
        Some(other) => Err(Failure::unsupported(&format!("EXECUTE AS {other}"))),
        None => Err(reader.unexpected()),
    }
}

/// A routine that a text names: `'f(NUMBER, VARCHAR)'`.
pub fn routine_in_text(text: &str) -> Result<(ObjectName, Vec<DataType>), Failure> {
    let source = SourceStatement { text: text.to_owned(), line: 1, position: 0 };
    let mut reader = Reader::new(tokenize(&source)?, &source, 1);
    let named = name_with_types(&mut reader)?;
    reader.expect_end()?;
    Ok(named)
}

/// `name(NUMBER, VARCHAR)`.
pub(super) fn name_with_types(reader: &mut Reader<'_>) -> Result<(ObjectName, Vec<DataType>), Failure> {
    let name = reader.object_name()?;
    reader.expect_token(&Token::LParen)?;
    let mut types = Vec::new();
    while !reader.eat_token(&Token::RParen) {
        types.push(read_type(reader)?);
        if !reader.eat_token(&Token::Comma) {
            reader.expect_token(&Token::RParen)?;
            break;
        }
    }
    Ok((name, types))
}

/// A policy or tag is named without types.
pub(super) fn name_of_kind(reader: &mut Reader<'_>, kind: RoutineKind) -> Result<(ObjectName, Vec<DataType>), Failure> {
    if kind.is_overloaded() { name_with_types(reader) } else { Ok((reader.object_name()?, Vec::new())) }
}

pub(super) fn drop(reader: &mut Reader<'_>, kind: RoutineKind) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let (name, types) = name_of_kind(reader, kind)?;
    Ok(Command::Ddl(Ddl::DropRoutine { kind, name, types, if_missing }))
}

pub(super) fn alter(reader: &mut Reader<'_>, kind: RoutineKind) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let (name, types) = name_of_kind(reader, kind)?;
    let of_tag = if kind == RoutineKind::Tag { tags::alter(reader)? } else { None };
    let change = if let Some(change) = of_tag {
        change
    } else if reader.eat("RENAME TO") {
        RoutineChange::Rename(reader.object_name()?)
    } else if kind.is_policy() && reader.eat("SET BODY") {
        RoutineChange::SetBody(policies::body(reader)?, Vec::new())
    } else if reader.eat("EXECUTE AS") {
        RoutineChange::SetRights(rights(reader)?)
    } else if reader.eat("UNSET COMMENT") {
        RoutineChange::SetComment(None)
    } else if reader.eat("UNSET SECURE") {
        RoutineChange::SetSecure(false)
    } else {
        reader.expect("SET")?;
        if reader.eat("SECURE") {
            RoutineChange::SetSecure(true)
        } else {
            reader.expect("COMMENT")?;
            reader.expect_token(&Token::Eq)?;
            RoutineChange::SetComment(Some(reader.string()?))
        }
    };
    Ok(Command::Ddl(Ddl::AlterRoutine { kind, name, types, if_missing, change }))
}
