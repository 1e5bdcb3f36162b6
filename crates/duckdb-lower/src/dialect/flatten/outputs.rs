//! The output columns of a select over the rows of a list. The engine would evaluate a condition of the outer query
//! before it joins the rows to their table; columns that also reference the list are computed after the join.

use firn_sql::ast::{
    Expr, GroupByExpr, Ident, JoinConstraint, JoinOperator, ObjectName, ReplaceSelectElement, ReplaceSelectItem,
    Select, SelectItem, SelectItemQualifiedWildcardKind, TableFactor, TableWithJoins, WildcardAdditionalOptions,
};

use super::conditions::List;
use super::predicate_pushdown::name_of;
use crate::dialect::build::{only_part, quoted};
use crate::dialect::outside_subqueries;

/// Not for grouped rows, which have no order.
pub(super) fn evaluate_after_join(select: &mut Select, lists: &[List]) {
    let is_plain = matches!(&select.group_by, GroupByExpr::Expressions(keys, _) if keys.is_empty());
    if !is_plain || select.distinct.is_some() {
        return;
    }
    let relations = relations_of(&select.from);
    let items = std::mem::take(&mut select.projection);
    for item in items {
        match item {
            SelectItem::Wildcard(options) if options == WildcardAdditionalOptions::default() => match &relations {
                Some(relations) => {
                    let whole = relations.iter().map(|name| whole_relation(name.clone(), lists));
                    select.projection.extend(whole);
                }
                None => select.projection.push(SelectItem::Wildcard(options)),
            },
            other => select.projection.push(evaluate_item_after_join(other, lists)),
        }
    }
}

fn evaluate_item_after_join(item: SelectItem, lists: &[List]) -> SelectItem {
    match item {
        SelectItem::UnnamedExpr(expr) => match name_of_column(&expr) {
            Some(alias) => SelectItem::ExprWithAlias { expr: behind(expr, lists), alias },
            None => SelectItem::UnnamedExpr(expr),
        },
        SelectItem::ExprWithAlias { expr, alias } => SelectItem::ExprWithAlias { expr: behind(expr, lists), alias },
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options)
            if options == WildcardAdditionalOptions::default() =>
        {
            match only_part(&name) {
                Some(relation) => whole_relation(relation.to_owned(), lists),
                None => SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options),
            }
        }
        other => other,
    }
}

pub(super) fn name_of_column(expr: &Expr) -> Option<Ident> {
    match expr {
        Expr::Identifier(name) => Some(name.clone()),
        Expr::CompoundIdentifier(parts) => parts.last().cloned(),
        _ => None,
    }
}

fn behind(mut expr: Expr, lists: &[List]) -> Expr {
    outside_subqueries::rewrite(&mut expr, |expr| {
        if let Some(list) = lists.iter().find(|list| list.rows.place_of(expr).is_some()) {
            *expr = list.behind(expr.clone());
        }
    });
    expr
}

/// `t.*`, or `f.* REPLACE (…)` of the rows of a list.
fn whole_relation(name: String, lists: &[List]) -> SelectItem {
    let replaced = lists.iter().find(|list| list.rows.name == name).map(|list| {
        let column = |column: &String| {
            let expr = Expr::CompoundIdentifier(vec![quoted(&name), quoted(column)]);
            Box::new(ReplaceSelectElement { expr: list.behind(expr), column_name: quoted(column), as_keyword: true })
        };
        ReplaceSelectItem { items: list.rows.columns.iter().map(column).collect() }
    });
    let options = WildcardAdditionalOptions { opt_replace: replaced, ..WildcardAdditionalOptions::default() };
    let name = ObjectName::from(vec![quoted(&name)]);
    SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), options)
}

/// The names that `*` goes through, if it shows each relation whole.
fn relations_of(from: &[TableWithJoins]) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for table in from {
        names.push(shown_name(&table.relation)?);
        for join in &table.joins {
            match &join.join_operator {
                JoinOperator::Join(JoinConstraint::None | JoinConstraint::On(_))
                | JoinOperator::Inner(JoinConstraint::None | JoinConstraint::On(_))
                | JoinOperator::Left(JoinConstraint::None | JoinConstraint::On(_))
                | JoinOperator::LeftOuter(JoinConstraint::None | JoinConstraint::On(_))
                | JoinOperator::CrossJoin(JoinConstraint::None) => names.push(shown_name(&join.relation)?),
                _ => return None,
            }
        }
    }
    names.retain(|name| !name.starts_with("firn flatten "));
    Some(names)
}

fn shown_name(relation: &TableFactor) -> Option<String> {
    match relation {
        TableFactor::Derived { alias: Some(alias), .. } => Some(alias.name.value.clone()),
        other => name_of(other),
    }
}
