//! The body of a statement request: strict about the contract's fields, blind to all others.

mod binding;
mod parameters;

use firn_catalog::registry::Sender;
use firn_sql::bindings::Binding;
use firn_statements::SubmitRequest;
use firn_statements::parameters::SessionParameters;
use firn_statements::request::{Changes, FormatWish, IfLeft};
use serde::Deserialize;
use utoipa::ToSchema;

pub use self::binding::{BindingBody, BindingValueSchema, BindingsBody};
pub use self::parameters::{ParametersBody, StatementParameters};
use super::{QueryParameters, json_body};
use crate::error::ApiError;

/// A statement request. A field that is null counts as absent; unknown fields are ignored.
#[derive(Debug, Deserialize, ToSchema)]
#[schema(as = StatementRequest)]
#[serde(expecting = "a JSON object")]
pub struct StatementBody {
    /// SQL text to execute; several statements are separated by semicolons.
    #[schema(example = "select * from T where c1 = ?")]
    statement: Option<String>,
    /// Seconds the statement may run; 0 asks for the maximum, 604800. Absent, the parameter
    /// STATEMENT_TIMEOUT_IN_SECONDS applies.
    #[schema(minimum = 0, example = 60)]
    timeout: Option<i64>,
    /// Case-sensitive; absent, the database of the user's DEFAULT_NAMESPACE applies.
    #[schema(example = "DEMO")]
    database: Option<String>,
    /// Case-sensitive; absent, the schema of the user's DEFAULT_NAMESPACE applies.
    #[schema(example = "PUBLIC")]
    schema: Option<String>,
    /// Case-sensitive; absent, the user's DEFAULT_WAREHOUSE applies.
    warehouse: Option<String>,
    /// Case-sensitive; absent, the user's DEFAULT_ROLE applies.
    role: Option<String>,
    /// Values for the placeholders `?`, `:1` and `:name`, by position (as a string) or name.
    #[schema(example = json!({"1": {"type": "FIXED", "value": "123"}, "2": {"type": "TEXT", "value": "teststring"}}))]
    #[schema(value_type = Option<HashMap<String, BindingBody>>)]
    bindings: Option<BindingsBody>,
    #[schema(value_type = Option<StatementParameters>)]
    parameters: Option<ParametersBody>,
}

impl StatementBody {
    pub fn decode(bytes: &[u8]) -> Result<Self, ApiError> {
        if !bytes.trim_ascii_start().starts_with(b"{") {
            return Err(ApiError::InvalidPayload("The body must be a JSON object.".to_owned()));
        }
        let body: Self = serde_json::from_slice(bytes).map_err(|_| ApiError::InvalidPayload(what_is_wrong(bytes)))?;
        match body.timeout {
            Some(timeout) if timeout < 0 => {
                Err(ApiError::InvalidPayload(format!("Field `timeout` is {timeout}; it takes seconds from 0.")))
            }
            _ => Ok(body),
        }
    }

    /// A missing statement is an empty one.
    pub fn into_request(self, query: QueryParameters) -> SubmitRequest {
        let bindings = self.bindings.unwrap_or_default().0;
        SubmitRequest {
            statement: self.statement.unwrap_or_default(),
            timeout_s: self.timeout,
            database: self.database,
            schema: self.schema,
            warehouse: self.warehouse,
            role: self.role,
            bindings: bindings.into_iter().map(|(key, binding)| (key, Binding::from(binding))).collect(),
            parameters: self.parameters.map_or_else(SessionParameters::default, |parameters| parameters.0),
            wait: query.wait,
            nulls: query.nulls,
            result_format: FormatWish::Json,
            request_id: query.request_id,
            submission: query.submission,
            sender: Sender::User,
            changes: Changes::Allowed,
            if_left: IfLeft::GoOn,
            session: None,
            driver: None,
            client_address: None,
            server_address: None,
        }
    }
}

/// Reads a wrong body once more, this time remembering the way to the wrong place.
fn what_is_wrong(bytes: &[u8]) -> String {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    match serde_path_to_error::deserialize::<_, StatementBody>(&mut deserializer) {
        Err(error) => json_body::problem(&error),
        Ok(_) => "Something follows the JSON object.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use firn_sql::bindings::BindingValue;

    use super::*;

    fn decode(json: &str) -> SubmitRequest {
        StatementBody::decode(json.as_bytes()).unwrap().into_request(QueryParameters::default())
    }

    fn refusal(json: &str) -> String {
        match StatementBody::decode(json.as_bytes()) {
            Err(ApiError::InvalidPayload(detail)) => detail,
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn reads_every_field() {
        let request = decode(
            r#"{"statement":"select 1","timeout":0,"database":"Db","schema":"S","warehouse":"W","role":"R",
                "bindings":{},"parameters":{"TIMEZONE":"UTC","multi_statement_count":2,"use_cached_result":false},
                "resultSetMetaData":{"format":"jsonv2"},"x":[1,2]}"#,
        );
        assert_eq!(request.statement, "select 1");
        assert_eq!(request.timeout_s, Some(0));
        assert_eq!(request.database.as_deref(), Some("Db"));
        assert_eq!(request.role.as_deref(), Some("R"));
        assert_eq!(request.parameters.timezone.as_deref(), Some("UTC"));
        assert_eq!(request.parameters.multi_statement_count.as_deref(), Some("2"));
        assert_eq!(request.parameters.use_cached_result.as_deref(), Some("false"));
    }

    #[test]
    fn null_is_absent() {
        let request = decode(
            r#" {"statement":null,"timeout":null,"database":null,"bindings":null,"parameters":{"timezone":null}}"#,
        );
        assert_eq!(request.statement, "");
        assert_eq!(request.timeout_s, None);
        assert_eq!(request.parameters, SessionParameters::default());
        assert_eq!(decode("{}").statement, "");
    }

    #[test]
    fn reads_bindings_of_every_shape() {
        let check = |value: &str, expected: &BindingValue| {
            let request = decode(&format!(r#"{{"bindings":{{"1":{{"type":"FIXED","value":{value},"fmt":1}}}}}}"#));
            assert_eq!(format!("{:?}", request.bindings.get("1").unwrap().value), format!("{expected:?}"), "{value}");
        };
        let one = |text: &str| BindingValue::One(Some(text.to_owned()));
        check(r#""42""#, &one("42"));
        check(r#""a\"b\u00e9""#, &one("a\"bé"));
        check("42", &one("42"));
        check("-1.50", &one("-1.50"));
        check("12345678901234567890.123456789", &one("12345678901234567890.123456789"));
        check("true", &one("true"));
        check("null", &BindingValue::One(None));
        check("[]", &BindingValue::Many(vec![]));
        check(r#"["1", null, 3]"#, &BindingValue::Many(vec![Some("1".into()), None, Some("3".into())]));
    }

    #[test]
    fn says_what_is_wrong_and_where() {
        let check = |json: &str, part: &str| {
            let detail = refusal(json);
            assert!(detail.contains(part), "{json} gave {detail}");
        };
        check("", "must be a JSON object");
        check("[]", "must be a JSON object");
        check("\"select 1\"", "must be a JSON object");
        check("{", "EOF");
        assert_eq!(refusal(r#"{"statement":"a""#), "EOF while parsing an object at line 1 column 16.");
        check("{} x", "follows");
        check(r#"{"statement":5}"#, "Field `statement`: invalid type: integer `5`, expected a string");
        check(r#"{"statement":"a","statement":"b"}"#, "duplicate field `statement`");
        check(r#"{"timeout":"5"}"#, "Field `timeout`");
        check(r#"{"timeout":1.5}"#, "Field `timeout`");
        check(r#"{"timeout":-1}"#, "Field `timeout` is -1");
        check(r#"{"timeout":99999999999999999999}"#, "Field `timeout`");
        check(r#"{"role":[]}"#, "Field `role`");
        check(r#"{"parameters":{"week_start":1}}"#, "week_start");
        check(r#"{"parameters":{"timezone":{}}}"#, "Field `parameters.timezone`");
        check(r#"{"parameters":[]}"#, "Field `parameters`");
        check(r#"{"bindings":[]}"#, "Field `bindings`");
        let twice = r#"{"bindings":{"1":{"type":"TEXT","value":"a"},"1":{"type":"TEXT","value":"b"}}}"#;
        check(twice, "Field `bindings`: binding `1` is given twice");
        check(r#"{"parameters":{"timezone":"UTC","TIMEZONE":"CET"}}"#, "parameter `TIMEZONE` is given twice");
        check(r#"{"bindings":{"1":"x"}}"#, "Field `bindings.1`");
        check(r#"{"bindings":{"1":{"value":"x"}}}"#, "missing field `type`");
        check(r#"{"bindings":{"1":{"type":"TEXT"}}}"#, "missing field `value`");
        check(r#"{"bindings":{"1":{"type":"TEXT","value":{}}}}"#, "Field `bindings.1.value`");
        check(r#"{"bindings":{"1":{"type":"TEXT","value":[[]]}}}"#, "Field `bindings.1.value`");
    }
}
