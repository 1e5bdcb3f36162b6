//! A table that is called like a column of another: `SELECT a.a FROM t AS a WHERE EXISTS (SELECT 1 FROM u WHERE u.a = a.a)`.
//! Inside of the subquery the engine would resolve `a.a` to a field of the column `u.a`, so the table gets an alias that
//! no column has. Beside an alias of the select list that is called like a table, the engine would take the table for a value.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{
    Expr, Ident, Query, Select, SelectItem, SelectItemQualifiedWildcardKind, SetExpr, TableFactor, TableWithJoins,
    Visitor, VisitorMut,
};
use firn_sql::tree::Walk;
use firn_sql::tree::{Tree, outcome};

use super::build::{only_part, quoted};
use super::columns::Columns;
use super::relations::alias_of;
use super::wildcards;

pub(super) fn rewrite(node: &mut dyn Tree, columns: &Columns) -> Result<(), Failure> {
    if !columns.names_a_table_like_a_column() {
        return Ok(());
    }
    outcome(node.walk_mut(&mut Pass { columns, scopes: Vec::new() }))
}

struct Pass<'columns> {
    columns: &'columns Columns,
    /// For every enclosing select and query, its tables and their new aliases.
    scopes: Vec<Vec<(String, Option<Ident>)>>,
}

impl Pass<'_> {
    fn enter(&mut self, select: &mut Select) {
        let has_queries = [&select.selection, &select.having, &select.qualify]
            .into_iter()
            .flatten()
            .any(|part| part.inspect(&mut Queries).is_break())
            || select.projection.inspect(&mut Queries).is_break();
        let is_alias = |name: &str, items: &[SelectItem]| {
            items.iter().any(|item| matches!(item, SelectItem::ExprWithAlias { alias, .. } if alias.value == name))
        };
        let mut names = Vec::new();
        for relation in select.from.iter_mut().flat_map(relations_of) {
            let Some(name) = name_of(relation) else { continue };
            let is_shadowed = has_queries && self.columns.has(&name) || is_alias(&name, &select.projection);
            let new = is_shadowed.then(|| quoted(&format!("{name} ")));
            if let Some(new) = &new {
                rename(relation, &name, new);
            }
            names.push((name, new));
        }
        self.scopes.push(names);
        for item in &mut select.projection {
            if let SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) = item
                && let Some(new) = only_part(name).and_then(|name| self.new_name(name))
            {
                *name = vec![new.clone()].into();
            }
        }
    }

    fn new_name(&self, name: &str) -> Option<&Ident> {
        let found = self.scopes.iter().rev().find_map(|scope| scope.iter().find(|(known, _)| known == name));
        found.and_then(|(_, new)| new.as_ref())
    }
}

pub(super) fn relations_of(table: &mut TableWithJoins) -> impl Iterator<Item = &mut TableFactor> {
    std::iter::once(&mut table.relation).chain(table.joins.iter_mut().map(|join| &mut join.relation))
}

pub(super) fn name_of(relation: &TableFactor) -> Option<String> {
    match relation {
        TableFactor::Table { alias: Some(alias), .. }
        | TableFactor::Derived { alias: Some(alias), .. }
        | TableFactor::Function { alias: Some(alias), .. } => Some(alias.name.value.clone()),
        TableFactor::Table { alias: None, name, .. } => {
            name.0.last().and_then(|part| part.as_ident()).map(|name| name.value.clone())
        }
        _ => None,
    }
}

fn rename(relation: &mut TableFactor, name: &str, new: &Ident) {
    if let TableFactor::Table { alias, .. } | TableFactor::Derived { alias, .. } | TableFactor::Function { alias, .. } =
        relation
    {
        alias.get_or_insert_with(|| alias_of(name)).name = new.clone();
    }
}

impl VisitorMut for Pass<'_> {
    type Break = Failure;

    /// The select's tables are known to ORDER BY too.
    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        match &mut *query.body {
            SetExpr::Select(select) => self.enter(select),
            _ => self.scopes.push(Vec::new()),
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &mut Query) -> ControlFlow<Failure> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn pre_visit_select(&mut self, select: &mut Select) -> ControlFlow<Failure> {
        self.enter(select);
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, _: &mut Select) -> ControlFlow<Failure> {
        self.scopes.pop();
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::CompoundIdentifier(parts) if parts.len() >= 2 => {
                let table = parts.len() - 2;
                if let Some(new) = self.new_name(&parts[table].value) {
                    parts[table] = new.clone();
                    parts.drain(..table);
                }
            }
            Expr::Identifier(name) => {
                if let Some(new) = wildcards::starred_table(&name.value).and_then(|table| self.new_name(table)) {
                    name.value = wildcards::star_of(new);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}

/// Breaks at a query.
struct Queries;

impl Visitor for Queries {
    type Break = ();

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<()> {
        ControlFlow::Break(())
    }
}
