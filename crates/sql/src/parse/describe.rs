//! DESCRIBE, and COMMENT ON, which have the same kinds of objects.

use super::{Reader, if_exists, kinds, login_policies, refused, routine_kind, routines};
use crate::Failure;
use crate::command::{
    AccountCommand, Command, CommentTarget, ContainerChange, Ddl, Explain, ExplainForm, ExplainedPlan, IfMissing,
    MonitorDefinition, NetworkPolicyChange, ObjectKind, Property, PropertyValue, RoutineChange, TableSource,
    UserChange, WarehouseChange,
};
use crate::names::ObjectName;
use crate::semantic_views::SemanticViewCommand;

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.advance();
    if let Some(kind) = routine_kind(reader) {
        let (name, types) = routines::name_of_kind(reader, kind)?;
        return Ok(Command::DescribeRoutine { kind, name, types });
    }
    if reader.eat("RESULT") {
        return Ok(Command::Describe { kind: ObjectKind::Result, name: result_handle(reader)? });
    }
    if reader.eat("TRANSACTION") {
        let number = reader.integer()?.to_string();
        let name = ObjectName { database: None, schema: None, name: number };
        return Ok(Command::Describe { kind: ObjectKind::Transaction, name });
    }
    let Some(kind) = kinds::read(reader) else { return Err(refused::kind(reader, "DESCRIBE")) };
    let name = match kind {
        ObjectKind::Table
        | ObjectKind::View
        | ObjectKind::SemanticView
        | ObjectKind::Sequence
        | ObjectKind::Stage
        | ObjectKind::FileFormat
        | ObjectKind::LoginPolicy(_) => reader.object_name()?,
        ObjectKind::Schema => {
            let name = reader.schema_name()?;
            ObjectName { database: name.database, schema: None, name: name.schema }
        }
        ObjectKind::Database
        | ObjectKind::User
        | ObjectKind::Warehouse
        | ObjectKind::Integration
        | ObjectKind::NetworkPolicy => bare(reader)?,
        _ => return Err(Failure::unsupported(&format!("DESCRIBE {}", kinds::words(kind)))),
    };
    if kind == ObjectKind::Table && reader.eat("TYPE") {
        reader.expect_token(&sqlparser::tokenizer::Token::Eq)?;
        if reader.at("STAGE") {
            return Err(Failure::unsupported("DESCRIBE TABLE TYPE = STAGE"));
        }
        reader.expect("COLUMNS")?;
    }
    Ok(Command::Describe { kind, name })
}

pub(super) fn explain(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("EXPLAIN")?;
    let plan = if reader.eat("ANALYZE") { ExplainedPlan::Measured } else { ExplainedPlan::Estimated };
    let form = match reader.eat("USING") {
        false => ExplainForm::Tabular,
        true => match reader.eat_one_of(&["TABULAR", "JSON", "TEXT"]) {
            Some("TABULAR") => ExplainForm::Tabular,
            Some("JSON") => ExplainForm::Json,
            Some(_) => ExplainForm::Text,
            None => return Err(reader.unexpected()),
        },
    };
    let word = reader.word().unwrap_or_default();
    if !["", "SELECT", "WITH", "VALUES", "INSERT", "UPDATE", "DELETE", "MERGE", "CREATE"].contains(&word.as_str()) {
        return Err(Failure::unsupported(&format!("EXPLAIN {word}")));
    }
    match super::command(reader)? {
        command if plan == ExplainedPlan::Measured && !matches!(command, Command::Query(_)) => {
            Err(Failure::unsupported("EXPLAIN ANALYZE of anything but a query, which would change data"))
        }
        Command::Ddl(Ddl::CreateTable(table)) if !matches!(table.source, TableSource::Query(_)) => {
            Err(Failure::unsupported("EXPLAIN CREATE TABLE without AS"))
        }
        command @ (Command::Query(_) | Command::Dml(_) | Command::Ddl(Ddl::CreateTable(_))) => {
            Ok(Command::Explain(Explain { form, plan, command: Box::new(command) }))
        }
        Command::InsertMany(_) => Err(Failure::unsupported("EXPLAIN INSERT ALL | FIRST")),
        _ => Err(Failure::unsupported(&format!("EXPLAIN {word}"))),
    }
}

/// A statement's handle; no name stands for LAST_QUERY_ID().
fn result_handle(reader: &mut Reader<'_>) -> Result<ObjectName, Failure> {
    let mut handle = String::new();
    if reader.eat("LAST_QUERY_ID") {
        reader.expect_token(&sqlparser::tokenizer::Token::LParen)?;
        reader.expect_token(&sqlparser::tokenizer::Token::RParen)?;
    } else {
        handle = reader.string()?;
    }
    Ok(ObjectName { database: None, schema: None, name: handle })
}

/// The name of an object of the account, without a database or schema.
fn bare(reader: &mut Reader<'_>) -> Result<ObjectName, Failure> {
    Ok(ObjectName { database: None, schema: None, name: reader.account_name()? })
}

pub(super) fn comment_on(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("COMMENT")?;
    let if_missing = if_exists(reader);
    reader.expect("ON")?;
    if reader.eat("COLUMN") {
        let target = column(reader)?;
        return Ok(Command::Ddl(Ddl::Comment { target, if_missing, comment: is_text(reader)? }));
    }
    if let Some(kind) = routine_kind(reader) {
        let (name, types) = routines::name_of_kind(reader, kind)?;
        let change = RoutineChange::SetComment(Some(is_text(reader)?));
        return Ok(Command::Ddl(Ddl::AlterRoutine { kind, name, types, if_missing, change }));
    }
    let Some(kind) = kinds::read(reader) else { return Err(refused::kind(reader, "COMMENT ON")) };
    let target = match kind {
        ObjectKind::Database => CommentTarget::Database(reader.account_name()?),
        ObjectKind::Schema => CommentTarget::Schema(reader.schema_name()?),
        ObjectKind::Table | ObjectKind::View | ObjectKind::Sequence => {
            CommentTarget::Object { kind, name: reader.object_name()? }
        }
        ObjectKind::SemanticView => {
            let name = reader.object_name()?;
            let comment = Some(is_text(reader)?);
            return Ok(Command::SemanticViews(SemanticViewCommand::SetComment { name, if_missing, comment }));
        }
        ObjectKind::LoginPolicy(kind) => return login_policies::comment(reader, kind, if_missing, is_property),
        ObjectKind::Stage | ObjectKind::FileFormat => {
            let name = reader.object_name()?;
            return Ok(Command::Stages(super::stages::comment(kind, name, if_missing, is_text(reader)?)));
        }
        _ => {
            let name = reader.account_name()?;
            let comment = is_text(reader)?;
            return Ok(Command::Account(account_comment(kind, name, if_missing, comment)));
        }
    };
    Ok(Command::Ddl(Ddl::Comment { target, if_missing, comment: is_text(reader)? }))
}

fn is_property(reader: &mut Reader<'_>) -> Result<Property, Failure> {
    Ok(Property { name: "COMMENT".to_owned(), value: PropertyValue::Text(is_text(reader)?) })
}

fn is_text(reader: &mut Reader<'_>) -> Result<String, Failure> {
    reader.expect("IS")?;
    reader.string()
}

fn column(reader: &mut Reader<'_>) -> Result<CommentTarget, Failure> {
    let place = reader.place();
    let mut parts = reader.name_parts()?;
    let column = parts.pop();
    match (column, ObjectName::of_parts(parts)) {
        (Some(column), Some(table)) => Ok(CommentTarget::Column { table, column }),
        _ => Err(reader.unexpected_at(place)),
    }
}

fn account_comment(kind: ObjectKind, name: String, if_missing: IfMissing, comment: String) -> AccountCommand {
    let property = || Property { name: "COMMENT".to_owned(), value: PropertyValue::Text(comment.clone()) };
    match kind {
        ObjectKind::User => AccountCommand::AlterUser { name, if_missing, change: UserChange::Set(vec![property()]) },
        ObjectKind::Role => {
            AccountCommand::AlterRole { name, if_missing, change: ContainerChange::SetComment(Some(comment.clone())) }
        }
        ObjectKind::Warehouse => {
            AccountCommand::AlterWarehouse { name, if_missing, change: WarehouseChange::Set(vec![property()]) }
        }
        ObjectKind::NetworkPolicy => {
            AccountCommand::AlterNetworkPolicy { name, if_missing, change: NetworkPolicyChange::Set(vec![property()]) }
        }
        ObjectKind::ResourceMonitor => {
            let definition = MonitorDefinition { properties: vec![property()], triggers: None };
            AccountCommand::AlterResourceMonitor { name, if_missing, definition }
        }
        _ => AccountCommand::AlterIntegration { name, if_missing, set: vec![property()], unset: Vec::new() },
    }
}
