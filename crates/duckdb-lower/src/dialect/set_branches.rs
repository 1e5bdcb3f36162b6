//! The columns of a set operation: which expressions of its branches come under one another, by their places or, where
//! it says BY NAME, by their names.

use firn_sql::ast::{Expr, Select, SelectItem, SetExpr, SetQuantifier};

use super::build::null;

/// For each column the values it has in the branches; nothing where a branch has a `*`.
pub(super) fn columns_of(body: &mut SetExpr) -> Vec<Vec<&mut Expr>> {
    let by_name = is_by_name(body);
    let mut branches = Vec::new();
    branches_of(body, &mut branches);
    let is_shown = |item: &SelectItem| matches!(item, SelectItem::UnnamedExpr(_) | SelectItem::ExprWithAlias { .. });
    if !branches.iter().all(|select| select.projection.iter().all(is_shown)) {
        return Vec::new();
    }
    let mut names: Vec<String> = Vec::new();
    let mut columns: Vec<Vec<&mut Expr>> = Vec::new();
    for select in branches {
        for (place, item) in select.projection.iter_mut().enumerate() {
            let name = if by_name { name_of(item) } else { place.to_string() };
            let Some(value) = shown_value(item) else { continue };
            match names.iter().position(|known| *known == name) {
                Some(known) => columns[known].push(value),
                None => {
                    names.push(name);
                    columns.push(vec![value]);
                }
            }
        }
    }
    columns
}

/// What a column of a query shows; a column alone keeps its name when it is changed.
pub(super) fn shown_value(item: &mut SelectItem) -> Option<&mut Expr> {
    if let SelectItem::UnnamedExpr(expr @ (Expr::Identifier(_) | Expr::CompoundIdentifier(_))) = item {
        let name = match &*expr {
            Expr::Identifier(ident) => Some(ident.clone()),
            Expr::CompoundIdentifier(parts) => parts.last().cloned(),
            _ => None,
        };
        if let Some(alias) = name {
            *item = SelectItem::ExprWithAlias { expr: std::mem::replace(expr, null()), alias };
        }
    }
    match item {
        SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => Some(expr),
        _ => None,
    }
}

pub(super) fn name_of(item: &SelectItem) -> String {
    match item {
        SelectItem::ExprWithAlias { alias, .. } => alias.value.clone(),
        SelectItem::UnnamedExpr(Expr::Identifier(ident)) => ident.value.clone(),
        SelectItem::UnnamedExpr(Expr::CompoundIdentifier(parts)) => {
            parts.last().map(|last| last.value.clone()).unwrap_or_default()
        }
        other => other.to_string(),
    }
}

pub(super) fn is_by_name(body: &SetExpr) -> bool {
    match body {
        SetExpr::Query(query) => is_by_name(&query.body),
        SetExpr::SetOperation { set_quantifier, .. } => says_by_name(*set_quantifier),
        _ => false,
    }
}

pub fn says_by_name(quantifier: SetQuantifier) -> bool {
    matches!(quantifier, SetQuantifier::ByName | SetQuantifier::AllByName | SetQuantifier::DistinctByName)
}

fn branches_of<'query>(body: &'query mut SetExpr, branches: &mut Vec<&'query mut Select>) {
    match body {
        SetExpr::Select(select) => branches.push(select),
        SetExpr::Query(query) => branches_of(&mut query.body, branches),
        SetExpr::SetOperation { left, right, .. } => {
            branches_of(left, branches);
            branches_of(right, branches);
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn columns_meet_by_place_or_by_name() {
        check("SELECT 1 AS A UNION SELECT '5'", "SELECT 1 AS A UNION SELECT CAST('5' AS DECIMAL(18,5))");
        check(
            "SELECT 1 AS A, 'x' AS B UNION ALL BY NAME SELECT 'y' AS B, '5' AS A",
            "SELECT 1 AS A, 'x' AS B UNION ALL BY NAME SELECT 'y' AS B, CAST('5' AS DECIMAL(18,5)) AS A",
        );
    }
}
