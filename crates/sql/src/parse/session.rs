//! USE and ALTER SESSION.

use super::Reader;
use crate::Failure;
use crate::command::{Command, PropertyValue, SessionCommand};
use crate::names::SchemaName;

pub(super) fn read_use(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("USE")?;
    if reader.at("SECONDARY ROLES") || reader.at("SECONDARY ROLE") {
        return Err(Failure::unsupported("USE SECONDARY ROLES"));
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
