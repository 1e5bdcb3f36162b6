//! `*` in a branch of a set operation: the columns of its table one by one, so that what meets the columns of other
//! branches is seen.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{
    Expr, Query, Select, SelectItem, SetExpr, TableFactor, TableWithJoins, VisitorMut, WildcardAdditionalOptions,
};
use firn_sql::tree::{Tree, outcome};

use super::build::quoted;
use super::relations;
use crate::EngineError;
use crate::duckdb::describe::Lookup;

pub(super) fn spell_out(node: &mut dyn Tree, lookup: &dyn Lookup) -> Result<(), EngineError> {
    let mut spelling = Spelling { lookup, error: None };
    let walked = outcome(node.walk_mut(&mut spelling));
    match spelling.error {
        Some(error) => Err(error),
        None => Ok(walked?),
    }
}

struct Spelling<'lookup> {
    lookup: &'lookup dyn Lookup,
    error: Option<EngineError>,
}

impl VisitorMut for Spelling<'_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, query: &mut Query) -> ControlFlow<Failure> {
        if matches!(*query.body, SetExpr::SetOperation { .. })
            && let Err(error) = self.branches(&mut query.body)
        {
            self.error = Some(error);
            return ControlFlow::Break(Failure::unsupported("reading a description"));
        }
        ControlFlow::Continue(())
    }
}

impl Spelling<'_> {
    fn branches(&self, body: &mut SetExpr) -> Result<(), EngineError> {
        match body {
            SetExpr::SetOperation { left, right, .. } => {
                self.branches(left)?;
                self.branches(right)
            }
            SetExpr::Select(select) => self.branch(select),
            _ => Ok(()),
        }
    }

    fn branch(&self, select: &mut Select) -> Result<(), EngineError> {
        let [SelectItem::Wildcard(options)] = select.projection.as_slice() else { return Ok(()) };
        let [TableWithJoins { relation: TableFactor::Table { name, args: None, .. }, joins }] = select.from.as_slice()
        else {
            return Ok(());
        };
        if !joins.is_empty() || !is_plain(options) {
            return Ok(());
        }
        let Some(name) = relations::full_name(&name.0) else { return Ok(()) };
        let Some(found) = self.lookup.find(&name)? else { return Ok(()) };
        if !found.columns.is_empty() {
            let columns = found.columns.iter().map(|column| Expr::Identifier(quoted(&column.name)));
            select.projection = columns.map(SelectItem::UnnamedExpr).collect();
        }
        Ok(())
    }
}

fn is_plain(options: &WildcardAdditionalOptions) -> bool {
    options.opt_ilike.is_none()
        && options.opt_exclude.is_none()
        && options.opt_except.is_none()
        && options.opt_replace.is_none()
        && options.opt_rename.is_none()
}
