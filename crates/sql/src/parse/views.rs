//! CREATE and ALTER VIEW.

use sqlparser::tokenizer::Token;

use super::{Modifiers, Reader, columns, create_table, if_exists, policies, tags};
use crate::ast::Query;
use crate::command::{Command, CreateView, Ddl, Persistence, PolicyChange, ViewChange, ViewColumn};
use crate::names::quote_identifier;
use crate::{Failure, print};

pub(super) fn create(reader: &mut Reader<'_>, modifiers: &Modifiers) -> Result<Command, Failure> {
    modifiers
        .allow("VIEW", &["SECURE", "RECURSIVE", "MATERIALIZED", "TEMPORARY", "TEMP", "VOLATILE", "LOCAL", "GLOBAL"])?;
    let has = |word: &str| modifiers.words.contains(&word);
    let mode = modifiers.mode(reader)?;
    let name = reader.object_name()?;
    let mut policies = Vec::new();
    let columns = if reader.at_token(&Token::LParen) { view_columns(reader, &mut policies)? } else { Vec::new() };
    let persistence = create_table::persistence(modifiers);
    let materialized = has("MATERIALIZED");
    if materialized && persistence == Persistence::Temporary {
        return Err(Failure::unsupported("CREATE TEMPORARY MATERIALIZED VIEW"));
    }
    let (mut comment, mut cluster_by, mut copy_grants) = (None, None, false);
    while !reader.eat("AS") {
        if let Some(text) = reader.comment()? {
            comment = Some(text);
        } else if materialized && reader.eat("CLUSTER BY") {
            cluster_by = Some(create_table::clustering(reader)?);
        } else if reader.eat("CHANGE_TRACKING") {
            reader.expect_token(&Token::Eq)?;
            reader.property_value()?;
        } else if reader.eat("COPY GRANTS") {
            copy_grants = true;
        } else if let Some(policy) = policies::of_relation(reader)? {
            policies.push(policy);
        } else {
            return Err(view_clause_failure(reader));
        }
    }
    let mut query = reader.query()?;
    if has("RECURSIVE") {
        query = recursive(reader, &name.name, &columns, query)?;
    }
    let text = reader.source_text().to_owned();
    let secure = has("SECURE");
    let view = CreateView {
        name,
        mode,
        or_alter: false,
        persistence,
        columns,
        secure,
        materialized,
        cluster_by,
        query,
        stored: None,
        read_types: None,
        text,
        comment,
        copy_grants,
        policies,
    };
    Ok(Command::Ddl(Ddl::CreateView(Box::new(view))))
}

/// `CREATE RECURSIVE VIEW v (a) AS q` is `CREATE VIEW v (a) AS WITH RECURSIVE v (a) AS (q) SELECT * FROM v`.
fn recursive(
    reader: &Reader<'_>,
    name: &str,
    columns: &[ViewColumn],
    query: Box<Query>,
) -> Result<Box<Query>, Failure> {
    if columns.is_empty() {
        return Err(Failure::new(
            "001003",
            "42000",
            "SQL compilation error:\na recursive view needs the names of its columns: CREATE RECURSIVE VIEW v (a, b) AS …",
        ));
    }
    let name = quote_identifier(name);
    let names: Vec<String> = columns.iter().map(|column| quote_identifier(&column.name)).collect();
    let names = names.join(", ");
    let mut whole =
        print::read_query(&format!("WITH RECURSIVE {name} ({names}) AS (SELECT 1) SELECT {names} FROM {name}"))?;
    match whole.with.as_mut().and_then(|with| with.cte_tables.first_mut()) {
        Some(table) => table.query = query,
        None => return Err(reader.unexpected()),
    }
    Ok(Box::new(whole))
}

fn view_clause_failure(reader: &Reader<'_>) -> Failure {
    if reader.at("PARTITION BY") {
        return Failure::unsupported("PARTITION BY on views");
    }
    reader.unexpected()
}

fn view_columns(reader: &mut Reader<'_>, policies: &mut Vec<PolicyChange>) -> Result<Vec<ViewColumn>, Failure> {
    reader.expect_token(&Token::LParen)?;
    let mut columns = Vec::new();
    loop {
        let name = columns::column_name(reader)?;
        policies.extend(policies::of_column(reader, &name)?);
        policies.extend(tags::of_column(reader, &name)?);
        if reader.at("PARTITION BY") {
            return Err(Failure::unsupported("PARTITION BY on views' columns"));
        }
        columns.push(ViewColumn { name, comment: reader.comment()? });
        if !reader.eat_token(&Token::Comma) {
            break;
        }
    }
    reader.expect_token(&Token::RParen)?;
    Ok(columns)
}

pub(super) fn alter(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    let name = reader.object_name()?;
    let change = if let Some(changes) = policies::changes(reader)? {
        ViewChange::SetPolicies(changes)
    } else if reader.eat("RENAME TO") {
        ViewChange::Rename(reader.object_name()?)
    } else if reader.eat("UNSET COMMENT") {
        ViewChange::SetComment(None)
    } else if reader.eat("SET SECURE") {
        ViewChange::SetSecure(true)
    } else if reader.eat("UNSET SECURE") {
        ViewChange::SetSecure(false)
    } else if reader.eat("CLUSTER BY") {
        ViewChange::SetClustering(Some(create_table::clustering(reader)?))
    } else if reader.eat("DROP CLUSTERING KEY") {
        ViewChange::SetClustering(None)
    } else if reader.eat_one_of(&["SUSPEND RECLUSTER", "RESUME RECLUSTER", "RESUME"]).is_some() {
        ViewChange::Accepted
    } else if reader.eat("ALTER") || reader.eat("MODIFY") {
        change_column(reader)?
    } else if reader.eat("SET") {
        match reader.comment()? {
            Some(comment) => ViewChange::SetComment(Some(comment)),
            None => return Err(unsupported_change(reader, "SET")),
        }
    } else {
        return Err(unsupported_change(reader, ""));
    };
    Ok(Command::Ddl(Ddl::AlterView { name, if_missing, change }))
}

fn change_column(reader: &mut Reader<'_>) -> Result<ViewChange, Failure> {
    reader.eat("COLUMN");
    let column = reader.identifier()?;
    if let Some(change) = policies::column_change(reader, &column)? {
        return Ok(ViewChange::SetPolicies(vec![change]));
    }
    if let Some(changes) = tags::changes(reader)? {
        return Ok(ViewChange::SetPolicies(vec![PolicyChange::Tags { column: Some(column), changes }]));
    }
    let mut comments = vec![(column, column_comment(reader)?)];
    while reader.eat_token(&Token::Comma) {
        reader.eat_one_of(&["ALTER COLUMN", "MODIFY COLUMN", "ALTER", "MODIFY", "COLUMN"]);
        comments.push((reader.identifier()?, column_comment(reader)?));
    }
    Ok(ViewChange::SetColumnComments(comments))
}

/// What comes behind the name of a column; `None` takes the comment away.
fn column_comment(reader: &mut Reader<'_>) -> Result<Option<String>, Failure> {
    if reader.eat("UNSET COMMENT") {
        return Ok(None);
    }
    match reader.comment()? {
        Some(comment) => Ok(Some(comment)),
        None => Err(unsupported_change(reader, "ALTER COLUMN")),
    }
}

fn unsupported_change(reader: &Reader<'_>, verb: &str) -> Failure {
    match reader.word() {
        Some(word) => Failure::unsupported(format!("ALTER VIEW {verb} {word}").replace("  ", " ").as_str()),
        None => reader.unexpected(),
    }
}
