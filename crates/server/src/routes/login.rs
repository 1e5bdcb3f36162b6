//! `POST /api/v2/login` and `POST /api/v2/logout`: a password for the token of a session, and its end.

use axum::extract::{FromRequestParts, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::Response;
use firn_auth::AuthError;
use firn_catalog::{AuthenticationMethod, Caller, ClientType, SESSION_LIFETIME_S};
use firn_statements::request::Changes;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::bodies::ErrorBody;
use crate::clock::now_ms;
use crate::error::{ApiError, json_response};
use crate::logins::Credentials;
use crate::observe::client_address;
use crate::request::login_records::{self, Attempt};
use crate::request::{ApiCaller, RequestBody, admit, bearer_token, headers, json_body, require_json_client};
use crate::state::AppState;

/// Who logs in.
#[derive(Deserialize, ToSchema)]
#[schema(as = LoginRequest)]
#[serde(rename_all = "camelCase", deny_unknown_fields, expecting = "a JSON object")]
pub struct LoginBody {
    /// The login name, in any letter case.
    #[schema(example = "anna")]
    user: String,
    #[schema(format = "password")]
    password: String,
    /// Replaces the password; a user who must change it cannot log in without.
    #[schema(format = "password", nullable = false)]
    new_password: Option<String>,
}

/// An open session.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = LoginSession)]
pub struct SessionBody {
    /// To be sent as `Authorization: Bearer …` or `Authorization: Snowflake Token="…"`.
    token: String,
    #[schema(example = 14400)]
    validity_in_seconds: i64,
    /// The user's name.
    #[schema(example = "ANNA")]
    user: String,
}

/// What became of a log-out.
#[derive(Serialize, ToSchema)]
#[schema(as = LogoutStatus)]
pub struct LogoutBody {
    #[schema(example = "The session has ended.")]
    message: &'static str,
}

/// What comes before the body: the same as for other requests but for the token.
pub struct Guest(Parts);

impl FromRequestParts<AppState> for Guest {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        require_json_client(parts, app)?;
        headers::require_json_content_type(&parts.headers)?;
        Ok(Self(parts.clone()))
    }
}

/// Logs in with a password.
///
/// The answer's token is good for four hours, until it is logged out, and as long as the password is not changed. The fifth
/// wrong password in a row locks the user for 15 minutes.
#[utoipa::path(post, path = "/api/v2/login", tag = "sessions", operation_id = "logIn", security(()),
    params(
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    request_body = LoginBody,
    responses(
        (status = 200, description = "The session is open.", body = SessionBody),
        (status = 400, description = "The request is malformed, or the new password cannot be used.", body = ErrorBody),
        (status = 401, description = "No such user has that password, or the user is locked, disabled or expired.", body = ErrorBody),
        (status = 403, description = "The password must be changed, the address is blocked, or the API is switched off.", body = ErrorBody),
        (status = 413, description = "The body is too large.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 422, description = "The Accept header leaves no room for JSON.", body = ErrorBody),
        (status = 429, description = "Too many logins; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
    ))]
pub async fn log_in(
    State(app): State<AppState>,
    Guest(parts): Guest,
    RequestBody(body): RequestBody,
) -> Result<Response, ApiError> {
    let body: LoginBody = json_body::decode(&body)?;
    if body.new_password.is_some() && headers::changes(&parts.headers)? == Changes::Refused {
        return Err(ApiError::MayOnlyRead("newPassword".to_owned()));
    }
    let let_in = let_in(&app, &parts, &body).await;
    let name = login_records::name_of_login(&app, &body.user);
    login_records::note(&parts, &app, &Attempt { user: Some(&name), factor: "PASSWORD" }, let_in.as_ref().err());
    match let_in {
        Ok(session) => Ok(json_response(StatusCode::OK, &session)),
        Err(refusal @ ApiError::Unauthenticated(AuthError::BadPassword)) => {
            let source = app.failed_logins.source(client_address(&parts.extensions), Some(&body.user));
            match app.failed_logins.hold_back(source).await {
                true => Err(refusal),
                false => Err(ApiError::TooManyFailedLogins),
            }
        }
        Err(other) => Err(other),
    }
}

async fn let_in(app: &AppState, parts: &Parts, body: &LoginBody) -> Result<SessionBody, ApiError> {
    let credentials = Credentials { login: body.user.clone(), password: body.password.clone() };
    let user = app.logins.verify(credentials).await?;
    let Caller { user, client, .. } = admit(parts, app, Caller::new(user, None).by(AuthenticationMethod::Password))?;
    let user = match &body.new_password {
        Some(new) if *new == body.password => {
            return Err(ApiError::InvalidPayload("Field `newPassword` is the password itself.".to_owned()));
        }
        Some(new) => app.logins.replace_password(user, new.clone()).await?,
        None if app.catalog.password_rules(Some(&user)).must_change(&user, now_ms()) => {
            return Err(ApiError::Unauthenticated(AuthError::PasswordMustChange));
        }
        None => user,
    };
    let name = user.name.clone();
    let token = app.logins.open_session(user, client.unwrap_or(ClientType::Driver)).await?;
    Ok(SessionBody { token, validity_in_seconds: SESSION_LIFETIME_S, user: name })
}

/// Ends the session of the token.
#[utoipa::path(post, path = "/api/v2/logout", tag = "sessions", operation_id = "logOut",
    params(
        ("User-Agent" = String, Header, description = "<application_name>/<application_version>", example = "myApplication/1.0"),
    ),
    responses(
        (status = 200, description = "The session has ended.", body = LogoutBody),
        (status = 400, description = "The request is malformed, or the token is not that of a session.", body = ErrorBody),
        (status = 401, description = "The token is missing or invalid.", body = ErrorBody),
        (status = 403, description = "The address is blocked, or the API is switched off.", body = ErrorBody),
        (status = 415, description = "The Content-Type is not application/json.", body = ErrorBody),
        (status = 422, description = "The Accept header leaves no room for JSON.", body = ErrorBody),
        (status = 429, description = "Too many failed logins; come back after Retry-After seconds.", body = ErrorBody),
        (status = 500, description = "The server failed.", body = ErrorBody),
    ))]
pub async fn log_out(
    State(app): State<AppState>,
    ApiCaller(_): ApiCaller,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let token = bearer_token(&headers).ok_or(ApiError::Unauthenticated(AuthError::Missing))?;
    match app.logins.close_session(token).await? {
        true => Ok(json_response(StatusCode::OK, &LogoutBody { message: "The session has ended." })),
        false => Err(ApiError::NotASession),
    }
}
