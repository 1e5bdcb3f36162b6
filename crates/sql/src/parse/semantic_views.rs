//! CREATE, ALTER and DROP SEMANTIC VIEW, and the call that makes one from YAML. The clauses come in a fixed order.

use sqlparser::tokenizer::Token;

use super::{Modifiers, Reader, if_exists};
use crate::Failure;
use crate::command::Command;
use crate::names::{ObjectName, SchemaName};
use crate::reader::name_parts_of;
use crate::semantic_views::{
    NonAdditiveBy, SemanticViewCommand, SemanticViewDefinition, ViewItem, ViewRelationship, ViewSearchService,
    ViewTable, ViewVerifiedQuery, YamlPurpose,
};
use crate::tokens::SEMANTIC_VIEW_FROM_YAML;

pub(super) fn create(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers.allow("SEMANTIC VIEW", &[])?;
    let mode = modifiers.mode(reader)?;
    let name = reader.object_name()?;
    reader.expect("TABLES")?;
    let mut definition = SemanticViewDefinition { tables: list(reader, table)?, ..SemanticViewDefinition::default() };
    if reader.eat("RELATIONSHIPS") {
        definition.relationships = list(reader, relationship)?;
    }
    if reader.eat("FACTS") {
        definition.facts = list(reader, item)?;
    }
    if reader.eat("DIMENSIONS") {
        definition.dimensions = list(reader, item)?;
    }
    if reader.eat("METRICS") {
        definition.metrics = list(reader, item)?;
    }
    definition.comment = reader.comment()?;
    definition.sql_generation = instruction(reader, "AI_SQL_GENERATION")?;
    definition.question_categorization = instruction(reader, "AI_QUESTION_CATEGORIZATION")?;
    if reader.eat("AI_VERIFIED_QUERIES") {
        definition.verified_queries = list(reader, verified_query)?;
    }
    if reader.eat("WITH EXTENSION") {
        definition.extensions = list(reader, |reader| {
            let name = reader.identifier()?;
            reader.expect_token(&Token::Eq)?;
            Ok((name, reader.string()?))
        })?;
    }
    let copy_grants = reader.eat("COPY GRANTS");
    let definition = Box::new(definition);
    Ok(Command::SemanticViews(SemanticViewCommand::Create { name, mode, definition, copy_grants }))
}

pub(super) fn drop(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    Ok(Command::SemanticViews(SemanticViewCommand::Drop { name: reader.object_name()?, if_missing }))
}

pub(super) fn alter(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.object_name()?;
    let command = match reader.eat_one_of(&["RENAME TO", "SET COMMENT", "UNSET COMMENT"]) {
        Some("RENAME TO") => SemanticViewCommand::Rename { name, if_missing, to: reader.object_name()? },
        Some("SET COMMENT") => {
            reader.expect_token(&Token::Eq)?;
            SemanticViewCommand::SetComment { name, if_missing, comment: Some(reader.string()?) }
        }
        Some(_) => SemanticViewCommand::SetComment { name, if_missing, comment: None },
        None => return Err(reader.unexpected()),
    };
    Ok(Command::SemanticViews(command))
}

/// `CALL SYSTEM$CREATE_SEMANTIC_VIEW_FROM_YAML('db.schema', $$…$$ [, TRUE])`.
pub(super) fn call(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("CALL")?;
    reader.expect(SEMANTIC_VIEW_FROM_YAML)?;
    reader.expect_token(&Token::LParen)?;
    let given = reader.string()?;
    reader.expect_token(&Token::Comma)?;
    let yaml = reader.string()?;
    let purpose = match reader.eat_token(&Token::Comma) {
        false => YamlPurpose::Create,
        true => match reader.eat_one_of(&["TRUE", "FALSE"]) {
            Some("TRUE") => YamlPurpose::Verify,
            Some(_) => YamlPurpose::Create,
            None => return Err(reader.unexpected()),
        },
    };
    reader.expect_token(&Token::RParen)?;
    let mut parts = name_parts_of(&given)?.into_iter().rev();
    let (Some(schema), database, None) = (parts.next(), parts.next(), parts.next()) else {
        return Err(Failure::invalid_value("schema", &given, "write DATABASE.SCHEMA"));
    };
    let schema = SchemaName { database, schema };
    Ok(Command::SemanticViews(SemanticViewCommand::FromYaml { schema, yaml, purpose }))
}

fn list<'r, T>(
    reader: &mut Reader<'r>,
    read: impl Fn(&mut Reader<'r>) -> Result<T, Failure>,
) -> Result<Vec<T>, Failure> {
    reader.expect_token(&Token::LParen)?;
    let mut all = vec![read(reader)?];
    while reader.eat_token(&Token::Comma) {
        all.push(read(reader)?);
    }
    reader.expect_token(&Token::RParen)?;
    Ok(all)
}

/// `[alias AS] table [PRIMARY KEY (…)] [UNIQUE (…)] [WITH SYNONYMS (…)] [COMMENT = '…']`.
fn table(reader: &mut Reader<'_>) -> Result<ViewTable, Failure> {
    let first = reader.object_name()?;
    let (alias, name) = match (reader.eat("AS"), &first) {
        (true, ObjectName { database: None, schema: None, name }) => (name.clone(), reader.object_name()?),
        (true, _) => return Err(reader.unexpected()),
        (false, _) => (first.name.clone(), first),
    };
    let mut table = ViewTable {
        alias,
        name,
        primary_key: Vec::new(),
        unique_keys: Vec::new(),
        synonyms: Vec::new(),
        comment: None,
    };
    if reader.eat("PRIMARY KEY") {
        table.primary_key = reader.column_list()?;
    }
    while reader.eat("UNIQUE") {
        table.unique_keys.push(reader.column_list()?);
    }
    table.synonyms = synonyms(reader)?;
    table.comment = reader.comment()?;
    Ok(table)
}

/// `[name AS] t (c, …) REFERENCES r [(c, …)]`.
fn relationship(reader: &mut Reader<'_>) -> Result<ViewRelationship, Failure> {
    let first = reader.identifier()?;
    let (name, table) = if reader.eat("AS") { (Some(first), reader.identifier()?) } else { (None, first) };
    let columns = reader.column_list()?;
    reader.expect("REFERENCES")?;
    let referenced = reader.identifier()?;
    let referenced_columns = if reader.at_token(&Token::LParen) { reader.column_list()? } else { Vec::new() };
    Ok(ViewRelationship { name, table, columns, referenced, referenced_columns })
}

/// `[PRIVATE | PUBLIC] [t.]name [USING (…)] [NON ADDITIVE BY (…)] AS expr [WITH SYNONYMS (…)] [COMMENT = '…']
/// [WITH CORTEX SEARCH SERVICE …]`.
fn item(reader: &mut Reader<'_>) -> Result<ViewItem, Failure> {
    let is_private = reader.eat_one_of(&["PRIVATE", "PUBLIC"]) == Some("PRIVATE");
    let first = reader.identifier()?;
    let (table, name) = match reader.eat_token(&Token::Period) {
        true => (Some(first), reader.identifier()?),
        false => (None, first),
    };
    let using_relationships = if reader.eat("USING") { reader.column_list()? } else { Vec::new() };
    let non_additive = if reader.eat("NON ADDITIVE BY") { list(reader, non_additive)? } else { Vec::new() };
    reader.expect("AS")?;
    let expr = reader
        .expression_until(|reader| reader.at_token(&Token::Comma) || reader.at("WITH") || reader.at("COMMENT"))?;
    let mut item = ViewItem {
        is_private,
        table,
        name,
        expr,
        using_relationships,
        non_additive,
        search_service: None,
        synonyms: Vec::new(),
        comment: None,
    };
    loop {
        if reader.at("WITH SYNONYMS") && item.synonyms.is_empty() {
            item.synonyms = synonyms(reader)?;
        } else if reader.at("COMMENT") && item.comment.is_none() {
            item.comment = reader.comment()?;
        } else if item.search_service.is_none() && reader.eat("WITH CORTEX SEARCH SERVICE") {
            let name = reader.object_name()?;
            let column = if reader.eat("USING") { Some(reader.identifier()?) } else { None };
            item.search_service = Some(ViewSearchService { name, column });
        } else {
            return Ok(item);
        }
    }
}

/// `[t.]dimension [ASC | DESC] [NULLS FIRST]`.
fn non_additive(reader: &mut Reader<'_>) -> Result<NonAdditiveBy, Failure> {
    let first = reader.identifier()?;
    let (table, dimension) = match reader.eat_token(&Token::Period) {
        true => (Some(first), reader.identifier()?),
        false => (None, first),
    };
    let is_descending = reader.eat_one_of(&["ASC", "DESC"]) == Some("DESC");
    if reader.eat_one_of(&["NULLS FIRST", "NULLS LAST"]) == Some("NULLS LAST") {
        return Err(Failure::unsupported("NULLS LAST in NON ADDITIVE BY"));
    }
    Ok(NonAdditiveBy { table, dimension, is_descending })
}

fn synonyms(reader: &mut Reader<'_>) -> Result<Vec<String>, Failure> {
    if !reader.eat("WITH SYNONYMS") {
        return Ok(Vec::new());
    }
    reader.eat_token(&Token::Eq);
    list(reader, Reader::string)
}

fn instruction(reader: &mut Reader<'_>, word: &str) -> Result<Option<String>, Failure> {
    if !reader.eat(word) {
        return Ok(None);
    }
    reader.eat_token(&Token::Eq);
    reader.string().map(Some)
}

/// `name AS (QUESTION '…' [VERIFIED_AT n] [ONBOARDING_QUESTION TRUE] [VERIFIED_BY '…'] SQL '…')`.
fn verified_query(reader: &mut Reader<'_>) -> Result<ViewVerifiedQuery, Failure> {
    let mut query = ViewVerifiedQuery { name: reader.identifier()?, ..ViewVerifiedQuery::default() };
    reader.expect("AS")?;
    reader.expect_token(&Token::LParen)?;
    while !reader.eat_token(&Token::RParen) {
        match reader.eat_one_of(&["QUESTION", "VERIFIED_AT", "ONBOARDING_QUESTION", "VERIFIED_BY", "SQL"]) {
            Some("QUESTION") => query.question = reader.string()?,
            Some("VERIFIED_AT") => query.verified_at = Some(reader.integer()?),
            Some("ONBOARDING_QUESTION") => match reader.eat_one_of(&["TRUE", "FALSE"]) {
                Some(word) => query.is_onboarding = word == "TRUE",
                None => return Err(reader.unexpected()),
            },
            Some("VERIFIED_BY") => query.verified_by = Some(reader.string()?),
            Some(_) => query.sql = reader.string()?,
            None => return Err(reader.unexpected()),
        }
    }
    if query.question.is_empty() || query.sql.is_empty() {
        let way_out = "a verified query has a QUESTION and its SQL";
        return Err(Failure::invalid_value("AI_VERIFIED_QUERIES", &query.name, way_out));
    }
    Ok(query)
}
