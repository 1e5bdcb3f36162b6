//! INSERT ALL and INSERT FIRST: the query's rows are materialized in a temporary table that no statement can name, and
//! each branch inserts from it.

use firn_duckdb_lower::dialect::engine_relation;
use firn_engine::{EngineError, ObjectDescription};
use firn_sql::ast::{BinaryOperator, Expr, Ident, ObjectName as AstName, SelectItem, SetExpr, Statement};
use firn_sql::command::{BranchChoice, Dml, DmlKind, InsertBranch, InsertCondition, InsertMany, InsertTarget};
use firn_sql::names::quote_identifier;
use firn_sql::{Failure, ObjectName, print};

use super::connection::Connection;
use super::ddl::Work;
use super::describe::Lookup;
use super::dml;
use super::side_tables::SIDE_SCHEMA;
use super::wide_columns;

/// The tables that the command writes, each once, in the order of the text.
pub(crate) fn targets(command: &InsertMany) -> Vec<ObjectName> {
    let mut targets: Vec<ObjectName> = Vec::new();
    for target in command.branches.iter().flat_map(|branch| &branch.targets) {
        if !targets.contains(&target.table) {
            targets.push(target.table.clone());
        }
    }
    targets
}

/// Runs the command in the open transaction, and returns the number of rows inserted into each table.
pub(crate) fn run(
    connection: &Connection,
    work: &mut Work<'_>,
    command: &InsertMany,
) -> Result<Vec<(ObjectName, u64)>, EngineError> {
    let mut counts: Vec<(ObjectName, u64)> = targets(command).into_iter().map(|table| (table, 0)).collect();
    let Some((first, _)) = counts.first() else { return Ok(counts) };
    let aside = ObjectName::qualified(first.database(), SIDE_SCHEMA, "INSERTED");
    let columns = work.materialize(&aside, &command.source)?;
    if command.overwrite {
        for (table, _) in &counts {
            connection
                .execute(&format!("TRUNCATE TABLE {}", engine_relation(table, work.rewrite_context().temporary)))?;
        }
    }
    for (index, branch) in command.branches.iter().enumerate() {
        let rows = Rows { aside: &aside, columns: &columns, condition: condition(command, index, branch) };
        for target in &branch.targets {
            let inserted = insert(connection, work, target, &rows)?;
            counts.iter_mut().filter(|(table, _)| *table == target.table).for_each(|(_, count)| *count += inserted);
        }
    }
    work.drop_materialized(&aside)?;
    Ok(counts)
}

/// The rows a branch takes.
struct Rows<'a> {
    aside: &'a ObjectName,
    columns: &'a [String],
    /// `None` takes all.
    condition: Option<Expr>,
}

/// The conditions keep their places in the text, which errors name.
fn condition(command: &InsertMany, index: usize, branch: &InsertBranch) -> Option<Expr> {
    let own = |branch: &InsertBranch| match &branch.condition {
        InsertCondition::When(condition) => Some(Expr::Nested(Box::new(condition.clone()))),
        InsertCondition::Always | InsertCondition::Else => None,
    };
    let not = |branch: &InsertBranch| Some(Expr::IsNotTrue(Box::new(own(branch)?)));
    let others = match (&branch.condition, command.choice) {
        (InsertCondition::Always, _) | (InsertCondition::When(_), BranchChoice::All) => &[],
        (InsertCondition::Else, _) => &command.branches[..],
        (InsertCondition::When(_), BranchChoice::First) => &command.branches[..index],
    };
    own(branch).into_iter().chain(others.iter().filter_map(not)).reduce(|left, right| Expr::BinaryOp {
        left: Box::new(left),
        op: BinaryOperator::And,
        right: Box::new(right),
    })
}

fn insert(
    connection: &Connection,
    work: &Work<'_>,
    target: &InsertTarget,
    rows: &Rows<'_>,
) -> Result<u64, EngineError> {
    let table = work.find(&target.table)?;
    let table = table.ok_or_else(|| Failure::missing_object("Table", &target.table.to_string()))?;
    let statement = statement(target, &table, rows)?;
    let command =
        Dml { kind: DmlKind::Insert, target: target.table.clone(), statement: Box::new(statement), policies: None };
    let rewrite_context = work.rewrite_context();
    let (table, widening) =
        wide_columns::of_target(connection, table, rewrite_context.temporary, rewrite_context.integers)?;
    let prepared = dml::prepare(&command, &table, &rewrite_context)?.after(widening);
    Ok(dml::run(connection, &command, &prepared, None)?.inserted.unwrap_or_default())
}

/// The INSERT of one branch, with the names, values and the condition of the text.
fn statement(target: &InsertTarget, table: &ObjectDescription, rows: &Rows<'_>) -> Result<Statement, Failure> {
    let (columns, values) = columns_and_values(target, table, rows.columns)?;
    let mut statement = print::read_statement(&format!(
        "INSERT INTO {} (a) SELECT 1 FROM {}",
        full_name(&target.table),
        full_name(rows.aside),
    ))?;
    if let Statement::Insert(insert) = &mut statement {
        insert.columns = columns.into_iter().map(AstName::from).collect();
        if let Some(SetExpr::Select(select)) = insert.source.as_mut().map(|query| &mut *query.body) {
            select.projection = values.into_iter().map(SelectItem::UnnamedExpr).collect();
            select.selection.clone_from(&rows.condition);
        }
    }
    Ok(statement)
}

/// Columns that get their default are left out.
fn columns_and_values(
    target: &InsertTarget,
    table: &ObjectDescription,
    source: &[String],
) -> Result<(Vec<Ident>, Vec<Expr>), Failure> {
    let quoted = |name: &String| Ident::with_quote('"', name);
    let columns: Vec<Ident> = match target.columns.is_empty() {
        true => table.columns.iter().map(|column| quoted(&column.name)).collect(),
        false => target.columns.clone(),
    };
    let values: Vec<Option<Expr>> = match &target.values {
        Some(values) => values.clone(),
        None => source.iter().map(|column| Some(Expr::Identifier(quoted(column)))).collect(),
    };
    if columns.len() != values.len() {
        return Err(Failure::new(
            "002020",
            "21S01",
            format!(
                "SQL compilation error:\nInsert value list does not match column list expecting {} but got {}",
                columns.len(),
                values.len()
            ),
        ));
    }
    Ok(columns.into_iter().zip(values).filter_map(|(column, value)| Some((column, value?))).unzip())
}

fn full_name(name: &ObjectName) -> String {
    [name.database(), name.schema(), &name.name].map(quote_identifier).join(".")
}
