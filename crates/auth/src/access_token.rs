//! Programmatic access tokens: looked up by their hash.

use firn_catalog::secrets::SecretHash;
use firn_catalog::{Caller, Principals};

use crate::AuthError;

pub(crate) fn authenticate(principals: &Principals, hash: &SecretHash, now_ms: i64) -> Result<Caller, AuthError> {
    let (user, token) = principals.token_by_hash(hash).ok_or(AuthError::BadAccessToken)?;
    let role = token.role_restriction.as_deref();
    let role_is_granted = role.is_none_or(|role| principals.may_take_role(user.id, role));
    if user.disabled || token.disabled || token.is_expired_at(now_ms) || !role_is_granted {
        return Err(AuthError::BadAccessToken);
    }
    Ok(Caller::new(user, token.role_restriction))
}
