//! The common request headers of the contract.

use axum::http::header::{ACCEPT, CONTENT_TYPE, USER_AGENT};
use axum::http::{HeaderMap, HeaderName};
use firn_catalog::registry::Sender;
use firn_statements::request::{Changes, IfLeft};
use uuid::Uuid;

use crate::error::ApiError;

/// The neutral name and the vendor's, which clients send.
const ROLE_HEADERS: [HeaderName; 2] =
    [HeaderName::from_static("x-service-role"), HeaderName::from_static("x-snowflake-role")];

/// `true` on what a program sends for itself.
const CLIENT_GENERATED: HeaderName = HeaderName::from_static("x-firn-client-generated");

const SESSION: HeaderName = HeaderName::from_static("x-service-session");

/// `true` on what may change nothing.
const READ_ONLY: HeaderName = HeaderName::from_static("x-firn-read-only");

pub fn changes(headers: &HeaderMap) -> Result<Changes, ApiError> {
    let is_read_only = flag(headers, &READ_ONLY, "X-Firn-Read-Only")?;
    Ok(if is_read_only { Changes::Refused } else { Changes::Allowed })
}

/// Anything but one `true` or `false` is refused: whoever sends the header relies on it.
fn flag(headers: &HeaderMap, name: &HeaderName, shown: &str) -> Result<bool, ApiError> {
    let unknown =
        |given: &str| ApiError::InvalidHeader(format!("Header {shown} is given {given}; it takes true or false."));
    let mut given = headers.get_all(name).iter();
    let Some(value) = given.next() else { return Ok(false) };
    if given.next().is_some() {
        return Err(unknown("several times"));
    }
    match value.as_bytes().to_ascii_lowercase().as_slice() {
        b"true" => Ok(true),
        b"false" => Ok(false),
        other => Err(unknown(&format!("'{}'", String::from_utf8_lossy(other)))),
    }
}

/// `true` on a statement that is cancelled where its client leaves before the answer.
const CANCEL_IF_LEFT: HeaderName = HeaderName::from_static("x-firn-cancel-if-left");

pub fn if_left(headers: &HeaderMap) -> Result<IfLeft, ApiError> {
    let is_cancelled = flag(headers, &CANCEL_IF_LEFT, "X-Firn-Cancel-If-Left")?;
    Ok(if is_cancelled { IfLeft::Cancel } else { IfLeft::GoOn })
}

/// The kept session that a request runs in. A text that is no identifier names one that nobody has.
pub fn session(headers: &HeaderMap) -> Result<Option<Uuid>, ApiError> {
    let Some(given) = headers.get(SESSION) else { return Ok(None) };
    let text = String::from_utf8_lossy(given.as_bytes());
    Uuid::try_parse(&text).map(Some).map_err(|_| ApiError::NoSuchSession(text.into_owned()))
}

fn is_true(headers: &HeaderMap, name: &HeaderName) -> bool {
    headers.get(name).is_some_and(|value| value.as_bytes().eq_ignore_ascii_case(b"true"))
}

pub fn sender(headers: &HeaderMap) -> Sender {
    if is_true(headers, &CLIENT_GENERATED) { Sender::Client } else { Sender::User }
}

/// The role that a request is made in.
pub fn role_header(headers: &HeaderMap) -> Option<String> {
    ROLE_HEADERS.iter().find_map(|name| headers.get(name)?.to_str().ok().map(str::to_owned))
}

pub fn require_user_agent(headers: &HeaderMap) -> Result<(), ApiError> {
    match headers.get(USER_AGENT) {
        Some(value) if !value.as_bytes().trim_ascii().is_empty() => Ok(()),
        _ => Err(ApiError::MissingUserAgent),
    }
}

/// No Accept header accepts everything.
pub fn require_json_accepted(headers: &HeaderMap) -> Result<(), ApiError> {
    if !headers.contains_key(ACCEPT) {
        return Ok(());
    }
    let best = elements(headers, &ACCEPT)
        .filter_map(|element| {
            let (range, quality) = range_and_quality(element);
            specificity(range).map(|specificity| (specificity, quality > 0.0))
        })
        .max();
    match best {
        Some((_, true)) => Ok(()),
        _ => Err(ApiError::JsonNotAccepted),
    }
}

/// How closely a media range names JSON; `None` when it does not cover it.
fn specificity(range: &str) -> Option<u8> {
    match range.to_ascii_lowercase().as_str() {
        "application/json" => Some(3),
        "application/*" => Some(2),
        "*/*" | "*" => Some(1),
        _ => None,
    }
}

/// No Content-Type means JSON.
pub fn require_json_content_type(headers: &HeaderMap) -> Result<(), ApiError> {
    for value in headers.get_all(CONTENT_TYPE) {
        let text = String::from_utf8_lossy(value.as_bytes());
        let media_type = text.split(';').next().unwrap_or_default().trim();
        if !media_type.eq_ignore_ascii_case("application/json") {
            return Err(ApiError::UnsupportedContentType(text.into_owned()));
        }
    }
    Ok(())
}

/// Whether an Accept-Encoding header names gzip, or refuses it, or says nothing of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GzipWish {
    Wanted,
    Refused,
    NotSaid,
}

pub fn gzip_wish(headers: &HeaderMap, name: &HeaderName) -> GzipWish {
    if !headers.contains_key(name) {
        return GzipWish::NotSaid;
    }
    let best = elements(headers, name)
        .filter_map(|element| {
            let (coding, quality) = range_and_quality(element);
            match coding.to_ascii_lowercase().as_str() {
                "gzip" | "x-gzip" => Some((2, quality > 0.0)),
                "*" => Some((1, quality > 0.0)),
                _ => None,
            }
        })
        .max();
    match best {
        Some((_, true)) => GzipWish::Wanted,
        _ => GzipWish::Refused,
    }
}

fn elements<'headers>(headers: &'headers HeaderMap, name: &HeaderName) -> impl Iterator<Item = &'headers str> {
    headers.get_all(name).iter().filter_map(|value| value.to_str().ok()).flat_map(|value| value.split(','))
}

fn range_and_quality(element: &str) -> (&str, f32) {
    let mut parts = element.split(';').map(str::trim);
    let range = parts.next().unwrap_or_default();
    let quality = parts
        .find_map(|part| part.strip_prefix("q=").or_else(|| part.strip_prefix("Q=")))
        .map_or(1.0, |quality| quality.trim().parse().unwrap_or(1.0));
    (range, quality)
}

#[cfg(test)]
mod tests {
    use axum::http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, USER_AGENT};
    use axum::http::{HeaderMap, HeaderName, HeaderValue};

    use super::*;

    fn headers(name: HeaderName, values: &[&'static str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for value in values {
            headers.append(&name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn accept_must_leave_room_for_json() {
        let check = |values: &[&'static str], accepted: bool| {
            assert_eq!(require_json_accepted(&headers(ACCEPT, values)).is_ok(), accepted, "{values:?}");
        };
        check(&[], true);
        check(&["*/*"], true);
        check(&["Application/JSON"], true);
        check(&["text/html, application/json;q=0.1"], true);
        check(&["text/html", "application/*"], true);
        check(&["text/html, *; q=.2"], true);
        check(&["text/html"], false);
        check(&["application/json;q=0, */*"], false);
        check(&["application/xml"], false);
        check(&[""], false);
    }

    #[test]
    fn content_type_must_be_json_or_absent() {
        let check = |values: &[&'static str], accepted: bool| {
            assert_eq!(require_json_content_type(&headers(CONTENT_TYPE, values)).is_ok(), accepted, "{values:?}");
        };
        check(&[], true);
        check(&["application/json"], true);
        check(&["application/json; charset=utf-8"], true);
        check(&["APPLICATION/JSON"], true);
        check(&["text/plain"], false);
        check(&["application/json", "text/plain"], false);
        check(&["application/jsonp"], false);
        check(&[""], false);
    }

    #[test]
    fn user_agent_must_say_something() {
        let check = |values: &[&'static str], accepted: bool| {
            assert_eq!(require_user_agent(&headers(USER_AGENT, values)).is_ok(), accepted, "{values:?}");
        };
        check(&["app/1.0"], true);
        check(&[], false);
        check(&["  "], false);
    }

    #[test]
    fn gzip_is_wanted_refused_or_not_said() {
        let check = |values: &[&'static str], wish: GzipWish| {
            assert_eq!(gzip_wish(&headers(ACCEPT_ENCODING, values), &ACCEPT_ENCODING), wish, "{values:?}");
        };
        check(&[], GzipWish::NotSaid);
        check(&["gzip, deflate"], GzipWish::Wanted);
        check(&["br;q=1.0, *;q=0.5"], GzipWish::Wanted);
        check(&["identity"], GzipWish::Refused);
        check(&["gzip;q=0, *"], GzipWish::Refused);
        check(&[""], GzipWish::Refused);
    }
}
