//! GRANT and REVOKE: roles, privileges and ownership.

mod targets;

use sqlparser::tokenizer::Token;

use super::Reader;
use crate::Failure;
use crate::command::{
    AccessCommand, AccountCommand, Command, CurrentGrants, GrantVerb, Grantee, OwnershipChange, PrivilegeChange,
    Privileges, RevokeMode,
};
use crate::privileges::Privilege;

pub(super) use targets::{container, granted_kind, granted_name};

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let granting = reader.eat("GRANT");
    if !granting {
        reader.expect("REVOKE")?;
    }
    let verb = if granting { "GRANT" } else { "REVOKE" };
    if let Some(unsupported) = reader.eat_one_of(&["APPLICATION ROLE", "CALLER", "ALL CALLER PRIVILEGES", "INHERITED"])
    {
        return Err(Failure::unsupported(&format!("{verb} {unsupported}")));
    }
    if reader.eat("DATABASE ROLE") {
        return database_role(reader, granting);
    }
    if reader.eat("ROLE") {
        return role(reader, granting);
    }
    if granting && reader.eat("OWNERSHIP ON") {
        return ownership(reader);
    }
    privileges(reader, granting)
}

fn role(reader: &mut Reader<'_>, granting: bool) -> Result<Command, Failure> {
    let role = reader.account_name()?;
    reader.expect(if granting { "TO" } else { "FROM" })?;
    let grantee = grantee(reader)?;
    Ok(Command::Account(match granting {
        true => AccountCommand::GrantRole { role, to: grantee },
        false => AccountCommand::RevokeRole { role, from: grantee },
    }))
}

fn database_role(reader: &mut Reader<'_>, granting: bool) -> Result<Command, Failure> {
    let role = reader.database_role_name()?;
    reader.expect(if granting { "TO" } else { "FROM" })?;
    let grantee = grantee(reader)?;
    Ok(Command::Account(match granting {
        true => AccountCommand::GrantDatabaseRole { role, to: grantee },
        false => AccountCommand::RevokeDatabaseRole { role, from: grantee },
    }))
}

/// `ROLE r`, `DATABASE ROLE d.r` or `USER u`; a name alone is that of a role.
pub(super) fn grantee(reader: &mut Reader<'_>) -> Result<Grantee, Failure> {
    for kind in ["SHARE", "APPLICATION ROLE", "APPLICATION"] {
        if reader.at(kind) && matches!(reader.peek_nth(kind.split(' ').count()), Token::Word(_)) {
            return Err(Failure::unsupported(&format!("grants to {kind}")));
        }
    }
    match reader.eat_one_of(&["DATABASE ROLE", "USER", "ROLE"]) {
        Some("DATABASE ROLE") => Ok(Grantee::DatabaseRole(reader.database_role_name()?)),
        Some("USER") => Ok(Grantee::User(reader.account_name()?)),
        _ => Ok(Grantee::Role(reader.account_name()?)),
    }
}

fn ownership(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let target = targets::read(reader, "GRANT OWNERSHIP ON")?;
    reader.expect("TO")?;
    let grantee = grantee(reader)?;
    let current_grants = match reader.eat_one_of(&["REVOKE CURRENT GRANTS", "COPY CURRENT GRANTS"]) {
        Some("COPY CURRENT GRANTS") => CurrentGrants::Copy,
        Some(_) => CurrentGrants::Revoke,
        None => CurrentGrants::Refuse,
    };
    Ok(Command::Access(AccessCommand::Ownership(OwnershipChange { target, grantee, current_grants })))
}

fn privileges(reader: &mut Reader<'_>, granting: bool) -> Result<Command, Failure> {
    let only_option = !granting && reader.eat("GRANT OPTION FOR");
    let verb = if granting { "GRANT" } else { "REVOKE" };
    let privileges = privilege_list(reader, verb)?;
    reader.expect("ON")?;
    let target = targets::read(reader, &format!("{verb} ON"))?;
    reader.expect(if granting { "TO" } else { "FROM" })?;
    let grantee = grantee(reader)?;
    let verb = match (granting, only_option) {
        (true, _) if reader.eat("WITH GRANT OPTION") => GrantVerb::GrantWithOption,
        (true, _) => GrantVerb::Grant,
        (false, true) => GrantVerb::RevokeOption(revoke_mode(reader)),
        (false, false) => GrantVerb::Revoke(revoke_mode(reader)),
    };
    Ok(Command::Access(AccessCommand::Privileges(PrivilegeChange { verb, privileges, target, grantee })))
}

fn revoke_mode(reader: &mut Reader<'_>) -> RevokeMode {
    match reader.eat_one_of(&["CASCADE", "RESTRICT"]) {
        Some("CASCADE") => RevokeMode::Cascade,
        _ => RevokeMode::Restrict,
    }
}

fn privilege_list(reader: &mut Reader<'_>, verb: &str) -> Result<Privileges, Failure> {
    if reader.eat("ALL") {
        reader.eat("PRIVILEGES");
        return Ok(Privileges::All);
    }
    let mut listed = vec![privilege(reader, verb)?];
    while reader.eat_token(&Token::Comma) {
        listed.push(privilege(reader, verb)?);
    }
    Ok(Privileges::Listed(listed))
}

/// All words up to ON or a comma. A privilege on what the server does not have is refused by name, and any other word is none.
fn privilege(reader: &mut Reader<'_>, verb: &str) -> Result<Privilege, Failure> {
    let place = reader.place();
    let mut words = Vec::new();
    while let Some(word) = reader.word().filter(|word| word != "ON") {
        words.push(word);
        reader.advance();
    }
    let complete = reader.at("ON") || reader.at_token(&Token::Comma);
    if words.is_empty() || !complete {
        return Err(reader.unexpected());
    }
    let begins_one = |privilege: &Privilege| privilege.words().split(' ').next() == words.first().map(String::as_str);
    let is_like_one = Privilege::EVERY.iter().any(begins_one);
    let words = words.join(" ");
    match Privilege::of_words(&words) {
        Some(Privilege::Ownership) if verb == "GRANT" => Err(reader.unexpected_at(place)),
        Some(privilege) => Ok(privilege),
        None if is_like_one => Err(Failure::unsupported(&format!("{verb} {words}"))),
        None => Err(reader.unexpected_at(place)),
    }
}
