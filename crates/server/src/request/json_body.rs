//! Bodies in JSON: an error names the path of the field.

use serde::de::DeserializeOwned;

use crate::error::ApiError;

/// A body that is one JSON object.
pub fn decode<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, ApiError> {
    if bytes.trim_ascii_start().starts_with(b"[") {
        return Err(ApiError::InvalidPayload("The body is a JSON array; a JSON object is needed.".to_owned()));
    }
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let body = serde_path_to_error::deserialize(&mut deserializer)
        .map_err(|error| ApiError::InvalidPayload(problem(&error)))?;
    let after = |_| ApiError::InvalidPayload("Something follows the JSON object.".to_owned());
    deserializer.end().map_err(after)?;
    Ok(body)
}

/// What is wrong, and the path of the field where there is one.
pub fn problem(error: &serde_path_to_error::Error<serde_json::Error>) -> String {
    match error.path().to_string().as_str() {
        "." | "?" => format!("{}.", error.inner()),
        path => format!("Field `{path}`: {}.", error.inner()),
    }
}
