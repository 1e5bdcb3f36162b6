//! A logical table: what of a physical table, or of a query, the model speaks of.

use super::columns::{Dimension, Fact, Metric, NamedFilter, TimeDimension};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct LogicalTable {
    pub name: String,
    pub synonyms: Vec<String>,
    pub description: Option<String>,
    pub source: TableSource,
    /// Names of columns; empty where none is declared. A declared key may be wrong in the data.
    pub primary_key: Vec<String>,
    pub unique_keys: Vec<Vec<String>>,
    pub dimensions: Vec<Dimension>,
    pub time_dimensions: Vec<TimeDimension>,
    pub facts: Vec<Fact>,
    pub metrics: Vec<Metric>,
    pub filters: Vec<NamedFilter>,
}

/// Where a logical table's rows come from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TableSource {
    /// A table or view; the parts that are absent are those of the session. Names are as in the catalog where the
    /// model quotes them, else as written.
    BaseTable { database: Option<String>, schema: Option<String>, table: String },
    /// A query.
    Definition(String),
}

impl Default for TableSource {
    fn default() -> Self {
        Self::BaseTable { database: None, schema: None, table: String::new() }
    }
}

impl LogicalTable {
    /// The expression behind a dimension, time dimension or fact, by its name in any case of letters.
    #[must_use]
    pub fn column_expression(&self, name: &str) -> Option<&str> {
        let dimensions = self.dimensions.iter().map(|column| (&column.name, &column.expr));
        let time_dimensions = self.time_dimensions.iter().map(|column| (&column.name, &column.expr));
        let facts = self.facts.iter().map(|column| (&column.name, &column.expr));
        dimensions
            .chain(time_dimensions)
            .chain(facts)
            .find(|(column, _)| column.eq_ignore_ascii_case(name))
            .map(|(_, expression)| expression.as_str())
    }

    pub(super) fn expressions(&self) -> impl Iterator<Item = &String> {
        let columns = self.dimensions.iter().map(|item| &item.expr);
        let columns = columns.chain(self.time_dimensions.iter().map(|item| &item.expr));
        let columns = columns.chain(self.facts.iter().map(|item| &item.expr));
        let computed = self.metrics.iter().map(|item| &item.expr);
        columns.chain(computed).chain(self.filters.iter().map(|item| &item.expr))
    }

    pub(super) fn expressions_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let columns = self.dimensions.iter_mut().map(|item| &mut item.expr);
        let columns = columns.chain(self.time_dimensions.iter_mut().map(|item| &mut item.expr));
        let columns = columns.chain(self.facts.iter_mut().map(|item| &mut item.expr));
        let computed = self.metrics.iter_mut().map(|item| &mut item.expr);
        columns.chain(computed).chain(self.filters.iter_mut().map(|item| &mut item.expr))
    }
}
