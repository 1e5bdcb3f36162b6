//! A list that is computed from the columns of one table becomes a column of `(SELECT *, … FROM t) AS t`: the engine then
//! scans the table and unnests the list without a join, and rows stay in scan order. Not for a table that is joined to
//! others: lists would be computed for rows that the join drops.

use firn_sql::Failure;
use firn_sql::ast::{
    Expr, Ident, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, TableFactor, TableWithJoins,
};
use firn_sql::print;

use super::expanded::is_list;
use super::predicate_pushdown::{Scope, keeps_left_rows, name_of};
use crate::dialect::build::{call, null, only_part};
use crate::materialize_sources::alias_of;

/// The tables of a select that may get list columns, and the list columns they get.
pub(super) struct ListColumns {
    scope: Option<Scope>,
    /// Tables by their names.
    placed: Vec<(String, SelectItem)>,
}

impl ListColumns {
    pub(super) fn of(select: &Select) -> Self {
        let keeps_rows = select.from.iter().all(|table| table.joins.iter().all(keeps_left_rows));
        let first_list = select.from.iter().position(is_list).filter(|_| keeps_rows);
        Self { scope: first_list.map(|first_list| Scope::of(select, first_list)), placed: Vec::new() }
    }

    /// The only table whose columns a list is computed from.
    pub(super) fn home_of(&self, list: &Expr) -> Option<String> {
        self.scope.as_ref()?.only_table_of(list)
    }

    pub(super) fn place(&mut self, table: String, list: SelectItem) {
        self.placed.push((table, list));
    }

    /// Unnests the lists in the subqueries of their tables.
    pub(super) fn unnest(&mut self) {
        for (_, list) in &mut self.placed {
            if let SelectItem::ExprWithAlias { expr, .. } = list {
                *expr = call("unnest", vec![std::mem::replace(expr, null())]);
            }
        }
    }

    /// Adds the lists to their tables; `*` does not show them.
    pub(super) fn add_to(self, select: &mut Select) -> Result<(), Failure> {
        for (table, list) in self.placed {
            let relations = select.from.iter_mut().flat_map(relations_of);
            let home = relations.into_iter().find(|relation| name_of(relation).is_some_and(|name| name == table));
            if let Some(home) = home {
                add_column(home, list)?;
            }
        }
        Ok(())
    }

    pub(super) fn has_lists(&self) -> bool {
        !self.placed.is_empty()
    }

    /// The lists that a star of the table shows.
    pub(super) fn lists_in(&self, table: &str) -> Vec<Ident> {
        let inside = self.placed.iter().filter(|(name, _)| name == table);
        let column = |(_, list): &(String, SelectItem)| match list {
            SelectItem::ExprWithAlias { alias, .. } => Some(alias.clone()),
            _ => None,
        };
        inside.filter_map(column).collect()
    }
}

fn relations_of(table: &mut TableWithJoins) -> impl Iterator<Item = &mut TableFactor> {
    std::iter::once(&mut table.relation).chain(table.joins.iter_mut().map(|join| &mut join.relation))
}

fn add_column(relation: &mut TableFactor, column: SelectItem) -> Result<(), Failure> {
    let mut rows: Query = print::read_query("SELECT * FROM t")?;
    if let SetExpr::Select(select) = &mut *rows.body
        && let Some(from) = select.from.first_mut()
    {
        select.projection.push(column);
        std::mem::swap(&mut from.relation, relation);
        let alias = alias_of(&from.relation);
        *relation = TableFactor::Derived { lateral: false, subquery: Box::new(rows), alias, sample: None };
    }
    Ok(())
}

/// What a star of one table is qualified with.
pub(super) fn starred(item: &SelectItem) -> Option<&str> {
    match item {
        SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) => only_part(name),
        _ => None,
    }
}
