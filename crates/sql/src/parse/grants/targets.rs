//! What privileges are granted on.

use sqlparser::tokenizer::Token;

use super::super::{Reader, refused, routines};
use crate::Failure;
use crate::command::{Container, GrantTarget, GrantedKind, GrantedName};
use crate::privileges::SecurableKind;
use crate::unsupported::OBJECTS;

/// Words that name a kind, longer ones before those they begin with.
const KINDS: &[(&str, SecurableKind)] = &[
    ("DATABASE ROLE", SecurableKind::DatabaseRole),
    ("DATABASE", SecurableKind::Database),
    ("SCHEMA", SecurableKind::Schema),
    ("MATERIALIZED VIEW", SecurableKind::View),
    ("SEMANTIC VIEW", SecurableKind::SemanticView),
    ("VIEW", SecurableKind::View),
    ("TABLE", SecurableKind::Table),
    ("SEQUENCE", SecurableKind::Sequence),
    ("STAGE", SecurableKind::Stage),
    ("FILE FORMAT", SecurableKind::FileFormat),
    ("FUNCTION", SecurableKind::Function),
    ("PROCEDURE", SecurableKind::Procedure),
    ("MASKING POLICY", SecurableKind::MaskingPolicy),
    ("ROW ACCESS POLICY", SecurableKind::RowAccessPolicy),
    ("PASSWORD POLICY", SecurableKind::PasswordPolicy),
    ("SESSION POLICY", SecurableKind::SessionPolicy),
    ("AUTHENTICATION POLICY", SecurableKind::AuthenticationPolicy),
    ("TAG", SecurableKind::Tag),
    ("USER", SecurableKind::User),
    ("ROLE", SecurableKind::Role),
    ("WAREHOUSE", SecurableKind::Warehouse),
    ("RESOURCE MONITOR", SecurableKind::ResourceMonitor),
    ("NETWORK POLICY", SecurableKind::NetworkPolicy),
    ("SECURITY INTEGRATION", SecurableKind::Integration),
    ("CATALOG INTEGRATION", SecurableKind::Integration),
    ("INTEGRATION", SecurableKind::Integration),
];

/// Kinds of other services that GRANT names and CREATE has under other words.
const UNSUPPORTED: &[&str] = &["DATASET", "EXTERNAL FUNCTION", "HYBRID TABLE", "DATA METRIC FUNCTION", "AGENT"];

pub(super) fn read(reader: &mut Reader<'_>, verb: &str) -> Result<GrantTarget, Failure> {
    if reader.at("ACCOUNT") && !matches!(reader.peek_nth(1), Token::Period) {
        reader.advance();
        return Ok(GrantTarget::Account);
    }
    if let Some(which) = reader.eat_one_of(&["ALL", "FUTURE"]) {
        let kind = plural_kind(reader).ok_or_else(|| refused::kind(reader, &format!("{verb} {which}")))?;
        reader.expect("IN")?;
        let container = container(reader)?;
        return match (which, kind, &container) {
            (_, GrantedKind::Of(SecurableKind::Schema), Container::Schema(_)) => Err(reader.unexpected()),
            ("ALL", ..) => Ok(GrantTarget::All { kind, container }),
            _ => Ok(GrantTarget::Future { kind, container }),
        };
    }
    let kind = granted_kind(reader);
    if let GrantedKind::Unsupported(words) = kind {
        return Err(Failure::unsupported(&format!("{verb} {words}")));
    }
    let mut names = vec![granted_name(reader, kind)?];
    while reader.eat_token(&Token::Comma) {
        names.push(granted_name(reader, kind)?);
    }
    Ok(GrantTarget::Objects { kind, names })
}

/// The kind that comes next; a name without a kind is that of a table or a view.
pub(in crate::parse) fn granted_kind(reader: &mut Reader<'_>) -> GrantedKind {
    // A kind is followed by a name; what is followed by anything else is a name itself.
    let names_kind = |reader: &Reader<'_>, words: &str| {
        let next = words.split(' ').count();
        reader.at(words)
            && matches!(reader.peek_nth(next), Token::Word(_))
            && !reader.at_nth(next, "TO")
            && !reader.at_nth(next, "FROM")
    };
    for words in OBJECTS.iter().chain(UNSUPPORTED) {
        if names_kind(reader, words) {
            reader.eat(words);
            return GrantedKind::Unsupported(words);
        }
    }
    for (words, kind) in KINDS {
        if names_kind(reader, words) {
            reader.eat(words);
            return GrantedKind::Of(*kind);
        }
    }
    GrantedKind::Relation
}

/// The kind of `ALL TABLES` and `FUTURE TABLES`. `None` for words that name no kind.
fn plural_kind(reader: &mut Reader<'_>) -> Option<GrantedKind> {
    for words in OBJECTS.iter().chain(UNSUPPORTED) {
        if reader.eat(&plural(words)) {
            return Some(GrantedKind::Unsupported(words));
        }
    }
    KINDS.iter().find(|(words, _)| reader.eat(&plural(words))).map(|(_, kind)| GrantedKind::Of(*kind))
}

fn plural(words: &str) -> String {
    match words.strip_suffix('Y') {
        Some(stem) => format!("{stem}IES"),
        None => format!("{words}S"),
    }
}

pub(in crate::parse) fn container(reader: &mut Reader<'_>) -> Result<Container, Failure> {
    match reader.eat_one_of(&["SCHEMA", "DATABASE"]) {
        Some("SCHEMA") => Ok(Container::Schema(reader.schema_name()?)),
        Some(_) => Ok(Container::Database(reader.account_name()?)),
        None => Err(reader.unexpected()),
    }
}

pub(in crate::parse) fn granted_name(reader: &mut Reader<'_>, kind: GrantedKind) -> Result<GrantedName, Failure> {
    let GrantedKind::Of(kind) = kind else { return Ok(GrantedName::Object(reader.object_name()?)) };
    Ok(match kind {
        SecurableKind::Function | SecurableKind::Procedure => {
            let (name, types) = routines::name_with_types(reader)?;
            GrantedName::Routine { name, types }
        }
        SecurableKind::Schema => GrantedName::Schema(reader.schema_name()?),
        SecurableKind::DatabaseRole => GrantedName::DatabaseRole(reader.database_role_name()?),
        _ if kind.is_in_schema() => GrantedName::Object(reader.object_name()?),
        _ => GrantedName::OfAccount(reader.account_name()?),
    })
}
