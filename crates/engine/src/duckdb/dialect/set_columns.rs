//! The branches of a set operation with the columns of their own tables in view: `*` becomes the columns one by one, and
//! numbers get a scale in which none of them loses digits.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Expr, Query, Select, SelectItem, SetExpr, TableFactor, TableWithJoins, VisitorMut};
use firn_sql::command::DataType;
use firn_sql::tree::{Tree, outcome};

use super::build::{null, quoted};
use super::common_scales::DIGITS_MAX;
use super::numbers::decimal;
use super::relations;
use super::set_branches::{columns_of, says_by_name};
use crate::EngineError;
use crate::duckdb::computed_types::of_expr;
use crate::duckdb::describe::Lookup;
use crate::duckdb::origins::is_plain;

pub(super) fn settle(node: &mut dyn Tree, lookup: &dyn Lookup) -> Result<(), EngineError> {
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
        if !matches!(*query.body, SetExpr::SetOperation { .. }) {
            return ControlFlow::Continue(());
        }
        let mut types = Vec::new();
        match self.branches(&mut query.body, &mut types) {
            Ok(()) => {
                align(&mut query.body, &types);
                ControlFlow::Continue(())
            }
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(Failure::unsupported("reading a description"))
            }
        }
    }
}

impl Spelling<'_> {
    /// Spells out every branch, and tells the types of what each of them shows.
    fn branches(&self, body: &mut SetExpr, types: &mut Vec<Vec<Option<DataType>>>) -> Result<(), EngineError> {
        match body {
            SetExpr::SetOperation { left, right, .. } => {
                self.branches(left, types)?;
                self.branches(right, types)
            }
            SetExpr::Query(query) => self.branches(&mut query.body, types),
            SetExpr::Select(select) => {
                types.push(self.branch(select)?);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn branch(&self, select: &mut Select) -> Result<Vec<Option<DataType>>, EngineError> {
        let table = match select.from.as_slice() {
            [TableWithJoins { relation: TableFactor::Table { name, args: None, .. }, joins }] if joins.is_empty() => {
                relations::full_name(&name.0).map(|name| self.lookup.find(&name)).transpose()?.flatten()
            }
            _ => None,
        };
        let columns = table.as_ref().map_or(&[][..], |table| &table.columns);
        if let [SelectItem::Wildcard(options)] = select.projection.as_slice()
            && is_plain(options)
            && !columns.is_empty()
        {
            let columns = columns.iter().map(|column| Expr::Identifier(quoted(&column.name)));
            select.projection = columns.map(SelectItem::UnnamedExpr).collect();
        }
        let column_type = |name: &Expr| {
            let name = match name {
                Expr::Identifier(name) => name,
                Expr::CompoundIdentifier(parts) => parts.last()?,
                _ => return None,
            };
            columns.iter().find(|column| column.name == name.value).map(|column| column.data_type.clone())
        };
        let shown = select.projection.iter().map(|item| match item {
            SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. } => of_expr(expr, &column_type),
            _ => None,
        });
        Ok(shown.collect())
    }
}

/// Gives the values of each place the scale they have together, where the engine would cut it.
fn align(body: &mut SetExpr, types: &[Vec<Option<DataType>>]) {
    if matches!(body, SetExpr::SetOperation { set_quantifier, .. } if says_by_name(*set_quantifier)) {
        return;
    }
    for (place, values) in columns_of(body).into_iter().enumerate() {
        let types: Option<Vec<DataType>> = types.iter().map(|branch| branch.get(place).cloned().flatten()).collect();
        let Some(digits) = types.and_then(|types| types.iter().map(digits).collect::<Option<Vec<(u8, u8)>>>()) else {
            continue;
        };
        let (Some(whole), Some(scale)) =
            (digits.iter().map(|(whole, _)| *whole).max(), digits.iter().map(|(_, scale)| *scale).max())
        else {
            continue;
        };
        if whole + scale <= DIGITS_MAX || values.len() != digits.len() {
            continue;
        }
        for (value, _) in values.into_iter().zip(digits).filter(|(_, (_, own))| *own < scale) {
            *value = decimal(std::mem::replace(value, null()), scale);
        }
    }
}

/// Before and behind the point, as the engine keeps a number: its integers have 19.
fn digits(data_type: &DataType) -> Option<(u8, u8)> {
    match data_type {
        DataType::Number { precision, scale } => Some((precision - scale, *scale)),
        DataType::Integer => Some((19, 0)),
        _ => None,
    }
}
