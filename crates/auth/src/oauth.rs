//! OAuth tokens of external issuers, each registered as a security integration.
//!
//! The token names the user by a claim and the role by a scope, `session:role:<name>` or, where the
//! integration allows it, `session:role-any`.

use std::sync::Arc;

use firn_catalog::integrations::{PRIVILEGED_ROLES_BLOCKED, SecurityIntegration, UserMappingAttribute};
use firn_catalog::{AuthenticationMethod, Caller, Catalog, Principals, User};
use serde_json::Value;

use crate::TokenType;
use crate::jwt::{Claims, Jwt, decoding_key, has_come_if_present, instant_ms};
use crate::key_sets::{Fetching, Found, KeySets};
use crate::verified_tokens::Verified;

const PRIVILEGED_ROLES: [&str; 3] = ["ACCOUNTADMIN", "ORGADMIN", "SECURITYADMIN"];
const ROLE_SCOPE: &str = "session:role:";
const ANY_ROLE_SCOPE: &str = "session:role-any";
/// An issuer may withdraw a key, so a verified signature expires.
const BELIEVED_MS: i64 = 300_000;

pub(crate) enum Judgement {
    Good(Verified),
    Bad,
    /// The issuer's keys must be fetched, and that was refused.
    NeedsKeys,
    Unavailable,
}

pub(crate) fn judge(
    jwt: &Jwt<'_>,
    catalog: &Catalog,
    principals: &Principals,
    key_sets: &KeySets,
    fetching: Fetching,
    now_ms: i64,
) -> Judgement {
    let Some(issuer) = jwt.text("iss") else { return Judgement::Bad };
    let mut integrations = principals.integrations();
    let Some(integration) = integrations.find(|integration| integration.enabled && integration.issuer == issuer) else {
        return Judgement::Bad;
    };
    let claims = match verify(jwt, integration, key_sets, fetching) {
        Ok(claims) => claims,
        Err(judgement) => return judgement,
    };
    let account = catalog.account();
    if !is_for_us(&claims, integration, &account) {
        return Judgement::Bad;
    }
    let Some(valid_until_ms) = valid_until_ms(&claims, now_ms) else { return Judgement::Bad };
    let Some(user) = mapped_user(&claims, integration, principals) else { return Judgement::Bad };
    let Some(caller) = with_roles(user, &claims, integration, catalog, principals) else { return Judgement::Bad };
    Judgement::Good(Verified { caller, token_type: TokenType::Oauth, valid_until_ms })
}

fn verify(
    jwt: &Jwt<'_>,
    integration: &SecurityIntegration,
    key_sets: &KeySets,
    fetching: Fetching,
) -> Result<Claims, Judgement> {
    let registered = [&integration.rsa_public_key, &integration.rsa_public_key_2];
    for key in registered.into_iter().flatten().filter_map(decoding_key) {
        if let Some(claims) = jwt.verify(&key) {
            return Ok(claims);
        }
    }
    let mut refusal = Judgement::Bad;
    for url in &integration.jws_keys_urls {
        match key_sets.find(url, jwt.key_id.as_deref(), fetching) {
            Found::Key(key) => match jwt.verify(&key) {
                Some(claims) => return Ok(claims),
                None => continue,
            },
            Found::None => {}
            Found::NeedsFetch => refusal = Judgement::NeedsKeys,
            Found::Unavailable => refusal = Judgement::Unavailable,
        }
    }
    Err(refusal)
}

/// Without a list of audiences the token must be meant for the account by name.
fn is_for_us(claims: &Claims, integration: &SecurityIntegration, account: &str) -> bool {
    let is_ours = |audience: &str| match integration.audiences.is_empty() {
        true => audience.eq_ignore_ascii_case(account),
        false => integration.audiences.iter().any(|ours| ours == audience),
    };
    match claims.get("aud") {
        Some(Value::String(audience)) => is_ours(audience),
        Some(Value::Array(audiences)) => audiences.iter().filter_map(Value::as_str).any(is_ours),
        _ => false,
    }
}

fn valid_until_ms(claims: &Claims, now_ms: i64) -> Option<i64> {
    let expires_ms = instant_ms(claims, "exp")?;
    let is_valid =
        now_ms < expires_ms && has_come_if_present(claims, "nbf", now_ms) && has_come_if_present(claims, "iat", now_ms);
    is_valid.then(|| expires_ms.min(now_ms + BELIEVED_MS))
}

fn mapped_user(claims: &Claims, integration: &SecurityIntegration, principals: &Principals) -> Option<Arc<User>> {
    let mut present = integration.user_mapping_claims.iter().filter_map(|claim| claims.get(claim.as_str()));
    let name = present.next()?.as_str()?;
    let user = match integration.user_mapping_attribute {
        UserMappingAttribute::LoginName => principals.user_by_login(name),
        UserMappingAttribute::EmailAddress => principals.user_by_email(name),
    };
    user.cloned()
}

/// The caller with the first role of the scopes that can be had. Where only some roles are allowed,
/// a token for any role says too little and is refused.
fn with_roles(
    user: Arc<User>,
    claims: &Claims,
    integration: &SecurityIntegration,
    catalog: &Catalog,
    principals: &Principals,
) -> Option<Caller> {
    let mut blocked_roles = integration.blocked_roles.clone();
    if catalog.account_parameter(PRIVILEGED_ROLES_BLOCKED).as_deref() != Some("false") {
        blocked_roles.extend(PRIVILEGED_ROLES.map(str::to_owned));
    }
    let allowed = &integration.allowed_roles;
    let scopes = scopes(claims, integration);
    let named = scopes.iter().filter_map(|scope| role_of(scope));
    for role in named.filter(|role| allowed.is_empty() || allowed.contains(role)) {
        let caller = Caller { blocked_roles: blocked_roles.clone(), ..Caller::new(user.clone(), Some(role)) };
        let caller = caller.by(AuthenticationMethod::Oauth);
        if principals.active_role(&caller, None).is_ok() {
            return Some(caller);
        }
    }
    let asks_for_any = scopes.iter().any(|scope| scope.eq_ignore_ascii_case(ANY_ROLE_SCOPE));
    let names_none = scopes.iter().all(|scope| role_of(scope).is_none());
    let may_have_any = asks_for_any && names_none && integration.any_role && allowed.is_empty();
    let caller = || Caller { blocked_roles, ..Caller::new(user, None) }.by(AuthenticationMethod::Oauth);
    may_have_any.then(caller)
}

fn role_of(scope: &str) -> Option<String> {
    let (prefix, role) = scope.split_at_checked(ROLE_SCOPE.len())?;
    (prefix.eq_ignore_ascii_case(ROLE_SCOPE) && !role.is_empty()).then(|| role.to_uppercase())
}

/// A list, or one text cut at the integration's delimiter.
fn scopes(claims: &Claims, integration: &SecurityIntegration) -> Vec<String> {
    let claim = match &integration.scope_claim {
        Some(name) => claims.get(name.as_str()),
        None => claims.get("scp").or_else(|| claims.get("scope")),
    };
    match claim {
        Some(Value::Array(items)) => items.iter().filter_map(Value::as_str).map(str::to_owned).collect(),
        Some(Value::String(text)) => text.split(integration.scope_delimiter).map(str::to_owned).collect(),
        _ => Vec::new(),
    }
}
