//! What a logical table offers to be asked about, whatever it is in the model.

use super::entries::ColumnKind;
use crate::semantic_model::{AccessModifier, DefaultAggregation, Fact, LogicalTable};

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

impl<'a> Offered<'a> {
    fn new(kind: ColumnKind, name: &'a str, synonyms: &'a [String], expr: &'a str) -> Self {
        Self { name, synonyms, expr, data_type: None, unique: false, sample_values: &[], kind, aggregation: None }
    }

    pub fn of_fact(fact: &'a Fact) -> Self {
        Self {
            data_type: fact.data_type.as_deref(),
            aggregation: fact.default_aggregation,
            ..Self::new(ColumnKind::Fact, &fact.name, &fact.synonyms, &fact.expr)
        }
    }
}

/// The columns that questions may be about.
pub(super) fn offered_columns(table: &LogicalTable) -> Vec<Offered<'_>> {
    let is_public = |modifier: &AccessModifier| *modifier == AccessModifier::Public;
    let dimensions = table.dimensions.iter().filter(|column| is_public(&column.access_modifier));
    let times = table.time_dimensions.iter().filter(|column| is_public(&column.access_modifier));
    let facts = table.facts.iter().filter(|column| is_public(&column.access_modifier));
    let metrics = table.metrics.iter().filter(|column| is_public(&column.access_modifier));
    let mut offered: Vec<Offered<'_>> = Vec::new();
    offered.extend(dimensions.map(|column| {
        let kind = if column.is_filter { ColumnKind::Filter } else { ColumnKind::Dimension };
        Offered {
            data_type: column.data_type.as_deref(),
            unique: column.unique,
            sample_values: &column.sample_values,
            ..Offered::new(kind, &column.name, &column.synonyms, &column.expr)
        }
    }));
    offered.extend(times.map(|column| Offered {
        data_type: column.data_type.as_deref(),
        unique: column.unique,
        ..Offered::new(ColumnKind::Time, &column.name, &column.synonyms, &column.expr)
    }));
    offered.extend(facts.map(Offered::of_fact));
    offered.extend(metrics.map(|column| Offered {
        data_type: column.data_type.as_deref(),
        ..Offered::new(ColumnKind::Metric, &column.name, &column.synonyms, &column.expr)
    }));
    offered.extend(
        table
            .filters
            .iter()
            .map(|column| Offered::new(ColumnKind::Filter, &column.name, &column.synonyms, &column.expr)),
    );
    offered
}
