//! Values bound as arrays: one row each of an INSERT.

use std::ops::ControlFlow;

use super::{Bindings, Substitution, key_of, placeholders};
use crate::ast::{Expr, Ident, Parens, SelectItem, SetExpr, TableWithJoins, Values, VisitorMut};
use crate::build::select;
use crate::command::Command;
use crate::query_parts::placeholder;
use crate::tree::{Tree, outcome};
use crate::{Failure, Statement, ast};

const ROWS: &str = "bound rows";

/// Repeats the rows of `INSERT … VALUES`, or reads those of `INSERT … SELECT ?` from the bound values.
pub(super) fn bind(statement: &mut Statement, bindings: &Bindings, size: usize) -> Result<(), Failure> {
    let outside = || Failure::unsupported("array binding outside INSERT … VALUES and INSERT … SELECT without FROM");
    let keys = placeholders(statement);
    let Command::Dml(dml) = &mut statement.command else { return Err(outside()) };
    let ast::Statement::Insert(insert) = dml.statement.as_mut() else { return Err(outside()) };
    let source = insert.source.as_mut().ok_or_else(outside)?;
    match source.body.as_mut() {
        SetExpr::Values(values) => repeat(values, bindings, size),
        SetExpr::Select(select) if select.from.is_empty() && source.with.is_none() => {
            select.from = vec![TableWithJoins { relation: relation(&keys, bindings, size)?, joins: Vec::new() }];
            for item in &mut select.projection {
                if let SelectItem::ExprWithAlias { expr, .. } | SelectItem::UnnamedExpr(expr) = item {
                    outcome(expr.walk_mut(&mut Columns { keys: &keys }))?;
                }
            }
            Ok(())
        }
        _ => Err(outside()),
    }
}

fn repeat(values: &mut Values, bindings: &Bindings, size: usize) -> Result<(), Failure> {
    let template = std::mem::take(&mut values.rows);
    for row in 0..size {
        for line in &template {
            let mut line = line.clone();
            for expr in &mut line.content {
                outcome(expr.walk_mut(&mut Substitution { bindings, row }))?;
            }
            values.rows.push(line);
        }
    }
    Ok(())
}

/// The bound values as a table with a column for each placeholder.
fn relation(keys: &[String], bindings: &Bindings, size: usize) -> Result<ast::TableFactor, Failure> {
    let row = |row| {
        let values = keys.iter().map(|key| Substitution { bindings, row }.value_of(key));
        Ok(Parens::with_empty_span(values.collect::<Result<Vec<Expr>, Failure>>()?))
    };
    let rows = (0..size).map(row).collect::<Result<Vec<_>, Failure>>()?;
    let mut subquery = select(Vec::new())?;
    *subquery.body = SetExpr::Values(Values { explicit_row: false, value_keyword: false, rows });
    let column = |index| ast::TableAliasColumnDef { name: column_name(index), data_type: None };
    let columns = (0..keys.len()).map(column).collect();
    let alias = ast::TableAlias { explicit: true, name: Ident::with_quote('"', ROWS), columns, at: None };
    Ok(ast::TableFactor::Derived { lateral: false, subquery, alias: Some(alias), sample: None })
}

fn column_name(index: usize) -> Ident {
    Ident::with_quote('"', format!("COLUMN{}", index + 1))
}

/// Replaces placeholders by the columns of the bound values.
struct Columns<'a> {
    keys: &'a [String],
}

impl VisitorMut for Columns<'_> {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Some(name) = placeholder(expr) else { return ControlFlow::Continue(()) };
        if let Some(index) = self.keys.iter().position(|key| key_of(key).0 == key_of(name).0) {
            *expr = Expr::CompoundIdentifier(vec![Ident::with_quote('"', ROWS), column_name(index)]);
        }
        ControlFlow::Continue(())
    }
}
