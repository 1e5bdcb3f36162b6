//! Users and their programmatic access tokens.

use super::{Modifiers, Reader, if_exists, login_policies};
use crate::Failure;
use crate::command::{AccessTokenChange, AccountCommand, Command, PolicyHolder, TokenChange, UserChange};

/// Both spellings of what the token commands act on.
const TOKEN: [&str; 2] = ["PROGRAMMATIC ACCESS TOKEN", "PAT"];

const TOKEN_VERBS: [&str; 4] = ["ADD", "MODIFY", "ROTATE", "REMOVE"];

pub(super) fn create(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("USER", &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.account_name()?;
    reader.eat("WITH");
    let properties = reader.properties()?;
    Ok(Command::Account(AccountCommand::CreateUser { name, mode, properties }))
}

pub(super) fn alter(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let own_token = at_token_command(reader);
    let name = if own_token { None } else { Some(reader.account_name()?) };
    if at_token_command(reader) {
        let change = token_command(reader)?;
        return Ok(Command::Account(AccountCommand::AccessToken { user: name, change }));
    }
    let Some(name) = name else { return Err(reader.unexpected()) };
    if login_policies::follows(reader) {
        return login_policies::of_holder(reader, PolicyHolder::User { name, if_missing });
    }
    let change = match reader.eat_one_of(&["RENAME TO", "SET", "UNSET"]) {
        Some("RENAME TO") => UserChange::Rename(reader.account_name()?),
        Some("SET") => UserChange::Set(reader.some_properties()?),
        Some(_) => UserChange::Unset(reader.unset_names()?),
        None => return Err(other_change(reader)),
    };
    Ok(Command::Account(AccountCommand::AlterUser { name, if_missing, change }))
}

fn other_change(reader: &Reader<'_>) -> Failure {
    let known = ["RESET PASSWORD", "ABORT ALL QUERIES", "ADD DELEGATED", "REMOVE DELEGATED", "ADD MFA", "REMOVE MFA"];
    match known.iter().find(|words| reader.at(words)) {
        Some(words) => Failure::unsupported(&format!("ALTER USER {words}")),
        None => reader.unexpected(),
    }
}

fn at_token_command(reader: &Reader<'_>) -> bool {
    TOKEN_VERBS.iter().any(|verb| reader.at(verb)) && TOKEN.iter().any(|words| reader.at_nth(1, words))
}

fn token_command(reader: &mut Reader<'_>) -> Result<AccessTokenChange, Failure> {
    let verb = reader.eat_one_of(&TOKEN_VERBS);
    reader.eat_one_of(&TOKEN);
    reader.eat("IF EXISTS");
    let name = reader.account_name()?;
    match verb {
        Some("ADD") => Ok(AccessTokenChange::Add { name, properties: reader.properties()? }),
        Some("ROTATE") => Ok(AccessTokenChange::Rotate { name, properties: reader.properties()? }),
        Some("REMOVE") => Ok(AccessTokenChange::Remove { name }),
        _ => Ok(AccessTokenChange::Modify { name, change: token_change(reader)? }),
    }
}

fn token_change(reader: &mut Reader<'_>) -> Result<TokenChange, Failure> {
    match reader.eat_one_of(&["RENAME TO", "SET", "UNSET"]) {
        Some("RENAME TO") => Ok(TokenChange::Rename(reader.account_name()?)),
        Some("SET") => Ok(TokenChange::Set(reader.some_properties()?)),
        Some(_) => Ok(TokenChange::Unset(reader.unset_names()?)),
        None => Err(reader.unexpected()),
    }
}
