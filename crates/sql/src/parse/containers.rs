//! CREATE, ALTER and DROP of databases and schemas.

use super::{Modifiers, Reader, if_exists};
use crate::Failure;
use crate::command::{Command, ContainerChange, Ddl, PropertyValue};

/// Options that change nothing here.
const ACCEPTED_OPTIONS: [&str; 9] = [
    "DATA_RETENTION_TIME_IN_DAYS",
    "MAX_DATA_EXTENSION_TIME_IN_DAYS",
    "DEFAULT_DDL_COLLATION",
    "LOG_LEVEL",
    "TRACE_LEVEL",
    "METRIC_LEVEL",
    "SUSPEND_TASK_AFTER_NUM_FAILURES",
    "USER_TASK_TIMEOUT_MS",
    "QUOTED_IDENTIFIERS_IGNORE_CASE",
];

pub(super) fn create_database(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("DATABASE", &["TRANSIENT"])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.account_name()?;
    if reader.at("FROM") || reader.at("AS") {
        return Err(Failure::unsupported("CREATE DATABASE FROM a share or replica"));
    }
    let clone_of = if reader.eat("CLONE") { Some(reader.account_name()?) } else { None };
    let comment = container_options(reader, "DATABASE")?;
    Ok(Command::Ddl(Ddl::CreateDatabase { name, mode, clone_of, comment }))
}

pub(super) fn create_schema(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("SCHEMA", &["TRANSIENT"])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.schema_name()?;
    let clone_of = if reader.eat("CLONE") { Some(reader.schema_name()?) } else { None };
    reader.eat("WITH MANAGED ACCESS");
    let comment = container_options(reader, "SCHEMA")?;
    Ok(Command::Ddl(Ddl::CreateSchema { name, mode, clone_of, comment }))
}

fn container_options(reader: &mut Reader<'_>, kind: &str) -> Result<Option<String>, Failure> {
    if reader.at("AT") || reader.at("BEFORE") {
        return Err(Failure::unsupported("AT | BEFORE"));
    }
    let mut comment = None;
    for property in reader.properties()? {
        match (property.name.as_str(), property.value) {
            ("COMMENT", PropertyValue::Text(text)) => comment = Some(text),
            (name, _) if ACCEPTED_OPTIONS.contains(&name) => {}
            (name, _) => return Err(Failure::unsupported(&format!("CREATE {kind} {name}"))),
        }
    }
    Ok(comment)
}

pub(super) fn alter_database(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.account_name()?;
    let change = container_change(reader, "ALTER DATABASE")?;
    Ok(Command::Ddl(Ddl::AlterDatabase { name, if_missing, change }))
}

pub(super) fn alter_schema(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.schema_name()?;
    let change = if reader.eat("RENAME TO") {
        let renamed = reader.schema_name()?;
        if renamed.database.is_some() && renamed.database != name.database {
            return Err(Failure::unsupported("ALTER SCHEMA RENAME TO another database"));
        }
        ContainerChange::Rename(renamed.schema)
    } else {
        container_change(reader, "ALTER SCHEMA")?
    };
    Ok(Command::Ddl(Ddl::AlterSchema { name, if_missing, change }))
}

/// RENAME TO, and SET or UNSET of the comment: all that databases, schemas and roles can change.
pub(super) fn container_change(reader: &mut Reader<'_>, statement: &str) -> Result<ContainerChange, Failure> {
    if reader.eat("RENAME TO") {
        return Ok(ContainerChange::Rename(reader.account_name()?));
    }
    let change = if reader.eat("SET") {
        reader.comment()?.map(|comment| ContainerChange::SetComment(Some(comment)))
    } else if reader.eat("UNSET") {
        reader.eat("COMMENT").then_some(ContainerChange::SetComment(None))
    } else {
        None
    };
    match (change, reader.word()) {
        (Some(change), None) => Ok(change),
        (_, Some(word)) => Err(Failure::unsupported(&format!("{statement} {word}"))),
        (None, None) => Err(reader.unexpected()),
    }
}

pub(super) fn drop_database(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.account_name()?;
    reader.eat_one_of(&["CASCADE", "RESTRICT"]);
    Ok(Command::Ddl(Ddl::DropDatabase { name, if_missing }))
}

pub(super) fn drop_schema(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.schema_name()?;
    let refuse_if_filled = reader.eat_one_of(&["CASCADE", "RESTRICT"]) == Some("RESTRICT");
    Ok(Command::Ddl(Ddl::DropSchema { name, if_missing, refuse_if_filled }))
}
