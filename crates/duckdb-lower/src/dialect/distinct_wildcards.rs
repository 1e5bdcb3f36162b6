//! `SELECT DISTINCT *` of semi-structured columns: the wildcard is expanded, because such columns are distinct by their
//! equality keys.

use firn_binder::QueryScopes;
use firn_engine::EngineError;
use firn_sql::ast::{Distinct, Query, Select, SelectItem, SetExpr};

use super::join_constraints::merges_columns;
use super::set_columns::spell_out;

pub(super) fn applies_to(query: &Query) -> bool {
    matches!(&*query.body, SetExpr::Select(select) if is_distinct_wildcard(select))
}

fn is_distinct_wildcard(select: &Select) -> bool {
    let is_wildcard = |item: &SelectItem| matches!(item, SelectItem::Wildcard(_) | SelectItem::QualifiedWildcard(..));
    matches!(select.distinct, Some(Distinct::Distinct)) && select.projection.iter().any(is_wildcard)
}

pub(super) fn rewrite(query: &mut Query, scopes: &QueryScopes<'_>) -> Result<(), EngineError> {
    let SetExpr::Select(select) = &mut *query.body else { return Ok(()) };
    if !is_distinct_wildcard(select) || merges_columns(&select.from) {
        return Ok(());
    }
    let relations = scopes.relations(&select.from)?;
    let mut columns =
        relations.iter().filter_map(|relation| relation.columns.as_ref()).flat_map(|columns| columns.iter());
    if columns.any(|column| column.value.family().is_semi_structured()) {
        spell_out(&mut select.projection, &relations);
    }
    Ok(())
}
