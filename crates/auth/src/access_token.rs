//! Programmatic access tokens: looked up by their hash.

use firn_catalog::secrets::SecretHash;
use firn_catalog::{ADMIN_TOKEN, ADMIN_USER, AuthenticationMethod, Caller, Principals, TiedToken};

use crate::AuthError;

pub(crate) fn authenticate(principals: &Principals, hash: &SecretHash, now_ms: i64) -> Result<Caller, AuthError> {
    let (user, token) = principals.token_by_hash(hash).ok_or(AuthError::BadAccessToken)?;
    let role = token.role_restriction.as_deref();
    let role_is_granted = role.is_none_or(|role| principals.may_take_role(user.id, role));
    if !principals.is_token_active(&token, now_ms) || !role_is_granted {
        return Err(AuthError::BadAccessToken);
    }
    let method = match user.name == ADMIN_USER && token.name == ADMIN_TOKEN {
        true => AuthenticationMethod::StartToken,
        false => AuthenticationMethod::AccessToken,
    };
    let tied_token = role.map(|_| TiedToken { id: token.id(), expires_on_ms: token.expires_on_ms });
    Ok(Caller { tied_token, ..Caller::new(user, token.role_restriction) }.by(method))
}
