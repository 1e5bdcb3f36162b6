//! Columns of the physical tables that a model uses without a logical name: keys that tables are joined by, and what
//! metrics and filters are made of. A common table expression must bring them along where a query uses them.

use std::ops::ControlFlow;

use firn_sql::ast::{Expr, Ident, VisitorMut};
use firn_sql::tree::Tree;
use firn_sql::{Failure, ParseLimits, expression_of_text};

use super::identifiers::identifier;
use crate::semantic_model::{LogicalTable, SemanticModel};

const LIMITS: ParseLimits = ParseLimits { text_bytes_max: 256 << 10, statements_max: 1, nesting_depth_max: 60 };

/// The columns that the expressions of a table's metrics and filters name, and the table offers to nobody; each as SQL
/// has it.
#[must_use]
pub fn in_expressions(table: &LogicalTable) -> Vec<String> {
    let metrics = table.metrics.iter().map(|metric| metric.expr.as_str());
    let filters = table.filters.iter().map(|filter| filter.expr.as_str());
    let flags =
        table.dimensions.iter().filter(|dimension| dimension.is_filter).map(|dimension| dimension.expr.as_str());
    let mut names = Names { table, found: Vec::new() };
    for text in metrics.chain(filters).chain(flags) {
        if let Ok(mut expr) = expression_of_text(text, &LIMITS) {
            // The visitor never breaks.
            let _ = expr.walk_mut(&mut names);
        }
    }
    names.found
}

/// What a query uses of a table's physical columns: those that are `named` in it.
pub fn used(model: &SemanticModel, table: &LogicalTable, named: &dyn Fn(&str) -> bool) -> Vec<String> {
    let of_joins = model.relationships.iter().flat_map(|join| {
        let is_left = join.left_table.eq_ignore_ascii_case(&table.name);
        let is_right = join.right_table.eq_ignore_ascii_case(&table.name);
        join.columns.iter().flat_map(move |pair| {
            let left = is_left.then_some(&pair.left_column);
            left.into_iter().chain(is_right.then_some(&pair.right_column))
        })
    });
    let of_joins = of_joins.map(|column| identifier(column));
    let mut found: Vec<String> = Vec::new();
    for column in of_joins.chain(in_expressions(table)) {
        let is_logical = table.column_expression(column.trim_matches('"')).is_some();
        let is_known = found.iter().any(|other| other.eq_ignore_ascii_case(&column));
        if !is_logical && !is_known && named(&column) {
            found.push(column);
        }
    }
    found
}

/// Whether the text has the name in any case of letters, and not merely as a part of a longer one.
pub fn names(text: &str, name: &str) -> bool {
    let is_of_name = |character: char| character.is_alphanumeric() || character == '_' || character == '$';
    let (text, name) = (text.to_ascii_lowercase(), name.to_ascii_lowercase());
    text.match_indices(&name).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let next = text[at + name.len()..].chars().next();
        !before.is_some_and(is_of_name) && !next.is_some_and(is_of_name)
    })
}

struct Names<'a> {
    table: &'a LogicalTable,
    found: Vec<String>,
}

impl Names<'_> {
    fn note(&mut self, name: &Ident) {
        let text = name.to_string();
        let is_item = self.table.metrics.iter().any(|metric| metric.name.eq_ignore_ascii_case(&name.value))
            || self.table.filters.iter().any(|filter| filter.name.eq_ignore_ascii_case(&name.value));
        if !is_item && !self.found.contains(&text) {
            self.found.push(text);
        }
    }
}

impl VisitorMut for Names<'_> {
    type Break = Failure;

    fn post_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        match expr {
            Expr::Identifier(name) => self.note(name),
            Expr::CompoundIdentifier(parts) => {
                if let [owner, name] = parts.as_slice()
                    && owner.value.trim_start_matches("__").eq_ignore_ascii_case(&self.table.name)
                {
                    self.note(name);
                }
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }
}
