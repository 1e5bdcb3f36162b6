//! Recursive CTEs whose recursive branches have more digits behind the point than the first one, or values of a wider
//! family. The engine takes the types of the first branch, so its columns are cast to what holds the values of all.

use firn_binder::{OutputColumn, QueryScopes};
use firn_engine::EngineError;
use firn_sql::ast::{Query, Select, SelectItem, SetExpr, With};
use firn_sql::command::DataType;
use firn_sql::tree::reads_relation;

use super::build::null;
use super::decimal_scale::DIGITS_MAX;
use super::join_constraints::merges_columns;
use super::kinds::dialect_cast;
use super::set_branches::shown_value;
use super::set_columns::spell_out;

pub(super) fn applies_to(query: &Query) -> bool {
    query.with.as_ref().is_some_and(|with| with.recursive && with.cte_tables.iter().any(|table| is_union(&table.query)))
}

fn is_union(query: &Query) -> bool {
    matches!(&*query.body, SetExpr::SetOperation { .. })
}

pub(super) fn rewrite(query: &mut Query, scopes: &QueryScopes<'_>) -> Result<(), EngineError> {
    let Some(With { recursive: true, cte_tables, .. }) = &mut query.with else { return Ok(()) };
    for table in cte_tables.iter_mut().filter(|table| is_union(&table.query)) {
        let name = table.alias.name.value.clone();
        if reads_relation(&table.query.body, &name)
            && let Some(columns) = scopes.cte(&name)
        {
            cast_anchors(&mut table.query.body, &name, &columns, scopes)?;
        }
    }
    Ok(())
}

/// Casts the columns of the branches that do not read the rows of the query.
fn cast_anchors(
    body: &mut SetExpr,
    name: &str,
    columns: &[OutputColumn],
    scopes: &QueryScopes<'_>,
) -> Result<(), EngineError> {
    let is_recursive = reads_relation(body, name);
    match body {
        SetExpr::SetOperation { left, right, .. } => {
            cast_anchors(left, name, columns, scopes)?;
            cast_anchors(right, name, columns, scopes)
        }
        SetExpr::Select(select) if !is_recursive => cast_select(select, columns, scopes),
        _ => Ok(()),
    }
}

fn cast_select(select: &mut Select, columns: &[OutputColumn], scopes: &QueryScopes<'_>) -> Result<(), EngineError> {
    if !merges_columns(&select.from) {
        spell_out(&mut select.projection, &scopes.relations(&select.from)?);
    }
    let is_written_out =
        |item: &SelectItem| matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. });
    let Some(shown) = scopes.columns(select)? else { return Ok(()) };
    if shown.len() != columns.len() || !select.projection.iter().all(is_written_out) {
        return Ok(());
    }
    for ((item, shown), wanted) in select.projection.iter_mut().zip(shown.iter()).zip(columns) {
        let types = (shown.value.data_type.data_type(), wanted.value.data_type.data_type());
        let (Some(shown), Some(wanted)) = types else { continue };
        if let Some(wider) = wider_type(shown, wanted)
            && let Some(value) = shown_value(item)
        {
            *value = dialect_cast(std::mem::replace(value, null()), &wider);
        }
    }
    Ok(())
}

/// What a column of the first branch is cast to, if it does not hold the values of the others.
fn wider_type(shown: &DataType, wanted: &DataType) -> Option<DataType> {
    let is_whole = |data_type: &DataType| matches!(data_type, DataType::Number { scale: 0, .. } | DataType::Integer);
    let is_narrower = match (shown, wanted) {
        // The engine computes small integers in 32 bits.
        (
            DataType::Number { scale: 0, precision: ..=18 },
            DataType::Number { scale: 0, precision: DIGITS_MAX } | DataType::Integer,
        ) => return Some(DataType::Integer),
        (shown, wanted) if is_whole(shown) && is_whole(wanted) => false,
        (
            DataType::Number { precision, scale },
            DataType::Number { precision: wanted_precision, scale: wanted_scale },
        ) => scale < wanted_scale || precision < wanted_precision,
        (DataType::Varchar { .. }, DataType::Varchar { .. }) => false,
        (shown, wanted) => std::mem::discriminant(shown) != std::mem::discriminant(wanted),
    };
    is_narrower.then(|| wanted.clone())
}
