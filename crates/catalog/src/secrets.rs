//! Secrets of access tokens and sessions: shown once, stored as a hash.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use sha2::{Digest, Sha256};

use crate::error::CatalogError;

/// What every generated secret begins with, so that it is recognised wherever it turns up.
pub const ACCESS_TOKEN_PREFIX: &str = "firn_pat_";
pub const SESSION_TOKEN_PREFIX: &str = "firn_session_";

pub type SecretHash = [u8; 32];

/// Plain SHA-256 is enough: a generated secret has 256 bits of its own.
pub fn hash_secret(secret: &str) -> SecretHash {
    Sha256::digest(secret.as_bytes()).into()
}

/// A secret with this prefix.
pub fn generate_secret(prefix: &str) -> Result<String, CatalogError> {
    let mut bytes = [0_u8; 32];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    Ok(format!("{prefix}{}", URL_SAFE_NO_PAD.encode(bytes)))
}
