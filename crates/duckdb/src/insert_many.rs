//! INSERT ALL and INSERT FIRST: the query's rows are materialized in a temporary table that no statement can name, and
//! each branch inserts from it.

use firn_duckdb_lower::dialect::engine_relation;
use firn_engine::{EngineError, ObjectDescription};
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
        let rows = Rows { aside: &aside, columns: &columns, condition: &condition(command, index, branch) };
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
    condition: &'a str,
}

fn condition(command: &InsertMany, index: usize, branch: &InsertBranch) -> String {
    let own = |branch: &InsertBranch| match &branch.condition {
        InsertCondition::When(condition) => Some(format!("({})", print::sql(condition))),
        InsertCondition::Always | InsertCondition::Else => None,
    };
    let none_of = |branches: &[InsertBranch]| {
        branches.iter().filter_map(own).map(|condition| format!(" AND {condition} IS NOT TRUE")).collect::<String>()
    };
    match (&branch.condition, command.choice) {
        (InsertCondition::Always, _) => "TRUE".to_owned(),
        (InsertCondition::Else, _) => format!("TRUE{}", none_of(&command.branches)),
        (InsertCondition::When(_), BranchChoice::All) => own(branch).unwrap_or_default(),
        (InsertCondition::When(_), BranchChoice::First) => {
            format!("{}{}", own(branch).unwrap_or_default(), none_of(&command.branches[..index]))
        }
    }
}

fn insert(
    connection: &Connection,
    work: &Work<'_>,
    target: &InsertTarget,
    rows: &Rows<'_>,
) -> Result<u64, EngineError> {
    let table = work.find(&target.table)?;
    let table = table.ok_or_else(|| Failure::missing_object("Table", &target.table.to_string()))?;
    let (columns, values) = columns_and_values(target, &table, rows.columns)?;
    let statement = print::read_statement(&format!(
        "INSERT INTO {} ({}) SELECT {} FROM {} WHERE {}",
        full_name(&target.table),
        columns.join(", "),
        values.join(", "),
        full_name(rows.aside),
        rows.condition
    ))?;
    let command =
        Dml { kind: DmlKind::Insert, target: target.table.clone(), statement: Box::new(statement), policies: None };
    let rewrite_context = work.rewrite_context();
    let (table, widening) =
        wide_columns::of_target(connection, table, rewrite_context.temporary, rewrite_context.integers)?;
    let prepared = dml::prepare(&command, &table, &rewrite_context)?.after(widening);
    Ok(dml::run(connection, &command, &prepared, None)?.inserted.unwrap_or_default())
}

/// Columns that get their default are left out.
fn columns_and_values(
    target: &InsertTarget,
    table: &ObjectDescription,
    source: &[String],
) -> Result<(Vec<String>, Vec<String>), Failure> {
    let columns: Vec<&String> = match target.columns.is_empty() {
        true => table.columns.iter().map(|column| &column.name).collect(),
        false => target.columns.iter().collect(),
    };
    let values: Vec<Option<String>> = match &target.values {
        Some(values) => values.iter().map(|value| value.as_ref().map(print::sql)).collect(),
        None => source.iter().map(|column| Some(quote_identifier(column))).collect(),
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
    let given = columns.into_iter().zip(values).filter_map(|(column, value)| Some((quote_identifier(column), value?)));
    Ok(given.unzip())
}

fn full_name(name: &ObjectName) -> String {
    [name.database(), name.schema(), &name.name].map(quote_identifier).join(".")
}
