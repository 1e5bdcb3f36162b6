//! Tokens that clients sign with a user's own private key.
//!
//! `iss` is `ACCOUNT.USER.SHA256:<fingerprint>`, `sub` is `ACCOUNT.USER`; a token is good for an
//! hour after `iat` at most, whatever its `exp` says.

use firn_catalog::{AuthenticationMethod, Caller, Principals};

use crate::jwt::{CLOCK_SKEW_MS_MAX, Claims, Jwt, decoding_key, has_come_if_present, instant_ms, unverified_claims};
use crate::verified_tokens::Verified;
use crate::{AuthError, TokenType};

const LIFETIME_MS_MAX: i64 = 3_600_000;
const FINGERPRINT: &str = ".SHA256:";

/// Whether the issuer it names has the form only key-pair tokens have.
pub(crate) fn looks_like_key_pair(token: &str) -> bool {
    let claims = unverified_claims(token);
    let issuer = claims.as_ref().and_then(|claims| claims.get("iss")?.as_str());
    issuer.is_some_and(|issuer| issuer.contains(FINGERPRINT))
}

/// The fingerprint at the end of an issuer, where it is a key.
pub(crate) fn fingerprint_of_issuer(issuer: &str) -> Option<&str> {
    issuer.rsplit_once(FINGERPRINT).map(|(_, fingerprint)| fingerprint)
}

pub(crate) fn authenticate(
    jwt: &Jwt<'_>,
    account: &str,
    principals: &Principals,
    now_ms: i64,
) -> Result<Verified, AuthError> {
    verify(jwt, account, principals, now_ms).ok_or(AuthError::BadJwt)
}

fn verify(jwt: &Jwt<'_>, account: &str, principals: &Principals, now_ms: i64) -> Option<Verified> {
    let account = account.replace('.', "-");
    let subject = jwt.text("sub")?;
    let (issuer_subject, fingerprint) = jwt.text("iss")?.rsplit_once(FINGERPRINT)?;
    if subject != issuer_subject {
        return None;
    }
    let login = subject.strip_prefix(&account)?.strip_prefix('.')?;
    let user = principals.user_by_login(login).filter(|user| user.login_name == login)?;
    let keys = [&user.rsa_public_key, &user.rsa_public_key_2];
    let is_named = |key: &str| key.strip_prefix(&FINGERPRINT[1..]) == Some(fingerprint);
    let key = keys.into_iter().flatten().find(|key| is_named(&key.fingerprint))?;
    let claims = jwt.verify(&decoding_key(key)?)?;
    let valid_until_ms = valid_until_ms(&claims, now_ms)?;
    let caller = Caller::new(user.clone(), None).by(AuthenticationMethod::Keypair);
    Some(Verified { caller, token_type: TokenType::KeypairJwt, valid_until_ms })
}

fn valid_until_ms(claims: &Claims, now_ms: i64) -> Option<i64> {
    let issued_at_ms = instant_ms(claims, "iat")?;
    let valid_until_ms = instant_ms(claims, "exp")?.min(issued_at_ms + LIFETIME_MS_MAX);
    let is_valid = issued_at_ms <= now_ms + CLOCK_SKEW_MS_MAX
        && now_ms < valid_until_ms
        && has_come_if_present(claims, "nbf", now_ms);
    is_valid.then_some(valid_until_ms)
}
