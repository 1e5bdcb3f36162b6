//! What the names stand for that subqueries give to what they compute.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{Query, Select, SelectItem, SetExpr, TableFactor, Visitor};

use super::{Numbers, Numeric};
use crate::computed_types::is_null;
use crate::dialect::kinds::{branches_of, names_itself};
use crate::dialect::select_items::{output_name, renamed_columns, shown_value};

/// Inner queries come first.
pub(in crate::dialect) struct Aliases {
    pub(in crate::dialect) found: Numbers,
}

impl Visitor for Aliases {
    type Break = Failure;

    fn post_visit_select(&mut self, select: &Select) -> ControlFlow<Failure> {
        for item in &select.projection {
            match item {
                SelectItem::ExprWithAlias { expr, alias } => {
                    let numeric = self.found.infer(expr);
                    self.found.learn(&alias.value, numeric);
                    if !names_itself(expr, &alias.value) {
                        self.found.whole_digits.remove(&alias.value);
                    }
                }
                SelectItem::Wildcard(options) | SelectItem::QualifiedWildcard(_, options) => {
                    for name in renamed_columns(options) {
                        self.found.set(&name, None);
                    }
                }
                _ => {}
            }
        }
        ControlFlow::Continue(())
    }

    /// The columns of a set operation are as wide as its widest branch.
    fn post_visit_query(&mut self, query: &Query) -> ControlFlow<Failure> {
        if !matches!(*query.body, SetExpr::SetOperation { .. }) {
            return ControlFlow::Continue(());
        }
        let mut branches = Vec::new();
        branches_of(&query.body, &mut branches);
        let is_shown = |select: &&&Select| !select.projection.iter().any(|item| shown_value(item).is_none());
        if branches.iter().filter(is_shown).count() < branches.len() {
            self.found.forget_scales();
            return ControlFlow::Continue(());
        }
        for (place, item) in branches.first().into_iter().flat_map(|select| select.projection.iter().enumerate()) {
            let Some(name) = output_name(item) else { continue };
            let values = branches.iter().filter_map(|select| select.projection.get(place).and_then(shown_value));
            let numerics: Vec<Option<Numeric>> =
                values.filter(|value| !is_null(value)).map(|value| self.found.infer(value)).collect();
            if numerics.windows(2).any(|pair| pair[0] != pair[1]) {
                let common = numerics.into_iter().reduce(|one, other| Some(one?.beside(other?))).flatten();
                self.found.set(&name, common);
                self.found.widened.insert(name);
            }
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<Failure> {
        for table in query.with.iter().flat_map(|with| &with.cte_tables) {
            for column in &table.alias.columns {
                self.found.set(&column.name.value, None);
            }
        }
        ControlFlow::Continue(())
    }

    /// A list of names behind a table's alias says nothing of types, unless the table is VALUES.
    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<Failure> {
        match table {
            TableFactor::Derived { alias: Some(alias), subquery, .. }
                if matches!(*subquery.body, SetExpr::Values(_)) =>
            {
                let SetExpr::Values(values) = &*subquery.body else { return ControlFlow::Continue(()) };
                for (place, column) in alias.columns.iter().enumerate() {
                    let numeric = self.found.infer_all(values.rows.iter().filter_map(|row| row.content.get(place)));
                    self.found.learn(&column.name.value, numeric);
                    self.found.whole_digits.remove(&column.name.value);
                }
            }
            TableFactor::Table { alias: Some(alias), .. } | TableFactor::Derived { alias: Some(alias), .. } => {
                for column in &alias.columns {
                    self.found.set(&column.name.value, None);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
