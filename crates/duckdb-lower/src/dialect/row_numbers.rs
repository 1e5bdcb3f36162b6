//! The engine numbers the rows of each table in a hidden column `rowid`, which the dialect does not have: a table
//! without such a column of its own is read through a subquery, which hides it.

use std::ops::ControlFlow;

use firn_engine::EngineError;
use firn_sql::ast::{Expr, Ident, SetExpr, Statement, TableFactor, VisitorMut};
use firn_sql::tree::{Tree, outcome};
use firn_sql::{Failure, print};

use super::columns::Columns;
use super::relations::{alias_of, full_name};
use super::rewrite_context::RewriteContext;
use crate::identifiers::invalid_identifier;

const NAME: &str = "ROWID";

/// Whether a name is the engine's for the number of a row.
pub(super) fn is_name(ident: &Ident) -> bool {
    ident.value.eq_ignore_ascii_case(NAME)
}

fn is_one(expr: &Expr) -> bool {
    match expr {
        Expr::Identifier(ident) => is_name(ident),
        Expr::CompoundIdentifier(parts) => parts.last().is_some_and(is_name),
        _ => false,
    }
}

/// Replaces every table without a column of that name by a subquery that hides `rowid`. The target of a DML statement
/// cannot be replaced; there the name is refused.
pub(super) fn hide(
    node: &mut dyn Tree,
    columns: &Columns,
    rewrite_context: &RewriteContext<'_>,
) -> Result<(), EngineError> {
    let mut hiding = Hiding { rewrite_context, columns, target: Target::None, error: None };
    let ended = outcome(node.walk_mut(&mut hiding));
    hiding.error.map_or(Ok(()), Err)?;
    Ok(ended?)
}

/// The table that the statement changes.
enum Target {
    /// There is none, or it has such a column.
    None,
    /// The next table is it.
    Next,
    /// It is called this, and has no such column.
    Named(String),
}

struct Hiding<'a> {
    rewrite_context: &'a RewriteContext<'a>,
    columns: &'a Columns,
    target: Target,
    error: Option<EngineError>,
}

impl VisitorMut for Hiding<'_> {
    type Break = Failure;

    fn pre_visit_statement(&mut self, statement: &mut Statement) -> ControlFlow<Failure> {
        let changes = matches!(statement, Statement::Update(_) | Statement::Delete(_) | Statement::Merge(_));
        self.target = if changes { Target::Next } else { Target::None };
        ControlFlow::Continue(())
    }

    fn post_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<Failure> {
        let TableFactor::Table { name, alias, args: None, .. } = table else { return ControlFlow::Continue(()) };
        let Some(full) = full_name(&name.0) else { return ControlFlow::Continue(()) };
        let has_one = match self.rewrite_context.lookup.find(&full) {
            Ok(found) => found.is_none_or(|found| found.columns.iter().any(|column| column.name == NAME)),
            Err(error) => {
                self.error = Some(error);
                return ControlFlow::Break(Failure::unsupported("reading a description"));
            }
        };
        if let Target::Next = self.target {
            let called = alias.as_ref().map_or(&full.name, |alias| &alias.name.value);
            self.target = if has_one { Target::None } else { Target::Named(called.clone()) };
        } else if !has_one {
            let alias = alias.take().unwrap_or_else(|| alias_of(&full.name));
            let mut query = match print::read_query("SELECT * FROM hidden") {
                Ok(query) => query,
                Err(failure) => return ControlFlow::Break(failure),
            };
            if let SetExpr::Select(select) = &mut *query.body
                && let Some(from) = select.from.first_mut()
            {
                from.relation = table.clone();
            }
            *table =
                TableFactor::Derived { lateral: false, subquery: Box::new(query), alias: Some(alias), sample: None };
        }
        ControlFlow::Continue(())
    }

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if is_one(expr) && self.is_of_target(expr) {
            return ControlFlow::Break(invalid_identifier(&expr.to_string().replace('"', "")));
        }
        if let Expr::CompoundIdentifier(parts) = expr
            && parts.len() > 2
        {
            parts.drain(..parts.len() - 2);
        }
        ControlFlow::Continue(())
    }
}

impl Hiding<'_> {
    /// Whether the engine would take the name for the target's.
    fn is_of_target(&self, expr: &Expr) -> bool {
        let Target::Named(target) = &self.target else { return false };
        match expr {
            Expr::CompoundIdentifier(parts) if parts.len() > 1 => parts[parts.len() - 2].value == *target,
            _ => !self.columns.has(NAME),
        }
    }
}
