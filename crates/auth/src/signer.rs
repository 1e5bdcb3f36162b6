//! What has signed a token that was found good: a user's key, or a registered issuer. What was opened by the token is to end with it.

use firn_catalog::{Principals, User};

use crate::jwt::unverified_claims;
use crate::key_pair::fingerprint_of_issuer;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Signer {
    /// The user's key with this fingerprint.
    Key(String),
    Issuer(String),
}

impl Signer {
    /// Of a token whose signature has been verified.
    pub fn of_verified(token: &str) -> Option<Self> {
        let claims = unverified_claims(token)?;
        let issuer = claims.get("iss")?.as_str()?;
        Some(match fingerprint_of_issuer(issuer) {
            Some(fingerprint) => Self::Key(fingerprint.to_owned()),
            None => Self::Issuer(issuer.to_owned()),
        })
    }

    /// Whether the user still has the key, or the issuer is registered and enabled.
    pub fn is_trusted(&self, user: &User, principals: &Principals) -> bool {
        match self {
            Self::Key(fingerprint) => {
                let keys = [&user.rsa_public_key, &user.rsa_public_key_2];
                keys.into_iter().flatten().any(|key| key.fingerprint.strip_prefix("SHA256:") == Some(fingerprint))
            }
            Self::Issuer(issuer) => {
                principals.integrations().any(|integration| integration.enabled && integration.issuer == *issuer)
            }
        }
    }
}
