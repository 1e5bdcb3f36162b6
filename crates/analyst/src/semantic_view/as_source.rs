//! A semantic view as the source of its own logical tables: `SELECT * FROM SEMANTIC_VIEW(v FACTS t.a, t.b)`. Who may query the view
//! but not its tables reads them with the rights of the view's owner, and only what the view offers.

use std::ops::ControlFlow;

use firn_sql::ast::{Expr, Query, Visitor};
use firn_sql::tree::Tree;
use firn_sql::{Failure, ObjectName, expression_of_text};

use super::expansion::LIMITS;
use crate::semantic_model::logical_sql::identifier;
use crate::semantic_model::{AccessModifier, LogicalTable, SemanticModel, TableSource};

/// The model without what only the columns of its tables give: private items, and metrics, filters and relationships over columns
/// that are no items.
#[must_use]
pub fn over_view(mut model: SemanticModel, view: &ObjectName) -> SemanticModel {
    model.tables = model.tables.into_iter().filter_map(|table| table_over(table, view)).collect();
    let tables = model.tables.clone();
    let has_item = |table: &str, column: &str| {
        let found = tables.iter().find(|found| is_same(&found.name, table));
        found.is_some_and(|found| items_of(found).iter().any(|item| is_same(item, column)))
    };
    model.relationships.retain(|relationship| {
        relationship.columns.iter().all(|columns| {
            has_item(&relationship.left_table, &columns.left_column)
                && has_item(&relationship.right_table, &columns.right_column)
        })
    });
    let is_known = |table: Option<&str>, name: &str| {
        let found = tables.iter().find(|found| table.is_some_and(|table| is_same(&found.name, table)));
        found.is_some_and(|found| knows(found, name))
    };
    model.metrics.retain(|metric| names_only(&metric.expr, &is_known));
    model
}

/// The metrics of a model that `over_view` leaves out.
#[must_use]
pub fn omitted_metrics(whole: &SemanticModel, over_view: &SemanticModel) -> Vec<String> {
    let names = |model: &SemanticModel| -> Vec<String> {
        let of_tables = model.tables.iter().flat_map(|table| {
            table.metrics.iter().map(|metric| format!("{}.{}", identifier(&table.name), identifier(&metric.name)))
        });
        of_tables.chain(model.metrics.iter().map(|metric| identifier(&metric.name))).collect()
    };
    let known = names(over_view);
    names(whole).into_iter().filter(|name| !known.contains(name)).collect()
}

/// `None` for a table without public items.
fn table_over(mut table: LogicalTable, view: &ObjectName) -> Option<LogicalTable> {
    table.dimensions.retain(|item| item.access_modifier == AccessModifier::Public);
    table.time_dimensions.retain(|item| item.access_modifier == AccessModifier::Public);
    table.facts.retain(|item| item.access_modifier == AccessModifier::Public);
    let items = items_of(&table);
    if items.is_empty() {
        return None;
    }
    let asked: Vec<String> =
        items.iter().map(|item| format!("{}.{}", identifier(&table.name), identifier(item))).collect();
    table.source = TableSource::Definition(format!("SELECT * FROM SEMANTIC_VIEW({view} FACTS {})", asked.join(", ")));
    table.dimensions.iter_mut().for_each(|item| item.expr = identifier(&item.name));
    table.time_dimensions.iter_mut().for_each(|item| item.expr = identifier(&item.name));
    table.facts.iter_mut().for_each(|item| item.expr = identifier(&item.name));
    let is_item = |name: &String| items.iter().any(|item| is_same(item, name));
    if !table.primary_key.iter().all(is_item) {
        table.primary_key.clear();
    }
    table.unique_keys.retain(|key| key.iter().all(is_item));
    // A metric may be made of another one.
    loop {
        let known = table.clone();
        let is_known =
            |of: Option<&str>, name: &str| of.is_none_or(|of| is_same(of, &known.name)) && knows(&known, name);
        table.metrics.retain(|metric| names_only(&metric.expr, &is_known));
        table.filters.retain(|filter| names_only(&filter.expr, &is_known));
        if table.metrics.len() == known.metrics.len() {
            return Some(table);
        }
    }
}

fn items_of(table: &LogicalTable) -> Vec<String> {
    let dimensions = table.dimensions.iter().map(|item| item.name.clone());
    let times = table.time_dimensions.iter().map(|item| item.name.clone());
    dimensions.chain(times).chain(table.facts.iter().map(|item| item.name.clone())).collect()
}

fn knows(table: &LogicalTable, name: &str) -> bool {
    items_of(table).iter().any(|item| is_same(item, name))
        || table.metrics.iter().any(|metric| is_same(&metric.name, name))
}

fn is_same(name: &str, other: &str) -> bool {
    name.trim_matches('"').eq_ignore_ascii_case(other.trim_matches('"'))
}

/// Whether an expression has no other names than these, and no subquery.
fn names_only(text: &str, is_known: &dyn Fn(Option<&str>, &str) -> bool) -> bool {
    expression_of_text(text, &LIMITS).is_ok_and(|expr| expr.walk(&mut Names { is_known }).is_continue())
}

/// It breaks at what is not known.
struct Names<'a> {
    is_known: &'a dyn Fn(Option<&str>, &str) -> bool,
}

fn unknown() -> ControlFlow<Failure> {
    ControlFlow::Break(Failure::unsupported("a column that is no item"))
}

impl Visitor for Names<'_> {
    type Break = Failure;

    fn pre_visit_query(&mut self, _: &Query) -> ControlFlow<Failure> {
        unknown()
    }

    fn pre_visit_expr(&mut self, expr: &Expr) -> ControlFlow<Failure> {
        let is_known = match expr {
            Expr::Identifier(name) => (self.is_known)(None, &name.value),
            Expr::CompoundIdentifier(parts) => match parts.as_slice() {
                [table, name] => (self.is_known)(Some(&table.value), &name.value),
                _ => false,
            },
            _ => true,
        };
        if is_known { ControlFlow::Continue(()) } else { unknown() }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::semantic_model::read_yaml;

    const MODEL: &str = "
name: shop
tables:
  - name: orders
    base_table: {database: D, schema: S, table: HIDDEN_ORDERS}
    primary_key: {columns: [id]}
    dimensions:
      - {name: city, expr: upper(CITY_NAME), data_type: VARCHAR}
    facts:
      - {name: amount, expr: PRICE * COUNT, data_type: NUMBER}
      - {name: cost, expr: COST, data_type: NUMBER, access_modifier: private_access}
    metrics:
      - {name: revenue, expr: SUM(amount)}
      - {name: twice, expr: 2 * revenue}
      - {name: expense, expr: SUM(cost)}
      - {name: profit, expr: revenue - expense}
metrics:
  - {name: all_revenue, expr: orders.revenue}
  - {name: all_profit, expr: orders.profit}
";

    #[test]
    fn only_what_the_view_offers_is_left() {
        let whole = read_yaml(MODEL).unwrap().model;
        let model = over_view(whole.clone(), &ObjectName::qualified("D", "S", "SHOP"));
        assert_eq!(omitted_metrics(&whole, &model), ["orders.expense", "orders.profit", "all_profit"]);
        let orders = &model.tables[0];
        let asked = "SELECT * FROM SEMANTIC_VIEW(D.S.SHOP FACTS orders.city, orders.amount)";
        assert_eq!(orders.source, TableSource::Definition(asked.to_owned()));
        assert_eq!((orders.dimensions[0].expr.as_str(), orders.facts.len()), ("city", 1));
        assert!(orders.primary_key.is_empty());
        let metrics: Vec<&str> = orders.metrics.iter().map(|metric| metric.name.as_str()).collect();
        assert_eq!(metrics, ["revenue", "twice"]);
        assert_eq!(model.metrics.iter().map(|metric| metric.name.as_str()).collect::<Vec<_>>(), ["all_revenue"]);
    }
}
