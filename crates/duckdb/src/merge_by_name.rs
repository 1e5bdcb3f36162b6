//! `UPDATE ALL BY NAME` and `INSERT ALL BY NAME` of a MERGE: every column of the target takes the value of the
//! source's column of its name.

use firn_duckdb_lower::dialect::{self, quoted};
use firn_engine::{EngineError, ObjectDescription};
use firn_sql::Failure;
use firn_sql::ast::{
    Assignment, AssignmentTarget, Expr, Ident, Merge, MergeAction, MergeInsertKind, MergeUpdateKind, ObjectNamePart,
    Parens, SelectItem, SetExpr, TableFactor, Values,
};
use firn_sql::names::display_identifier;

use super::describe::Lookup;
use super::errors;

/// Writes the columns out.
pub(crate) fn expand(merge: &mut Merge, target: &ObjectDescription, lookup: &dyn Lookup) -> Result<(), EngineError> {
    let is_by_name = |action: &MergeAction| match action {
        MergeAction::Update(update) => matches!(update.kind, MergeUpdateKind::Wildcard),
        MergeAction::Insert(insert) => matches!(insert.kind, MergeInsertKind::Wildcard),
        _ => false,
    };
    if !merge.clauses.iter().any(|clause| is_by_name(&clause.action)) {
        return Ok(());
    }
    let source = source_name(&merge.source)?;
    check_source(&merge.source, target, lookup)?;
    let columns: Vec<Ident> = target.columns.iter().map(|column| quoted(&column.name)).collect();
    let value = |column: &Ident| Expr::CompoundIdentifier(vec![source.clone(), column.clone()]);
    for clause in &mut merge.clauses {
        match &mut clause.action {
            MergeAction::Update(update) if matches!(update.kind, MergeUpdateKind::Wildcard) => {
                let assignment = |column: &Ident| Assignment {
                    target: AssignmentTarget::ColumnName(vec![column.clone()].into()),
                    value: value(column),
                };
                update.kind = MergeUpdateKind::Set(columns.iter().map(assignment).collect());
            }
            MergeAction::Insert(insert) if matches!(insert.kind, MergeInsertKind::Wildcard) => {
                insert.columns = columns.iter().map(|column| vec![column.clone()].into()).collect();
                let rows = vec![Parens::with_empty_span(columns.iter().map(value).collect())];
                insert.kind = MergeInsertKind::Values(Values { explicit_row: false, value_keyword: false, rows });
            }
            _ => {}
        }
    }
    Ok(())
}

fn source_name(source: &TableFactor) -> Result<Ident, Failure> {
    match source {
        TableFactor::Table { alias: Some(alias), .. } | TableFactor::Derived { alias: Some(alias), .. } => {
            Ok(alias.name.clone())
        }
        TableFactor::Table { name, alias: None, .. } => {
            let last = name.0.last().and_then(ObjectNamePart::as_ident).cloned();
            last.ok_or_else(|| Failure::unsupported("MERGE … ALL BY NAME from this source"))
        }
        _ => Err(Failure::unsupported("MERGE … ALL BY NAME from a source without a name")),
    }
}

/// Both sides must have the same columns. Where those of the source are not known, the engine reports what is missing.
fn check_source(source: &TableFactor, target: &ObjectDescription, lookup: &dyn Lookup) -> Result<(), EngineError> {
    let names: Vec<String> = match source {
        TableFactor::Table { name, .. } => match dialect::full_name(&name.0) {
            Some(name) => lookup.find(&name)?.iter().flat_map(|found| &found.columns).map(|c| c.name.clone()).collect(),
            None => Vec::new(),
        },
        TableFactor::Derived { subquery, .. } => match subquery.body.as_ref() {
            SetExpr::Select(select) => select.projection.iter().filter_map(item_name).collect(),
            _ => Vec::new(),
        },
        _ => Vec::new(),
    };
    let all_known = match source {
        TableFactor::Derived { subquery, .. } => match subquery.body.as_ref() {
            SetExpr::Select(select) => select.projection.len() == names.len(),
            _ => false,
        },
        _ => !names.is_empty(),
    };
    if let Some(missing) = target.columns.iter().find(|column| all_known && !names.contains(&column.name)) {
        return Err(EngineError::Failed(errors::invalid_identifier(&display_identifier(&missing.name))));
    }
    let extra = names.iter().find(|name| !target.columns.iter().any(|column| column.name == **name));
    match extra {
        Some(name) => {
            let message = format!("SQL compilation error:\nThe target of the MERGE has no column '{name}'.");
            Err(Failure::new("002020", "21S01", message).into())
        }
        None => Ok(()),
    }
}

fn item_name(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name.value.clone()),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last().map(|name| name.value.clone()),
        _ => None,
    }
}
