//! INSERT, UPDATE, DELETE, MERGE and TRUNCATE: printed for the engine with every value fitted to its
//! column, run, and counted exactly.

use firn_sql::ast::{
    self, BinaryOperator, Expr, Ident, MergeAction, MergeClauseKind, ObjectNamePart, SelectItem, SetExpr, Statement,
    TableFactor, TableWithJoins, UpdateTableFromKind,
};
use firn_sql::command::{Dml, DmlKind, ObjectKind};
use firn_sql::names::quote_identifier;
use firn_sql::{Failure, print};

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
    let fitted = match &mut statement {
        Statement::Insert(insert) => {
            insert.into = true;
            insert.has_table_keyword = false;
            let query = assignment::fit_insert(insert, target)?;
            query.map(|query| format!("INSERT INTO {relation}{} {query}", column_list(&insert.columns)))
        }
        Statement::Update(update) => {
            assignment::fit_assignments(&mut update.assignments, target)?;
            check = updated_rows(update)?;
            None
        }
        Statement::Merge(merge) => {
            assignment::fit_merge(merge, target)?;
            check = matched_twice(merge)?;
            Some(format!("{} RETURNING merge_action", print::into_sql(Statement::Merge(merge.clone()))))
        }
        Statement::Truncate(_) => Some(format!("TRUNCATE TABLE {relation}")),
        Statement::Delete(_) => None,
        other => return Err(Failure::unsupported(&other.to_string()).into()),
    };
    Ok(Prepared { sql: fitted.unwrap_or_else(|| print::into_sql(statement)), check })
}

fn column_list(columns: &[ast::ObjectName]) -> String {
    if columns.is_empty() {
        return String::new();
    }
    let names = columns.iter().filter_map(|name| name.0.last().and_then(ObjectNamePart::as_ident));
    let names: Vec<String> = names.map(|ident| quote_identifier(&ident.value)).collect();
    format!(" ({})", names.join(", "))
}

fn not_a_table(target: &ObjectDescription) -> Failure {
    Failure::new(
        "002203",
        "02000",
        format!("SQL compilation error:\n'{}' is a view; rows can be changed in tables only.", target.name),
    )
}

/// The row number of a table in its own statement.
fn row_of(table: &TableFactor) -> Option<Expr> {
    let name = match table {
        TableFactor::Table { alias: Some(alias), .. } => alias.name.clone(),
        TableFactor::Table { name, .. } => name.0.last().and_then(ObjectNamePart::as_ident)?.clone(),
        _ => return None,
    };
    Some(Expr::CompoundIdentifier(vec![name, Ident::new("rowid")]))
}

/// `SELECT count(*) FROM (SELECT DISTINCT t.rowid FROM t, … WHERE …)`.
fn updated_rows(update: &ast::Update) -> Result<Check, Failure> {
    let (Some(UpdateTableFromKind::BeforeSet(from) | UpdateTableFromKind::AfterSet(from)), Some(row)) =
        (&update.from, row_of(&update.table.relation))
    else {
        return Ok(Check::Nothing);
    };
    let mut query = print::read_query("SELECT count(*) FROM (SELECT DISTINCT 1) AS updated")?;
    if let SetExpr::Select(outer) = &mut *query.body
        && let Some(TableWithJoins { relation: TableFactor::Derived { subquery, .. }, .. }) = outer.from.first_mut()
        && let SetExpr::Select(select) = &mut *subquery.body
    {
        select.projection = vec![SelectItem::UnnamedExpr(row)];
        select.from = std::iter::once(&update.table).chain(from).cloned().collect();
        select.selection.clone_from(&update.selection);
    }
    Ok(Check::UpdatedRows(print::into_sql(query)))
}

/// `SELECT count(*), t.rowid FROM t, s WHERE … GROUP BY ALL HAVING count(*) > 1 LIMIT 1`.
fn matched_twice(merge: &ast::Merge) -> Result<Check, Failure> {
    let is_matched = |clause: &&ast::MergeClause| clause.clause_kind == MergeClauseKind::Matched;
    let matched: Vec<_> = merge.clauses.iter().filter(is_matched).collect();
    let (Some(row), false) = (row_of(&merge.table), matched.is_empty()) else { return Ok(Check::Nothing) };
    let predicates: Option<Vec<Expr>> = matched.iter().map(|clause| clause.predicate.clone()).collect();
    let mut query = print::read_query("SELECT count(*) GROUP BY ALL HAVING count(*) > 1 LIMIT 1")?;
    if let SetExpr::Select(select) = &mut *query.body {
        let plain = |relation: &TableFactor| TableWithJoins { relation: relation.clone(), joins: Vec::new() };
        select.from = vec![plain(&merge.table), plain(&merge.source)];
        select.selection = Some(nested((*merge.on).clone()));
        if let Some(chosen) = predicates.and_then(|predicates| predicates.into_iter().map(nested).reduce(or)) {
            select.selection = select.selection.take().map(|on| and(on, nested(chosen)));
        }
        select.projection.push(SelectItem::UnnamedExpr(row));
    }
    Ok(Check::MatchedTwice(print::into_sql(query)))
}

fn nested(expr: Expr) -> Expr {
    Expr::Nested(Box::new(expr))
}

fn or(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::Or, right: Box::new(right) }
}

fn and(left: Expr, right: Expr) -> Expr {
    Expr::BinaryOp { left: Box::new(left), op: BinaryOperator::And, right: Box::new(right) }
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
