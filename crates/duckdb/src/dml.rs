//! INSERT, UPDATE, DELETE, MERGE and TRUNCATE: printed for the engine with every value fitted to its
//! column, run, and counted exactly.

use firn_duckdb_lower::dialect::{self, RewriteContext, engine_relation};
use firn_duckdb_lower::{assignment, materialize_sources, target_policies};
use firn_engine::{DmlCounts, EngineError, ExecutionContext, ObjectDescription, Outcome, RepeatedMatch};
use firn_functions::columns::Values;
use firn_sql::ast::{
    self, CaseWhen, Expr, Ident, MergeAction, MergeClauseKind, ObjectNamePart, SelectItem, SetExpr, Statement,
    TableFactor, TableWithJoins, UpdateTableFromKind,
};
use firn_sql::command::{Dml, DmlKind, ObjectKind, Persistence};
use firn_sql::names::quote_identifier;
use firn_sql::{Failure, ObjectName, print};

use super::connection::Connection;
use super::merge_by_name;
use super::staging;
use super::statement_outcomes::{self, StoredOutcome};

/// What the engine runs for one command.
pub(crate) struct Prepared {
    /// ALTER statements for the table.
    widening: Vec<String>,
    /// Statements to run first; their temporary objects are dropped afterwards.
    before: Vec<String>,
    sql: String,
    /// The rest of the rows of an INSERT.
    more: Vec<String>,
    after: Vec<String>,
    check: Check,
}

/// Queries to run before the command, where the engine's counts or semantics differ.
enum Check {
    Nothing,
    /// A row that several rows of FROM match is updated and counted once: the query counts the rows, and
    /// those of them.
    UpdatedRows {
        count: String,
        several: RepeatedMatch,
    },
    /// A row that is to be updated and that several source rows match makes a MERGE fail, or is counted once: the query
    /// counts the rows to be updated, and those of them.
    MergedRows {
        count: String,
        several: RepeatedMatch,
    },
    /// An emptied table may be loaded from the same files again.
    ForgetLoads,
}

impl Prepared {
    /// What the engine will run in the end, for EXPLAIN.
    pub(crate) fn sql(&self) -> &str {
        &self.sql
    }

    /// Whether a transaction has to hold the check and the command together.
    pub(crate) fn needs_transaction(&self) -> bool {
        let alone = self.widening.is_empty() && self.before.is_empty() && self.more.is_empty();
        !alone || !matches!(self.check, Check::Nothing)
    }

    /// With ALTER statements that run first.
    pub(crate) fn after(self, widening: Vec<String>) -> Self {
        Self { widening, ..self }
    }
}

/// As `outcome`, to be recorded with the change.
pub(crate) fn stored_outcome(command: &Dml, counts: DmlCounts) -> StoredOutcome {
    match outcome(command, counts) {
        Outcome::Done(status) => StoredOutcome::Done(status),
        _ => StoredOutcome::of_counts(&counts),
    }
}

/// Whether the outcome may have to be recorded with the change. Rows of values are inserted so quickly that nobody can get
/// to know of the statement meanwhile.
pub(crate) fn may_record_outcome(command: &Dml, context: &ExecutionContext) -> bool {
    let inserts_values = match &*command.statement {
        Statement::Insert(insert) => {
            insert.source.as_ref().is_some_and(|source| matches!(&*source.body, SetExpr::Values(_)))
        }
        _ => false,
    };
    statement_outcomes::is_wanted(context) || (context.outcome_recorded_from.is_some() && !inserts_values)
}

pub(crate) fn prepare(
    command: &Dml,
    target: &ObjectDescription,
    rewrite_context: &RewriteContext<'_>,
) -> Result<Prepared, EngineError> {
    if target.kind != ObjectKind::Table {
        return Err(not_a_table(target).into());
    }
    let mut statement = (*command.statement).clone();
    if let Statement::Update(update) = &mut statement {
        assignment::strip_qualifiers(&mut update.assignments);
    }
    if let Statement::Merge(merge) = &mut statement {
        merge_by_name::expand(merge, target, rewrite_context.lookup)?;
    }
    if let Some(policies) = &command.policies {
        target_policies::bind(&mut statement, policies, rewrite_context.lookup)?;
    }
    dialect::rewrite(&mut statement, rewrite_context)?;
    let relation = engine_relation(&command.target, rewrite_context.temporary);
    let mut check = Check::Nothing;
    let mut more = Vec::new();
    let fitted = match &mut statement {
        Statement::Insert(insert) => {
            insert.into = true;
            insert.overwrite = false;
            insert.has_table_keyword = false;
            for mut other in assignment::split_by_defaults(insert, target) {
                assignment::fit_insert(&mut other, target)?;
                let rest = assignment::split_long_values(&mut other);
                more.extend(std::iter::once(other).chain(rest).map(|part| print::into_sql(Statement::Insert(part))));
            }
            let query = assignment::fit_insert(insert, target)?;
            if command.kind == DmlKind::Overwrite && reads_more_than_other_tables(command, rewrite_context)? {
                return Ok(overwriting_itself(&relation, insert, query));
            }
            let rest = assignment::split_long_values(insert).into_iter();
            more.extend(rest.map(|part| print::into_sql(Statement::Insert(part))));
            query.map(|query| format!("INSERT INTO {relation}{} {query}", column_list(&insert.columns)))
        }
        Statement::Update(update) => {
            assignment::fit_assignments(&mut update.assignments, target)?;
            check = updated_rows(update, rewrite_context.repeated_matches.in_update)?;
            None
        }
        Statement::Merge(merge) => {
            assignment::fit_merge(merge, target)?;
            let filtered = command.policies.as_ref().map(|_| (*merge.on).clone());
            check = merged_rows(merge, filtered, rewrite_context.repeated_matches.in_merge)?;
            None
        }
        Statement::Truncate(_) => {
            if target.persistence != Persistence::Temporary {
                check = Check::ForgetLoads;
            }
            Some(format!("TRUNCATE TABLE {relation}"))
        }
        Statement::Delete(_) => None,
        other => return Err(Failure::unsupported(&other.to_string()).into()),
    };
    let before = match command.kind {
        DmlKind::Overwrite => vec![format!("TRUNCATE TABLE {relation}")],
        _ => Vec::new(),
    };
    materialize_sources_first(&mut statement, command, rewrite_context)?;
    let sql = fitted.unwrap_or_else(|| match statement {
        Statement::Merge(_) => format!("{} RETURNING merge_action", print::into_sql(statement)),
        other => print::into_sql(other),
    });
    Ok(Prepared { widening: Vec::new(), before, sql, more, after: Vec::new(), check })
}

/// Whether emptying the target first could change what the source of an INSERT OVERWRITE gives.
fn reads_more_than_other_tables(command: &Dml, rewrite_context: &RewriteContext<'_>) -> Result<bool, EngineError> {
    let Statement::Insert(ast::Insert { source: Some(source), .. }) = &*command.statement else { return Ok(false) };
    Ok(!reading_target(dialect::relations_of(&**source), command, rewrite_context)?.is_empty())
}

fn materialize_sources_first(
    statement: &mut Statement,
    command: &Dml,
    rewrite_context: &RewriteContext<'_>,
) -> Result<(), EngineError> {
    let risky = || read_besides(command, rewrite_context);
    match statement {
        Statement::Merge(merge) => materialize_sources::materialize(&mut merge.source, &risky()?)?,
        Statement::Update(ast::Update {
            from: Some(UpdateTableFromKind::BeforeSet(from) | UpdateTableFromKind::AfterSet(from)),
            ..
        }) => materialize_sources::materialize_all(from, &risky()?)?,
        Statement::Delete(ast::Delete { using: Some(using), .. }) => {
            materialize_sources::materialize_all(using, &risky()?)?
        }
        _ => {}
    }
    Ok(())
}

/// The relations by which a command reads the table it changes.
fn read_besides(command: &Dml, rewrite_context: &RewriteContext<'_>) -> Result<Vec<ObjectName>, EngineError> {
    let mut names = dialect::relations_of(&*command.statement);
    if let Some(changed) = names.iter().position(|name| *name == command.target) {
        names.remove(changed);
    }
    reading_target(names, command, rewrite_context)
}

/// Those of the relations that are the target, or views, which may read it.
fn reading_target(
    names: Vec<ObjectName>,
    command: &Dml,
    rewrite_context: &RewriteContext<'_>,
) -> Result<Vec<ObjectName>, EngineError> {
    let mut reading = Vec::new();
    for name in names {
        let found = rewrite_context.lookup.find(&name)?;
        if name == command.target || found.is_some_and(|found| found.kind != ObjectKind::Table) {
            reading.push(name);
        }
    }
    Ok(reading)
}

/// The rows are materialized before the table is emptied.
fn overwriting_itself(relation: &str, insert: &ast::Insert, query: Option<String>) -> Prepared {
    const ASIDE: &str = "temp.main.\"firn overwriting rows\"";
    let rows = query.or_else(|| insert.source.as_deref().map(print::sql)).unwrap_or_default();
    Prepared {
        widening: Vec::new(),
        before: vec![format!("CREATE TEMPORARY TABLE {ASIDE} AS {rows}"), format!("TRUNCATE TABLE {relation}")],
        sql: format!("INSERT INTO {relation}{} SELECT * FROM {ASIDE}", column_list(&insert.columns)),
        more: Vec::new(),
        after: vec![format!("DROP TABLE {ASIDE}")],
        check: Check::Nothing,
    }
}

fn column_list(columns: &[ast::ObjectName]) -> String {
    if columns.is_empty() {
        return String::new();
    }
    let names = columns.iter().filter_map(|name| name.0.last().and_then(ObjectNamePart::as_ident));
    let names: Vec<String> = names.map(|ident| quote_identifier(&ident.value)).collect();
    format!(" ({})", names.join(", "))
}

pub(crate) fn not_a_table(target: &ObjectDescription) -> Failure {
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

/// `SELECT count(*), … FROM (SELECT count(*), t.rowid FROM t, … WHERE … GROUP BY ALL)`.
fn updated_rows(update: &ast::Update, several: RepeatedMatch) -> Result<Check, Failure> {
    let (Some(UpdateTableFromKind::BeforeSet(from) | UpdateTableFromKind::AfterSet(from)), Some(row)) =
        (&update.from, row_of(&update.table.relation))
    else {
        return Ok(Check::Nothing);
    };
    let mut query = print::read_query(
        "SELECT count(*), count(CASE WHEN n > 1 THEN 1 END) FROM (SELECT count(*) AS n GROUP BY ALL) AS updated",
    )?;
    if let SetExpr::Select(outer) = &mut *query.body
        && let Some(TableWithJoins { relation: TableFactor::Derived { subquery, .. }, .. }) = outer.from.first_mut()
        && let SetExpr::Select(select) = &mut *subquery.body
    {
        select.projection.push(SelectItem::UnnamedExpr(row));
        select.from = std::iter::once(&update.table).chain(from).cloned().collect();
        select.selection.clone_from(&update.selection);
    }
    Ok(Check::UpdatedRows { count: print::into_sql(query), several })
}

/// Every matched pair is given the first WHEN MATCHED clause that takes it; a row may be deleted any number of
/// times, but only updated once and by nothing else.
/// `filtered` is the condition of a target with policies: nothing else is evaluated for rows that it leaves out, though the engine
/// pushes what is selected below the join.
fn merged_rows(merge: &ast::Merge, filtered: Option<Expr>, several: RepeatedMatch) -> Result<Check, Failure> {
    let is_update = |clause: &ast::MergeClause| matches!(clause.action, MergeAction::Update(_));
    let matched = merge.clauses.iter().filter(|clause| clause.clause_kind == MergeClauseKind::Matched);
    let matched: Vec<_> = matched.collect();
    let (Some(row), true) = (row_of(&merge.table), matched.iter().any(|clause| is_update(clause))) else {
        return Ok(Check::Nothing);
    };
    let mut action = print::read_expression("CASE WHEN TRUE THEN 1 END")?;
    if let Expr::Case { conditions, .. } = &mut action {
        let left_out = filtered.map(|on| CaseWhen {
            condition: Expr::IsNotTrue(Box::new(Expr::Nested(Box::new(on)))),
            result: Expr::value(ast::Value::Null),
        });
        let actions = matched.iter().map(|clause| CaseWhen {
            condition: clause.predicate.clone().unwrap_or_else(|| Expr::value(ast::Value::Boolean(true))),
            result: dialect::number(i64::from(is_update(clause))),
        });
        *conditions = left_out.into_iter().chain(actions).collect();
    }
    let mut query = print::read_query(
        "SELECT count(*), count(CASE WHEN n > 1 THEN 1 END) FROM (SELECT count(*) AS n \
         FROM (SELECT 1) AS matched(target, is_update) WHERE is_update IS NOT NULL \
         GROUP BY target HAVING max(is_update) = 1) AS merged",
    )?;
    if let SetExpr::Select(counting) = &mut *query.body
        && let Some(TableWithJoins { relation: TableFactor::Derived { subquery, .. }, .. }) = counting.from.first_mut()
        && let SetExpr::Select(outer) = &mut *subquery.body
        && let Some(TableWithJoins { relation: TableFactor::Derived { subquery, .. }, .. }) = outer.from.first_mut()
        && let SetExpr::Select(select) = &mut *subquery.body
    {
        let plain = |relation: &TableFactor| TableWithJoins { relation: relation.clone(), joins: Vec::new() };
        select.projection = vec![SelectItem::UnnamedExpr(row), SelectItem::UnnamedExpr(action)];
        select.from = vec![plain(&merge.table), plain(&merge.source)];
        select.selection = Some((*merge.on).clone());
    }
    Ok(Check::MergedRows { count: print::into_sql(query), several })
}

/// `authorised_at` as in `ExecutionContext`.
pub(crate) fn run(
    connection: &Connection,
    command: &Dml,
    prepared: &Prepared,
    authorised_at: Option<u64>,
) -> Result<DmlCounts, EngineError> {
    prepared.widening.iter().try_for_each(|sql| connection.execute(sql).map(drop))?;
    let mut authorised_at = authorised_at;
    let updated = match &prepared.check {
        Check::Nothing => None,
        Check::ForgetLoads => {
            staging::forget_loads(connection, &command.target)?;
            None
        }
        Check::UpdatedRows { count, several } | Check::MergedRows { count, several } => {
            // Reads what the command itself reads.
            connection.expect_unchanged_since(authorised_at.take());
            match (two_counts(connection, count)?, several) {
                ((_, 1..), RepeatedMatch::Refused) => {
                    let message = "Duplicate row detected during DML action";
                    return Err(Failure::new("100090", "42P18", message).into());
                }
                (counts, _) => Some(counts),
            }
        }
    };
    if let Statement::Merge(merge) = &*command.statement {
        connection.expect_unchanged_since(authorised_at);
        let counts = run_merge(connection, merge, &prepared.sql)?;
        return Ok(DmlCounts { updated: counts.updated.map(|all| updated.map_or(all, |(rows, _)| rows)), ..counts });
    }
    prepared.before.iter().try_for_each(|sql| connection.execute(sql).map(drop))?;
    connection.expect_unchanged_since(authorised_at);
    let mut rows = connection.execute(&prepared.sql)?;
    connection.note_profile();
    for sql in &prepared.more {
        rows += connection.execute(sql)?;
    }
    prepared.after.iter().try_for_each(|sql| connection.execute(sql).map(drop))?;
    Ok(match command.kind {
        DmlKind::Insert | DmlKind::Overwrite => DmlCounts { inserted: Some(rows), ..DmlCounts::default() },
        DmlKind::Update => {
            let (updated, updated_by_several) = updated.unwrap_or((rows, 0));
            DmlCounts { updated: Some(updated), updated_by_several, ..DmlCounts::default() }
        }
        DmlKind::Delete => DmlCounts { deleted: Some(rows), ..DmlCounts::default() },
        DmlKind::Merge | DmlKind::Truncate => DmlCounts::default(),
    })
}

fn two_counts(connection: &Connection, query: &str) -> Result<(u64, u64), EngineError> {
    let rows = connection.rows(query)?;
    let count = |index: usize| {
        let text = rows.first().and_then(|row| row.get(index)).and_then(Option::as_deref);
        text.and_then(|text| text.parse().ok()).unwrap_or_default()
    };
    Ok((count(0), count(1)))
}

fn run_merge(connection: &Connection, merge: &ast::Merge, sql: &str) -> Result<DmlCounts, EngineError> {
    let has = |wanted: fn(&MergeAction) -> bool| merge.clauses.iter().any(|clause| wanted(&clause.action)).then_some(0);
    let mut counts = DmlCounts {
        inserted: has(|action| matches!(action, MergeAction::Insert(_))),
        updated: has(|action| matches!(action, MergeAction::Update { .. })),
        deleted: has(|action| matches!(action, MergeAction::Delete { .. })),
        updated_by_several: 0,
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
    drop(stream);
    connection.note_profile();
    Ok(counts)
}

/// TRUNCATE reports no count.
pub(crate) fn outcome<'session>(command: &Dml, counts: DmlCounts) -> Outcome<'session> {
    match command.kind {
        DmlKind::Truncate => Outcome::Done("Statement executed successfully.".to_owned()),
        _ => Outcome::Dml(counts),
    }
}
