//! DESCRIBE, and COMMENT ON, which speak of the same kinds of objects.

use super::{Reader, if_exists, refused};
use crate::Failure;
use crate::command::{
    AccountCommand, Command, CommentTarget, ContainerChange, Ddl, IfMissing, ObjectKind, Property, PropertyValue,
    UserChange, WarehouseChange,
};
use crate::names::ObjectName;

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.advance();
    let kinds = [
        "TABLE",
        "VIEW",
        "SEQUENCE",
        "SCHEMA",
        "DATABASE",
        "USER",
        "ROLE",
        "WAREHOUSE",
        "SECURITY INTEGRATION",
        "INTEGRATION",
    ];
    let (kind, name) = match reader.eat_one_of(&kinds) {
        Some("TABLE") => (ObjectKind::Table, reader.object_name()?),
        Some("VIEW") => (ObjectKind::View, reader.object_name()?),
        Some("SEQUENCE") => (ObjectKind::Sequence, reader.object_name()?),
        Some("SCHEMA") => {
            let name = reader.schema_name()?;
            (ObjectKind::Schema, ObjectName { database: name.database, schema: None, name: name.schema })
        }
        Some("DATABASE") => (ObjectKind::Database, bare(reader)?),
        Some("USER") => (ObjectKind::User, bare(reader)?),
        Some("WAREHOUSE") => (ObjectKind::Warehouse, bare(reader)?),
        Some("SECURITY INTEGRATION" | "INTEGRATION") => (ObjectKind::Integration, bare(reader)?),
        Some(kind) => return Err(Failure::unsupported(&format!("DESCRIBE {kind}"))),
        None => return Err(refused::kind(reader, "DESCRIBE")),
    };
    if kind == ObjectKind::Table && reader.eat("TYPE") {
        reader.expect_token(&sqlparser::tokenizer::Token::Eq)?;
        reader.expect("COLUMNS")?;
    }
    Ok(Command::Describe { kind, name })
}

/// The name of an object of the account, without a database or schema.
fn bare(reader: &mut Reader<'_>) -> Result<ObjectName, Failure> {
    Ok(ObjectName { database: None, schema: None, name: reader.account_name()? })
}

pub(super) fn comment_on(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("COMMENT")?;
    let if_missing = if_exists(reader);
    reader.expect("ON")?;
    let kinds =
        ["DATABASE", "SCHEMA", "TABLE", "VIEW", "SEQUENCE", "COLUMN", "USER", "ROLE", "WAREHOUSE", "INTEGRATION"];
    let target = match reader.eat_one_of(&kinds) {
        Some("DATABASE") => CommentTarget::Database(reader.account_name()?),
        Some("SCHEMA") => CommentTarget::Schema(reader.schema_name()?),
        Some("TABLE") => CommentTarget::Object { kind: ObjectKind::Table, name: reader.object_name()? },
        Some("VIEW") => CommentTarget::Object { kind: ObjectKind::View, name: reader.object_name()? },
        Some("SEQUENCE") => CommentTarget::Object { kind: ObjectKind::Sequence, name: reader.object_name()? },
        Some("COLUMN") => column(reader)?,
        Some(kind) => {
            let name = reader.account_name()?;
            let comment = is_text(reader)?;
            return Ok(Command::Account(account_comment(kind, name, if_missing, comment)));
        }
        None => return Err(refused::kind(reader, "COMMENT ON")),
    };
    let comment = is_text(reader)?;
    Ok(Command::Ddl(Ddl::Comment { target, if_missing, comment }))
}

fn is_text(reader: &mut Reader<'_>) -> Result<String, Failure> {
    reader.expect("IS")?;
    reader.string()
}

fn column(reader: &mut Reader<'_>) -> Result<CommentTarget, Failure> {
    let place = reader.place();
    let mut parts = reader.name_parts()?;
    let column = parts.pop();
    match (column, super::names::object_name_of(parts)) {
        (Some(column), Some(table)) => Ok(CommentTarget::Column { table, column }),
        _ => Err(reader.unexpected_at(place)),
    }
}

fn account_comment(kind: &str, name: String, if_missing: IfMissing, comment: String) -> AccountCommand {
    let property = || Property { name: "COMMENT".to_owned(), value: PropertyValue::Text(comment.clone()) };
    match kind {
        "USER" => AccountCommand::AlterUser { name, if_missing, change: UserChange::Set(vec![property()]) },
        "ROLE" => {
            AccountCommand::AlterRole { name, if_missing, change: ContainerChange::SetComment(Some(comment.clone())) }
        }
        "WAREHOUSE" => {
            AccountCommand::AlterWarehouse { name, if_missing, change: WarehouseChange::Set(vec![property()]) }
        }
        _ => AccountCommand::AlterIntegration { name, if_missing, set: vec![property()], unset: Vec::new() },
    }
}
