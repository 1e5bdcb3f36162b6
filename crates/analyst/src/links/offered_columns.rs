//! What a logical table offers to be asked about, whatever it is in the model.

use super::model_index::ColumnKind;
use crate::semantic_model::{AccessModifier, DefaultAggregation, LogicalTable};

/// A column with all that the model tells of it.
pub(super) struct Offered<'a> {
    pub name: &'a str,
    pub synonyms: &'a [String],
    pub expr: &'a str,
    pub data_type: Option<&'a str>,
    pub unique: bool,
    pub sample_values: &'a [String],
    pub kind: ColumnKind,
    pub aggregation: Option<DefaultAggregation>,
}

/// The columns that questions may be about.
pub(super) fn offered_columns(table: &LogicalTable) -> Vec<Offered<'_>> {
    let mut offered: Vec<Offered<'_>> = Vec::new();
    offered.extend(table.dimensions.iter().filter(|column| column.access_modifier == AccessModifier::Public).map(
        |column| Offered {
            name: &column.name,
            synonyms: &column.synonyms,
            expr: &column.expr,
            data_type: column.data_type.as_deref(),
            unique: column.unique,
            sample_values: &column.sample_values,
            kind: if column.is_filter { ColumnKind::Filter } else { ColumnKind::Dimension },
            aggregation: None,
        },
    ));
    offered.extend(table.time_dimensions.iter().filter(|column| column.access_modifier == AccessModifier::Public).map(
        |column| Offered {
            name: &column.name,
            synonyms: &column.synonyms,
            expr: &column.expr,
            data_type: column.data_type.as_deref(),
            unique: column.unique,
            sample_values: &[],
            kind: ColumnKind::Time,
            aggregation: None,
        },
    ));
    offered.extend(table.facts.iter().filter(|column| column.access_modifier == AccessModifier::Public).map(
        |column| Offered {
            name: &column.name,
            synonyms: &column.synonyms,
            expr: &column.expr,
            data_type: column.data_type.as_deref(),
            unique: false,
            sample_values: &[],
            kind: ColumnKind::Fact,
            aggregation: column.default_aggregation,
        },
    ));
    offered.extend(table.metrics.iter().filter(|column| column.access_modifier == AccessModifier::Public).map(
        |column| Offered {
            name: &column.name,
            synonyms: &column.synonyms,
            expr: &column.expr,
            data_type: column.data_type.as_deref(),
            unique: false,
            sample_values: &[],
            kind: ColumnKind::Metric,
            aggregation: None,
        },
    ));
    offered.extend(table.filters.iter().map(|column| Offered {
        name: &column.name,
        synonyms: &column.synonyms,
        expr: &column.expr,
        data_type: None,
        unique: false,
        sample_values: &[],
        kind: ColumnKind::Filter,
        aggregation: None,
    }));
    offered
}
