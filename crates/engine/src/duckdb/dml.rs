//! INSERT, UPDATE, DELETE, MERGE and TRUNCATE: printed for the engine with every value fitted to its
//! column, run, and counted exactly.

use firn_sql::ast::{self, MergeAction};
use firn_sql::command::{Dml, DmlKind};
use firn_sql::{Failure, ast::Statement};

use super::assignment;
use super::connection::Connection;
use super::dialect::{self, Surroundings, engine_relation};
use crate::{DmlCounts, EngineError, ObjectDescription, Outcome};

/// What the engine runs for one command; more than one statement make one transaction.
pub(crate) struct DmlStatements {
    sql: Vec<String>,
    /// Rows are only added, so others may add to the same table at the same time.
    pub(crate) append_only: bool,
}

pub(crate) fn statements(
    command: &Dml,
    target: &ObjectDescription,
    surroundings: &Surroundings<'_>,
) -> Result<DmlStatements, EngineError> {
    if target.kind != firn_sql::command::ObjectKind::Table {
        return Err(not_a_table(target).into());
    }
    let mut statement = (*command.statement).clone();
    if let Statement::Update(update) = &mut statement {
        assignment::strip_qualifiers(&mut update.assignments);
    }
    dialect::rewrite(&mut statement, surroundings)?;
    let relation = engine_relation(&command.target, surroundings);
    let mut before = None;
    let sql = match &mut statement {
        Statement::Insert(insert) => {
            if insert.overwrite {
                insert.overwrite = false;
                insert.into = true;
                before = Some(format!("DELETE FROM {relation}"));
            }
            insert.has_table_keyword = false;
            match assignment::fit_insert(insert, target)? {
                None => insert.to_string(),
                Some(query) => format!("INSERT INTO {relation}{} {query}", column_list(&insert.columns)),
            }
        }
        Statement::Update(update) => {
            assignment::fit_assignments(&mut update.assignments, target)?;
            update.to_string()
        }
        Statement::Merge(merge) => {
            assignment::fit_merge(merge, target)?;
            format!("{merge} RETURNING merge_action")
        }
        Statement::Truncate(_) => format!("TRUNCATE TABLE {relation}"),
        Statement::Delete(delete) => delete.to_string(),
        other => return Err(Failure::unsupported(&other.to_string()).into()),
    };
    let append_only = command.kind == DmlKind::Insert && before.is_none();
    Ok(DmlStatements { sql: before.into_iter().chain([sql]).collect(), append_only })
}

fn column_list(columns: &[ast::ObjectName]) -> String {
    if columns.is_empty() {
        return String::new();
    }
    let names: Vec<String> = columns.iter().map(ToString::to_string).collect();
    format!(" ({})", names.join(", "))
}

fn not_a_table(target: &ObjectDescription) -> Failure {
    Failure::new(
        "002203",
        "02000",
        format!("SQL compilation error:\n'{}' is a view; rows can be changed in tables only.", target.name),
    )
}

/// Runs a command inside the transaction that is open.
pub(crate) fn run(
    connection: &Connection,
    command: &Dml,
    statements: &DmlStatements,
) -> Result<DmlCounts, EngineError> {
    let Some((last, before)) = statements.sql.split_last() else { return Ok(DmlCounts::default()) };
    for sql in before {
        connection.execute(sql)?;
    }
    if let Statement::Merge(merge) = &*command.statement {
        return run_merge(connection, merge, last);
    }
    let rows = connection.execute(last)?;
    Ok(match command.kind {
        DmlKind::Insert => DmlCounts { inserted: Some(rows), ..DmlCounts::default() },
        DmlKind::Update => DmlCounts { updated: Some(rows), ..DmlCounts::default() },
        DmlKind::Delete => DmlCounts { deleted: Some(rows), ..DmlCounts::default() },
        DmlKind::Merge | DmlKind::Truncate => DmlCounts::default(),
    })
}

/// Runs a command in a transaction of its own.
pub(crate) fn run_alone(
    connection: &Connection,
    command: &Dml,
    statements: &DmlStatements,
) -> Result<DmlCounts, EngineError> {
    if statements.sql.len() == 1 {
        return run(connection, command, statements);
    }
    super::transaction::within(connection, || run(connection, command, statements))
}

fn run_merge(connection: &Connection, merge: &ast::Merge, sql: &str) -> Result<DmlCounts, EngineError> {
    let has = |wanted: fn(&MergeAction) -> bool| merge.clauses.iter().any(|clause| wanted(&clause.action)).then_some(0);
    let mut counts = DmlCounts {
        inserted: has(|action| matches!(action, MergeAction::Insert(_))),
        updated: has(|action| matches!(action, MergeAction::Update { .. })),
        deleted: has(|action| matches!(action, MergeAction::Delete { .. })),
    };
    for row in connection.rows(sql)? {
        let counter = match row.first().and_then(|action| action.as_deref()) {
            Some("INSERT") => &mut counts.inserted,
            Some("UPDATE") => &mut counts.updated,
            Some("DELETE") => &mut counts.deleted,
            _ => continue,
        };
        *counter = Some(counter.unwrap_or(0) + 1);
    }
    Ok(counts)
}

/// TRUNCATE tells no count.
pub(crate) fn outcome<'session>(command: &Dml, counts: DmlCounts) -> Outcome<'session> {
    match command.kind {
        DmlKind::Truncate => Outcome::Done("Statement executed successfully.".to_owned()),
        _ => Outcome::Dml(counts),
    }
}
