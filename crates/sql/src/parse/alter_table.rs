//! ALTER TABLE.

use sqlparser::tokenizer::Token;

use super::{Reader, columns, create_table, if_exists, policies, tags};
use crate::Failure;
use crate::command::{Command, Ddl, DroppedConstraint, PolicyChange, Property, PropertyValue, TableChange};
use crate::reader::read_type;

/// Clauses about storage, which change nothing here.
const ACCEPTED: [&str; 4] =
    ["SUSPEND RECLUSTER", "RESUME RECLUSTER", "DROP SEARCH OPTIMIZATION", "ADD SEARCH OPTIMIZATION"];

const ACCEPTED_OPTIONS: [&str; 6] = [
    "DATA_RETENTION_TIME_IN_DAYS",
    "MAX_DATA_EXTENSION_TIME_IN_DAYS",
    "CHANGE_TRACKING",
    "ENABLE_SCHEMA_EVOLUTION",
    "DEFAULT_DDL_COLLATION",
    "ERROR_LOGGING",
];

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.object_name()?;
    let change = change(reader)?;
    Ok(Command::Ddl(Ddl::AlterTable { name, if_missing, change }))
}

fn change(reader: &mut Reader<'_>) -> Result<TableChange, Failure> {
    if reader.eat_one_of(&ACCEPTED).is_some() {
        if reader.eat("ON") {
            skip_search_methods(reader)?;
        }
        return Ok(TableChange::Accepted);
    }
    if let Some(changes) = policies::changes(reader)? {
        return Ok(combined(changes.into_iter().map(TableChange::Policy).collect()));
    }
    if reader.at("RECLUSTER") {
        return Err(Failure::unsupported("ALTER TABLE RECLUSTER"));
    }
    if reader.at("SET STAGE_FILE_FORMAT") || reader.at("SET STAGE_COPY_OPTIONS") {
        return Err(Failure::unsupported("ALTER TABLE SET STAGE_FILE_FORMAT | STAGE_COPY_OPTIONS"));
    }
    if reader.eat("DROP CLUSTERING KEY") {
        return Ok(TableChange::SetClustering(None));
    }
    if reader.eat("CLUSTER BY") {
        return Ok(TableChange::SetClustering(Some(create_table::clustering(reader)?)));
    }
    match reader.eat_one_of(&["RENAME", "SWAP WITH", "ADD", "DROP", "ALTER", "MODIFY", "SET", "UNSET"]) {
        Some("RENAME") => rename(reader),
        Some("SWAP WITH") => Ok(TableChange::SwapWith(reader.object_name()?)),
        Some("ADD") => add(reader),
        Some("DROP") => remove(reader),
        Some("ALTER" | "MODIFY") => modify(reader),
        Some("SET") => set(reader),
        Some(_) => unset(reader),
        None => Err(reader.unexpected()),
    }
}

fn rename(reader: &mut Reader<'_>) -> Result<TableChange, Failure> {
    if reader.eat("TO") {
        return Ok(TableChange::Rename(reader.object_name()?));
    }
    if reader.eat("CONSTRAINT") {
        let from = reader.identifier()?;
        reader.expect("TO")?;
        return Ok(TableChange::RenameConstraint { from, to: reader.identifier()? });
    }
    reader.expect("COLUMN")?;
    let from = reader.identifier()?;
    reader.expect("TO")?;
    Ok(TableChange::RenameColumn { from, to: reader.identifier()? })
}

fn add(reader: &mut Reader<'_>) -> Result<TableChange, Failure> {
    if columns::at_table_constraint(reader) {
        return Ok(TableChange::AddConstraint(columns::table_constraint(reader)?));
    }
    let mut added = Vec::new();
    let mut constraints = Vec::new();
    reader.eat("COLUMN");
    let if_not_exists = reader.eat("IF NOT EXISTS");
    loop {
        added.push(columns::column(reader, &mut constraints)?);
        if !reader.eat_token(&Token::Comma) {
            break;
        }
        reader.eat("COLUMN");
        reader.eat("IF NOT EXISTS");
    }
    match added.iter().find(|column| column.data_type.is_none()) {
        Some(_) => Err(reader.unexpected()),
        None => Ok(TableChange::AddColumns { columns: added, constraints, if_not_exists }),
    }
}

fn remove(reader: &mut Reader<'_>) -> Result<TableChange, Failure> {
    let dropped = if reader.eat("CONSTRAINT") {
        Some(DroppedConstraint::Named(reader.identifier()?))
    } else if reader.eat("PRIMARY KEY") {
        Some(DroppedConstraint::PrimaryKey)
    } else if reader.eat("UNIQUE") {
        Some(DroppedConstraint::Unique(reader.column_list()?))
    } else if reader.eat("FOREIGN KEY") {
        Some(DroppedConstraint::ForeignKey(reader.column_list()?))
    } else {
        None
    };
    if let Some(dropped) = dropped {
        reader.eat_one_of(&["CASCADE", "RESTRICT"]);
        return Ok(TableChange::DropConstraint(dropped));
    }
    reader.eat("COLUMN");
    let if_exists = reader.eat("IF EXISTS");
    let mut dropped = vec![reader.identifier()?];
    while reader.eat_token(&Token::Comma) {
        reader.eat("COLUMN");
        reader.eat("IF EXISTS");
        dropped.push(reader.identifier()?);
    }
    reader.eat_one_of(&["CASCADE", "RESTRICT"]);
    Ok(TableChange::DropColumns { columns: dropped, if_exists })
}

fn modify(reader: &mut Reader<'_>) -> Result<TableChange, Failure> {
    if reader.at("CONSTRAINT") || reader.at("PRIMARY KEY") || reader.at("FOREIGN KEY") {
        return Err(Failure::unsupported("ALTER TABLE ALTER CONSTRAINT"));
    }
    let bracketed = reader.eat_token(&Token::LParen);
    let mut changes = Vec::new();
    loop {
        reader.eat("COLUMN");
        let column = reader.identifier()?;
        changes.push(modify_column(reader, column)?);
        if !reader.eat_token(&Token::Comma) {
            break;
        }
    }
    if bracketed {
        reader.expect_token(&Token::RParen)?;
    }
    Ok(TableChange::Several(changes))
}

/// `EQUALITY(a, b), SUBSTRING(*)`.
fn skip_search_methods(reader: &mut Reader<'_>) -> Result<(), Failure> {
    loop {
        reader.identifier()?;
        create_table::clustering(reader)?;
        if !reader.eat_token(&Token::Comma) {
            return Ok(());
        }
    }
}

fn modify_column(reader: &mut Reader<'_>, column: String) -> Result<TableChange, Failure> {
    if reader.eat("SET NOT NULL") || reader.eat("NOT NULL") {
        return Ok(TableChange::SetNotNull(column));
    }
    if reader.eat("DROP NOT NULL") || reader.eat("NULL") {
        return Ok(TableChange::DropNotNull(column));
    }
    if reader.eat("SET DEFAULT") {
        return Ok(TableChange::SetDefault { column, default: columns::default_expression(reader)? });
    }
    if reader.eat("DROP DEFAULT") {
        return Ok(TableChange::DropDefault(column));
    }
    if reader.eat("UNSET COMMENT") {
        return Ok(TableChange::SetColumnComment { column, comment: None });
    }
    if reader.at("COMMENT") {
        return Ok(TableChange::SetColumnComment { column, comment: reader.comment()? });
    }
    if let Some(change) = policies::column_change(reader, &column)? {
        return Ok(TableChange::Policy(change));
    }
    if let Some(changes) = tags::changes(reader)? {
        return Ok(TableChange::Policy(PolicyChange::Tags { column: Some(column), changes }));
    }
    reader.eat_one_of(&["SET DATA TYPE", "TYPE"]);
    Ok(TableChange::SetDataType { column, data_type: read_type(reader)? })
}

fn set(reader: &mut Reader<'_>) -> Result<TableChange, Failure> {
    let properties = reader.some_properties()?;
    let mut changes = Vec::new();
    for Property { name, value } in properties {
        match (name.as_str(), value) {
            ("COMMENT", PropertyValue::Text(text)) => changes.push(TableChange::SetComment(Some(text))),
            ("COMMENT", _) => return Err(reader.unexpected()),
            ("DATA_RETENTION_TIME_IN_DAYS", value) => {
                let days = Reader::retention_days(&value, create_table::RETENTION_DAYS_MAX)?;
                changes.push(TableChange::SetRetention(Some(days)));
            }
            ("DEFAULT_DDL_COLLATION", value) => {
                changes.push(TableChange::SetDefaultCollation(create_table::default_collation(&value)?));
            }
            (name, _) if ACCEPTED_OPTIONS.contains(&name) => {}
            (name, _) => return Err(Failure::unsupported(&format!("ALTER TABLE SET {name}"))),
        }
    }
    Ok(combined(changes))
}

/// One change, or several at once.
fn combined(mut changes: Vec<TableChange>) -> TableChange {
    match (changes.len(), changes.pop()) {
        (_, None) => TableChange::Accepted,
        (1, Some(only)) => only,
        (_, Some(last)) => {
            changes.push(last);
            TableChange::Several(changes)
        }
    }
}

fn unset(reader: &mut Reader<'_>) -> Result<TableChange, Failure> {
    let names = reader.unset_names()?;
    if let Some(name) = names.iter().find(|name| *name != "COMMENT" && !ACCEPTED_OPTIONS.contains(&name.as_str())) {
        return Err(Failure::unsupported(&format!("ALTER TABLE UNSET {name}")));
    }
    let changes = names.iter().filter_map(|name| match name.as_str() {
        "COMMENT" => Some(TableChange::SetComment(None)),
        "DATA_RETENTION_TIME_IN_DAYS" => Some(TableChange::SetRetention(None)),
        "DEFAULT_DDL_COLLATION" => Some(TableChange::SetDefaultCollation(None)),
        _ => None,
    });
    Ok(combined(changes.collect()))
}
