//! CREATE and ALTER TAG, and where objects get values for tags.

use sqlparser::tokenizer::Token;

use super::grants::{granted_kind, granted_name};
use super::{Modifiers, Reader, if_exists};
use crate::Failure;
use crate::command::routine::{Returns, Routine, RoutineChange, RoutineKind};
use crate::command::{
    AccountCommand, Command, CreateMode, Ddl, GrantedKind, GrantedName, IfMissing, PolicyChange, PolicyUse,
    StageCommand, TagChange, TagCommand, TagDefinition, TagTarget, TagUse,
};
use crate::data_types::DataType;
use crate::privileges::SecurableKind;
use crate::semantic_views::SemanticViewCommand;

const ALLOWED_VALUES_MAX: usize = 300;
const VALUE_CHARS_MAX: usize = 256;

/// `name [ALLOWED_VALUES 'a', 'b'] [COMMENT = '…']`.
pub(super) fn create(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("TAG", &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.object_name()?;
    let mut tag = TagDefinition::default();
    let mut comment = None;
    while !reader.at_end() {
        if reader.eat("ALLOWED_VALUES") {
            tag.allowed_values = values(reader)?;
        } else if let Some(text) = reader.comment()? {
            comment = Some(text);
        } else {
            return Err(refused_clause(reader, "CREATE TAG"));
        }
    }
    check_allowed_values(&tag.allowed_values)?;
    let returns = Returns::Value(DataType::Varchar { length: None });
    let routine = Routine { comment, tag, ..Routine::new(RoutineKind::Tag, name, Vec::new(), returns) };
    Ok(Command::Ddl(Ddl::CreateRoutine { routine: Box::new(routine), mode, copy_grants: false }))
}

/// What ALTER TAG changes, but for its name and comment.
pub(super) fn alter(reader: &mut Reader<'_>) -> Result<Option<RoutineChange>, Failure> {
    if reader.eat("ADD ALLOWED_VALUES") {
        return Ok(Some(RoutineChange::AddAllowedValues(values(reader)?)));
    }
    if reader.eat("DROP ALLOWED_VALUES") {
        return Ok(Some(RoutineChange::DropAllowedValues(values(reader)?)));
    }
    if reader.eat("UNSET ALLOWED_VALUES") {
        return Ok(Some(RoutineChange::UnsetAllowedValues));
    }
    if reader.eat("SET ALLOWED_VALUES") {
        return Ok(Some(RoutineChange::SetAllowedValues(values(reader)?)));
    }
    if reader.at("SET MASKING POLICY") || reader.at("UNSET MASKING POLICY") {
        let sets = reader.eat_one_of(&["SET", "UNSET"]) == Some("SET");
        let policies = policies(reader)?;
        let force = sets && reader.eat("FORCE");
        return Ok(Some(match sets {
            true => RoutineChange::SetTagPolicies { policies, force, replaced: Vec::new() },
            false => RoutineChange::UnsetTagPolicies(policies),
        }));
    }
    let next = usize::from(reader.at("SET") || reader.at("UNSET"));
    if ["PROPAGATE", "ON_CONFLICT"].iter().any(|word| reader.at_nth(next, word)) {
        return Err(Failure::unsupported("ALTER TAG PROPAGATE"));
    }
    Ok(None)
}

/// `MASKING POLICY a [, MASKING POLICY b …]`.
fn policies(reader: &mut Reader<'_>) -> Result<Vec<PolicyUse>, Failure> {
    let mut policies = Vec::new();
    loop {
        reader.expect("MASKING POLICY")?;
        policies.push(PolicyUse::named(reader.object_name()?));
        if !reader.eat_token(&Token::Comma) {
            return Ok(policies);
        }
    }
}

fn refused_clause(reader: &Reader<'_>, statement: &str) -> Failure {
    match reader.word().as_deref() {
        Some(word @ ("PROPAGATE" | "ON_CONFLICT")) => Failure::unsupported(&format!("{statement} {word}")),
        _ => reader.unexpected(),
    }
}

fn values(reader: &mut Reader<'_>) -> Result<Vec<String>, Failure> {
    reader.eat_token(&Token::Eq);
    let mut values = Vec::new();
    loop {
        values.push(value(reader)?);
        if !reader.eat_token(&Token::Comma) {
            break;
        }
    }
    check_allowed_values(&values)?;
    Ok(values)
}

fn value(reader: &mut Reader<'_>) -> Result<String, Failure> {
    let value = reader.string()?;
    match value.chars().count() > VALUE_CHARS_MAX {
        true => Err(Failure::limit_exceeded("number of characters of a tag's value", VALUE_CHARS_MAX)),
        false => Ok(value),
    }
}

pub fn check_allowed_values(values: &[String]) -> Result<(), Failure> {
    match values.len() > ALLOWED_VALUES_MAX {
        true => Err(Failure::limit_exceeded("number of a tag's allowed values", ALLOWED_VALUES_MAX)),
        false => Ok(()),
    }
}

/// `[WITH] TAG (a = 'v', …)` of a column that is declared.
pub(super) fn of_column(reader: &mut Reader<'_>, column: &str) -> Result<Option<PolicyChange>, Failure> {
    if !reader.at("TAG") && !reader.at("WITH TAG") {
        return Ok(None);
    }
    Ok(Some(PolicyChange::Tags { column: Some(column.to_owned()), changes: clause(reader)? }))
}

/// The reader stands before `[WITH] TAG (`.
fn clause(reader: &mut Reader<'_>) -> Result<Vec<TagChange>, Failure> {
    reader.eat("WITH");
    reader.expect("TAG")?;
    reader.expect_token(&Token::LParen)?;
    let changes = assignments(reader)?;
    reader.expect_token(&Token::RParen)?;
    Ok(changes)
}

fn assignments(reader: &mut Reader<'_>) -> Result<Vec<TagChange>, Failure> {
    let mut changes: Vec<TagChange> = Vec::new();
    loop {
        let place = reader.place();
        let name = reader.object_name()?;
        reader.expect_token(&Token::Eq)?;
        let value = Some(value(reader)?);
        if changes.iter().any(|change| change.tag.name == name) {
            return Err(reader.unexpected_at(place));
        }
        changes.push(TagChange { tag: TagUse { name, reference: None }, value });
        // In ALTER TABLE another column may follow.
        let another = reader.at_token(&Token::Comma) && *reader.peek_nth(1 + name_tokens(reader, 1)) == Token::Eq;
        if !another {
            return Ok(changes);
        }
        reader.advance();
    }
}

/// `SET TAG a = 'v', …` and `UNSET TAG a, …`. `None` for any other change.
pub(super) fn changes(reader: &mut Reader<'_>) -> Result<Option<Vec<TagChange>>, Failure> {
    if reader.eat("SET TAG") {
        return assignments(reader).map(Some);
    }
    if !reader.eat("UNSET TAG") {
        return Ok(None);
    }
    let mut changes = Vec::new();
    loop {
        changes.push(TagChange { tag: TagUse { name: reader.object_name()?, reference: None }, value: None });
        let after = reader.peek_nth(1 + name_tokens(reader, 1));
        let another = reader.at_token(&Token::Comma) && matches!(after, Token::Comma | Token::RParen | Token::EOF);
        if !another {
            return Ok(Some(changes));
        }
        reader.advance();
    }
}

/// How many tokens the name has that begins `distance` tokens from here.
fn name_tokens(reader: &Reader<'_>, distance: usize) -> usize {
    let is_word = |place: usize| matches!(reader.peek_nth(distance + place), Token::Word(_));
    let mut count = 0;
    while is_word(count) {
        count += 1;
        if *reader.peek_nth(distance + count) != Token::Period {
            break;
        }
        count += 1;
    }
    count
}

/// `kind [IF EXISTS] name SET | UNSET TAG …` of kinds that have no other place for it. The reader stands behind ALTER.
pub(super) fn alter_object(reader: &mut Reader<'_>) -> Result<Option<Command>, Failure> {
    if reader.look_ahead(|reader| is_change(reader).then_some(())).is_none() {
        return Ok(None);
    }
    if reader.at("ACCOUNT SET TAG") || reader.at("ACCOUNT UNSET TAG") {
        reader.advance();
        return command(reader, TagTarget::Account, IfMissing::Fail);
    }
    if ["TABLE", "VIEW", "MATERIALIZED VIEW", "SCHEMA", "SESSION"].iter().any(|words| reader.at(words))
        || reader.at("DATABASE") && !reader.at("DATABASE ROLE")
    {
        return Ok(None);
    }
    if reader.eat("NETWORK POLICY") {
        let if_missing = if_exists(reader);
        let name = reader.account_name()?;
        return command(reader, TagTarget::NetworkPolicy(name), if_missing);
    }
    let kind = match granted_kind(reader) {
        GrantedKind::Of(kind) => kind,
        GrantedKind::Unsupported(words) => return Err(Failure::unsupported(&format!("ALTER {words}"))),
        GrantedKind::Relation => return Ok(None),
    };
    if matches!(kind, SecurableKind::Sequence | SecurableKind::FileFormat | SecurableKind::Tag) {
        return Err(Failure::unsupported(&format!("ALTER {} … SET TAG", kind.words())));
    }
    let if_missing = if_exists(reader);
    let name = granted_name(reader, GrantedKind::Of(kind))?;
    command(reader, TagTarget::Object { kind, name }, if_missing)
}

fn is_change(reader: &Reader<'_>) -> bool {
    reader.at("SET TAG") || reader.at("UNSET TAG")
}

fn command(reader: &mut Reader<'_>, target: TagTarget, if_missing: IfMissing) -> Result<Option<Command>, Failure> {
    let changes = changes(reader)?.ok_or_else(|| reader.unexpected())?;
    Ok(Some(Command::Tags(Box::new(TagCommand { create: None, target, if_missing, changes }))))
}

/// Takes the TAG clause out of a CREATE statement, wherever among its clauses it is.
pub(super) fn take_clause(reader: &mut Reader<'_>) -> Result<Vec<TagChange>, Failure> {
    let mut depth = 0_usize;
    let found = reader.look_ahead(|reader| {
        match reader.peek() {
            Token::LParen => depth += 1,
            Token::RParen => depth = depth.saturating_sub(1),
            _ if depth > 0 => {}
            _ if reader.at("AS") => return Some(false),
            _ if is_clause(reader, 0) => return Some(true),
            _ => {}
        }
        None
    });
    let Some((place, true)) = found else { return Ok(Vec::new()) };
    let start = if place > 0 && reader.at_nth(place - 1, "WITH") { place - 1 } else { place };
    let mut end = place;
    while !matches!(reader.peek_nth(end), Token::RParen | Token::EOF) {
        end += 1;
    }
    let mut taken = reader.take(start, end + 1);
    let changes = clause(&mut taken)?;
    taken.expect_end()?;
    Ok(changes)
}

/// `TAG (name =`: a table named TAG is followed by columns.
fn is_clause(reader: &Reader<'_>, place: usize) -> bool {
    reader.at_nth(place, "TAG")
        && *reader.peek_nth(place + 1) == Token::LParen
        && *reader.peek_nth(place + 2 + name_tokens(reader, place + 2)) == Token::Eq
}

/// The command that creates an object, with the tags that it gets.
pub(super) fn tagged(mut create: Command, changes: Vec<TagChange>) -> Result<Command, Failure> {
    if changes.is_empty() {
        return Ok(create);
    }
    let of_object = |kind, name: &_| TagTarget::Object { kind, name: GrantedName::Object(Clone::clone(name)) };
    let of_account = |kind, name: &String| TagTarget::Object { kind, name: GrantedName::OfAccount(name.clone()) };
    let target = match &mut create {
        Command::Ddl(Ddl::CreateTable(table)) => {
            table.policies.push(PolicyChange::Tags { column: None, changes });
            return Ok(create);
        }
        Command::Ddl(Ddl::CreateView(view)) => {
            view.policies.push(PolicyChange::Tags { column: None, changes });
            return Ok(create);
        }
        Command::Ddl(Ddl::CreateDatabase { tags, .. } | Ddl::CreateSchema { tags, .. }) => {
            *tags = changes;
            return Ok(create);
        }
        Command::Ddl(Ddl::CreateRoutine { routine, .. }) if routine.kind.is_overloaded() => {
            let types = routine.parameters.iter().map(|parameter| parameter.data_type.clone()).collect();
            let kind = match routine.kind {
                RoutineKind::Procedure => SecurableKind::Procedure,
                _ => SecurableKind::Function,
            };
            TagTarget::Object { kind, name: GrantedName::Routine { name: routine.name.clone(), types } }
        }
        Command::Stages(StageCommand::CreateStage(stage)) => of_object(SecurableKind::Stage, &stage.name),
        Command::SemanticViews(SemanticViewCommand::Create { name, .. }) => {
            of_object(SecurableKind::SemanticView, name)
        }
        Command::Account(AccountCommand::CreateUser { name, .. }) => of_account(SecurableKind::User, name),
        Command::Account(AccountCommand::CreateRole { name, .. }) => of_account(SecurableKind::Role, name),
        Command::Account(AccountCommand::CreateWarehouse { name, .. }) => of_account(SecurableKind::Warehouse, name),
        Command::Account(AccountCommand::CreateIntegration { name, .. }) => {
            of_account(SecurableKind::Integration, name)
        }
        Command::Account(AccountCommand::CreateDatabaseRole { name, .. }) => {
            TagTarget::Object { kind: SecurableKind::DatabaseRole, name: GrantedName::DatabaseRole(name.clone()) }
        }
        Command::Account(AccountCommand::CreateNetworkPolicy { name, .. }) => TagTarget::NetworkPolicy(name.clone()),
        _ => return Err(Failure::unsupported("TAG of this kind of object")),
    };
    let if_missing = IfMissing::Fail;
    Ok(Command::Tags(Box::new(TagCommand { create: Some(Box::new(create)), target, if_missing, changes })))
}

impl TagCommand {
    /// Whether an object that is there already is left alone.
    pub fn skips_existing(&self) -> bool {
        let mode = match self.create.as_deref() {
            Some(Command::Ddl(Ddl::CreateRoutine { mode, .. })) => *mode,
            Some(Command::Stages(StageCommand::CreateStage(stage))) => stage.mode,
            Some(Command::SemanticViews(SemanticViewCommand::Create { mode, .. })) => *mode,
            Some(Command::Account(
                AccountCommand::CreateUser { mode, .. }
                | AccountCommand::CreateRole { mode, .. }
                | AccountCommand::CreateWarehouse { mode, .. }
                | AccountCommand::CreateIntegration { mode, .. }
                | AccountCommand::CreateDatabaseRole { mode, .. }
                | AccountCommand::CreateNetworkPolicy { mode, .. },
            )) => *mode,
            _ => CreateMode::New,
        };
        mode == CreateMode::IfNotExists
    }
}
