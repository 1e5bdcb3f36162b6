//! INSERT ALL and INSERT FIRST.

use crate::Failure;
use crate::ast::{
    Ident, Insert, MultiTableInsertIntoClause, MultiTableInsertType, MultiTableInsertValue, MultiTableInsertValues,
};
use crate::command::{BranchChoice, InsertBranch, InsertCondition, InsertMany, InsertTarget};
use crate::reader::name_from_tree;

pub(super) fn of(insert: &Insert) -> Result<InsertMany, Failure> {
    let choice = match insert.multi_table_insert_type {
        Some(MultiTableInsertType::First) => BranchChoice::First,
        _ => BranchChoice::All,
    };
    let mut branches = Vec::new();
    if !insert.multi_table_into_clauses.is_empty() {
        branches.push(branch(InsertCondition::Always, &insert.multi_table_into_clauses)?);
    }
    for clause in &insert.multi_table_when_clauses {
        branches.push(branch(InsertCondition::When(clause.condition.clone()), &clause.into_clauses)?);
    }
    if let Some(clauses) = &insert.multi_table_else_clause {
        branches.push(branch(InsertCondition::Else, clauses)?);
    }
    match &insert.source {
        Some(source) => Ok(InsertMany { overwrite: insert.overwrite, choice, branches, source: source.clone() }),
        None => Err(Failure::unsupported("INSERT ALL | FIRST without a query")),
    }
}

fn branch(condition: InsertCondition, clauses: &[MultiTableInsertIntoClause]) -> Result<InsertBranch, Failure> {
    let targets = clauses.iter().map(target).collect::<Result<_, _>>()?;
    Ok(InsertBranch { condition, targets })
}

fn target(clause: &MultiTableInsertIntoClause) -> Result<InsertTarget, Failure> {
    let columns = clause.columns.iter().map(|column| match column.quote_style {
        None => Ident { value: column.value.to_ascii_uppercase(), quote_style: Some('"'), span: column.span },
        Some(_) => column.clone(),
    });
    let values = |values: &MultiTableInsertValues| {
        let value = |value: &MultiTableInsertValue| match value {
            MultiTableInsertValue::Expr(expr) => Some(expr.clone()),
            MultiTableInsertValue::Default => None,
        };
        values.values.iter().map(value).collect()
    };
    Ok(InsertTarget {
        table: name_from_tree(&clause.table_name)?,
        columns: columns.collect(),
        values: clause.values.as_ref().map(values),
    })
}
