//! INSERT, UPDATE, DELETE, MERGE and TRUNCATE: parsed by the library, then held to the forms the
//! dialect has.

use super::{Reader, insert_many};
use crate::command::{Command, Dml, DmlKind};
use crate::names::ObjectName;
use crate::reader::name_from_tree;
use crate::{Failure, ast};

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    if reader.at("TRUNCATE MATERIALIZED") {
        return Err(Failure::unsupported("TRUNCATE MATERIALIZED VIEW"));
    }
    let start = reader.place();
    let mut statement = reader.statement()?;
    if let ast::Statement::Insert(insert) = &statement
        && insert.multi_table_insert_type.is_some()
    {
        return Ok(Command::InsertMany(Box::new(insert_many::of(insert)?)));
    }
    let (kind, target) = match &mut statement {
        ast::Statement::Insert(insert) => {
            let kind = if insert.overwrite { DmlKind::Overwrite } else { DmlKind::Insert };
            (kind, insert_target(insert)?)
        }
        ast::Statement::Update(update) => (DmlKind::Update, update_target(update)?),
        ast::Statement::Delete(delete) => (DmlKind::Delete, delete_target(delete)?),
        ast::Statement::Merge(merge) => (DmlKind::Merge, merge_target(merge)?),
        ast::Statement::Truncate(truncate) => (DmlKind::Truncate, truncate_target(truncate)?),
        _ => return Err(reader.unexpected_at(start)),
    };
    Ok(Command::Dml(Dml { kind, target, statement: Box::new(statement), policies: None }))
}

fn refuse(present: bool, clause: &str) -> Result<(), Failure> {
    if present { Err(Failure::unsupported(clause)) } else { Ok(()) }
}

fn insert_target(insert: &mut ast::Insert) -> Result<ObjectName, Failure> {
    insert.columns.iter_mut().for_each(keep_last_part);
    insert.optimizer_hints.clear();
    refuse(insert.or.is_some() || insert.ignore || insert.replace_into, "INSERT OR …")?;
    refuse(!insert.into, "INSERT without INTO")?;
    refuse(insert.partitioned.is_some() || !insert.after_columns.is_empty(), "INSERT PARTITION")?;
    refuse(insert.on.is_some(), "INSERT … ON")?;
    refuse(insert.returning.is_some() || insert.output.is_some(), "INSERT … RETURNING")?;
    refuse(!insert.assignments.is_empty(), "INSERT … SET")?;
    refuse(insert.table_alias.is_some() || insert.insert_alias.is_some(), "INSERT with an alias")?;
    refuse(
        insert.priority.is_some() || insert.settings.is_some() || insert.format_clause.is_some(),
        "INSERT … FORMAT",
    )?;
    refuse(insert.source.is_none(), "INSERT without VALUES or a query")?;
    match &insert.table {
        ast::TableObject::TableName(name) => name_from_tree(name),
        ast::TableObject::TableFunction(_) | ast::TableObject::TableQuery(_) => {
            Err(Failure::unsupported("INSERT INTO what is not a table"))
        }
    }
}

fn update_target(update: &mut ast::Update) -> Result<ObjectName, Failure> {
    update.optimizer_hints.clear();
    refuse(update.or.is_some(), "UPDATE OR …")?;
    refuse(update.returning.is_some() || update.output.is_some(), "UPDATE … RETURNING")?;
    refuse(update.limit.is_some() || !update.order_by.is_empty(), "UPDATE … LIMIT")?;
    refuse(!update.table.joins.is_empty(), "UPDATE of a join")?;
    refuse(matches!(update.from, Some(ast::UpdateTableFromKind::BeforeSet(_))), "UPDATE … FROM before SET")?;
    plain_columns(&mut update.assignments)?;
    factor_name(&update.table.relation)
}

fn delete_target(delete: &mut ast::Delete) -> Result<ObjectName, Failure> {
    delete.optimizer_hints.clear();
    refuse(!delete.tables.is_empty(), "DELETE of several tables")?;
    refuse(delete.returning.is_some() || delete.output.is_some(), "DELETE … RETURNING")?;
    refuse(delete.limit.is_some() || !delete.order_by.is_empty(), "DELETE … LIMIT")?;
    match &delete.from {
        ast::FromTable::WithFromKeyword(tables) => match tables.as_slice() {
            [table] if table.joins.is_empty() => factor_name(&table.relation),
            _ => Err(Failure::unsupported("DELETE of several tables")),
        },
        ast::FromTable::WithoutKeyword(_) => Err(Failure::unsupported("DELETE without FROM")),
    }
}

fn merge_target(merge: &mut ast::Merge) -> Result<ObjectName, Failure> {
    merge.optimizer_hints.clear();
    refuse(merge.output.is_some(), "MERGE … RETURNING")?;
    refuse(!merge.into, "MERGE without INTO")?;
    refuse(merge.clauses.is_empty(), "MERGE without WHEN")?;
    for clause in &mut merge.clauses {
        let by_source = matches!(clause.clause_kind, ast::MergeClauseKind::NotMatchedBySource);
        refuse(by_source, "WHEN NOT MATCHED BY SOURCE")?;
        match &mut clause.action {
            ast::MergeAction::Insert(insert) => {
                insert.columns.iter_mut().for_each(keep_last_part);
                refuse(insert.insert_predicate.is_some(), "MERGE … INSERT … WHERE")?;
                refuse(matches!(insert.kind, ast::MergeInsertKind::Row), "MERGE … INSERT ROW")?;
            }
            ast::MergeAction::Update(update) => {
                refuse(
                    update.update_predicate.is_some() || update.delete_predicate.is_some(),
                    "MERGE … UPDATE … WHERE",
                )?;
                match &mut update.kind {
                    ast::MergeUpdateKind::Set(assignments) => plain_columns(assignments)?,
                    ast::MergeUpdateKind::Wildcard => {}
                }
            }
            ast::MergeAction::Delete { .. } => {}
            ast::MergeAction::DoNothing { .. } => return Err(Failure::unsupported("MERGE … DO NOTHING")),
        }
    }
    factor_name(&merge.table)
}

fn truncate_target(truncate: &ast::Truncate) -> Result<ObjectName, Failure> {
    let plain = truncate.partitions.is_none()
        && truncate.identity.is_none()
        && truncate.cascade.is_none()
        && truncate.on_cluster.is_none();
    refuse(!plain, "TRUNCATE with options")?;
    match truncate.table_names.as_slice() {
        [table] if !table.only && !table.has_asterisk => name_from_tree(&table.name),
        _ => Err(Failure::unsupported("TRUNCATE of several tables")),
    }
}

/// A column of the target may be qualified with the table's name, which is dropped.
fn keep_last_part(name: &mut ast::ObjectName) {
    let keep_from = name.0.len().saturating_sub(1);
    name.0.drain(..keep_from);
}

fn plain_columns(assignments: &mut [ast::Assignment]) -> Result<(), Failure> {
    for assignment in assignments {
        match &mut assignment.target {
            ast::AssignmentTarget::ColumnName(name) => keep_last_part(name),
            ast::AssignmentTarget::Tuple(_) => return Err(Failure::unsupported("SET of several columns at once")),
        }
    }
    Ok(())
}

fn factor_name(factor: &ast::TableFactor) -> Result<ObjectName, Failure> {
    match factor {
        ast::TableFactor::Table { name, args: None, .. } => name_from_tree(name),
        _ => Err(Failure::unsupported("changing what is not a table")),
    }
}
