//! Who logs in: the body of a login, and the user that its credential is of.

use axum::http::request::Parts;
use firn_auth::{AuthError, Signer, TokenType};
use firn_catalog::secrets::{ACCESS_TOKEN_PREFIX, hash_secret};
use firn_catalog::{AuthenticationMethod, Caller};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::client_family::ClientFamily;
use super::envelope::DriverError;
use super::sessions::Credential;
use crate::clock::now_ms;
use crate::error::ApiError;
use crate::logins::Credentials;
use crate::observe::client_address;
use crate::request::admit;
use crate::request::caller::judge_token;
use crate::request::login_records::{self, Attempt};
use crate::state::AppState;

const CLIENT_CHARACTERS_MAX: usize = 100;

/// Fields that are null count as absent; unknown ones are ignored.
#[derive(Deserialize)]
pub struct LoginBody {
    data: LoginData,
}

#[derive(Deserialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
struct LoginData {
    client_app_id: Option<String>,
    client_app_version: Option<String>,
    login_name: Option<String>,
    password: Option<String>,
    authenticator: Option<String>,
    token: Option<String>,
    session_parameters: Option<Map<String, Value>>,
    #[serde(default)]
    client_environment: Value,
    #[serde(default)]
    client_capabilities: Value,
}

/// What a login shows.
enum Shown {
    Password { login: String, password: String },
    Token { token: String, token_type: TokenType, login: Option<String> },
}

impl Shown {
    /// As the audit trail calls it.
    fn factor(&self) -> &'static str {
        match self {
            Self::Password { .. } => "PASSWORD",
            Self::Token { token_type: TokenType::KeypairJwt, .. } => "RSA_KEYPAIR",
            Self::Token { token_type: TokenType::Oauth, .. } => "OAUTH_ACCESS_TOKEN",
            Self::Token { token_type: TokenType::ProgrammaticAccessToken, .. } => "PROGRAMMATIC_ACCESS_TOKEN",
        }
    }

    fn login(&self) -> Option<&str> {
        match self {
            Self::Password { login, .. } => Some(login),
            Self::Token { login, .. } => login.as_deref(),
        }
    }
}

impl LoginBody {
    pub fn decode(bytes: &[u8]) -> Result<Self, DriverError> {
        let wrong = |error: serde_json::Error| {
            let detail = format!("It is no login request: {error}.");
            DriverError::from(ApiError::InvalidPayload(detail))
        };
        serde_json::from_slice(bytes).map_err(wrong)
    }

    pub fn family(&self) -> ClientFamily {
        let LoginData { client_app_id, client_environment, client_capabilities, .. } = &self.data;
        ClientFamily::of_login(client_app_id.as_deref(), client_environment, client_capabilities)
    }

    /// The driver's name and version, if it says them.
    pub fn client(&self) -> Option<String> {
        let LoginData { client_app_id, client_app_version, .. } = &self.data;
        let said = [client_app_id, client_app_version].into_iter().flatten().filter(|text| !text.is_empty());
        let words: Vec<&str> = said.map(String::as_str).collect();
        (!words.is_empty()).then(|| words.join(" ").chars().take(CLIENT_CHARACTERS_MAX).collect())
    }

    /// The session parameters, with their names in upper case.
    pub fn parameters(&self) -> Vec<(String, String)> {
        self.data.session_parameters.as_ref().map(named_texts).unwrap_or_default()
    }

    fn shown(&self, app: &AppState) -> Result<Shown, DriverError> {
        let given = |field: &Option<String>| field.clone().filter(|text| !text.is_empty());
        let login = given(&self.data.login_name);
        let named = self.data.authenticator.as_deref().unwrap_or_default().to_ascii_uppercase();
        let token_type = match named.as_str() {
            "" | "SNOWFLAKE" | "USERNAME_PASSWORD_MFA" => {
                let (Some(login), Some(password)) = (login, given(&self.data.password)) else {
                    return Err(ApiError::Unauthenticated(AuthError::BadPassword).into());
                };
                return Ok(match is_access_token(app, &password) {
                    true => Shown::Token {
                        token: password,
                        token_type: TokenType::ProgrammaticAccessToken,
                        login: Some(login),
                    },
                    false => Shown::Password { login, password },
                });
            }
            "PROGRAMMATIC_ACCESS_TOKEN" => TokenType::ProgrammaticAccessToken,
            "SNOWFLAKE_JWT" => TokenType::KeypairJwt,
            "OAUTH" => TokenType::Oauth,
            other => {
                let shown: String = other.chars().take(100).collect();
                let message = format!(
                    "Authenticator {shown} is not supported; log in with a password, a key pair (SNOWFLAKE_JWT), OAUTH or \
                     PROGRAMMATIC_ACCESS_TOKEN."
                );
                return Err(DriverError::new("390144", message));
            }
        };
        // Where a token is asked for, some programs have a box for a password only.
        let token = given(&self.data.token).or_else(|| given(&self.data.password)).unwrap_or_default();
        Ok(Shown::Token { token, token_type, login })
    }
}

/// A JSON object as names in upper case with texts; what is neither text, number nor boolean is left out.
pub fn named_texts(values: &Map<String, Value>) -> Vec<(String, String)> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(flag) => Some(flag.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    };
    values.iter().filter_map(|(name, value)| Some((name.to_uppercase(), text(value)?))).collect()
}

fn is_access_token(app: &AppState, password: &str) -> bool {
    password.starts_with(ACCESS_TOKEN_PREFIX)
        || app.catalog.principals().token_by_hash(&hash_secret(password)).is_some()
}

/// The user who logs in, if everything lets them: credential, network policies, authentication policies. Every try is recorded, and
/// answers to those that fail are slowed down.
pub async fn authenticate(
    parts: &Parts,
    app: &AppState,
    body: &LoginBody,
) -> Result<(Caller, Credential), DriverError> {
    let shown = body.shown(app)?;
    let judged = judge(app, &shown).await;
    let admitted =
        judged.and_then(|caller| admit(parts, app, caller)).and_then(|caller| with_own_password(app, &shown, caller));
    let name = match &admitted {
        Ok(caller) => Some(caller.user.name.clone()),
        Err(_) => shown.login().map(|login| login_records::name_of_login(app, login)),
    };
    let attempt = Attempt { user: name.as_deref(), factor: shown.factor() };
    login_records::note(parts, app, &attempt, admitted.as_ref().err());
    let caller = match admitted {
        Ok(caller) => caller,
        Err(ApiError::Unauthenticated(AuthError::PasswordMustChange)) => {
            return Err(DriverError::new(
                "390106",
                "The password must be changed: log in to the console, or by the command line.",
            ));
        }
        Err(refusal) => return Err(held_back(parts, app, &shown, refusal).await),
    };
    let credential = match &shown {
        Shown::Password { .. } => Credential::Password { set_on_ms: caller.user.password_set_on_ms },
        Shown::Token { token, token_type: TokenType::ProgrammaticAccessToken, .. } => {
            Credential::AccessToken(hash_secret(token))
        }
        Shown::Token { token, .. } => {
            let signer = Signer::of_verified(token);
            Credential::Signed(signer.ok_or(ApiError::Unauthenticated(AuthError::BadJwt))?)
        }
    };
    Ok((caller, credential))
}

async fn judge(app: &AppState, shown: &Shown) -> Result<Caller, ApiError> {
    match shown {
        Shown::Password { login, password } => {
            let credentials = Credentials { login: login.clone(), password: password.clone() };
            let user = app.logins.verify(credentials).await?;
            Ok(Caller::new(user, None).by(AuthenticationMethod::Password))
        }
        Shown::Token { token, token_type, login } => {
            let caller = judge_token(token, Some(*token_type), app).await.map_err(ApiError::Unauthenticated)?;
            let is_meant = |login: &String| {
                let principals = app.catalog.principals();
                principals.user_by_login(login).is_some_and(|user| user.id == caller.user.id)
            };
            // A token and the name of another user are as wrong as a wrong password.
            match login.as_ref().is_none_or(is_meant) {
                true => Ok(caller),
                false => Err(ApiError::Unauthenticated(AuthError::BadPassword)),
            }
        }
    }
}

/// A password that has to be changed lets nobody in.
fn with_own_password(app: &AppState, shown: &Shown, caller: Caller) -> Result<Caller, ApiError> {
    let rules = || app.catalog.password_rules(Some(&caller.user));
    match shown {
        Shown::Password { .. } if rules().must_change(&caller.user, now_ms()) => {
            Err(ApiError::Unauthenticated(AuthError::PasswordMustChange))
        }
        _ => Ok(caller),
    }
}

async fn held_back(parts: &Parts, app: &AppState, shown: &Shown, refusal: ApiError) -> DriverError {
    let is_wrong = matches!(
        refusal,
        ApiError::Unauthenticated(
            AuthError::BadPassword | AuthError::BadJwt | AuthError::BadOauth | AuthError::BadAccessToken
        )
    );
    if !is_wrong {
        return refusal.into();
    }
    let source = app.failed_logins.source(client_address(&parts.extensions), shown.login());
    match app.failed_logins.hold_back(source).await {
        true => refusal.into(),
        false => ApiError::TooManyFailedLogins.into(),
    }
}
