//! The body of a driver's statement.

use firn_catalog::registry::Sender;
use firn_sql::bindings::{Binding, BindingValue, Bindings, bound_keys, takes_rows};
use firn_statements::request::{Changes, DriverRequest, Purpose, Submission, Wait};
use firn_statements::{SubmitRequest, parameters::SessionParameters};
use serde::Deserialize;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::caller::DriverCaller;
use super::envelope::DriverError;
use super::login::named_texts;
use crate::error::ApiError;
use crate::request::statement_body::BindingsBody;
use crate::request::{QueryParameters, StatementBody};
use crate::state::AppState;

/// Fields that are null count as absent; unknown ones are ignored.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct QueryBody {
    sql_text: Option<String>,
    async_exec: Option<bool>,
    describe_only: Option<bool>,
    is_internal: Option<bool>,
    parameters: Option<Map<String, Value>>,
    bindings: Option<BindingsBody>,
    bind_stage: Option<String>,
}

impl QueryBody {
    pub fn decode(bytes: &[u8]) -> Result<Self, DriverError> {
        let wrong = |error: serde_json::Error| {
            let detail = format!("It is no query request: {error}.");
            DriverError::from(ApiError::InvalidPayload(detail))
        };
        serde_json::from_slice(bytes).map_err(wrong)
    }

    pub fn wait(&self) -> Wait {
        if self.async_exec == Some(true) { Wait::ForHandle } else { Wait::ForOutcome }
    }

    fn purpose(&self) -> Purpose {
        if self.describe_only == Some(true) { Purpose::Describe } else { Purpose::Run }
    }

    /// What may be bound to a statement that is to be described only.
    pub fn described_binds(&self) -> Option<DescribedBinds> {
        let text = self.sql_text.as_deref().filter(|_| self.purpose() == Purpose::Describe)?;
        let count = bound_keys(text).len();
        Some(DescribedBinds { count, arrays: count > 0 && takes_rows(text) })
    }

    /// Repeating a request id asks for the outcome of the first request.
    pub fn into_request(
        self,
        app: &AppState,
        driver: &DriverCaller,
        request_id: Option<Uuid>,
        changes: Changes,
    ) -> Result<SubmitRequest, DriverError> {
        let (wait, purpose) = (self.wait(), self.purpose());
        let is_for_itself = self.is_internal == Some(true) || purpose == Purpose::Describe;
        let bindings = self.bindings.unwrap_or_default().0.into_iter();
        let bindings: Bindings = match &self.bind_stage {
            Some(location) => Bindings::in_stage(location),
            None => bindings.map(|(key, binding)| (key, as_contract(binding.into()))).collect(),
        };
        let parameters = self.parameters.as_ref().map(named_texts).unwrap_or_default();
        // One driver asks for each file of a PUT with the same id.
        let is_transfer = self.sql_text.as_deref().is_some_and(firn_sql::is_file_transfer);
        let request_id = request_id.filter(|_| !is_transfer);
        Ok(SubmitRequest {
            statement: self.sql_text.unwrap_or_default(),
            bindings,
            parameters: SessionParameters::default(),
            wait,
            request_id,
            submission: Submission::Retry,
            sender: if is_for_itself { Sender::Client } else { Sender::User },
            changes,
            session: Some(driver.session),
            result_format: driver.family.result_format(),
            driver: Some(DriverRequest {
                format_parameter: driver.family.format_parameter(),
                parameters,
                purpose,
                client: None,
            }),
            client_address: driver.caller.address,
            server_address: app.listening,
            ..StatementBody::decode(b"{}")?.into_request(QueryParameters::default())
        })
    }
}

#[derive(Clone, Copy, Debug)]
pub struct DescribedBinds {
    pub count: usize,
    /// Whether arrays may be bound, one row each.
    pub arrays: bool,
}

/// As the statement API has it: drivers bind NULL as a value of any type, and instants without an offset from UTC.
fn as_contract(binding: Binding) -> Binding {
    let with_offset = |value: String| if value.contains(' ') { value } else { format!("{value} 1440") };
    match binding.type_name.to_ascii_uppercase().as_str() {
        "ANY" => Binding { type_name: "TEXT".to_owned(), ..binding },
        "TIMESTAMP_TZ" => {
            let value = match binding.value {
                BindingValue::One(value) => BindingValue::One(value.map(with_offset)),
                BindingValue::Many(values) => {
                    BindingValue::Many(values.into_iter().map(|value| value.map(with_offset)).collect())
                }
            };
            Binding { value, ..binding }
        }
        _ => binding,
    }
}
