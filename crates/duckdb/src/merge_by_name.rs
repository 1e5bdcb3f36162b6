//! `UPDATE ALL BY NAME` and `INSERT ALL BY NAME` of a MERGE: every column of the target takes the value of the
//! source's column of its name.

use firn_duckdb_lower::dialect::{self, quoted};
use firn_engine::{EngineError, ObjectDescription};
use firn_sql::Failure;
use firn_sql::ast::{
    Assignment, AssignmentTarget, Expr, Ident, Merge, MergeAction, MergeInsertKind, MergeUpdateKind, ObjectNamePart,
    Parens, Select, SelectItem, SetExpr, TableFactor, Values, WildcardAdditionalOptions,
};
use firn_sql::names::display_identifier;

use super::describe::Lookup;

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
    let Some(names) = columns_of(source, lookup)? else { return Ok(()) };
    let refused = |side: &str, name: &str| {
        let column = display_identifier(name);
        let message = format!(
            "SQL compilation error:\nThe {side} of the MERGE has no column '{column}', and ALL BY NAME needs the same columns on both \
             sides."
        );
        Err(Failure::new("002020", "21S01", message).into())
    };
    if let Some(missing) = target.columns.iter().find(|column| !names.contains(&column.name)) {
        return refused("source", &missing.name);
    }
    match names.iter().find(|name| !target.columns.iter().any(|column| column.name == **name)) {
        Some(extra) => refused("target", extra),
        None => Ok(()),
    }
}

/// The names of the columns of a table or a select; `None` where they are not known before it is bound.
fn columns_of(source: &TableFactor, lookup: &dyn Lookup) -> Result<Option<Vec<String>>, EngineError> {
    match source {
        TableFactor::Table { name, args: None, .. } => {
            let found = match dialect::full_name(&name.0) {
                Some(name) => lookup.find(&name)?,
                None => None,
            };
            Ok(found.map(|found| found.columns.iter().map(|column| column.name.clone()).collect()))
        }
        TableFactor::Derived { subquery, alias, .. } if alias.as_ref().is_none_or(|alias| alias.columns.is_empty()) => {
            match subquery.body.as_ref() {
                SetExpr::Select(select) if subquery.with.is_none() => columns_of_select(select, lookup),
                _ => Ok(None),
            }
        }
        _ => Ok(None),
    }
}

fn columns_of_select(select: &Select, lookup: &dyn Lookup) -> Result<Option<Vec<String>>, EngineError> {
    let mut names = Vec::new();
    for item in &select.projection {
        match (item, select.from.as_slice()) {
            (SelectItem::Wildcard(options), [only]) if only.joins.is_empty() && is_plain(options) => {
                let Some(all) = columns_of(&only.relation, lookup)? else { return Ok(None) };
                names.extend(all);
            }
            _ => match item_name(item) {
                Some(name) => names.push(name),
                None => return Ok(None),
            },
        }
    }
    Ok(Some(names))
}

fn is_plain(options: &WildcardAdditionalOptions) -> bool {
    options.to_string().is_empty()
}

fn item_name(item: &SelectItem) -> Option<String> {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => Some(alias.value.clone()),
        SelectItem::UnnamedExpr(Expr::Identifier(name)) => Some(name.value.clone()),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => parts.last().map(|name| name.value.clone()),
        _ => None,
    }
}
