//! A list that is made of the columns of one table stands beside them, as a column of `(SELECT *, … FROM t) AS t`: the
//! engine then reads the table and unnests the list, and joins nothing. Rows come in the order they are read in. Of a
//! table that is joined to others, lists would be made that no row of the join needs.

use firn_sql::Failure;
use firn_sql::ast::{
    Expr, Ident, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, TableFactor, TableWithJoins,
};
use firn_sql::print;

use super::ahead::{Scope, keeps_left_rows, name_of};
use super::is_list;
use crate::dialect::build::{call, null, only_part};
use crate::materialize_sources::alias_of;

/// The tables of a select that may have lists beside their columns, and those that they have.
pub(super) struct Beside {
    scope: Option<Scope>,
    /// Tables by their names.
    placed: Vec<(String, SelectItem)>,
}

impl Beside {
    pub(super) fn of(select: &Select) -> Self {
        let keeps_rows = select.from.iter().all(|table| table.joins.iter().all(keeps_left_rows));
        let first_list = select.from.iter().position(is_list).filter(|_| keeps_rows);
        Self { scope: first_list.map(|first_list| Scope::of(select, first_list)), placed: Vec::new() }
    }

    /// The table whose columns alone a list is made of.
    pub(super) fn home_of(&self, list: &Expr) -> Option<String> {
        self.scope.as_ref()?.only_table_of(list)
    }

    pub(super) fn place(&mut self, table: String, list: SelectItem) {
        self.placed.push((table, list));
    }

    /// Has the lists unnested where their tables are read.
    pub(super) fn unnest(&mut self) {
        for (_, list) in &mut self.placed {
            if let SelectItem::ExprWithAlias { expr, .. } = list {
                *expr = call("unnest", vec![std::mem::replace(expr, null())]);
            }
        }
    }

    /// Puts the lists into their tables, of which no star shows them.
    pub(super) fn settle(self, select: &mut Select) -> Result<(), Failure> {
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
