//! Every error the API answers with, and its status, code, SQL state and message, in one table.

use std::borrow::Cow;
use std::net::IpAddr;

use axum::http::header::{CONNECTION, CONTENT_RANGE, CONTENT_TYPE, RETRY_AFTER, WWW_AUTHENTICATE};
use axum::http::{HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use firn_auth::AuthError;
use firn_engine::error::{DAMAGED_STATE, DISK_FULL_STATE, IO_STATE, QUOTA_STATE};
use firn_sql::Failure;
use firn_statements::{StageError, StatementError, read_only};

use crate::backup::BackupError;
use crate::bodies::{AnalystErrorBody, ErrorBody};
use crate::request::unread_body::CLOSE;

#[derive(Debug)]
pub enum ApiError {
    UnknownPath,
    MissingUserAgent,
    /// HTTP/1.1 asks for exactly one Host header.
    InvalidHost,
    ApiSwitchedOff,
    /// The Accept header leaves no room for JSON.
    JsonNotAccepted,
    Unauthenticated(AuthError),
    TooManyFailedLogins,
    /// A network policy blocks the address.
    AddressNotAllowed(Option<IpAddr>),
    /// A password that the policy does not allow, in the contract's words.
    UnusablePassword(Failure),
    NotASession,
    /// The session is called by what is no identifier of one.
    NoSuchSession(String),
    UnsupportedContentType(String),
    UnsupportedContentEncoding(String),
    /// A header that cannot be read, and what it takes.
    InvalidHeader(String),
    /// A request with this method, which `X-Firn-Read-Only` does not allow to change anything.
    MayOnlyRead(String),
    /// A query parameter that cannot be read, and what it should be.
    InvalidQueryParameter(String),
    InvalidPartition(String),
    /// A body that is not what the contract says, and where.
    InvalidPayload(String),
    BodyTooLarge {
        bytes_max: usize,
    },
    BodyTooSlow,
    Statement(StatementError),
    /// A name in a path that is none.
    InvalidName(String),
    NoSuchRange {
        bytes: u64,
    },
    /// A driver's link that was good, and one that permits something else or was never made.
    ExpiredLink,
    ForbiddenLink,
    Stage(StageError),
    /// A semantic model that cannot be used, and why.
    InvalidModel(String),
    /// The answer would read what the role may not.
    NotAuthorised(String),
    AnalystTooSlow,
    /// Feedback on a question that the caller did not ask.
    UnknownAnalystRequest(String),
    /// A backup that is not begun.
    Backup(BackupError),
    UnknownBackup(String),
    /// Only the account's administrator may ask for backups.
    NotAccountAdmin,
    /// A stored partition that is no longer what was written.
    UnreadablePartition,
    Panicked,
}

struct Row {
    status: StatusCode,
    code: &'static str,
    sql_state: Option<&'static str>,
    message: Cow<'static, str>,
}

fn row(status: StatusCode, code: &'static str, message: impl Into<Cow<'static, str>>) -> Row {
    Row { status, code, sql_state: None, message: message.into() }
}

fn statement_row(
    status: StatusCode,
    code: &'static str,
    sql_state: &'static str,
    message: impl Into<Cow<'static, str>>,
) -> Row {
    Row { status, code, sql_state: Some(sql_state), message: message.into() }
}

impl ApiError {
    /// The code and the message of the answer.
    pub(crate) fn code_and_message(&self) -> (&'static str, String) {
        let row = self.row();
        (row.code, row.message.into_owned())
    }

    fn row(&self) -> Row {
        match self {
            Self::UnknownPath => row(
                StatusCode::NOT_FOUND,
                "390404",
                "There is no such endpoint; /api/v2/docs describes those there are.",
            ),
            Self::MissingUserAgent => row(
                StatusCode::BAD_REQUEST,
                "391903",
                "The User-Agent header is missing; send <application_name>/<application_version>.",
            ),
            Self::InvalidHost => {
                row(StatusCode::BAD_REQUEST, "390142", "An HTTP/1.1 request has exactly one Host header; send it.")
            }
            Self::ApiSwitchedOff => {
                row(StatusCode::FORBIDDEN, "390403", "The API is not enabled; set `api_enabled` in the configuration.")
            }
            Self::JsonNotAccepted => row(
                StatusCode::UNPROCESSABLE_ENTITY,
                "391902",
                "Unsupported Accept header: include application/json or */*.",
            ),
            Self::Unauthenticated(error @ (AuthError::PasswordMustChange | AuthError::RefusedByPolicy)) => {
                row(StatusCode::FORBIDDEN, error.code(), error.to_string())
            }
            Self::Unauthenticated(error @ (AuthError::BadPassword | AuthError::BadSession)) => {
                row(StatusCode::UNAUTHORIZED, error.code(), error.to_string())
            }
            Self::Unauthenticated(error) => {
                row(StatusCode::UNAUTHORIZED, error.code(), "Invalid or missing token; obtain a new one and retry.")
            }
            Self::TooManyFailedLogins => row(
                StatusCode::TOO_MANY_REQUESTS,
                "390505",
                "Too many failed logins; come back later, or with a valid token.",
            ),
            Self::AddressNotAllowed(address) => row(
                StatusCode::FORBIDDEN,
                "390422",
                format!(
                    "Incoming request with IP/Token {} is not allowed to access this account; its administrator can \
                     allow the address in the network policy.",
                    address.map_or_else(|| "(unknown)".to_owned(), |address| address.to_string())
                ),
            ),
            Self::UnusablePassword(failure) => {
                statement_row(StatusCode::BAD_REQUEST, failure.code, failure.sql_state, failure.message.clone())
            }
            Self::NotASession => row(
                StatusCode::BAD_REQUEST,
                "390142",
                "The token is not that of a session; ALTER USER … REMOVE PROGRAMMATIC ACCESS TOKEN withdraws an access token.",
            ),
            Self::NoSuchSession(given) => {
                let shown: String = given.chars().take(100).collect();
                let message = format!("Session '{shown}' does not exist; POST /api/v2/sessions opens one.");
                statement_row(StatusCode::UNPROCESSABLE_ENTITY, "390111", "08003", message)
            }
            Self::UnsupportedContentType(given) => row(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "391901",
                format!("Unsupported Content-Type '{given}'; send application/json."),
            ),
            Self::UnsupportedContentEncoding(given) => row(
                StatusCode::UNSUPPORTED_MEDIA_TYPE,
                "391901",
                format!("Unsupported Content-Encoding '{given}'; send gzip or none."),
            ),
            Self::InvalidQueryParameter(detail) | Self::InvalidHeader(detail) => {
                row(StatusCode::BAD_REQUEST, "390142", detail.clone())
            }
            Self::MayOnlyRead(method) => {
                let message = read_only::refused(method).message;
                statement_row(StatusCode::UNPROCESSABLE_ENTITY, read_only::CODE, read_only::SQL_STATE, message)
            }
            Self::InvalidPartition(given) => statement_row(
                StatusCode::BAD_REQUEST,
                "391922",
                "22023",
                format!("Query parameter partition is '{given}'; it takes an integer from 0."),
            ),
            Self::InvalidPayload(detail) => row(
                StatusCode::BAD_REQUEST,
                "390142",
                format!("Incoming request does not contain a valid payload. {detail}"),
            ),
            Self::BodyTooLarge { bytes_max } => row(
                StatusCode::PAYLOAD_TOO_LARGE,
                "390142",
                format!(
                    "Incoming request does not contain a valid payload. The body is larger than {bytes_max} bytes."
                ),
            ),
            Self::BodyTooSlow => row(
                StatusCode::BAD_REQUEST,
                "390142",
                "Incoming request does not contain a valid payload. The body did not arrive in time.",
            ),
            Self::Statement(error) | Self::Stage(StageError::Request(error)) => statement_error_row(error),
            Self::InvalidName(name) => row(
                StatusCode::BAD_REQUEST,
                "390142",
                format!("'{name}' is not the name of an object; quote it if it has other characters than letters."),
            ),
            Self::NoSuchRange { bytes } => {
                row(StatusCode::RANGE_NOT_SATISFIABLE, "390142", format!("The file has {bytes} bytes."))
            }
            Self::ExpiredLink => row(
                StatusCode::BAD_REQUEST,
                "390142",
                "The address has expired; repeat the PUT or GET for another one.",
            ),
            Self::ForbiddenLink => row(
                StatusCode::FORBIDDEN,
                "390403",
                "The address or its token does not permit this; repeat the PUT or GET for another one.",
            ),
            Self::Stage(StageError::UnmetPrecondition) => row(
                StatusCode::PRECONDITION_FAILED,
                "390142",
                "The file is not the one that If-Match or If-None-Match asks for; fetch it and decide again.",
            ),
            Self::Stage(StageError::MissingFile(_)) => {
                statement_row(StatusCode::NOT_FOUND, "002003", "02000", self.message_of_stage())
            }
            Self::Stage(StageError::Refused(failure)) => {
                let status = match failure.code {
                    "002003" => StatusCode::NOT_FOUND,
                    _ if failure.sql_state == QUOTA_STATE => StatusCode::PAYLOAD_TOO_LARGE,
                    _ if failure.sql_state == DISK_FULL_STATE => StatusCode::INSUFFICIENT_STORAGE,
                    _ if [IO_STATE, DAMAGED_STATE].contains(&failure.sql_state) => StatusCode::INTERNAL_SERVER_ERROR,
                    _ => StatusCode::BAD_REQUEST,
                };
                statement_row(status, failure.code, failure.sql_state, failure.message.clone())
            }
            Self::InvalidModel(detail) => row(StatusCode::BAD_REQUEST, "392700", detail.clone()),
            Self::NotAuthorised(detail) => {
                statement_row(StatusCode::FORBIDDEN, "002003", "42S02", format!("Not authorized: {detail}"))
            }
            Self::AnalystTooSlow => row(
                StatusCode::SERVICE_UNAVAILABLE,
                "392703",
                "The answer took too long and was given up; ask again, or ask for less.",
            ),
            Self::UnknownAnalystRequest(id) => row(
                StatusCode::NOT_FOUND,
                "392704",
                format!("Request '{id}' not found; it is the request_id of an answer."),
            ),
            Self::Backup(error) => backup_error_row(error),
            Self::UnknownBackup(name) => row(StatusCode::NOT_FOUND, "390404", format!("There is no backup '{name}'.")),
            Self::NotAccountAdmin => statement_row(
                StatusCode::FORBIDDEN,
                "003001",
                "42501",
                "Insufficient privileges to operate on the account; backups need the role ACCOUNTADMIN.",
            ),
            Self::UnreadablePartition | Self::Panicked => internal_error_row(),
        }
    }
}

impl ApiError {
    pub fn of_disk(error: std::io::Error) -> Self {
        Self::Stage(error.into())
    }

    fn message_of_stage(&self) -> String {
        match self {
            Self::Stage(error) => error.to_string(),
            _ => String::new(),
        }
    }
}

fn statement_error_row(error: &StatementError) -> Row {
    match error {
        StatementError::Invalid { code, sql_state, message } => {
            Row { status: StatusCode::BAD_REQUEST, code, sql_state: *sql_state, message: message.clone().into() }
        }
        StatementError::UnknownHandle(_) => {
            statement_row(StatusCode::UNPROCESSABLE_ENTITY, "000709", "02000", error.to_string())
        }
        StatementError::HiddenResult(_) => {
            statement_row(StatusCode::UNPROCESSABLE_ENTITY, "003001", "42501", error.to_string())
        }
        StatementError::NotCancellable { .. } | StatementError::NotProfiled(_) => {
            statement_row(StatusCode::UNPROCESSABLE_ENTITY, "000709", "02000", error.to_string())
        }
        StatementError::UnknownSession(_) => {
            statement_row(StatusCode::UNPROCESSABLE_ENTITY, "390111", "08003", error.to_string())
        }
        StatementError::BusySession(_) => statement_row(StatusCode::CONFLICT, "391914", "55006", error.to_string()),
        StatementError::TooManySessions(_) => {
            statement_row(StatusCode::TOO_MANY_REQUESTS, "391915", "53300", error.to_string())
        }
        StatementError::TooManyRequests { .. } => row(StatusCode::TOO_MANY_REQUESTS, "390505", "Too many requests."),
        StatementError::StillStopping(_) | StatementError::ShuttingDown => {
            row(StatusCode::SERVICE_UNAVAILABLE, "390503", error.to_string())
        }
        StatementError::DiskFull | StatementError::NoRoomForText { .. } => {
            statement_row(StatusCode::INSUFFICIENT_STORAGE, "000603", DISK_FULL_STATE, error.to_string())
        }
        StatementError::NotRecorded { sql_state: DISK_FULL_STATE, .. } => {
            statement_row(StatusCode::INSUFFICIENT_STORAGE, "000603", DISK_FULL_STATE, error.to_string())
        }
        StatementError::NotRecorded { sql_state, .. } => {
            statement_row(StatusCode::INTERNAL_SERVER_ERROR, "000603", sql_state, error.to_string())
        }
        StatementError::DiskFailed(_) => {
            statement_row(StatusCode::INTERNAL_SERVER_ERROR, "000603", IO_STATE, error.to_string())
        }
        StatementError::DamagedState | StatementError::DamagedResult(_) => {
            statement_row(StatusCode::INTERNAL_SERVER_ERROR, "000603", DAMAGED_STATE, error.to_string())
        }
        StatementError::Internal(_) => internal_error_row(),
    }
}

fn backup_error_row(error: &BackupError) -> Row {
    let status_and_code = match error {
        BackupError::SwitchedOff => (StatusCode::FORBIDDEN, "390403"),
        BackupError::Name(_) => (StatusCode::BAD_REQUEST, "390142"),
        BackupError::Exists(_) | BackupError::Busy(_) | BackupError::FolderHeld => (StatusCode::CONFLICT, "390409"),
        BackupError::ServerStopping => (StatusCode::SERVICE_UNAVAILABLE, "390503"),
        _ => return internal_error_row(),
    };
    row(status_and_code.0, status_and_code.1, capitalised(&error.to_string()))
}

/// As the other messages are.
fn capitalised(text: &str) -> String {
    let mut rest = text.chars();
    rest.next().map_or_else(String::new, |first| format!("{}{}.", first.to_uppercase(), rest.as_str()))
}

fn internal_error_row() -> Row {
    row(StatusCode::INTERNAL_SERVER_ERROR, "000603", "The server failed to process the request; its log says why.")
}

/// An error as it is reported to the caller.
pub struct ErrorSummary {
    pub status: StatusCode,
    pub code: &'static str,
    pub message: String,
}

impl ApiError {
    pub fn summary(&self) -> ErrorSummary {
        self.log();
        let Row { status, code, message, .. } = self.row();
        ErrorSummary { status, code, message: message.into_owned() }
    }

    /// The analyst's endpoints name the request in their errors.
    pub fn into_analyst_response(self, request_id: uuid::Uuid) -> Response {
        let ErrorSummary { status, code, message } = self.summary();
        let body = AnalystErrorBody {
            message,
            code: code.to_owned(),
            error_code: code.to_owned(),
            request_id: request_id.to_string(),
        };
        let mut response = json_response(status, &body);
        self.add_headers(&mut response);
        response
    }

    /// Once, where the error is reported.
    fn log(&self) {
        match self {
            Self::Statement(StatementError::Internal(cause))
            | Self::Stage(StageError::Request(StatementError::Internal(cause))) => {
                tracing::error!(cause, "a request failed inside the server");
            }
            Self::Backup(error) if matches!(backup_error_row(error).status, StatusCode::INTERNAL_SERVER_ERROR) => {
                tracing::error!(%error, "a backup cannot be begun");
            }
            Self::UnreadablePartition => tracing::error!("a stored partition is not valid gzip"),
            _ => {}
        }
    }
}

impl IntoResponse for ApiError {
    fn into_response(self) -> Response {
        self.log();
        let Row { status, code, sql_state, message } = self.row();
        let statement_handle = match &self {
            Self::Statement(StatementError::UnknownHandle(handle)) => Some(handle.clone()),
            Self::Statement(
                StatementError::NotCancellable { handle, .. }
                | StatementError::StillStopping(handle)
                | StatementError::NotRecorded { handle, .. }
                | StatementError::NotProfiled(handle)
                | StatementError::DamagedResult(handle),
            ) => Some(handle.to_string()),
            _ => None,
        };
        let body = ErrorBody {
            code: code.to_owned(),
            message: message.into_owned(),
            sql_state: sql_state.map(str::to_owned),
            statement_handle,
        };
        let mut response = json_response(status, &body);
        self.add_headers(&mut response);
        response
    }
}

impl ApiError {
    fn add_headers(&self, response: &mut Response) {
        match self {
            Self::Unauthenticated(AuthError::PasswordMustChange) => {}
            Self::Unauthenticated(_) => {
                response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            }
            Self::TooManyFailedLogins => {
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("5"));
            }
            // Nobody waits for a body any longer that did not come in time.
            Self::BodyTooSlow => {
                response.headers_mut().insert(CONNECTION, CLOSE);
            }
            Self::NoSuchRange { bytes } => {
                if let Ok(value) = HeaderValue::from_str(&format!("bytes */{bytes}")) {
                    response.headers_mut().insert(CONTENT_RANGE, value);
                }
            }
            Self::Statement(StatementError::TooManyRequests { retry_after_s })
            | Self::Stage(StageError::Request(StatementError::TooManyRequests { retry_after_s })) => {
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from(*retry_after_s));
            }
            // Sessions end by themselves, or their owner closes one.
            Self::Statement(StatementError::TooManySessions(_)) => {
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("60"));
            }
            Self::Statement(StatementError::StillStopping(_) | StatementError::ShuttingDown) => {
                response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
            }
            _ => {}
        }
    }
}

impl From<StageError> for ApiError {
    fn from(error: StageError) -> Self {
        Self::Stage(error)
    }
}

impl From<BackupError> for ApiError {
    fn from(error: BackupError) -> Self {
        Self::Backup(error)
    }
}

impl From<StatementError> for ApiError {
    fn from(error: StatementError) -> Self {
        Self::Statement(error)
    }
}

pub fn json_response(status: StatusCode, body: &impl serde::Serialize) -> Response {
    match serde_json::to_vec(body) {
        Ok(bytes) => (status, [(CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response(),
        Err(_) => StatusCode::INTERNAL_SERVER_ERROR.into_response(),
    }
}
