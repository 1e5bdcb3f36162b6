//! The names that subqueries give to structured values. One name that has two types, or another value too, tells none.

use std::ops::ControlFlow;

use firn_sql::ast::{Expr, Query, Select, SelectItem, SetExpr, TableFactor, Visitor};
use firn_sql::command::DataType;
use firn_sql::{Failure, StructuredType, declared_type};

use super::StructuredColumns;
use crate::dialect::kinds::{branches_of, names_itself};
use crate::dialect::select_items::{output_name, renamed_columns, shown_value};

/// Inner queries come first.
pub(in crate::dialect) struct Aliases {
    pub(in crate::dialect) found: StructuredColumns,
}

impl Aliases {
    fn type_of(&self, expr: &Expr) -> Option<StructuredType> {
        match expr {
            Expr::Cast { data_type, .. } => match declared_type(data_type).ok()? {
                DataType::Structured(structured) => Some(*structured),
                _ => None,
            },
            Expr::Nested(inside) => self.type_of(inside),
            other => self.found.type_of(other),
        }
    }

    fn forget(&mut self, name: &str) {
        self.found.types.insert(name.to_owned(), None);
    }
}

impl Visitor for Aliases {
    type Break = Failure;

    fn post_visit_select(&mut self, select: &Select) -> ControlFlow<Failure> {
        for item in &select.projection {
            match item {
                SelectItem::ExprWithAlias { expr, alias } if !names_itself(expr, &alias.value) => {
                    let structured = self.type_of(expr);
                    self.found.learn(&alias.value, structured);
                }
                SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => {
                    renamed_columns(options).iter().for_each(|name| self.forget(name));
                }
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<Failure> {
        for column in query.with.iter().flat_map(|with| &with.cte_tables).flat_map(|table| &table.alias.columns) {
            self.forget(&column.name.value);
        }
        if !matches!(*query.body, SetExpr::SetOperation { .. }) {
            return ControlFlow::Continue(());
        }
        let mut branches = Vec::new();
        branches_of(&query.body, &mut branches);
        for (place, item) in branches.first().into_iter().flat_map(|select| select.projection.iter().enumerate()) {
            let Some(name) = output_name(item) else { continue };
            let at_place = |select: &&Select| select.projection.get(place).and_then(shown_value).cloned();
            let types: Vec<_> =
                branches.iter().map(|select| at_place(select).and_then(|value| self.type_of(&value))).collect();
            if types.windows(2).any(|pair| pair[0] != pair[1]) {
                self.forget(&name);
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<Failure> {
        if let TableFactor::Table { alias: Some(alias), .. } | TableFactor::Derived { alias: Some(alias), .. } = table {
            alias.columns.iter().for_each(|column| self.forget(&column.name.value));
        }
        ControlFlow::Continue(())
    }
}
