//! A select: FROM first, then the select list, whose aliases the other clauses may name.

use std::ops::ControlFlow;
use std::sync::Arc;

use firn_sql::Failure;
use firn_sql::ast::{
    Expr, GroupByExpr, Ident, NamedWindowExpr, OrderBy, OrderByKind, Select, SelectItem, Visitor, WindowSpec,
};
use firn_sql::call_search::first_call;
use firn_sql::tree::Tree;

use super::Binder;
use super::clauses::{Clause, aggregates};
use crate::bound::{Node, OutputColumn};
use crate::constants::has_value;
use crate::error::BindError;
use crate::schema::SchemaError;
use crate::scope::{Alias, Columns, Scope};
use crate::types::ValueType;

impl Binder<'_> {
    pub(crate) fn select(&mut self, select: &Select, order_by: Option<&OrderBy>) -> Result<Columns, SchemaError> {
        let aliases = select.projection.iter().filter_map(|item| match item {
            SelectItem::ExprWithAlias { alias, .. } => Some(Alias { name: alias.value.clone(), column: None }),
            _ => None,
        });
        self.scopes.push(Scope { aliases: aliases.collect(), ..Scope::default() });
        for table in &select.from {
            self.table_with_joins(table)?;
        }
        if has_grouping_sets(&select.group_by) {
            self.make_nullable();
        }
        for window in &select.named_window {
            if let NamedWindowExpr::WindowSpec(spec) = &window.1 {
                self.window(spec)?;
            }
        }
        let columns = self.projection(&select.projection)?;
        self.in_clause(Clause::Where, &select.selection)?;
        if let Some(filter) = &select.selection {
            self.check_filter_aliases(filter, &select.projection);
        }
        if let GroupByExpr::Expressions(keys, _) = &select.group_by {
            self.in_clause(Clause::GroupBy, keys)?;
            self.check_group_keys(keys, &select.projection);
            self.check_key_positions(keys, &select.projection);
        }
        self.in_clause(Clause::Having, &select.having)?;
        self.check_groups(select);
        self.expressions(&select.qualify)?;
        self.check_qualify(select);
        if let Some(order_by) = order_by {
            self.show_outputs(&columns);
            self.order_by(order_by, &columns)?;
            if select.distinct.is_some() {
                self.check_order_of_distinct(&select.projection, order_by);
            }
        }
        self.scopes.pop();
        Ok(columns)
    }

    /// Rows that DISTINCT leaves have the values of the select list alone to be ordered by.
    fn check_order_of_distinct(&mut self, items: &[SelectItem], order_by: &OrderBy) {
        let OrderByKind::Expressions(keys) = &order_by.kind else { return };
        let Some(outputs) = items.iter().map(shown).collect::<Option<Vec<_>>>() else { return };
        for key in keys {
            if outputs.iter().any(|(_, expr)| **expr == key.expr) {
                continue;
            }
            let mut search = HiddenColumn { outputs: &outputs, found: None };
            // The visitor never breaks.
            let _ = key.expr.walk(&mut search);
            if let Some(hidden) = search.found {
                self.bound.errors.push(BindError::order_of_distinct(&hidden));
            }
        }
    }

    fn projection(&mut self, items: &[SelectItem]) -> Result<Columns, SchemaError> {
        let mut columns = Vec::with_capacity(items.len());
        let mut is_known = true;
        let mut next_alias = 0;
        for item in items {
            match item {
                SelectItem::UnnamedExpr(expr) => {
                    let column = self.output(expr)?;
                    columns.push(column);
                }
                SelectItem::ExprWithAlias { expr, alias } => {
                    let column = OutputColumn { name: Arc::from(alias.value.as_str()), ..self.output(expr)? };
                    if let Some(alias) = self.scopes.last_mut().and_then(|scope| scope.aliases.get_mut(next_alias)) {
                        alias.column = Some(column.clone());
                    }
                    next_alias += 1;
                    columns.push(column);
                }
                SelectItem::Wildcard(options) => is_known &= self.wildcard(None, options, &mut columns)?,
                SelectItem::QualifiedWildcard(kind, options) => {
                    is_known &= self.wildcard(Some(kind), options, &mut columns)?;
                }
                SelectItem::ExprWithAliases { .. } => is_known = false,
            }
        }
        Ok(if is_known { Columns::List(columns.into()) } else { Columns::Unknown })
    }

    /// ORDER BY may name every output column, also those of wildcards.
    fn show_outputs(&mut self, columns: &Columns) {
        let (Some(scope), Columns::List(columns)) = (self.scopes.last_mut(), columns) else { return };
        scope.aliases = columns.iter().map(Alias::of).collect();
    }

    /// A column that is shown unchanged has its name and its origin.
    fn output(&mut self, expr: &Expr) -> Result<OutputColumn, SchemaError> {
        let name = match expr {
            Expr::Identifier(name) => std::slice::from_ref(name),
            Expr::CompoundIdentifier(parts) => parts,
            Expr::Nested(inside) => return self.output(inside),
            _ => {
                let value = self.expression(expr)?;
                let nullable = value.nullable && !has_value(expr) || self.is_null_in_totals(expr);
                return Ok(OutputColumn { name: Arc::from(""), value: ValueType { nullable, ..value }, origin: None });
            }
        };
        let written = Arc::from(name.last().map(|last| last.value.as_str()).unwrap_or_default());
        Ok(match self.resolve(name) {
            Some(Node { value, origin, .. }) => OutputColumn { name: written, value, origin },
            None => OutputColumn { name: written, value: ValueType::unknown(), origin: None },
        })
    }

    /// Also an expression without columns may be a key of ROLLUP.
    fn is_null_in_totals(&self, expr: &Expr) -> bool {
        self.scopes.last().is_some_and(|scope| scope.has_grouping_sets) && first_call(expr, aggregates).is_none()
    }

    /// ROLLUP and its like show rows in which a grouped column is NULL.
    fn make_nullable(&mut self) {
        let Some(scope) = self.scopes.last_mut() else { return };
        scope.has_grouping_sets = true;
        scope.relations.iter_mut().for_each(|relation| relation.outer = true);
        scope.join_columns.iter_mut().for_each(|column| column.value.nullable = true);
    }

    pub(super) fn window(&mut self, window: &WindowSpec) -> Result<(), SchemaError> {
        self.expressions(&window.partition_by)?;
        self.expressions(window.order_by.iter().map(|key| &key.expr))
    }
}

/// The name of an output column and its expression; `None` for a wildcard.
fn shown(item: &SelectItem) -> Option<(&str, &Expr)> {
    match item {
        SelectItem::UnnamedExpr(expr @ Expr::Identifier(name)) => Some((&name.value, expr)),
        SelectItem::UnnamedExpr(expr @ Expr::CompoundIdentifier(parts)) => Some((&parts.last()?.value, expr)),
        SelectItem::UnnamedExpr(expr) => Some(("", expr)),
        SelectItem::ExprWithAlias { expr, alias } => Some((&alias.value, expr)),
        _ => None,
    }
}

/// Looks for a column that is none of the outputs.
struct HiddenColumn<'a> {
    outputs: &'a [(&'a str, &'a Expr)],
    found: Option<Vec<Ident>>,
}

impl Visitor for HiddenColumn<'_> {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        let name = match expr {
            Expr::Identifier(name) => std::slice::from_ref(name),
            Expr::CompoundIdentifier(parts) => parts,
            _ => return ControlFlow::Continue(()),
        };
        let is_output = |(output, shown): &(&str, &Expr)| {
            let column = match shown {
                Expr::Identifier(column) => Some(column),
                Expr::CompoundIdentifier(parts) => parts.last(),
                _ => None,
            };
            let is_called =
                |last: &Ident| last.value == *output || column.is_some_and(|column| column.value == last.value);
            name.last().is_some_and(is_called)
        };
        if !self.outputs.iter().any(is_output) {
            self.found.get_or_insert_with(|| name.to_vec());
        }
        ControlFlow::Continue(())
    }
}

fn has_grouping_sets(group_by: &GroupByExpr) -> bool {
    match group_by {
        GroupByExpr::All(_) => false,
        GroupByExpr::Expressions(keys, modifiers) => {
            let is_set = |key: &Expr| matches!(key, Expr::GroupingSets(_) | Expr::Cube(_) | Expr::Rollup(_));
            !modifiers.is_empty() || keys.iter().any(is_set)
        }
    }
}
