//! Password, session and authentication policies, and where they are set on the account and on users.

use sqlparser::tokenizer::Token;

use super::{Modifiers, Reader, if_exists};
use crate::Failure;
use crate::command::{
    Command, LoginPolicyChange, LoginPolicyCommand, LoginPolicyKind, PolicyHolder, Property, Replacing,
};

/// Properties that firn cannot honour: it has no second factors, no identity providers of its own, and no lists of roles.
const REFUSED: [&str; 11] = [
    "ALLOWED_SECONDARY_ROLES",
    "BLOCKED_SECONDARY_ROLES",
    "CLIENT_POLICY",
    "MFA_AUTHENTICATION_METHODS",
    "MFA_ENROLLMENT",
    "MFA_POLICY",
    "PAT_POLICY",
    "SECURITY_INTEGRATIONS",
    "SESSION_MAX_LIFESPAN_MINS",
    "SESSION_UI_MAX_LIFESPAN_MINS",
    "WORKLOAD_IDENTITY_POLICY",
];

pub(super) fn create(
    reader: &mut Reader<'_>,
    modifiers: &Modifiers,
    kind: LoginPolicyKind,
) -> Result<Command, Failure> {
    modifiers.allow(kind.words(), &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.object_name()?;
    let properties = properties(reader)?;
    Ok(Command::LoginPolicies(LoginPolicyCommand::Create { kind, name, mode, properties }))
}

pub(super) fn alter(reader: &mut Reader<'_>, kind: LoginPolicyKind) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.object_name()?;
    let change = match reader.eat_one_of(&["RENAME TO", "SET", "UNSET"]) {
        Some("RENAME TO") => LoginPolicyChange::Rename(reader.object_name()?),
        Some("SET") if !reader.at_end() => LoginPolicyChange::Set(properties(reader)?),
        Some("SET") => return Err(reader.unexpected()),
        Some(_) => LoginPolicyChange::Unset(reader.unset_names()?),
        None => return Err(reader.unexpected()),
    };
    Ok(Command::LoginPolicies(LoginPolicyCommand::Alter { kind, name, if_missing, change }))
}

pub(super) fn drop(reader: &mut Reader<'_>, kind: LoginPolicyKind) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.object_name()?;
    Ok(Command::LoginPolicies(LoginPolicyCommand::Drop { kind, name, if_missing }))
}

/// Properties up to the end of the statement.
fn properties(reader: &mut Reader<'_>) -> Result<Vec<Property>, Failure> {
    let mut properties = Vec::new();
    while !reader.at_end() {
        if let Some(name) = REFUSED.iter().find(|name| reader.at(name)) {
            return Err(Failure::unsupported(name));
        }
        properties.push(reader.property()?);
        reader.eat_token(&Token::Comma);
    }
    Ok(properties)
}

/// `COMMENT ON PASSWORD POLICY …`.
pub(super) fn comment(
    reader: &mut Reader<'_>,
    kind: LoginPolicyKind,
    if_missing: crate::command::IfMissing,
    is_text: fn(&mut Reader<'_>) -> Result<Property, Failure>,
) -> Result<Command, Failure> {
    let name = reader.object_name()?;
    let change = LoginPolicyChange::Set(vec![is_text(reader)?]);
    Ok(Command::LoginPolicies(LoginPolicyCommand::Alter { kind, name, if_missing, change }))
}

/// Whether SET or UNSET of a policy comes next.
pub(super) fn follows(reader: &Reader<'_>) -> bool {
    kind_behind_verb(reader).is_some()
}

/// `SET PASSWORD POLICY p [FORCE]` and `UNSET PASSWORD POLICY` of the account or a user.
pub(super) fn of_holder(reader: &mut Reader<'_>, holder: PolicyHolder) -> Result<Command, Failure> {
    let kind = kind_behind_verb(reader).ok_or_else(|| reader.unexpected())?;
    let sets = reader.eat("SET");
    if !sets {
        reader.expect("UNSET")?;
    }
    reader.expect(kind.words())?;
    if !sets {
        refuse_user_types(reader)?;
        return Ok(Command::LoginPolicies(LoginPolicyCommand::Detach { kind, holder }));
    }
    let policy = reader.object_name()?;
    refuse_user_types(reader)?;
    let replacing = if reader.eat("FORCE") { Replacing::Forced } else { Replacing::Refused };
    Ok(Command::LoginPolicies(LoginPolicyCommand::Attach { kind, holder, policy, replacing }))
}

fn kind_behind_verb(reader: &Reader<'_>) -> Option<LoginPolicyKind> {
    let has_verb = reader.at("SET") || reader.at("UNSET");
    LoginPolicyKind::EVERY.into_iter().find(|kind| has_verb && reader.at_nth(1, kind.words()))
}

fn refuse_user_types(reader: &Reader<'_>) -> Result<(), Failure> {
    match reader.at("FOR ALL") {
        true => Err(Failure::unsupported("policies FOR ALL PERSON | SERVICE USERS")),
        false => Ok(()),
    }
}
