//! Features of agreement: in which parts a query is the same as the one that the reader from left to right prefers. What
//! differs from it in one part only is nearly as probable.

use std::collections::BTreeSet;

use super::features::{Feature, Features};
use crate::accounting::Usage;
use crate::interpretation::query::{Query, are_same};
use crate::links::model_index::{ModelIndex, TableId};

/// The query that others are compared with.
#[derive(Debug)]
pub struct Preferred {
    query: Query,
    joined: BTreeSet<TableId>,
}

impl Preferred {
    #[must_use]
    pub fn new(index: &ModelIndex, query: &Query) -> Self {
        Self { query: query.clone(), joined: Usage::of(index, query).joined }
    }

    /// Says in which parts a query agrees with this one.
    pub fn compare(&self, query: &Query, usage: &Usage, features: &mut Features) {
        let Query { select, conditions, group, having, order, limit, combined, distinct, .. } = &self.query;
        let parts = [
            (Feature::AgreesShown, are_same(select, &query.select)),
            (Feature::AgreesConditions, are_same(conditions, &query.conditions)),
            (Feature::AgreesGroups, are_same(group, &query.group) && are_same(having, &query.having)),
            (Feature::AgreesOrder, order == &query.order && limit == &query.limit),
            (Feature::AgreesRepeats, distinct == &query.distinct),
            (Feature::AgreesSets, combined == &query.combined),
            (Feature::AgreesTables, self.joined == usage.joined),
        ];
        for (feature, agrees) in parts {
            features.set(feature, f32::from(u8::from(agrees)));
        }
    }
}
