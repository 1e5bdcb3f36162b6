//! Column definitions and table constraints.

use sqlparser::tokenizer::Token;

use super::{Reader, policies, sequences, tags};
use crate::Failure;
use crate::command::{Autoincrement, ColumnDefinition, ConstraintKind, KeyRule, KeyRules, TableConstraint};
use crate::names::ObjectName;
use crate::reader::read_type;

/// Words that end a DEFAULT expression, outside of brackets.
const AFTER_DEFAULT: [&str; 15] = [
    "NOT NULL",
    "NULL",
    "AUTOINCREMENT",
    "IDENTITY",
    "CONSTRAINT",
    "PRIMARY KEY",
    "UNIQUE",
    "REFERENCES",
    "FOREIGN KEY",
    "COMMENT",
    "COLLATE",
    "WITH",
    "MASKING POLICY",
    "TAG",
    "CHECK",
];

/// Properties of constraints; keys are recorded and shown only, so they have no effect.
const CONSTRAINT_PROPERTIES: [&str; 29] = [
    "NOT ENFORCED",
    "ENFORCED",
    "NOT DEFERRABLE",
    "DEFERRABLE",
    "INITIALLY DEFERRED",
    "INITIALLY IMMEDIATE",
    "ENABLE VALIDATE",
    "ENABLE NOVALIDATE",
    "DISABLE VALIDATE",
    "DISABLE NOVALIDATE",
    "ENABLE",
    "DISABLE",
    "VALIDATE",
    "NOVALIDATE",
    "RELY",
    "NORELY",
    "MATCH FULL",
    "MATCH SIMPLE",
    "MATCH PARTIAL",
    "ON UPDATE NO ACTION",
    "ON UPDATE CASCADE",
    "ON UPDATE SET NULL",
    "ON UPDATE SET DEFAULT",
    "ON UPDATE RESTRICT",
    "ON DELETE NO ACTION",
    "ON DELETE CASCADE",
    "ON DELETE SET NULL",
    "ON DELETE SET DEFAULT",
    "ON DELETE RESTRICT",
];

/// The name of a new column.
pub(super) fn column_name(reader: &mut Reader<'_>) -> Result<String, Failure> {
    if reader.at_reserved_word() {
        return Err(reader.unexpected());
    }
    reader.identifier()
}

/// Reads one column; the keys it declares are added to `constraints`.
pub(super) fn column(
    reader: &mut Reader<'_>,
    constraints: &mut Vec<TableConstraint>,
) -> Result<ColumnDefinition, Failure> {
    let mut column = ColumnDefinition {
        name: column_name(reader)?,
        data_type: None,
        not_null: false,
        default: None,
        autoincrement: None,
        comment: None,
        collation: None,
        policies: Vec::new(),
    };
    if !column_ends(reader) {
        column.data_type = Some(read_type(reader)?);
    }
    while !column_ends(reader) {
        column_option(reader, &mut column, constraints)?;
    }
    Ok(column)
}

fn column_ends(reader: &Reader<'_>) -> bool {
    matches!(reader.peek(), Token::Comma | Token::RParen | Token::EOF)
}

fn column_option(
    reader: &mut Reader<'_>,
    column: &mut ColumnDefinition,
    constraints: &mut Vec<TableConstraint>,
) -> Result<(), Failure> {
    if reader.eat("NOT NULL") {
        column.not_null = true;
    } else if reader.eat("NULL") {
        column.not_null = false;
    } else if reader.eat("DEFAULT") {
        column.default = Some(default_expression(reader)?);
    } else if reader.eat_one_of(&["AUTOINCREMENT", "IDENTITY"]).is_some() {
        column.autoincrement = Some(autoincrement(reader)?);
    } else if let Some(comment) = reader.comment()? {
        column.comment = Some(comment);
    } else if reader.eat("COLLATE") {
        column.collation = Some(reader.string()?);
    } else if reader.at("CHECK") {
        return Err(Failure::unsupported("CHECK constraint"));
    } else if let Some(policy) = policies::of_column(reader, &column.name)? {
        column.policies.push(policy);
    } else if let Some(tags) = tags::of_column(reader, &column.name)? {
        column.policies.push(tags);
    } else if reader.at("AS") {
        return Err(Failure::unsupported("virtual column"));
    } else {
        constraints.push(inline_constraint(reader, column)?);
    }
    Ok(())
}

pub(super) fn default_expression(reader: &mut Reader<'_>) -> Result<crate::ast::Expr, Failure> {
    let first = std::cell::Cell::new(true);
    reader.expression_until(|reader| {
        let at_start = first.replace(false);
        reader.at_token(&Token::Comma) || !at_start && AFTER_DEFAULT.iter().any(|words| reader.at(words))
    })
}

fn autoincrement(reader: &mut Reader<'_>) -> Result<Autoincrement, Failure> {
    let mut found = Autoincrement { start: 1, increment: 1 };
    if reader.eat_token(&Token::LParen) {
        found.start = reader.integer()?;
        reader.expect_token(&Token::Comma)?;
        found.increment = reader.integer()?;
        reader.expect_token(&Token::RParen)?;
    }
    if let Some(start) = sequences::step(reader, "START", "WITH")? {
        found.start = start;
    }
    if let Some(increment) = sequences::step(reader, "INCREMENT", "BY")? {
        found.increment = increment;
    }
    reader.eat_one_of(&["ORDER", "NOORDER"]);
    sequences::check_increment(found.increment)?;
    Ok(found)
}

fn inline_constraint(reader: &mut Reader<'_>, column: &mut ColumnDefinition) -> Result<TableConstraint, Failure> {
    let name = constraint_name(reader)?;
    let mut kind = if reader.eat("PRIMARY KEY") {
        column.not_null = true;
        ConstraintKind::PrimaryKey
    } else if reader.eat("UNIQUE") {
        ConstraintKind::Unique
    } else if reader.eat("FOREIGN KEY") || reader.at("REFERENCES") {
        references(reader)?
    } else {
        return Err(reader.unexpected());
    };
    constraint_properties(reader, &mut kind);
    Ok(TableConstraint { name, columns: vec![column.name.clone()], kind })
}

fn constraint_name(reader: &mut Reader<'_>) -> Result<Option<String>, Failure> {
    if reader.eat("CONSTRAINT") { reader.identifier().map(Some) } else { Ok(None) }
}

pub(super) fn at_table_constraint(reader: &Reader<'_>) -> bool {
    ["CONSTRAINT", "PRIMARY KEY", "FOREIGN KEY", "CHECK"].iter().any(|words| reader.at(words))
        || reader.at("UNIQUE") && *reader.peek_nth(1) == Token::LParen
}

pub(super) fn table_constraint(reader: &mut Reader<'_>) -> Result<TableConstraint, Failure> {
    let name = constraint_name(reader)?;
    let (columns, mut kind) = if reader.eat("PRIMARY KEY") {
        (reader.column_list()?, ConstraintKind::PrimaryKey)
    } else if reader.eat("UNIQUE") {
        (reader.column_list()?, ConstraintKind::Unique)
    } else if reader.eat("FOREIGN KEY") {
        (reader.column_list()?, references(reader)?)
    } else if reader.at("CHECK") {
        return Err(Failure::unsupported("CHECK constraint"));
    } else {
        return Err(reader.unexpected());
    };
    constraint_properties(reader, &mut kind);
    if reader.at("COMMENT") {
        reader.comment()?;
    }
    Ok(TableConstraint { name, columns, kind })
}

fn references(reader: &mut Reader<'_>) -> Result<ConstraintKind, Failure> {
    reader.expect("REFERENCES")?;
    let table: ObjectName = reader.object_name()?;
    let columns = if reader.at_token(&Token::LParen) { reader.column_list()? } else { Vec::new() };
    Ok(ConstraintKind::ForeignKey { table, columns, rules: KeyRules::default() })
}

fn constraint_properties(reader: &mut Reader<'_>, kind: &mut ConstraintKind) {
    while let Some(property) = reader.eat_one_of(&CONSTRAINT_PROPERTIES) {
        let ConstraintKind::ForeignKey { rules, .. } = kind else { continue };
        if let Some(rule) = property.strip_prefix("ON UPDATE ").and_then(KeyRule::of_words) {
            rules.on_update = rule;
        } else if let Some(rule) = property.strip_prefix("ON DELETE ").and_then(KeyRule::of_words) {
            rules.on_delete = rule;
        }
    }
}
