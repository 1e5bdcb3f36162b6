//! Tokens of sessions that a password opened: good as long as that password is.

use firn_catalog::secrets::SecretHash;
use firn_catalog::{AuthenticationMethod, Caller, Catalog};

use crate::AuthError;

pub(crate) fn authenticate(catalog: &Catalog, hash: &SecretHash, now_ms: i64) -> Result<Caller, AuthError> {
    let user = catalog.login_session(hash, now_ms).ok_or(AuthError::BadSession)?;
    Ok(Caller::new(user, None).by(AuthenticationMethod::Password))
}
