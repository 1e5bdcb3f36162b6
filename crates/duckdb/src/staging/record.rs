//! The record of one stage or file format in the side table `staging`.

use firn_engine::EngineError;
use firn_sql::{Failure, ObjectName};

use crate::connection::Connection;
use crate::side_tables::{side_table, text};

const FIELDS: &str = "schema_name, name, owner, comment, created_on_ms, folder, definition, id";

/// The kinds of records in the table `staging`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Stage,
    /// The stage of a table, recorded when it is first used.
    TableStage,
    FileFormat,
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::Stage => "STAGE",
            Self::TableStage => "TABLE STAGE",
            Self::FileFormat => "FILE FORMAT",
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Record {
    pub(crate) id: i64,
    pub(crate) name: ObjectName,
    pub(crate) owner: String,
    pub(crate) comment: Option<String>,
    pub(crate) created_on_ms: i64,
    pub(crate) folder: Option<String>,
    pub(crate) definition: String,
}

pub(crate) fn read(connection: &Connection, kind: Kind, name: &ObjectName) -> Result<Option<Record>, EngineError> {
    let rows = connection.rows(&format!(
        "SELECT {FIELDS} FROM {} WHERE kind = {} AND schema_name = {} AND name = {}",
        side_table(name.database(), "staging"),
        text(kind.word()),
        text(name.schema()),
        text(&name.name)
    ))?;
    Ok(rows.into_iter().next().map(|row| record_of(name.database(), row)))
}

pub(super) fn read_all(
    connection: &Connection,
    kind: Kind,
    database: &str,
    schema: Option<&str>,
) -> Result<Vec<Record>, EngineError> {
    let within = schema.map_or_else(String::new, |schema| format!(" AND schema_name = {}", text(schema)));
    let rows = connection.rows(&format!(
        "SELECT {FIELDS} FROM {} WHERE kind = {}{within} ORDER BY schema_name, name",
        side_table(database, "staging"),
        text(kind.word())
    ))?;
    Ok(rows.into_iter().map(|row| record_of(database, row)).collect())
}

fn record_of(database: &str, row: Vec<Option<String>>) -> Record {
    let field = |index: usize| row[index].clone().unwrap_or_default();
    Record {
        id: field(7).parse().unwrap_or_default(),
        name: ObjectName::qualified(database, &field(0), &field(1)),
        owner: field(2),
        comment: row[3].clone(),
        created_on_ms: field(4).parse().unwrap_or_default(),
        folder: row[5].clone(),
        definition: field(6),
    }
}

pub(crate) fn write(connection: &Connection, kind: Kind, record: &Record) -> Result<(), EngineError> {
    let optional = |value: Option<&str>| value.map_or_else(|| "NULL".to_owned(), text);
    let values = [
        text(kind.word()),
        text(record.name.schema()),
        text(&record.name.name),
        text(&record.owner),
        optional(record.comment.as_deref()),
        record.created_on_ms.to_string(),
        optional(record.folder.as_deref()),
        text(&record.definition),
        record.id.to_string(),
    ];
    let staging = side_table(record.name.database(), "staging");
    connection.execute(&format!("INSERT INTO {staging} VALUES ({})", values.join(", ")))?;
    Ok(())
}

pub(crate) fn forget(connection: &Connection, kind: Kind, name: &ObjectName) -> Result<(), EngineError> {
    connection.execute(&format!(
        "DELETE FROM {} WHERE kind = {} AND schema_name = {} AND name = {}",
        side_table(name.database(), "staging"),
        text(kind.word()),
        text(name.schema()),
        text(&name.name)
    ))?;
    Ok(())
}

pub(crate) fn missing(kind: Kind, name: &ObjectName) -> Failure {
    let word = if kind == Kind::FileFormat { "File format" } else { "Stage" };
    Failure::missing_object(word, &name.to_string())
}
