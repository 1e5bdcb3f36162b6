//! Views in a statement that computes integers of 38 digits: the engine's views compute in 64 bits, so each view is
//! replaced by its query.

use std::ops::ControlFlow;
use std::sync::Arc;

use firn_binder::{OutputColumn, Type};
use firn_engine::{CellFormats, EngineError, InputFormats, Integers, RepeatedMatches, WeekRules};
use firn_sql::Failure;
use firn_sql::ast::{Expr, Query, SetExpr, TableAliasColumnDef, TableFactor, TableWithJoins, VisitorMut};
use firn_sql::print;
use firn_sql::tree::Tree;

use super::build::quoted;
use super::relations::{alias_of, full_name};
use super::rewrite;
use super::rewrite_context::{RewriteContext, Visibility};
use crate::lookup::Lookup;
use crate::stored::StoredObject;
use crate::temporary::TemporaryTables;

pub(super) fn open(node: &mut dyn Tree, lookup: &dyn Lookup) -> Result<(), EngineError> {
    let mut pass = Pass { lookup, failure: None };
    // The error is in `pass`.
    let _ = node.walk_mut(&mut pass);
    pass.failure.map_or(Ok(()), Err)
}

struct Pass<'lookup> {
    lookup: &'lookup dyn Lookup,
    failure: Option<EngineError>,
}

impl Pass<'_> {
    fn open(&self, table: &mut TableFactor) -> Result<(), EngineError> {
        let TableFactor::Table { name, alias, args: None, sample, .. } = table else { return Ok(()) };
        let Some(name) = full_name(&name.0) else { return Ok(()) };
        let Some(view) = self.lookup.find_view(&name)? else { return Ok(()) };
        let mut alias = alias.take().unwrap_or_else(|| alias_of(&name.name));
        let named = alias.columns.len();
        let others = view.columns.iter().skip(named).map(|column| quoted(&column.description.name));
        alias.columns.extend(others.map(|name| TableAliasColumnDef { name, data_type: None }));
        let subquery = Box::new(wide_query(&view, self.lookup)?);
        *table = TableFactor::Derived { lateral: false, subquery, alias: Some(alias), sample: sample.take() };
        Ok(())
    }
}

impl VisitorMut for Pass<'_> {
    type Break = Failure;

    /// The query of a view has been expanded with it.
    fn post_visit_table_factor(&mut self, table: &mut TableFactor) -> ControlFlow<Self::Break> {
        if self.failure.is_none()
            && let Err(error) = self.open(table)
        {
            self.failure = Some(error);
        }
        ControlFlow::Continue(())
    }

    /// `DB.SCHEMA.V.A` is no name of a subquery's column; `V.A` is.
    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Self::Break> {
        if let Expr::CompoundIdentifier(parts) = expr
            && parts.len() == 4
        {
            parts.drain(..2);
        }
        ControlFlow::Continue(())
    }
}

/// The query of a permanent view, computed with 38-digit integers.
fn wide_query(stored: &StoredObject, lookup: &dyn Lookup) -> Result<Query, EngineError> {
    let query = print::read_query(&stored.query())?;
    let integers = Integers::Wide;
    view_query(query, &TemporaryTables::default(), lookup, integers, Purpose::Stored).map(|view| view.query)
}

/// What a view's query is lowered for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The engine's view.
    Stored,
    /// The columns alone, of a view that each statement expands.
    Columns,
}

/// A view's query, lowered.
pub struct ViewQuery {
    pub query: Query,
    /// Empty where they are not known before it runs.
    pub columns: Arc<[OutputColumn]>,
}

/// Lowers a view's query, independently of the parameters of the session that reads it.
pub fn view_query(
    mut query: Query,
    temporary: &TemporaryTables,
    lookup: &dyn Lookup,
    integers: Integers,
    purpose: Purpose,
) -> Result<ViewQuery, EngineError> {
    let visibility = match purpose {
        Purpose::Stored => Visibility::Refused,
        Purpose::Columns => Visibility::Granted { roles: &[], schemas: &[], objects: &[] },
    };
    let bound = rewrite(
        &mut query,
        &RewriteContext {
            temporary,
            visibility,
            account_rows: &[],
            views_of_owners: &[],
            lookup,
            formats: &CellFormats::default(),
            weeks: WeekRules::default(),
            inputs: &InputFormats::default(),
            repeated_matches: RepeatedMatches::default(),
            integers,
        },
    )?;
    let columns = bound.columns.clone().unwrap_or_default();
    if columns.iter().any(is_null) && columns.iter().all(|column| !column.name.is_empty()) {
        query = with_null_texts(query, &columns)?;
    }
    Ok(ViewQuery { query, columns })
}

fn is_null(column: &OutputColumn) -> bool {
    column.value.data_type == Type::Null
}

/// A column of NULLs counts as a text; the engine's view would have it for an integer.
fn with_null_texts(query: Query, columns: &[OutputColumn]) -> Result<Query, Failure> {
    let names: Vec<String> = (1..=columns.len()).map(|place| format!("\"{place}\"")).collect();
    let items: Vec<String> = columns
        .iter()
        .zip(&names)
        .map(|(column, name)| {
            let shown = quoted(&column.name);
            if is_null(column) { format!("CAST({name} AS VARCHAR) AS {shown}") } else { format!("{name} AS {shown}") }
        })
        .collect();
    let text = format!("SELECT {} FROM (SELECT 1) AS \"VIEWED\"({})", items.join(", "), names.join(", "));
    let mut outer = print::read_query(&text)?;
    if let SetExpr::Select(select) = &mut *outer.body
        && let Some(TableWithJoins { relation: TableFactor::Derived { subquery, .. }, .. }) = select.from.first_mut()
    {
        **subquery = query;
    }
    Ok(outer)
}
