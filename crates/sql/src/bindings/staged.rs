//! Values that a driver has brought as CSV files: each of their rows makes a row of an INSERT. The files are read as any staged
//! files are, by the format of their stage, and what they hold is text.

use std::ops::ControlFlow;

use super::{key_of, placeholders};
use crate::ast::{Expr, Ident, SelectItem, SetExpr, TableWithJoins, VisitorMut};
use crate::build::select;
use crate::command::Command;
use crate::normalize::staged_factor;
use crate::query_parts::placeholder;
use crate::stages::StageLocation;
use crate::tree::{Tree, outcome};
use crate::{Failure, Statement, ast};

/// Makes `INSERT … SELECT $1, $2 FROM @stage/path` of `INSERT … VALUES (?, ?)`.
pub(super) fn bind(statement: &mut Statement, location: &str) -> Result<(), Failure> {
    if placeholders(statement).is_empty() {
        return Ok(());
    }
    let location = StageLocation::parse(location)?;
    let outside = || Failure::unsupported("values bound through a stage outside INSERT … VALUES of one row");
    let Command::Dml(dml) = &mut statement.command else { return Err(outside()) };
    let ast::Statement::Insert(insert) = dml.statement.as_mut() else { return Err(outside()) };
    let source = insert.source.as_mut().ok_or_else(outside)?;
    if let SetExpr::Values(values) = source.body.as_mut() {
        let [row] = values.rows.as_mut_slice() else { return Err(outside()) };
        *source = select(std::mem::take(&mut row.content))?;
    }
    let SetExpr::Select(select) = source.body.as_mut() else { return Err(outside()) };
    if !select.from.is_empty() {
        return Err(outside());
    }
    for item in &mut select.projection {
        if let SelectItem::ExprWithAlias { expr, .. } | SelectItem::UnnamedExpr(expr) = item {
            outcome(expr.walk_mut(&mut Columns))?;
        }
    }
    select.from = vec![TableWithJoins { relation: staged_factor(location.to_string()), joins: Vec::new() }];
    Ok(())
}

/// Replaces placeholders by the columns of the files.
struct Columns;

impl VisitorMut for Columns {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        let Some(name) = placeholder(expr) else { return ControlFlow::Continue(()) };
        let (key, shown) = key_of(name);
        match key.parse::<u32>() {
            Ok(position) => *expr = Expr::Identifier(Ident::with_quote('"', format!("${position}"))),
            Err(_) => {
                let feature = format!("the named value {shown} bound through a stage");
                return ControlFlow::Break(Failure::unsupported(&feature));
            }
        }
        ControlFlow::Continue(())
    }
}
