//! What a cluster answers instead of a result, and what that means for the caller.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD};
use firn_engine::EngineError;
use firn_engine::error::UNREACHABLE_STATE;
use firn_sql::Failure;

use super::protobuf::{Fields, Value, field};

/// The end of a call that did not succeed.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum ConnectError {
    /// No connection can be made.
    #[error("{0}")]
    Unreachable(String),
    /// A connection broke off.
    #[error("{0}")]
    Broken(String),
    #[error("{0}")]
    Refused(Refusal),
    #[error("the statement was interrupted")]
    Interrupted,
    /// What came is not what the protocol says.
    #[error("{0}")]
    Protocol(String),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.message)
    }
}

/// An error of the cluster itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Refusal {
    /// The status of the call.
    pub status: u32,
    /// Such as `DIVIDE_BY_ZERO`; empty where the cluster names none.
    pub condition: String,
    pub sql_state: String,
    /// Without the place in the lowered text and without stack traces.
    pub message: String,
}

const UNAVAILABLE: u32 = 14;
const UNAUTHENTICATED: u32 = 16;
const PERMISSION_DENIED: u32 = 7;
const CANCELLED: u32 = 1;

/// Of numbers that are too large for their type.
pub(crate) const OVERFLOW_CODE: &str = "100046";
/// Of failures because a cluster has lost the session, which a new one can take the place of.
pub(crate) const LOST_SESSION_STATE: &str = "08003";

impl Refusal {
    /// From the trailers of a call. `details` are a `google.rpc.Status`, of which the `ErrorInfo` says the condition.
    pub(super) fn of(status: u32, message: &str, details: Option<&[u8]>) -> Self {
        let mut refusal = Self { status, message: first_line(message), ..Self::default() };
        let details = details.and_then(|text| STANDARD_NO_PAD.decode(text).or_else(|_| STANDARD.decode(text)).ok());
        for (number, detail) in Fields(details.as_deref().unwrap_or_default()) {
            let is_info = |kind: Value<'_>| kind.bytes().ends_with(b"google.rpc.ErrorInfo");
            if number == 3 && field(detail.bytes(), 1).is_some_and(is_info) {
                refusal.note_info(field(detail.bytes(), 2).map(Value::bytes).unwrap_or_default());
            }
        }
        if refusal.condition.is_empty() {
            refusal.condition = bracketed(message).unwrap_or_default().to_owned();
        }
        refusal
    }

    fn note_info(&mut self, info: &[u8]) {
        for (_, entry) in Fields(info).filter(|(number, _)| *number == 3) {
            let value = field(entry.bytes(), 2).map(Value::text).unwrap_or_default();
            match field(entry.bytes(), 1).map(Value::text).unwrap_or_default().as_str() {
                "errorClass" => self.condition = value,
                "sqlState" => self.sql_state = value,
                _ => {}
            }
        }
    }

    pub(super) fn is_transient(&self) -> bool {
        self.status == UNAVAILABLE
    }

    /// Whether the cluster does not know the session any more.
    pub(crate) fn is_lost_session(&self) -> bool {
        self.condition.starts_with("INVALID_HANDLE.SESSION_")
    }

    fn failure(&self) -> Failure {
        if self.is_lost_session() {
            let message = "The cluster of the linked database was started anew; send the statement again.";
            return Failure::new("100358", LOST_SESSION_STATE, message);
        }
        let condition = self.condition.split('.').next().unwrap_or_default();
        let known = CONDITIONS.iter().find(|(name, ..)| *name == condition);
        let of_kind = |(_, code, state, text): &(&str, &'static str, &'static str, &str)| {
            let message =
                if text.is_empty() { format!("the cluster answers: {}", self.message) } else { (*text).to_owned() };
            Failure::new(code, state, message)
        };
        match known {
            Some(known) => of_kind(known),
            None if self.message.to_ascii_lowercase().contains("divide by zero") => of_kind(&CONDITIONS[0]),
            None if matches!(self.status, UNAUTHENTICATED | PERMISSION_DENIED) => Failure::new(
                "390100",
                "08004",
                "The cluster does not take the bearer token of the catalog integration; \
                 ALTER CATALOG INTEGRATION … SET REST_AUTHENTICATION gives it another one.",
            ),
            None => Failure::new("100357", "P0000", format!("The cluster answers: {}", self.message)),
        }
    }
}

/// Conditions of Spark, and the code, the SQL state and the message that the dialect has for them; without a message the
/// cluster's own is shown.
const CONDITIONS: &[(&str, &str, &str, &str)] = &[
    ("DIVIDE_BY_ZERO", "100051", "22012", "Division by zero"),
    ("REMAINDER_BY_ZERO", "100051", "22012", "Division by zero"),
    ("INTERVAL_DIVIDED_BY_ZERO", "100051", "22012", "Division by zero"),
    ("ARITHMETIC_OVERFLOW", OVERFLOW_CODE, "22003", ""),
    ("BINARY_ARITHMETIC_OVERFLOW", OVERFLOW_CODE, "22003", ""),
    ("NUMERIC_VALUE_OUT_OF_RANGE", OVERFLOW_CODE, "22003", ""),
    ("DECIMAL_PRECISION_EXCEEDS_MAX_PRECISION", OVERFLOW_CODE, "22003", ""),
    ("CAST_OVERFLOW", OVERFLOW_CODE, "22003", ""),
    ("CAST_OVERFLOW_IN_TABLE_INSERT", OVERFLOW_CODE, "22003", ""),
    ("CAST_INVALID_INPUT", "100038", "22018", ""),
    ("CANNOT_PARSE_TIMESTAMP", "100035", "22007", ""),
    ("DATETIME_FIELD_OUT_OF_BOUNDS", "100035", "22007", ""),
    ("SCALAR_SUBQUERY_TOO_MANY_ROWS", "090150", "22000", "Single-row subquery returns more than one row."),
    ("TABLE_OR_VIEW_NOT_FOUND", "002003", "42S02", ""),
    ("SCHEMA_NOT_FOUND", "002003", "02000", ""),
    ("MALFORMED_RECORD_IN_PARSING", "100069", "22P02", ""),
    ("INVALID_PARAMETER_VALUE", "100048", "22023", ""),
    ("UNSUPPORTED_FEATURE", "000002", "0A000", ""),
];

/// Statements are shown as they were lowered behind the first line.
fn first_line(message: &str) -> String {
    const CHARACTERS_MAX: usize = 500;
    let line = message.lines().next().unwrap_or_default();
    line.chars().take(CHARACTERS_MAX).collect()
}

/// `[CONDITION] …` is how conditions are shown.
fn bracketed(message: &str) -> Option<&str> {
    let rest = &message[message.find('[')? + 1..];
    let name = &rest[..rest.find(']')?];
    let is_word = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'.');
    (!name.is_empty() && name.bytes().all(is_word)).then_some(name)
}

impl From<ConnectError> for EngineError {
    fn from(error: ConnectError) -> Self {
        match error {
            ConnectError::Interrupted => Self::Interrupted,
            ConnectError::Refused(refusal) if refusal.status == CANCELLED => Self::Interrupted,
            ConnectError::Refused(refusal) if !refusal.is_transient() => Self::Failed(refusal.failure()),
            ConnectError::Unreachable(message) | ConnectError::Broken(message) => Self::Failed(unreachable(&message)),
            ConnectError::Refused(refusal) => Self::Failed(unreachable(&refusal.message)),
            ConnectError::Protocol(message) => Self::Failed(Failure::new(
                "100357",
                "08P01",
                format!("The cluster's answer cannot be read: {message}."),
            )),
        }
    }
}

pub(crate) fn unreachable(why: &str) -> Failure {
    Failure::new("100358", UNREACHABLE_STATE, format!("The cluster of the linked database cannot be reached: {why}."))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::connect::protobuf::Message;

    #[test]
    fn conditions_come_from_the_details_or_the_message() {
        let entry = |key: &str, value: &str| Message::default().text(1, key).text(2, value);
        let info = Message::default()
            .message(3, &entry("errorClass", "CAST_INVALID_INPUT"))
            .message(3, &entry("sqlState", "22018"));
        let any = Message::default().text(1, "type.googleapis.com/google.rpc.ErrorInfo").message(2, &info);
        let details = STANDARD_NO_PAD.encode(Message::default().number(1, 13).message(3, &any).into_bytes());
        let refusal = Refusal::of(13, "[X] first line\nsecond", Some(details.as_bytes()));
        assert_eq!((refusal.condition.as_str(), refusal.sql_state.as_str()), ("CAST_INVALID_INPUT", "22018"));
        assert_eq!(refusal.message, "[X] first line");
        let failure = Refusal::of(13, "[DIVIDE_BY_ZERO] Division by zero. Use …", None).failure();
        assert_eq!((failure.code, failure.message.as_str()), ("100051", "Division by zero"));
        assert_eq!(Refusal::of(13, "divide by zero", None).failure().sql_state, "22012");
        assert_eq!(Refusal::of(2, "list[int] is no condition", None).condition, "");
    }
}
