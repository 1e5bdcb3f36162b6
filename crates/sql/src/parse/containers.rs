//! CREATE, ALTER and DROP of databases and schemas.

use super::create_table::RETENTION_DAYS_MAX;
use super::{Modifiers, Reader, catalog_integrations, if_exists, tags};
use crate::Failure;
use crate::command::{Command, ContainerChange, Ddl, PropertyValue, SchemaOptions};

/// Options that change nothing here.
const ACCEPTED_OPTIONS: [&str; 7] = [
    "MAX_DATA_EXTENSION_TIME_IN_DAYS",
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
    let link = catalog_integrations::linked_catalog(reader)?;
    let (comment, retention_days) = container_options(reader, "DATABASE")?;
    Ok(Command::Ddl(Ddl::CreateDatabase { name, mode, clone_of, link, comment, retention_days, tags: Vec::new() }))
}

pub(super) fn create_schema(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("SCHEMA", &["TRANSIENT"])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.schema_name()?;
    let clone_of = if reader.eat("CLONE") { Some(reader.schema_name()?) } else { None };
    let options = SchemaOptions {
        transient: modifiers.words.contains(&"TRANSIENT"),
        managed_access: reader.eat("WITH MANAGED ACCESS"),
    };
    let (comment, retention_days) = container_options(reader, "SCHEMA")?;
    Ok(Command::Ddl(Ddl::CreateSchema { name, mode, clone_of, options, comment, retention_days, tags: Vec::new() }))
}

/// The comment and the retention time.
fn container_options(reader: &mut Reader<'_>, kind: &str) -> Result<(Option<String>, Option<u8>), Failure> {
    if reader.at("AT") || reader.at("BEFORE") {
        return Err(Failure::unsupported("AT | BEFORE"));
    }
    let (mut comment, mut retention_days) = (None, None);
    for property in reader.properties()? {
        match (property.name.as_str(), property.value) {
            ("COMMENT", PropertyValue::Text(text)) => comment = Some(text),
            ("DATA_RETENTION_TIME_IN_DAYS", value) => {
                retention_days = Some(Reader::retention_days(&value, RETENTION_DAYS_MAX)?);
            }
            ("DEFAULT_DDL_COLLATION", PropertyValue::Text(none)) if none.is_empty() => {}
            (name, _) if ACCEPTED_OPTIONS.contains(&name) => {}
            (name, _) => return Err(Failure::unsupported(&format!("CREATE {kind} {name}"))),
        }
    }
    Ok((comment, retention_days))
}

pub(super) fn alter_database(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.account_name()?;
    let change = if reader.eat("SWAP WITH") {
        ContainerChange::SwapWith(reader.account_name()?)
    } else {
        match tag_or_retention_change(reader)? {
            Some(change) => change,
            None => container_change(reader, "ALTER DATABASE")?,
        }
    };
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
    } else if reader.eat("SWAP WITH") {
        let other = reader.schema_name()?;
        if other.database.is_some() && other.database != name.database {
            return Err(Failure::unsupported("ALTER SCHEMA SWAP WITH a schema of another database"));
        }
        ContainerChange::SwapWith(other.schema)
    } else if let Some(words) = reader.eat_one_of(&["ENABLE MANAGED ACCESS", "DISABLE MANAGED ACCESS"]) {
        ContainerChange::SetManagedAccess(words.starts_with("ENABLE"))
    } else if let Some(change) = tag_or_retention_change(reader)? {
        change
    } else {
        container_change(reader, "ALTER SCHEMA")?
    };
    Ok(Command::Ddl(Ddl::AlterSchema { name, if_missing, change }))
}

/// SET or UNSET of tags or the retention time.
fn tag_or_retention_change(reader: &mut Reader<'_>) -> Result<Option<ContainerChange>, Failure> {
    if let Some(changes) = tags::changes(reader)? {
        return Ok(Some(ContainerChange::SetTags(changes)));
    }
    if reader.eat("UNSET DATA_RETENTION_TIME_IN_DAYS") {
        return Ok(Some(ContainerChange::SetRetention(None)));
    }
    if !reader.at("SET DATA_RETENTION_TIME_IN_DAYS") {
        return Ok(None);
    }
    reader.expect("SET")?;
    let property = reader.property()?;
    let days = Reader::retention_days(&property.value, RETENTION_DAYS_MAX)?;
    Ok(Some(ContainerChange::SetRetention(Some(days))))
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
