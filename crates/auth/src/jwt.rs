//! Reading and verifying JSON web tokens, with the algorithms pinned to RSA signatures.

use firn_catalog::RsaKey;
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use rsa::RsaPublicKey;
use rsa::pkcs8::DecodePublicKey;
use rsa::traits::PublicKeyParts;
use serde_json::{Map, Value};

pub(crate) const CLOCK_SKEW_MS_MAX: i64 = 60_000;
const ALGORITHMS: [Algorithm; 3] = [Algorithm::RS256, Algorithm::RS384, Algorithm::RS512];
/// No instant we care for is this few milliseconds, or this many seconds, after the epoch.
const SECONDS_BELOW: f64 = 1e11;

pub(crate) type Claims = Map<String, Value>;

/// A well-formed token that is not verified yet.
pub(crate) struct Jwt<'a> {
    token: &'a str,
    pub(crate) key_id: Option<String>,
    /// The claims before verification; used to find the key only.
    unverified: Claims,
}

pub(crate) fn unverified_claims(token: &str) -> Option<Claims> {
    jsonwebtoken::dangerous::insecure_decode_claims(token).ok()
}

/// Whom a token says that it is of, before anybody has verified it; nobody where it is no JWT.
pub fn claimed_user(token: &str) -> Option<String> {
    Some(unverified_claims(token)?.get("sub")?.as_str()?.to_owned())
}

impl<'a> Jwt<'a> {
    /// `None` for what is no JWT, is signed otherwise than with RSA, or demands an extension.
    pub(crate) fn parse(token: &'a str) -> Option<Self> {
        let header = jsonwebtoken::decode_header(token).ok()?;
        if !ALGORITHMS.contains(&header.alg) || header.crit.is_some() {
            return None;
        }
        Some(Self { token, key_id: header.kid, unverified: unverified_claims(token)? })
    }

    /// What the token claims, unverified.
    pub(crate) fn text(&self, claim: &str) -> Option<&str> {
        self.unverified.get(claim)?.as_str()
    }

    /// The claims, once the signature is found to be of that key. Times are judged by the caller.
    pub(crate) fn verify(&self, key: &DecodingKey) -> Option<Claims> {
        let mut validation = Validation::new(Algorithm::RS256);
        validation.algorithms = ALGORITHMS.to_vec();
        validation.required_spec_claims.clear();
        validation.validate_exp = false;
        validation.validate_aud = false;
        jsonwebtoken::decode(self.token, key, &validation).ok().map(|verified| verified.claims)
    }
}

pub(crate) fn decoding_key(key: &RsaKey) -> Option<DecodingKey> {
    let key = RsaPublicKey::from_public_key_der(&key.der).ok()?;
    Some(DecodingKey::from_rsa_raw_components(&key.n().to_bytes_be(), &key.e().to_bytes_be()))
}

/// An instant given in seconds or milliseconds; fractions are cut off.
pub(crate) fn instant_ms(claims: &Claims, claim: &str) -> Option<i64> {
    let number = claims.get(claim)?.as_f64()?;
    if !number.is_finite() || !(0.0..=1e15).contains(&number) {
        return None;
    }
    let milliseconds = if number < SECONDS_BELOW { number * 1_000.0 } else { number };
    Some(milliseconds as i64)
}

/// Whether the claim is absent or an instant that has come, give or take the clocks' difference.
pub(crate) fn has_come_if_present(claims: &Claims, claim: &str, now_ms: i64) -> bool {
    match claims.get(claim) {
        None => true,
        Some(_) => instant_ms(claims, claim).is_some_and(|instant| instant <= now_ms + CLOCK_SKEW_MS_MAX),
    }
}
