//! INSERT, UPDATE, DELETE, MERGE and TRUNCATE: printed for the engine with every value fitted to its
//! column, run, and counted exactly.

use firn_sql::Failure;
use firn_sql::ast::{self, MergeAction, MergeClauseKind, Statement, TableFactor, UpdateTableFromKind};
use firn_sql::command::{Dml, DmlKind, ObjectKind};

use super::assignment;
use super::connection::Connection;
use super::dialect::{self, Surroundings, engine_relation};
use super::vectors::Values;
use crate::{DmlCounts, EngineError, ObjectDescription, Outcome};

/// What the engine runs for one command.
pub(crate) struct Prepared {
    sql: String,
    check: Check,
}

/// What has to be asked before the command runs, because the engine counts or does otherwise.
enum Check {
    Nothing,
    /// A row that several rows of FROM match is updated and counted once: the query counts them.
    UpdatedRows(String),
    /// A row that several source rows match makes a MERGE fail: the query finds one.
    MatchedTwice(String),
}

impl Prepared {
    /// Whether a transaction has to hold the check and the command together.
    pub(crate) fn needs_transaction(&self) -> bool {
        !matches!(self.check, Check::Nothing)
    }
}

pub(crate) fn prepare(
    command: &Dml,
    target: &ObjectDescription,
    surroundings: &Surroundings<'_>,
) -> Result<Prepared, EngineError> {
    if target.kind != ObjectKind::Table {
        return Err(not_a_table(target).into());
    }
    let mut statement = (*command.statement).clone();
    if let Statement::Update(update) = &mut statement {
        assignment::strip_qualifiers(&mut update.assignments);
    }
    dialect::rewrite(&mut statement, surroundings)?;
    let relation = engine_relation(&command.target, surroundings);
    let mut check = Check::Nothing;
    let sql = match &mut statement {
        Statement::Insert(insert) => {
            insert.into = true;
            insert.has_table_keyword = false;
            match assignment::fit_insert(insert, target)? {
                None => insert.to_string(),
                Some(query) => format!("INSERT INTO {relation}{} {query}", column_list(&insert.columns)),
            }
        }
        Statement::Update(update) => {
            assignment::fit_assignments(&mut update.assignments, target)?;
            check = updated_rows(update);
            update.to_string()
        }
        Statement::Merge(merge) => {
            assignment::fit_merge(merge, target)?;
            check = matched_twice(merge);
            format!("{merge} RETURNING merge_action")
        }
        Statement::Truncate(_) => format!("TRUNCATE TABLE {relation}"),
        Statement::Delete(delete) => delete.to_string(),
        other => return Err(Failure::unsupported(&other.to_string()).into()),
    };
    Ok(Prepared { sql, check })
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

/// The name a table is referred to by in its own statement.
fn handle(table: &TableFactor) -> Option<String> {
    match table {
        TableFactor::Table { alias: Some(alias), .. } => Some(alias.name.to_string()),
        TableFactor::Table { name, .. } => name.0.last().map(ToString::to_string),
        _ => None,
    }
}

fn updated_rows(update: &ast::Update) -> Check {
    let (Some(UpdateTableFromKind::BeforeSet(from) | UpdateTableFromKind::AfterSet(from)), Some(name)) =
        (&update.from, handle(&update.table.relation))
    else {
        return Check::Nothing;
    };
    let from: Vec<String> = from.iter().map(ToString::to_string).collect();
    let condition = update.selection.as_ref().map_or_else(|| "TRUE".to_owned(), ToString::to_string);
    Check::UpdatedRows(format!(
        "SELECT count(DISTINCT {name}.rowid) FROM {}, {} WHERE {condition}",
        update.table,
        from.join(", ")
    ))
}

fn matched_twice(merge: &ast::Merge) -> Check {
    let matched: Vec<_> =
        merge.clauses.iter().filter(|clause| clause.clause_kind == MergeClauseKind::Matched).collect();
    let (Some(name), false) = (handle(&merge.table), matched.is_empty()) else { return Check::Nothing };
    let predicates: Option<Vec<String>> =
        matched.iter().map(|clause| clause.predicate.as_ref().map(|predicate| format!("({predicate})"))).collect();
    let condition = predicates.map_or_else(|| "TRUE".to_owned(), |predicates| predicates.join(" OR "));
    Check::MatchedTwice(format!(
        "SELECT 1 FROM {} JOIN {} ON {} WHERE {condition} GROUP BY {name}.rowid HAVING count(*) > 1 LIMIT 1",
        merge.table, merge.source, merge.on
    ))
}

pub(crate) fn run(connection: &Connection, command: &Dml, prepared: &Prepared) -> Result<DmlCounts, EngineError> {
    let updated = match &prepared.check {
        Check::Nothing => None,
        Check::UpdatedRows(query) => count(connection, query)?,
        Check::MatchedTwice(query) => {
            if !connection.rows(query)?.is_empty() {
                return Err(Failure::new("100090", "42P18", "Duplicate row detected during DML action").into());
            }
            None
        }
    };
    if let Statement::Merge(merge) = &*command.statement {
        return run_merge(connection, merge, &prepared.sql);
    }
    let rows = connection.execute(&prepared.sql)?;
    Ok(match command.kind {
        DmlKind::Insert => DmlCounts { inserted: Some(rows), ..DmlCounts::default() },
        DmlKind::Update => DmlCounts { updated: updated.or(Some(rows)), ..DmlCounts::default() },
        DmlKind::Delete => DmlCounts { deleted: Some(rows), ..DmlCounts::default() },
        DmlKind::Merge | DmlKind::Truncate => DmlCounts::default(),
    })
}

fn count(connection: &Connection, query: &str) -> Result<Option<u64>, EngineError> {
    let rows = connection.rows(query)?;
    Ok(rows.first().and_then(|row| row[0].as_deref()).and_then(|count| count.parse().ok()))
}

fn run_merge(connection: &Connection, merge: &ast::Merge, sql: &str) -> Result<DmlCounts, EngineError> {
    let has = |wanted: fn(&MergeAction) -> bool| merge.clauses.iter().any(|clause| wanted(&clause.action)).then_some(0);
    let mut counts = DmlCounts {
        inserted: has(|action| matches!(action, MergeAction::Insert(_))),
        updated: has(|action| matches!(action, MergeAction::Update { .. })),
        deleted: has(|action| matches!(action, MergeAction::Delete { .. })),
    };
    let mut stream = connection.stream(sql)?;
    while let Some(chunk) = stream.next_chunk()? {
        let columns = chunk.columns();
        let Some(Values::Text(actions)) = columns.first().map(|column| &column.values) else { continue };
        for action in &actions[..chunk.row_count()] {
            let counter = match action.get() {
                b"INSERT" => &mut counts.inserted,
                b"UPDATE" => &mut counts.updated,
                _ => &mut counts.deleted,
            };
            *counter = Some(counter.unwrap_or(0) + 1);
        }
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
