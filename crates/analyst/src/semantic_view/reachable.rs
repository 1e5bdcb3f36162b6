//! Which dimensions a metric can be asked by.

use std::collections::BTreeSet;

use super::query::joins::joined;
use crate::semantic_model::{LogicalTable, Metric, SemanticModel};

/// The tables whose dimensions can be asked for together with a metric: its own, and those that it leads to. Nothing
/// where there is no such metric.
#[must_use]
pub fn dimensions_for_metric<'m>(
    model: &'m SemanticModel,
    table: Option<&str>,
    metric: &str,
) -> Option<Vec<&'m LogicalTable>> {
    let of_tables = model.tables.iter().filter(|owner| table.is_none_or(|name| owner.name.eq_ignore_ascii_case(name)));
    let mut metrics = of_tables.flat_map(|owner| owner.metrics.iter().map(move |other| (owner, other)));
    if let Some((owner, found)) = metrics.find(|(_, other)| other.name.eq_ignore_ascii_case(metric)) {
        return Some(reached_from(model, owner, found));
    }
    let derived = model.metrics.iter().find(|other| table.is_none() && other.name.eq_ignore_ascii_case(metric))?;
    let used = model.tables.iter().flat_map(|owner| owner.metrics.iter().map(move |other| (owner, other)));
    let used: Vec<(&LogicalTable, &Metric)> =
        used.filter(|(_, other)| names_word(&derived.expr, &other.name)).collect();
    let mut common: Vec<&LogicalTable> = model.tables.iter().collect();
    for (owner, other) in used {
        let reached = reached_from(model, owner, other);
        common.retain(|table| reached.iter().any(|reached| reached.name == table.name));
    }
    Some(common)
}

fn reached_from<'m>(model: &'m SemanticModel, owner: &LogicalTable, metric: &Metric) -> Vec<&'m LogicalTable> {
    let is_reached = |table: &&LogicalTable| {
        let wanted = BTreeSet::from([table.name.clone()]);
        joined(model, owner, &wanted, &metric.using_relationships).is_ok()
    };
    model.tables.iter().filter(is_reached).collect()
}

fn names_word(expr: &str, word: &str) -> bool {
    let mut words = expr.split(|character: char| !(character.is_alphanumeric() || character == '_'));
    words.any(|other| other.eq_ignore_ascii_case(word))
}
