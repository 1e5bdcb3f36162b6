//! Long chains of CTEs with aggregates or window functions. The engine's planner visits the plan below such a step twice,
//! so that its time doubles with every one; a materialized CTE ends the doubling.

use std::collections::HashMap;
use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{
    CteAsMaterialized, Expr, GroupByExpr, ObjectNamePart, Query, Select, SelectItem, TableFactor, Visitor,
};
use firn_sql::tree::Tree;

/// The longest chain without materialization: some hundred times the work of one step.
const STEPS_MAX: usize = 8;

pub(super) fn rewrite(query: &mut Query) {
    let Some(with) = &mut query.with else { return };
    if with.recursive || with.cte_tables.len() < STEPS_MAX {
        return;
    }
    let mut known = HashMap::new();
    for table in &mut with.cte_tables {
        let mut steps = Steps { known: &known, above: 0, most: 0 };
        // The visitor never breaks.
        let _ = table.query.walk(&mut steps);
        let mut below = steps.most;
        if below >= STEPS_MAX {
            table.materialized = Some(CteAsMaterialized::Materialized);
            below = 0;
        }
        known.insert(table.alias.name.value.clone(), below);
    }
}

/// The longest chain of steps in a query.
struct Steps<'known> {
    /// The chain lengths of the CTEs before.
    known: &'known HashMap<String, usize>,
    above: usize,
    most: usize,
}

impl Visitor for Steps<'_> {
    type Break = Failure;

    fn pre_visit_select(&mut self, select: &Select) -> ControlFlow<Failure> {
        self.above += usize::from(is_step(select));
        self.most = self.most.max(self.above);
        ControlFlow::Continue(())
    }

    fn post_visit_select(&mut self, select: &Select) -> ControlFlow<Failure> {
        self.above -= usize::from(is_step(select));
        ControlFlow::Continue(())
    }

    fn pre_visit_table_factor(&mut self, table: &TableFactor) -> ControlFlow<Failure> {
        if let TableFactor::Table { name, .. } = table
            && let [ObjectNamePart::Identifier(name)] = name.0.as_slice()
            && let Some(below) = self.known.get(&name.value)
        {
            self.most = self.most.max(self.above + below);
        }
        ControlFlow::Continue(())
    }
}

fn is_step(select: &Select) -> bool {
    let groups = match &select.group_by {
        GroupByExpr::All(_) => true,
        GroupByExpr::Expressions(keys, _) => !keys.is_empty(),
    };
    groups || select.qualify.is_some() || select.projection.iter().any(has_window)
}

fn has_window(item: &SelectItem) -> bool {
    let (SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }) = item else { return false };
    let mut windows = Windows { found: false };
    // The visitor never breaks.
    let _ = expr.walk(&mut windows);
    windows.found
}

struct Windows {
    found: bool,
}

impl Visitor for Windows {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        self.found |= matches!(expr, Expr::Function(function) if function.over.is_some());
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn every_eighth_step_is_made_first() {
        let chain = |mark: &str| {
            let tables: Vec<String> = (1..10)
                .map(|step| {
                    let mark = if step == 8 { mark } else { "" };
                    format!("c{step} AS {mark}(SELECT a FROM c{} GROUP BY a)", step - 1)
                })
                .collect();
            format!("WITH c0 AS (SELECT 1 AS a), {} SELECT a FROM c9", tables.join(", "))
        };
        check(&chain(""), &chain("MATERIALIZED "));
    }
}
