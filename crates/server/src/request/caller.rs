//! The caller of the API: who passed every check that comes before the request's own content.

use axum::extract::FromRequestParts;
use axum::http::header::{AUTHORIZATION, USER_AGENT};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName};
use firn_auth::{AuthError, TokenType, claimed_user};
use firn_catalog::{Caller, ClientType};

use super::{headers, login_records};
use crate::clock::now_ms;
use crate::config::ApiSwitch;
use crate::driver::sessions::{SESSION_PREFIX, TokenUse};
use crate::error::ApiError;
use crate::link_logins::ShownToken;
use crate::observe::{RequestUser, client_address};
use crate::state::AppState;

/// The neutral name and the vendor's, which clients send.
const TOKEN_TYPE_HEADERS: [HeaderName; 2] = [
    HeaderName::from_static("x-service-authorization-token-type"),
    HeaderName::from_static("x-snowflake-authorization-token-type"),
];

pub struct ApiCaller(pub Caller);

/// Who asks a question: its answer may be JSON or a stream of events.
pub struct JsonCaller(pub Caller);

/// Who brings or fetches a file, whose bytes are of any type.
pub struct FileCaller(pub Caller);

/// Who calls a tool: agents need not say what they are.
pub struct ToolCaller;

impl FromRequestParts<AppState> for ToolCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if app.api == ApiSwitch::Off {
            return Err(ApiError::ApiSwitchedOff);
        }
        authenticate(parts, app).await.map(|_| Self)
    }
}

impl FromRequestParts<AppState> for ApiCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        require_json_client(parts, app)?;
        let caller = authenticate(parts, app).await?;
        headers::require_json_content_type(&parts.headers)?;
        Ok(Self(caller))
    }
}

/// What is asked of every request for JSON, whoever sends it.
pub fn require_json_client(parts: &Parts, app: &AppState) -> Result<(), ApiError> {
    headers::require_user_agent(&parts.headers)?;
    if app.api == ApiSwitch::Off {
        return Err(ApiError::ApiSwitchedOff);
    }
    headers::require_json_accepted(&parts.headers)
}

impl FromRequestParts<AppState> for JsonCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        let FileCaller(caller) = FileCaller::from_request_parts(parts, app).await?;
        headers::require_json_content_type(&parts.headers)?;
        Ok(Self(caller))
    }
}

impl FromRequestParts<AppState> for FileCaller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        headers::require_user_agent(&parts.headers)?;
        if app.api == ApiSwitch::Off {
            return Err(ApiError::ApiSwitchedOff);
        }
        authenticate(parts, app).await.map(Self)
    }
}

/// Who asks. The answer to a wrong token is slowed down where there were many; a right one is not.
async fn authenticate(parts: &Parts, app: &AppState) -> Result<Caller, ApiError> {
    let token = bearer_token(&parts.headers).ok_or(ApiError::Unauthenticated(AuthError::Missing))?;
    let is_oauth = declared_token_type(&parts.headers) == Ok(Some(TokenType::Oauth));
    let judged = judge(token, &parts.headers, app).await.map_err(ApiError::Unauthenticated);
    let admitted = judged.and_then(|caller| admit(parts, app, caller));
    login_records::note_token(parts, app, token, is_oauth, admitted.as_ref());
    match admitted {
        Err(ApiError::Unauthenticated(
            error @ (AuthError::BadJwt | AuthError::BadOauth | AuthError::BadAccessToken | AuthError::BadSession),
        )) => {
            let source = app.failed_logins.source(client_address(&parts.extensions), claimed_user(token).as_deref());
            match app.failed_logins.hold_back(source).await {
                true => Err(ApiError::Unauthenticated(error)),
                false => Err(ApiError::TooManyFailedLogins),
            }
        }
        admitted => admitted,
    }
}

/// The token that a request shows.
pub fn shown_token(headers: &HeaderMap) -> Result<ShownToken, AuthError> {
    let token = bearer_token(headers).ok_or(AuthError::Missing)?.to_owned();
    Ok(ShownToken { token, declared: declared_token_type(headers)? })
}

async fn judge(token: &str, headers: &HeaderMap, app: &AppState) -> Result<Caller, AuthError> {
    judge_token(token, declared_token_type(headers)?, app).await
}

/// Who is behind a token now.
pub async fn judge_token(token: &str, declared: Option<TokenType>, app: &AppState) -> Result<Caller, AuthError> {
    if declared.is_none() && token.starts_with(SESSION_PREFIX) {
        let found = app.driver_sessions.find(token, TokenUse::Session, &app.catalog);
        let session = found.map_err(|_| AuthError::BadSession)?;
        if !app.statements.has_session(session.id) {
            app.driver_sessions.close(session.id);
            return Err(AuthError::BadSession);
        }
        return Ok(session.caller);
    }
    if let Some(judged) = app.authenticator.authenticate_fast(token, declared, now_ms()) {
        return judged;
    }
    let (app, token) = (AppState::clone(app), token.to_owned());
    let judging = move || app.authenticator.authenticate(&token, declared, now_ms());
    tokio::task::spawn_blocking(judging).await.unwrap_or(Err(AuthError::Unavailable))
}

/// The caller with the address of the request, if the network and authentication policies let it in. Every way of authenticating
/// comes through here.
pub fn admit(parts: &Parts, app: &AppState, caller: Caller) -> Result<Caller, ApiError> {
    if let Some(user) = parts.extensions.get::<RequestUser>() {
        user.set(&caller.user.name);
    }
    let address = client_address(&parts.extensions);
    if !app.catalog.admits(&caller.user, address) {
        return Err(ApiError::AddressNotAllowed(address));
    }
    let agent = parts.headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let caller = Caller { address, client: Some(ClientType::of_user_agent(agent)), ..caller };
    match app.catalog.admits_method(&caller) {
        true => Ok(caller),
        false => Err(ApiError::Unauthenticated(AuthError::RefusedByPolicy)),
    }
}

/// One Authorization header, `Bearer …` or `Snowflake Token="…"`; two leave open who is asking.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(AUTHORIZATION).iter();
    let (Some(only), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = only.to_str().ok()?.trim().split_once(' ')?;
    let token = match scheme.to_ascii_lowercase().as_str() {
        "bearer" => token.trim(),
        "snowflake" => quoted_token(token.trim())?,
        _ => return None,
    };
    (!token.is_empty()).then_some(token)
}

/// The value of `Token="…"`.
fn quoted_token(text: &str) -> Option<&str> {
    let (name, value) = text.split_once('=')?;
    let value = value.trim().strip_prefix('"')?.strip_suffix('"')?;
    name.trim().eq_ignore_ascii_case("token").then_some(value)
}

/// Two types that differ name none.
fn declared_token_type(headers: &HeaderMap) -> Result<Option<TokenType>, AuthError> {
    let mut declared = None;
    for value in TOKEN_TYPE_HEADERS.iter().flat_map(|name| headers.get_all(name)) {
        let stated = TokenType::parse(value.to_str().unwrap_or_default())?;
        if declared.is_some_and(|other| other != stated) {
            return Err(AuthError::UnknownTokenType);
        }
        declared = Some(stated);
    }
    Ok(declared)
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        headers
    }

    #[test]
    fn the_token_comes_from_one_bearer_header() {
        let check = |values: &[&'static str], token: Option<&str>| {
            let pairs: Vec<_> = values.iter().map(|value| ("authorization", *value)).collect();
            assert_eq!(bearer_token(&headers(&pairs)), token, "{values:?}");
        };
        check(&["Bearer abc"], Some("abc"));
        check(&["bearer  abc "], Some("abc"));
        check(&[], None);
        check(&["Bearer"], None);
        check(&["Bearer "], None);
        check(&["Basic abc"], None);
        check(&["Snowflake Token=\"abc\""], Some("abc"));
        check(&["snowflake token = \"abc\""], Some("abc"));
        check(&["Snowflake Token=\"\""], None);
        check(&["Snowflake abc"], None);
        check(&["Bearer abc", "Bearer abc"], None);
    }

    #[test]
    fn the_type_comes_from_either_header() {
        let check = |pairs: &[(&'static str, &'static str)], expected: Result<Option<TokenType>, AuthError>| {
            assert_eq!(declared_token_type(&headers(pairs)), expected, "{pairs:?}");
        };
        let (neutral, vendor) = ("x-service-authorization-token-type", "x-snowflake-authorization-token-type");
        check(&[], Ok(None));
        check(&[(neutral, "OAUTH")], Ok(Some(TokenType::Oauth)));
        check(&[(vendor, "KEYPAIR_JWT")], Ok(Some(TokenType::KeypairJwt)));
        check(&[(vendor, "OAUTH"), (neutral, "oauth")], Ok(Some(TokenType::Oauth)));
        check(&[(vendor, "OAUTH"), (neutral, "KEYPAIR_JWT")], Err(AuthError::UnknownTokenType));
        check(&[(neutral, "SECRET")], Err(AuthError::UnknownTokenType));
    }
}
