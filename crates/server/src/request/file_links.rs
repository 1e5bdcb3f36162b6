//! Who fetches a file: a caller with a token, or whoever follows a link that carries its own permission.

use std::collections::HashMap;

use axum::extract::{FromRequestParts, Query};
use axum::http::request::Parts;
use firn_auth::AuthError;
use firn_catalog::{Caller, FileLink, LinkUse};

use super::caller::{FileCaller, admit, judge_token};
use super::headers;
use crate::clock::now_ms;
use crate::config::ApiSwitch;
use crate::error::ApiError;
use crate::state::AppState;

pub struct FileReader(pub Caller);

impl FromRequestParts<AppState> for FileReader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self, ApiError> {
        if !parameters(parts).contains_key("signature") {
            return FileCaller::from_request_parts(parts, app).await.map(|FileCaller(caller)| Self(caller));
        }
        headers::require_user_agent(&parts.headers)?;
        let link = signed_link(parts, app)?;
        if link.link_use == LinkUse::Maker {
            let FileCaller(caller) = FileCaller::from_request_parts(parts, app).await?;
            if caller.user.id != link.user_id {
                return Err(bad());
            }
        }
        if let Some(number) = link.login {
            let made_with = app.link_logins.find(link.user_id, number).ok_or_else(bad)?;
            let maker = judge_token(&made_with.token, made_with.declared, app).await.map_err(|_| bad())?;
            return match maker.user.id == link.user_id {
                true => admit(parts, app, maker).map(Self),
                false => Err(bad()),
            };
        }
        caller_of(link, parts, app).map(Self)
    }
}

/// Who follows a link that needs nothing but itself.
pub fn link_caller(parts: &Parts, app: &AppState) -> Result<Caller, ApiError> {
    let link = signed_link(parts, app)?;
    match (&link.link_use, link.login) {
        (LinkUse::Anyone, None) => caller_of(link, parts, app),
        _ => Err(bad()),
    }
}

fn bad() -> ApiError {
    ApiError::Unauthenticated(AuthError::BadLink)
}

/// The link that the request is for, if this server has signed it and it has not expired.
fn signed_link(parts: &Parts, app: &AppState) -> Result<FileLink, ApiError> {
    if app.api == ApiSwitch::Off {
        return Err(ApiError::ApiSwitchedOff);
    }
    let query = parameters(parts);
    let link = read(&query, parts.uri.path()).ok_or_else(bad)?;
    let signature = query.get("signature").ok_or_else(bad)?;
    match app.catalog.signed_link(&link, signature) && link.expires_on_ms > now_ms() {
        true => Ok(link),
        false => Err(bad()),
    }
}

fn caller_of(link: FileLink, parts: &Parts, app: &AppState) -> Result<Caller, ApiError> {
    let principals = app.catalog.principals();
    let user = principals.user_by_id(link.user_id).filter(|user| user.barred_at(now_ms()).is_none()).cloned();
    admit(parts, app, Caller::new(user.ok_or_else(bad)?, Some(link.role)))
}

fn parameters(parts: &Parts) -> HashMap<String, String> {
    let query = Query::<HashMap<String, String>>::try_from_uri(&parts.uri).map(|Query(query)| query);
    query.unwrap_or_default()
}

fn read(query: &HashMap<String, String>, path: &str) -> Option<FileLink> {
    Some(FileLink {
        link_use: LinkUse::parse_reading(query.get("use")?)?,
        user_id: query.get("user")?.parse().ok()?,
        role: query.get("role")?.clone(),
        expires_on_ms: query.get("expires")?.parse().ok()?,
        address: path.to_owned(),
        login: match query.get("login") {
            Some(number) => Some(number.parse().ok()?),
            None => None,
        },
    })
}
