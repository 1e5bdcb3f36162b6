//! CREATE TABLE in all its forms.

use sqlparser::tokenizer::Token;

use super::{Modifiers, Reader, columns, policies};
use crate::Failure;
use crate::command::{
    ColumnDefinition, Command, ConstraintKind, CreateTable, Ddl, Persistence, PropertyValue, TableSource,
};
use crate::data_types::DataType;

/// The longest retention time of dropped objects.
pub(super) const RETENTION_DAYS_MAX: u8 = 90;

/// Options that change nothing here, but for retention and collation.
const ACCEPTED_OPTIONS: [&str; 6] = [
    "DATA_RETENTION_TIME_IN_DAYS",
    "MAX_DATA_EXTENSION_TIME_IN_DAYS",
    "CHANGE_TRACKING",
    "ENABLE_SCHEMA_EVOLUTION",
    "DEFAULT_DDL_COLLATION",
    "ERROR_LOGGING",
];

pub(super) fn read(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("TABLE", &["TRANSIENT", "TEMPORARY", "TEMP", "VOLATILE", "LOCAL", "GLOBAL"])?;
    let mode = modifiers.mode(reader)?;
    let mut table = CreateTable {
        name: reader.object_name()?,
        mode,
        persistence: persistence(modifiers),
        columns: Vec::new(),
        constraints: Vec::new(),
        source: TableSource::Definition,
        comment: None,
        cluster_by: None,
        retention_days: None,
        or_alter: false,
        default_collation: None,
        copy_grants: false,
        policies: Vec::new(),
    };
    while !reader.at_end() {
        // Properties may also precede the columns.
        if reader.at_token(&Token::LParen) && table.columns.is_empty() {
            definition(reader, &mut table)?;
        } else {
            clause(reader, &mut table)?;
        }
    }
    if matches!(table.source, TableSource::Definition) {
        check_definition(reader, &table)?;
    }
    table.policies.extend(table.columns.iter().flat_map(|column| column.policies.clone()));
    primary_keys_are_not_null(&mut table);
    collate(&mut table);
    Ok(Command::Ddl(Ddl::CreateTable(Box::new(table))))
}

/// Applies the table's default collation to its text columns.
fn collate(table: &mut CreateTable) {
    let Some(collation) = &table.default_collation else { return };
    let is_text = |column: &&mut ColumnDefinition| matches!(column.data_type, Some(DataType::Varchar { .. }));
    for column in table.columns.iter_mut().filter(is_text) {
        column.collation.get_or_insert_with(|| collation.clone());
    }
}

pub(super) fn persistence(modifiers: &Modifiers) -> Persistence {
    let has = |words: &[&str]| modifiers.words.iter().any(|word| words.contains(word));
    if has(&["TEMPORARY", "TEMP", "VOLATILE", "LOCAL", "GLOBAL"]) {
        Persistence::Temporary
    } else if has(&["TRANSIENT"]) {
        Persistence::Transient
    } else {
        Persistence::Permanent
    }
}

fn definition(reader: &mut Reader<'_>, table: &mut CreateTable) -> Result<(), Failure> {
    reader.expect_token(&Token::LParen)?;
    loop {
        if columns::at_table_constraint(reader) {
            table.constraints.push(columns::table_constraint(reader)?);
        } else {
            table.columns.push(columns::column(reader, &mut table.constraints)?);
        }
        if !reader.eat_token(&Token::Comma) {
            break;
        }
    }
    reader.expect_token(&Token::RParen)
}

fn clause(reader: &mut Reader<'_>, table: &mut CreateTable) -> Result<(), Failure> {
    if reader.eat("AS") {
        table.source = TableSource::Query(reader.query()?);
        return reader.expect_end();
    }
    if reader.eat("LIKE") {
        table.source = TableSource::Like(reader.object_name()?);
    } else if reader.eat("CLONE") {
        table.source = TableSource::Clone(reader.object_name()?);
        if reader.at("AT") || reader.at("BEFORE") {
            return Err(Failure::unsupported("AT | BEFORE"));
        }
    } else if reader.eat("CLUSTER BY") {
        table.cluster_by = Some(clustering(reader)?);
    } else if let Some(comment) = reader.comment()? {
        table.comment = Some(comment);
    } else if reader.eat("USING TEMPLATE") {
        reader.expect_token(&Token::LParen)?;
        table.source = TableSource::Template(reader.query()?);
        reader.expect_token(&Token::RParen)?;
    } else if let Some(policy) = policies::of_relation(reader)? {
        table.policies.push(policy);
    } else if reader.at("WITH") {
        return Err(Failure::unsupported("CREATE TABLE WITH"));
    } else if reader.eat("COPY GRANTS") {
        table.copy_grants = true;
    } else if reader.at("COPY TAGS") {
        // A copy has the tags of its source anyway.
        if !matches!(table.source, TableSource::Like(_) | TableSource::Clone(_)) {
            return Err(Failure::unsupported("CREATE TABLE COPY TAGS without LIKE or CLONE"));
        }
        reader.eat("COPY TAGS");
    } else if !reader.eat_token(&Token::Comma) {
        option(reader, table)?;
    }
    Ok(())
}

fn option(reader: &mut Reader<'_>, table: &mut CreateTable) -> Result<(), Failure> {
    let place = reader.place();
    let is_option = *reader.peek_nth(1) == Token::Eq;
    let name = reader.identifier()?;
    if !is_option {
        return Err(reader.unexpected_at(place));
    }
    if !ACCEPTED_OPTIONS.contains(&name.as_str()) {
        return Err(Failure::unsupported(&format!("CREATE TABLE {name}")));
    }
    reader.expect_token(&Token::Eq)?;
    let value = reader.property_value()?;
    if name == "DATA_RETENTION_TIME_IN_DAYS" {
        let days_max = if table.persistence == Persistence::Permanent { RETENTION_DAYS_MAX } else { 1 };
        table.retention_days = Some(Reader::retention_days(&value, days_max)?);
    }
    if name == "DEFAULT_DDL_COLLATION" {
        table.default_collation = default_collation(&value)?;
    }
    Ok(())
}

/// A name of a collation; an empty one is none.
pub(super) fn default_collation(value: &PropertyValue) -> Result<Option<String>, Failure> {
    match value {
        PropertyValue::Text(name) => Ok(Some(name.clone()).filter(|name| !name.is_empty())),
        _ => Err(Failure::invalid_value("DEFAULT_DDL_COLLATION", "", "give a text such as 'en-ci'")),
    }
}

/// What stands in brackets after CLUSTER BY, as text with unquoted names folded.
pub(super) fn clustering(reader: &mut Reader<'_>) -> Result<String, Failure> {
    reader.eat("LINEAR");
    reader.expect_token(&Token::LParen)?;
    let mut depth = 1_usize;
    let mut text = String::new();
    loop {
        match reader.peek() {
            Token::LParen => depth += 1,
            Token::RParen if depth == 1 => break,
            Token::RParen => depth -= 1,
            Token::EOF => return Err(reader.unexpected()),
            _ => {}
        }
        if text.ends_with(|last: char| last.is_alphanumeric()) && matches!(reader.peek(), Token::Word(_)) {
            text.push(' ');
        }
        match reader.word() {
            Some(word) => text.push_str(&word),
            None if reader.at_token(&Token::Comma) => text.push_str(", "),
            None => text.push_str(&reader.peek().to_string()),
        }
        reader.advance();
    }
    reader.advance();
    Ok(text)
}

fn check_definition(reader: &Reader<'_>, table: &CreateTable) -> Result<(), Failure> {
    match table.columns.iter().find(|column| column.data_type.is_none()) {
        Some(column) => Err(Failure::new(
            "001003",
            "42000",
            format!("SQL compilation error:\ncolumn '{}' needs a data type.", column.name),
        )),
        None if table.columns.is_empty() => Err(reader.unexpected()),
        None => Ok(()),
    }
}

fn primary_keys_are_not_null(table: &mut CreateTable) {
    for constraint in &table.constraints {
        if !matches!(constraint.kind, ConstraintKind::PrimaryKey) {
            continue;
        }
        for column in table.columns.iter_mut().filter(|column| constraint.columns.contains(&column.name)) {
            column.not_null = true;
        }
    }
}
