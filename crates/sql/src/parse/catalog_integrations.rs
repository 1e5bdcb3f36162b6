//! CREATE and ALTER CATALOG INTEGRATION, and the clause of CREATE DATABASE that links a database to one.

use sqlparser::tokenizer::Token;

use super::stages::named_options;
use super::{Modifiers, Reader, if_exists};
use crate::Failure;
use crate::command::{AccountCommand, Command, Property, PropertyValue};

pub(super) fn create(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("CATALOG INTEGRATION", &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.account_name()?;
    let mut properties = vec![word("TYPE", "CATALOG")];
    properties.extend(read_properties(reader)?);
    Ok(Command::Account(AccountCommand::CreateIntegration { name, mode, properties }))
}

pub(super) fn alter(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.account_name()?;
    let (set, unset) = match reader.eat_one_of(&["SET", "UNSET"]) {
        Some("SET") => (read_properties(reader)?, Vec::new()),
        Some(_) => (Vec::new(), reader.unset_names()?),
        None => return Err(reader.unexpected()),
    };
    Ok(Command::Account(AccountCommand::AlterIntegration { name, if_missing, set, unset }))
}

fn word(name: &str, value: &str) -> Property {
    Property { name: name.to_owned(), value: PropertyValue::Text(value.to_owned()) }
}

/// The properties of REST_CONFIG and REST_AUTHENTICATION stand beside the others.
fn read_properties(reader: &mut Reader<'_>) -> Result<Vec<Property>, Failure> {
    if reader.at_end() {
        return Err(reader.unexpected());
    }
    let mut properties = Vec::new();
    while !reader.at_end() {
        if reader.at("REST_CONFIG") {
            for property in named_options(reader)? {
                match property.name.as_str() {
                    "CATALOG_URI" | "CATALOG_NAME" => properties.push(property),
                    name => return Err(Failure::unsupported(&format!("REST_CONFIG = ({name} = …)"))),
                }
            }
        } else if reader.at("REST_AUTHENTICATION") {
            // The error does not quote the text: it may be a secret.
            let options = named_options(reader).map_err(|_| {
                Failure::invalid_value("REST_AUTHENTICATION", "****", "write (TYPE = BEARER BEARER_TOKEN = '…')")
            })?;
            for property in options {
                match property.name.as_str() {
                    "TYPE" => properties.push(Property { name: "REST_AUTHENTICATION_TYPE".to_owned(), ..property }),
                    "BEARER_TOKEN" => properties.push(property),
                    name => return Err(Failure::unsupported(&format!("REST_AUTHENTICATION = ({name} = …)"))),
                }
            }
        } else {
            let property = reader.property()?;
            let is_given_apart = ["TYPE", "CATALOG_URI", "CATALOG_NAME", "BEARER_TOKEN", "REST_AUTHENTICATION_TYPE"];
            if is_given_apart.contains(&property.name.as_str()) {
                return Err(Failure::unsupported(&format!("CATALOG INTEGRATION {}", property.name)));
            }
            properties.push(property);
        }
        reader.eat_token(&Token::Comma);
    }
    Ok(properties)
}

/// `LINKED_CATALOG = (CATALOG = 'name', …)`: the name of the integration.
pub(super) fn linked_catalog(reader: &mut Reader<'_>) -> Result<Option<String>, Failure> {
    if !reader.at("LINKED_CATALOG") {
        return Ok(None);
    }
    let mut integration = None;
    for property in named_options(reader)? {
        match (property.name.as_str(), &property.value) {
            ("CATALOG", PropertyValue::Text(name)) => integration = Some(name.clone()),
            ("ALLOWED_WRITE_OPERATIONS", PropertyValue::Text(word)) if word.eq_ignore_ascii_case("NONE") => {}
            ("ALLOWED_WRITE_OPERATIONS", PropertyValue::Text(word)) => {
                return Err(Failure::unsupported(&format!(
                    "ALLOWED_WRITE_OPERATIONS = {word}; linked databases are read only, as NONE says"
                )));
            }
            (name, _) => return Err(Failure::unsupported(&format!("LINKED_CATALOG = ({name} = …)"))),
        }
    }
    let without =
        || Failure::invalid_value("LINKED_CATALOG", "", "give CATALOG = '<the name of a catalog integration>'");
    let integration = integration.ok_or_else(without)?;
    if reader.eat("CATALOG_CASE_SENSITIVITY") {
        reader.expect_token(&Token::Eq)?;
        if !reader.eat("CASE_INSENSITIVE") {
            return Err(Failure::unsupported("CATALOG_CASE_SENSITIVITY other than CASE_INSENSITIVE"));
        }
    }
    Ok(Some(integration))
}
