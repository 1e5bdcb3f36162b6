//! The session parameters of a request: names in either letter case, values as string, number or boolean.

use std::collections::HashSet;
use std::fmt;

use firn_statements::parameters::SessionParameters;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use utoipa::ToSchema;

/// Session parameters for this request. Names may be in upper or lower case, values may be strings
/// or numbers; any other name is refused.
#[derive(ToSchema)]
pub struct StatementParameters {
    /// Format of BINARY values shown as text.
    #[schema(example = "HEX")]
    pub binary_output_format: Option<String>,
    /// Largest size in MB of a chunk of results.
    #[schema(example = 100)]
    pub client_result_chunk_size: Option<i64>,
    /// Display format for DATE.
    #[schema(example = "YYYY-MM-DD")]
    pub date_output_format: Option<String>,
    /// 0 = any number of statements, 1 = one (the default), more = exactly that many.
    #[schema(example = "1")]
    pub multi_statement_count: Option<String>,
    /// Whether the operators of a statement are measured as it runs, for `/profile`; `false` when absent.
    #[schema(example = "false")]
    pub profile: Option<String>,
    /// Tag stored with the statement.
    pub query_tag: Option<String>,
    /// Most rows of a result; 0 means no maximum.
    #[schema(example = 0)]
    pub rows_per_resultset: Option<i64>,
    /// Display format for TIME.
    #[schema(example = "HH24:MI:SS")]
    pub time_output_format: Option<String>,
    /// Display format for TIMESTAMP_LTZ.
    pub timestamp_ltz_output_format: Option<String>,
    /// Display format for TIMESTAMP_NTZ.
    pub timestamp_ntz_output_format: Option<String>,
    /// Display format for the TIMESTAMP alias.
    pub timestamp_output_format: Option<String>,
    /// Display format for TIMESTAMP_TZ.
    pub timestamp_tz_output_format: Option<String>,
    /// Time zone of the session.
    #[schema(example = "Europe/Berlin")]
    pub timezone: Option<String>,
    /// Whether the result of an identical earlier query may be used again.
    #[schema(example = "true")]
    pub use_cached_result: Option<String>,
}

#[derive(Debug)]
pub struct ParametersBody(pub SessionParameters);

impl<'de> Deserialize<'de> for ParametersBody {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(ParametersVisitor)
    }
}

struct ParametersVisitor;

impl<'de> Visitor<'de> for ParametersVisitor {
    type Value = ParametersBody;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object of session parameters")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ParametersBody, A::Error> {
        let mut parameters = SessionParameters::default();
        let mut seen = HashSet::new();
        while let Some(name) = map.next_key::<String>()? {
            if !seen.insert(name.to_ascii_lowercase()) {
                return Err(A::Error::custom(format_args!("parameter `{name}` is given twice")));
            }
            let known = match map.next_value::<Option<ParameterText>>()? {
                Some(text) => parameters.set(&name, text.0),
                None => SessionParameters::default().set(&name, String::new()),
            };
            if !known {
                return Err(A::Error::custom(format_args!("parameter `{name}` is not supported by this API")));
            }
        }
        Ok(ParametersBody(parameters))
    }
}

/// A value as text.
struct ParameterText(String);

impl<'de> Deserialize<'de> for ParameterText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ParameterTextVisitor)
    }
}

struct ParameterTextVisitor;

impl Visitor<'_> for ParameterTextVisitor {
    type Value = ParameterText;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string, a number or a boolean")
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ParameterText, E> {
        Ok(ParameterText(text.to_owned()))
    }

    fn visit_bool<E: Error>(self, value: bool) -> Result<ParameterText, E> {
        Ok(ParameterText(value.to_string()))
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<ParameterText, E> {
        Ok(ParameterText(value.to_string()))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<ParameterText, E> {
        Ok(ParameterText(value.to_string()))
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<ParameterText, E> {
        Ok(ParameterText(value.to_string()))
    }
}
