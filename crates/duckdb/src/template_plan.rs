//! A query with places for values, of which connections keep plans.

use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use firn_binder::OutputColumn;
use firn_sql::template::TemplateValue;

use super::placed_values::PlacedValue;

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

pub(crate) struct TemplatePlan {
    /// Under which connections know their plans of it.
    pub(crate) id: u64,
    pub(crate) sql: CString,
    pub(crate) columns: Arc<[OutputColumn]>,
}

impl TemplatePlan {
    pub(crate) fn new(sql: CString, columns: Arc<[OutputColumn]>) -> Self {
        Self { id: NEXT_ID.fetch_add(1, Ordering::Relaxed), sql, columns }
    }

    /// The values that have a place, in the order of the places.
    pub(crate) fn placed(&self, values: &[TemplateValue], is_parameter: &[bool]) -> Option<Vec<PlacedValue>> {
        let placed = values.iter().zip(is_parameter).filter(|(_, is_parameter)| **is_parameter);
        placed
            .map(|(value, _)| match value {
                TemplateValue::Integer(digits) => digits.parse().ok().map(PlacedValue::Integer),
                TemplateValue::Text(text) => Some(PlacedValue::Text(text.clone())),
            })
            .collect()
    }
}
