//! A query with parameters, whose plans are cached by connections.

use std::ffi::CString;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use firn_binder::OutputColumn;
use firn_sql::template::TemplateValue;

use super::template_parameters::ParameterValue;

static NEXT_ID: AtomicU64 = AtomicU64::new(0);

pub(crate) struct TemplatePlan {
    /// The key of its plans in the connections' caches.
    pub(crate) id: u64,
    pub(crate) sql: CString,
    pub(crate) columns: Arc<[OutputColumn]>,
}

impl TemplatePlan {
    pub(crate) fn new(sql: CString, columns: Arc<[OutputColumn]>) -> Self {
        Self { id: NEXT_ID.fetch_add(1, Ordering::Relaxed), sql, columns }
    }

    /// The values of the parameters, in order.
    pub(crate) fn parameters(&self, values: &[TemplateValue], is_parameter: &[bool]) -> Option<Vec<ParameterValue>> {
        let parameters = values.iter().zip(is_parameter).filter(|(_, is_parameter)| **is_parameter);
        parameters
            .map(|(value, _)| match value {
                TemplateValue::Integer(digits) => digits.parse().ok().map(ParameterValue::Integer),
                TemplateValue::Text(text) => Some(ParameterValue::Text(text.clone())),
            })
            .collect()
    }
}
