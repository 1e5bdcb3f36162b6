//! USE, ALTER SESSION and session variables.

use sqlparser::tokenizer::Token;

use super::Reader;
use crate::build::select;
use crate::command::{Command, PropertyValue, SecondaryRoles, SessionCommand, SetVariables};
use crate::names::SchemaName;
use crate::{Failure, ast};

pub(super) fn read_use(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("USE")?;
    if reader.eat_one_of(&["SECONDARY ROLES", "SECONDARY ROLE"]).is_some() {
        return match reader.eat_one_of(&["ALL", "NONE"]) {
            Some("ALL") => Ok(Command::Session(SessionCommand::UseSecondaryRoles(SecondaryRoles::All))),
            Some(_) => Ok(Command::Session(SessionCommand::UseSecondaryRoles(SecondaryRoles::None))),
            None => Err(Failure::unsupported("USE SECONDARY ROLES of single roles")),
        };
    }
    let command = match reader.eat_one_of(&["DATABASE", "SCHEMA", "WAREHOUSE", "ROLE"]) {
        Some("DATABASE") => SessionCommand::UseDatabase(reader.account_name()?),
        Some("SCHEMA") => SessionCommand::UseSchema(reader.schema_name()?),
        Some("WAREHOUSE") => SessionCommand::UseWarehouse(reader.account_name()?),
        Some(_) => SessionCommand::UseRole(reader.account_name()?),
        None => match reader.schema_name()? {
            SchemaName { database: None, schema } => SessionCommand::UseDatabase(schema),
            name => SessionCommand::UseSchema(name),
        },
    };
    Ok(Command::Session(command))
}

pub(super) fn alter(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    if reader.eat("UNSET") {
        return Ok(Command::Session(SessionCommand::UnsetParameters(reader.unset_names()?)));
    }
    reader.expect("SET")?;
    let mut parameters = Vec::new();
    for property in reader.some_properties()? {
        match property.value {
            PropertyValue::Text(value) => parameters.push((property.name, value)),
            PropertyValue::List(_) | PropertyValue::Null => {
                return Err(Failure::invalid_value(&property.name, "…", "use a string, a number, TRUE or FALSE"));
            }
        }
    }
    Ok(Command::Session(SessionCommand::SetParameters(parameters)))
}

pub(super) fn set(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("SET")?;
    let (names, query) = if reader.at_token(&Token::LParen) {
        let names = reader.column_list()?;
        reader.expect_token(&Token::Eq)?;
        (names, set_list(reader)?)
    } else {
        let name = reader.identifier()?;
        reader.expect_token(&Token::Eq)?;
        (vec![name], select(vec![reader.expression()?])?)
    };
    Ok(Command::SetVariables(SetVariables { names, query }))
}

fn set_list(reader: &mut Reader<'_>) -> Result<Box<ast::Query>, Failure> {
    if matches!(reader.nth_word(1).as_deref(), Some("SELECT" | "WITH")) {
        return reader.query();
    }
    reader.expect_token(&Token::LParen)?;
    let mut values = vec![reader.expression()?];
    while reader.eat_token(&Token::Comma) {
        values.push(reader.expression()?);
    }
    reader.expect_token(&Token::RParen)?;
    select(values)
}

pub(super) fn unset(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("UNSET")?;
    let names = if reader.at_token(&Token::LParen) { reader.column_list()? } else { vec![reader.identifier()?] };
    Ok(Command::Session(SessionCommand::UnsetVariables(names)))
}
