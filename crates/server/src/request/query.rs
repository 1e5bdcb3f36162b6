//! The query parameters of the contract. Unknown ones are ignored; the known ones are checked. Of one that is given
//! more than once the last counts.

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use axum::http::{Method, Uri};
use firn_statements::request::{Submission, Wait};
use firn_values::formats::Nulls;
use uuid::Uuid;

use crate::error::ApiError;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueryParameters {
    pub request_id: Option<Uuid>,
    pub wait: Wait,
    pub nulls: Nulls,
    pub submission: Submission,
    pub partition: Option<i64>,
}

impl Default for QueryParameters {
    fn default() -> Self {
        Self {
            request_id: None,
            wait: Wait::ForOutcome,
            nulls: Nulls::Null,
            submission: Submission::First,
            partition: None,
        }
    }
}

impl<S: Send + Sync> FromRequestParts<S> for QueryParameters {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        if parts.uri.query().is_none_or(str::is_empty) {
            return Ok(Self::default());
        }
        let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(&parts.uri)
            .map_err(|rejection| ApiError::InvalidQueryParameter(rejection.body_text()))?;
        Self::parse(&parts.method, &pairs)
    }
}

impl QueryParameters {
    fn parse(method: &Method, pairs: &[(String, String)]) -> Result<Self, ApiError> {
        let mut parameters = Self::default();
        for (name, value) in pairs {
            match name.as_str() {
                "requestId" => parameters.request_id = Some(parse_request_id(value)?),
                "async" if parse_boolean(name, value)? => parameters.wait = Wait::ForHandle,
                "async" => parameters.wait = Wait::ForOutcome,
                "retry" if parse_boolean(name, value)? => parameters.submission = Submission::Retry,
                "retry" => parameters.submission = Submission::First,
                "nullable" if method == Method::GET => {
                    return Err(ApiError::InvalidQueryParameter(
                        "Query parameter nullable is not allowed on GET; give it when the statement is submitted."
                            .to_owned(),
                    ));
                }
                "nullable" if parse_boolean(name, value)? => parameters.nulls = Nulls::Null,
                "nullable" => parameters.nulls = Nulls::Word,
                "partition" => parameters.partition = Some(parse_partition(value)?),
                _ => {}
            }
        }
        Ok(parameters)
    }
}

/// A query parameter that is true or false; absent means false, the name alone means true.
pub fn flag_of(uri: &Uri, wanted: &str) -> Result<bool, ApiError> {
    match value_of(uri, wanted)? {
        Some(value) if value.is_empty() => Ok(true),
        Some(value) => parse_boolean(wanted, &value),
        None => Ok(false),
    }
}

/// A query parameter that is any text.
pub fn value_of(uri: &Uri, wanted: &str) -> Result<Option<String>, ApiError> {
    if uri.query().is_none_or(str::is_empty) {
        return Ok(None);
    }
    let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(uri)
        .map_err(|rejection| ApiError::InvalidQueryParameter(rejection.body_text()))?;
    Ok(pairs.into_iter().rev().find(|(name, _)| name == wanted).map(|(_, value)| value))
}

fn parse_boolean(name: &str, value: &str) -> Result<bool, ApiError> {
    if value.eq_ignore_ascii_case("true") {
        Ok(true)
    } else if value.eq_ignore_ascii_case("false") {
        Ok(false)
    } else {
        Err(ApiError::InvalidQueryParameter(format!("Query parameter {name} is '{value}'; it takes true or false.")))
    }
}

fn parse_request_id(value: &str) -> Result<Uuid, ApiError> {
    Uuid::try_parse(value).map_err(|_| {
        ApiError::InvalidQueryParameter(format!("Query parameter requestId is '{value}'; it takes a UUID."))
    })
}

fn parse_partition(value: &str) -> Result<i64, ApiError> {
    value.parse().map_err(|_| ApiError::InvalidPartition(value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const REQUEST_ID: Uuid = Uuid::from_u128(0x536f_ad38_b564_4dc5_9892_a454_3504_df6c);

    fn parse(method: &Method, query: &str) -> Option<QueryParameters> {
        let uri = format!("/x?{query}").parse().ok()?;
        let Query(pairs) = Query::<Vec<(String, String)>>::try_from_uri(&uri).ok()?;
        QueryParameters::parse(method, &pairs).ok()
    }

    #[test]
    fn reads_the_contract_s_parameters() {
        let check = |query: &str, expected: QueryParameters| {
            assert_eq!(parse(&Method::POST, query), Some(expected), "{query}");
        };
        let default = QueryParameters::default();
        check("", default);
        check("async=true", QueryParameters { wait: Wait::ForHandle, ..default });
        check("async=True&pageSize=10", QueryParameters { wait: Wait::ForHandle, ..default });
        check("async=FALSE", default);
        check("nullable=false", QueryParameters { nulls: Nulls::Word, ..default });
        check("nullable=TRUE", default);
        check("retry=tRue", QueryParameters { submission: Submission::Retry, ..default });
        check("partition=3", QueryParameters { partition: Some(3), ..default });
        check("partition=-1", QueryParameters { partition: Some(-1), ..default });
        check(
            "requestId=536fad38-b564-4dc5-9892-a4543504df6c",
            QueryParameters { request_id: Some(REQUEST_ID), ..default },
        );
        check("unknown=%ff&Async=banana", default);
        check("async=true&async=false", default);
        check("retry=true&retry=false", default);
        check("nullable=false&nullable=true", default);
    }

    #[test]
    fn refuses_malformed_ones() {
        for query in [
            "async=1",
            "async=",
            "async",
            "nullable=maybe",
            "retry=yes",
            "requestId=7",
            "requestId=",
            "partition=one",
            "partition=1.5",
            "partition=99999999999999999999",
        ] {
            assert_eq!(parse(&Method::POST, query), None, "{query}");
        }
        assert_eq!(parse(&Method::GET, "nullable=true"), None);
    }
}
