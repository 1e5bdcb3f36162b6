//! `GROUP BY ALL` beside QUALIFY or window functions, which run over the groups, becomes a list of the items that are
//! neither aggregates nor computed from such. Alone it stays what it is.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{Expr, GroupByExpr, Ident, ObjectNamePart, Query, Select, SelectItem, Value, Visitor};
use crate::functions::is_aggregate;
use crate::query_parts::same_name;
use crate::tree::Tree;

pub(super) fn rewrite(select: &mut Select) -> Result<(), Failure> {
    if !matches!(select.group_by, GroupByExpr::All(_)) {
        return Ok(());
    }
    let Some(items) = select.projection.iter().map(Item::of).collect::<Option<Vec<_>>>() else {
        return match select.qualify {
            Some(_) => Err(Failure::unsupported("GROUP BY ALL of * with QUALIFY")),
            None => Ok(()),
        };
    };
    let any = |is: fn(&Found) -> bool| items.iter().any(|item| is(&item.found));
    if select.qualify.is_none() && !(any(|found| found.window) && any(|found| found.aggregate)) {
        return Ok(());
    }
    let mut over_groups: Vec<&Ident> = Vec::new();
    let mut keys = Vec::new();
    for (place, item) in (1_usize..).zip(&items) {
        let is_over_groups = item.found.aggregate
            || item.found.window
            || item.found.names.iter().any(|name| over_groups.iter().any(|alias| same_name(alias, name)));
        match is_over_groups {
            true => over_groups.extend(&item.alias),
            false => keys.push(Expr::value(Value::Number(place.to_string(), false))),
        }
    }
    select.group_by = GroupByExpr::Expressions(keys, Vec::new());
    Ok(())
}

struct Item {
    alias: Option<Ident>,
    found: Found,
}

impl Item {
    /// `None` for `*`, whose columns are not known here.
    fn of(item: &SelectItem) -> Option<Self> {
        let (expr, alias) = match item {
            SelectItem::UnnamedExpr(expr) => (expr, None),
            SelectItem::ExprWithAlias { expr, alias } => (expr, Some(alias.clone())),
            _ => return None,
        };
        let mut found = Found::default();
        // The visitor never breaks.
        let _ = expr.walk(&mut found);
        Some(Self { alias, found })
    }
}

/// The aggregates and columns of an expression, without its subqueries.
#[derive(Default)]
struct Found {
    aggregate: bool,
    window: bool,
    names: Vec<Ident>,
    depth: usize,
}

impl Visitor for Found {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Failure> {
        self.depth += 1;
        ControlFlow::Continue(())
    }

    fn post_visit_query(&mut self, _: &Query) -> ControlFlow<Failure> {
        self.depth -= 1;
        ControlFlow::Continue(())
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        match expr {
            _ if self.depth > 0 => {}
            Expr::Identifier(name) => self.names.push(name.clone()),
            Expr::Function(function) if function.over.is_some() => self.window = true,
            Expr::Function(function) => {
                if let [ObjectNamePart::Identifier(name)] = function.name.0.as_slice() {
                    self.aggregate |= is_aggregate(&name.value);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
