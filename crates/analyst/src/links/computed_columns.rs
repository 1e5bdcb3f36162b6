//! Columns that are computed: metrics of the whole model, and products of a quantity and a price that the model leaves out.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::identifier_words::identifier_words;
use super::model_index::{ColumnEntry, ColumnKind, DataKind, ModelIndex, TableId};
use super::offered_columns::Offered;
use crate::evidence::Evidence;
use crate::semantic_model::{LogicalTable, Metric, SemanticModel, product, sums_of_products};

impl ModelIndex {
    pub(super) fn add_model_metrics(&mut self, model: &SemanticModel, known: &BTreeSet<String>) {
        for metric in &model.metrics {
            self.add_model_metric(metric, known);
        }
        for (metric, formula) in sums_of_products(model) {
            self.add_model_metric(&metric, known);
            if let Some(column) = Arc::make_mut(&mut self.columns).last_mut() {
                column.formula = Some(formula);
            }
        }
    }

    /// A metric of the whole model lives where the first table it names does.
    fn add_model_metric(&mut self, metric: &Metric, known: &BTreeSet<String>) {
        let owners = metric.expr.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
        let mut named = owners.filter_map(|name| self.table_named(name));
        let Some(table) = named.next() else { return };
        let mut reads: Vec<TableId> = named.filter(|other| *other != table).collect();
        reads.dedup();
        let id = self.columns.len();
        let words = identifier_words(&metric.name, known, &[]);
        self.vocabulary.add_column(id, &words, &words, &metric.synonyms);
        Arc::make_mut(&mut self.columns).push(ColumnEntry {
            table,
            name: metric.name.clone(),
            words,
            kind: ColumnKind::Metric,
            data: DataKind::Number,
            is_number_as_text: false,
            unique: false,
            is_declared_unique: false,
            expression: metric.expr.clone(),
            aggregation: None,
            distinct_count: None,
            has_gaps: false,
            latest_day: None,
            flag: None,
            is_tables_own_time: false,
            reads,
            formula: None,
        });
        Arc::make_mut(&mut self.tables)[table].columns.push(id);
    }

    /// What the rows of the table amount to, where the model has a quantity and a price only.
    pub(super) fn add_product(
        &mut self,
        model: &SemanticModel,
        table: &LogicalTable,
        known: &BTreeSet<String>,
        evidence: &dyn Evidence,
    ) {
        let (Some(product), Some(id)) = (product(model, table), self.tables.len().checked_sub(1)) else { return };
        self.add_column(id, table, &Offered::of_fact(&product.fact), known, evidence);
        if let Some(column) = Arc::make_mut(&mut self.columns).last_mut() {
            column.formula = Some(product.formula);
        }
    }
}
