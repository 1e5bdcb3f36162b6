//! A subquery of one table and one list of its columns: the list is unnested in the subquery of the table, and the select
//! references fields of its elements. The engine then pushes predicates of the outer query on the table down to the scan,
//! and evaluates those on elements after UNNEST; elements stay in order.

use std::ops::ControlFlow;

use firn_sql::ast::{
    Expr, GroupByExpr, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, Visitor, VisitorMut,
    WildcardAdditionalOptions,
};
use firn_sql::tree::Walk;

use super::conditions::List;
use super::expanded::exclude;
use super::left_joins::field_of;
use super::list_columns::starred;
use super::outputs::name_of_column;
use crate::dialect::build::quoted;

/// Whether every name of the select is known to be a column of its table or of the list's rows.
pub(super) fn is_plain(select: &Select) -> bool {
    let is_whole = |options: &WildcardAdditionalOptions| *options == WildcardAdditionalOptions::default();
    let is_plain_item = |item: &SelectItem| match item {
        SelectItem::UnnamedExpr(expr) => name_of_column(expr).is_some(),
        SelectItem::ExprWithAlias { .. } => true,
        SelectItem::Wildcard(options) => is_whole(options),
        SelectItem::QualifiedWildcard(_, options) => is_whole(options) && starred(item).is_some(),
        SelectItem::ExprWithAliases { .. } => false,
    };
    let has_keys_only = matches!(&select.group_by, GroupByExpr::Expressions(..));
    let parts = [&select.selection, &select.having, &select.qualify];
    has_keys_only
        && select.named_window.is_empty()
        && select.projection.iter().all(is_plain_item)
        && select.projection.inspect(&mut Opaque).is_continue()
        && select.group_by.inspect(&mut Opaque).is_continue()
        && parts.into_iter().all(|part| part.inspect(&mut Opaque).is_continue())
}

/// Breaks at subqueries and lambdas, in which names may refer to something else.
struct Opaque;

impl Visitor for Opaque {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        ControlFlow::Break(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<()> {
        match expr {
            Expr::Lambda(_) => ControlFlow::Break(()),
            Expr::Identifier(name) if name.value.starts_with(['*', '#']) => ControlFlow::Break(()),
            _ => ControlFlow::Continue(()),
        }
    }
}

/// Replaces columns of the list's rows by fields of the element in the unnested list column.
pub(super) fn name_fields(select: &mut Select, list: &List) {
    let items = std::mem::take(&mut select.projection);
    for item in items {
        match item {
            SelectItem::UnnamedExpr(expr) => select.projection.push(match name_of_column(&expr) {
                Some(alias) => SelectItem::ExprWithAlias { expr, alias },
                None => SelectItem::UnnamedExpr(expr),
            }),
            SelectItem::Wildcard(_) => {
                select.projection.push(whole_table(list));
                select.projection.extend(all_fields(list));
            }
            star if starred(&star).is_some_and(|name| name == list.rows.name) => {
                select.projection.extend(all_fields(list));
            }
            star if starred(&star).is_some() => select.projection.push(whole_table(list)),
            other => select.projection.push(other),
        }
    }
    let mut fields = Fields(list);
    // The visitor never breaks.
    let _ = select.projection.rewrite(&mut fields);
    let _ = select.group_by.rewrite(&mut fields);
    for part in [&mut select.selection, &mut select.having, &mut select.qualify] {
        let _ = part.rewrite(&mut fields);
    }
}

fn whole_table(list: &List) -> SelectItem {
    let name = SelectItemQualifiedWildcardKind::ObjectName(vec![list.relation.clone()].into());
    let mut options = WildcardAdditionalOptions::default();
    exclude(&mut options, std::slice::from_ref(&list.column));
    SelectItem::QualifiedWildcard(name, options)
}

fn all_fields(list: &List) -> impl Iterator<Item = SelectItem> {
    list.rows.columns.iter().map(|column| SelectItem::ExprWithAlias {
        expr: Expr::CompoundIdentifier(vec![quoted(&list.rows.name), quoted(column)]),
        alias: quoted(column),
    })
}

struct Fields<'list>(&'list List);

impl VisitorMut for Fields<'_> {
    type Break = ();

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<()> {
        let List { relation, column, rows } = self.0;
        let element = || Expr::CompoundIdentifier(vec![relation.clone(), column.clone()]);
        if let Some(field) = field_of(expr, rows, element) {
            *expr = field;
        }
        ControlFlow::Continue(())
    }
}
