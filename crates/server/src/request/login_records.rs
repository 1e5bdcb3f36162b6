//! What the audit trail records of logins.

use axum::http::header::USER_AGENT;
use axum::http::request::Parts;
use firn_auth::{AuthError, claimed_user};
use firn_catalog::Caller;
use firn_catalog::secrets::{SESSION_TOKEN_PREFIX, hash_secret};
use firn_statements::Login;

use crate::clock::now_ms;
use crate::driver::sessions::SESSION_PREFIX;
use crate::error::ApiError;
use crate::observe::client_address;
use crate::state::AppState;

/// Of what a stranger says, so much is recorded.
const CLAIM_CHARACTERS_MAX: usize = 200;

/// Who asked to be let in, and by what.
pub struct Attempt<'a> {
    pub user: Option<&'a str>,
    pub factor: &'static str,
}

/// Records a request with a token: the first of a period that is let in, and every one that is refused.
pub fn note_token(parts: &Parts, app: &AppState, token: &str, is_oauth: bool, outcome: Result<&Caller, &ApiError>) {
    let address = client_address(&parts.extensions);
    if let Ok(caller) = outcome {
        if is_of_session(token) {
            return;
        }
        app.statements.note_token_use(caller.user.id, now_ms());
        if !app.noted_logins.is_first(token, address) {
            return;
        }
    }
    let claimed = claimed_user(token);
    let factor = match (outcome, claimed.is_some()) {
        (Err(ApiError::Unauthenticated(AuthError::BadOauth | AuthError::Unavailable)), _) => "OAUTH_ACCESS_TOKEN",
        (Err(ApiError::Unauthenticated(AuthError::BadSession)), _) => "PASSWORD",
        (Ok(_), true) if is_oauth => "OAUTH_ACCESS_TOKEN",
        (Ok(_), true) | (Err(ApiError::Unauthenticated(AuthError::BadJwt)), _) => "RSA_KEYPAIR",
        _ => "PROGRAMMATIC_ACCESS_TOKEN",
    };
    let user = match outcome {
        Ok(caller) => Some(caller.user.name.clone()),
        Err(_) => user_of_token(app, token).or_else(|| claimed.map(|claimed| name_of_claim(app, &claimed))),
    };
    note(parts, app, &Attempt { user: user.as_deref(), factor }, outcome.err());
}

/// The login that gave the token is recorded.
fn is_of_session(token: &str) -> bool {
    [SESSION_TOKEN_PREFIX, SESSION_PREFIX].iter().any(|prefix| token.starts_with(prefix))
}

/// The name of the user who logs in by that name, else the name itself in upper case.
pub fn name_of_login(app: &AppState, login: &str) -> String {
    let principals = app.catalog.principals();
    principals.user_by_login(login).map_or_else(|| login.to_uppercase(), |user| user.name.clone())
}

/// Key-pair tokens name the account before the user.
fn name_of_claim(app: &AppState, claimed: &str) -> String {
    let account = format!("{}.", app.catalog.account().replace('.', "-"));
    name_of_login(app, claimed.strip_prefix(&account).unwrap_or(claimed))
}

/// Whose access token or session it is or was, though it lets nobody in.
fn user_of_token(app: &AppState, token: &str) -> Option<String> {
    let principals = app.catalog.principals();
    let by_access_token = principals.token_by_secret(token).map(|(user, _)| user);
    let user = by_access_token.or_else(|| app.catalog.owner_of_session(&hash_secret(token)));
    user.map(|user| user.name.clone())
}

pub fn note(parts: &Parts, app: &AppState, attempt: &Attempt<'_>, refused: Option<&ApiError>) {
    let shortened = |text: &str| text.chars().take(CLAIM_CHARACTERS_MAX).collect::<String>();
    let client = parts.headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok());
    app.statements.note_login(Login {
        at_ms: now_ms(),
        user: attempt.user.map(shortened),
        address: client_address(&parts.extensions),
        client: client.map(shortened),
        factor: attempt.factor,
        refused: refused.map(ApiError::code_and_message),
    });
}
