//! GRANT and REVOKE: roles and ownership. Other privileges are refused by name.

use sqlparser::tokenizer::Token;

use super::{Reader, kinds};
use crate::Failure;
use crate::command::{AccountCommand, Command, Ddl, Grantee, ObjectKind, OwnershipTarget};

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let granting = reader.eat("GRANT");
    if !granting {
        reader.expect("REVOKE")?;
    }
    if reader.eat("ROLE") {
        return if granting { grant_role(reader) } else { revoke_role(reader) };
    }
    for kind in ["DATABASE ROLE", "APPLICATION ROLE"] {
        if reader.at(kind) {
            return Err(Failure::unsupported(&format!("{} {kind}", if granting { "GRANT" } else { "REVOKE" })));
        }
    }
    if granting && reader.eat("OWNERSHIP ON") {
        return grant_ownership(reader);
    }
    Err(other_privilege(reader, if granting { "GRANT" } else { "REVOKE" }))
}

fn grant_role(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let role = reader.account_name()?;
    reader.expect("TO")?;
    Ok(Command::Account(AccountCommand::GrantRole { role, to: grantee(reader)? }))
}

fn revoke_role(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let role = reader.account_name()?;
    reader.expect("FROM")?;
    Ok(Command::Account(AccountCommand::RevokeRole { role, from: grantee(reader)? }))
}

fn grantee(reader: &mut Reader<'_>) -> Result<Grantee, Failure> {
    match reader.eat_one_of(&["USER", "ROLE"]) {
        Some("USER") => Ok(Grantee::User(reader.account_name()?)),
        Some(_) => Ok(Grantee::Role(reader.account_name()?)),
        None => Err(reader.unexpected()),
    }
}

fn grant_ownership(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let word = reader.word();
    let target = match kinds::read(reader) {
        Some(ObjectKind::Database) => OwnershipTarget::Database(reader.account_name()?),
        Some(ObjectKind::Schema) => OwnershipTarget::Schema(reader.schema_name()?),
        Some(kind @ (ObjectKind::Table | ObjectKind::View | ObjectKind::Sequence)) => {
            OwnershipTarget::Object { kind, name: reader.object_name()? }
        }
        Some(kind) => return Err(Failure::unsupported(&format!("GRANT OWNERSHIP ON {}", kinds::words(kind)))),
        None => {
            let kind = word.ok_or_else(|| reader.unexpected())?;
            return Err(Failure::unsupported(&format!("GRANT OWNERSHIP ON {kind}")));
        }
    };
    reader.expect("TO ROLE")?;
    let role = reader.account_name()?;
    reader.eat_one_of(&["REVOKE CURRENT GRANTS", "COPY CURRENT GRANTS"]);
    Ok(Command::Ddl(Ddl::GrantOwnership { target, role }))
}

/// Names the privilege: all words up to ON, TO, FROM or a comma.
fn other_privilege(reader: &mut Reader<'_>, verb: &str) -> Failure {
    reader.eat("GRANT OPTION FOR");
    let mut privilege = Vec::new();
    while let Some(word) = reader.word().filter(|word| !["ON", "TO", "FROM"].contains(&word.as_str())) {
        privilege.push(word);
        reader.advance();
    }
    let complete = reader.at("ON") || reader.at("TO") || reader.at("FROM") || reader.at_token(&Token::Comma);
    if privilege.is_empty() || !complete {
        return reader.unexpected();
    }
    Failure::unsupported(&format!("{verb} {}", privilege.join(" ")))
}
