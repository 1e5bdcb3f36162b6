//! CREATE and ALTER RESOURCE MONITOR.

use sqlparser::tokenizer::Token;

use super::{Modifiers, Reader, if_exists};
use crate::Failure;
use crate::command::{AccountCommand, Command, MonitorAction, MonitorDefinition, MonitorTrigger};

pub(super) fn create(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("RESOURCE MONITOR", &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.account_name()?;
    reader.eat("WITH");
    let definition = definition(reader)?;
    Ok(Command::Account(AccountCommand::CreateResourceMonitor { name, mode, definition }))
}

/// `[SET property …] [TRIGGERS …]`, one of the two at least.
pub(super) fn alter(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.account_name()?;
    let sets = reader.eat("SET");
    if sets == reader.at("TRIGGERS") {
        return Err(reader.unexpected());
    }
    let definition = definition(reader)?;
    Ok(Command::Account(AccountCommand::AlterResourceMonitor { name, if_missing, definition }))
}

fn definition(reader: &mut Reader<'_>) -> Result<MonitorDefinition, Failure> {
    let mut properties = Vec::new();
    while !reader.at_end() && !reader.at("TRIGGERS") {
        properties.push(reader.property()?);
        reader.eat_token(&Token::Comma);
    }
    let triggers = if reader.eat("TRIGGERS") { Some(triggers(reader)?) } else { None };
    Ok(MonitorDefinition { properties, triggers })
}

fn triggers(reader: &mut Reader<'_>) -> Result<Vec<MonitorTrigger>, Failure> {
    let mut triggers = Vec::new();
    while triggers.is_empty() || !reader.at_end() {
        reader.expect("ON")?;
        let place = reader.place();
        let percent = u32::try_from(reader.integer()?).map_err(|_| reader.unexpected_at(place))?;
        reader.expect("PERCENT DO")?;
        let action = MonitorAction::EVERY.into_iter().find(|action| reader.eat(action.word()));
        triggers.push(MonitorTrigger { percent, action: action.ok_or_else(|| reader.unexpected())? });
    }
    Ok(triggers)
}
