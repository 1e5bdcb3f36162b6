//! What a request may bind, and how long its statement may take.

use firn_sql::Failure;
use firn_sql::bindings::{BindingValue, Bindings};

use crate::error::StatementError;
use crate::limits::Limits;
use crate::plan::Plan;
use crate::request::SubmitRequest;
use crate::settings::SessionSettings;

/// The statement API binds values in a single statement only.
pub(super) fn refuse_bound_set(plan: Plan, request: &SubmitRequest) -> Result<Plan, Failure> {
    match plan.is_set() && !request.bindings.is_empty() && request.driver.is_none() {
        true => Err(Failure::unsupported("bindings in a request with several statements")),
        false => Ok(plan),
    }
}

fn values_bound(bindings: &Bindings) -> usize {
    let values = bindings.iter().map(|(_, binding)| match &binding.value {
        BindingValue::One(_) => 1,
        BindingValue::Many(values) => values.len(),
    });
    values.sum()
}

pub(super) fn check_bindings(request: &SubmitRequest, most: usize) -> Result<(), Failure> {
    /// Types whose values are JSON, which drivers alone bind.
    const OF_DRIVERS: [&str; 4] = ["VARIANT", "OBJECT", "ARRAY", "MAP"];
    let refused = request.bindings.iter().map(|(_, binding)| binding.type_name.to_ascii_uppercase());
    let refused = refused.filter(|name| OF_DRIVERS.contains(&name.as_str()) && request.driver.is_none());
    if let Some(name) = refused.min() {
        return Err(Failure::new("002040", "42601", format!("Unsupported data type '{name}'.")));
    }
    match values_bound(&request.bindings) {
        bound if bound > most => {
            let message = format!("SQL compilation error: {bound} values are bound, more than the {most} allowed.");
            Err(Failure::new("000603", "54000", message))
        }
        _ => Ok(()),
    }
}

/// Zero is the maximum; without a value the session parameter is used, where zero means the same.
pub(super) fn timeout_s(
    requested: Option<i64>,
    settings: &SessionSettings,
    limits: &Limits,
) -> Result<u64, StatementError> {
    let wanted = match requested {
        Some(seconds) => u64::try_from(seconds).map_err(|_| {
            StatementError::invalid_parameter("timeout", &seconds.to_string(), "give seconds, 0 or more")
        })?,
        None => settings.statement_timeout_s,
    };
    Ok(match wanted {
        0 => limits.statement_timeout_s_max,
        seconds => seconds.min(limits.statement_timeout_s_max),
    })
}
