//! Public keys as users register them: the base64 body of a SubjectPublicKeyInfo.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use firn_sql::Failure;
use rsa::RsaPublicKey;
use rsa::pkcs8::DecodePublicKey;
use rsa::traits::PublicKeyParts;
use sha2::{Digest, Sha256};

const KEY_BITS_MIN: usize = 2_048;

/// A registered public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsaKey {
    /// DER of the SubjectPublicKeyInfo.
    pub der: Vec<u8>,
    /// `SHA256:` and the padded base64 of the hash over `der`.
    pub fingerprint: String,
}

impl RsaKey {
    /// Takes the body alone or with its PEM lines, in one line or many.
    pub(crate) fn parse(property: &str, text: &str) -> Result<Self, Failure> {
        let refused = |way_out: &str| Failure::invalid_value(property, &shortened(text), way_out);
        let body: String = text
            .lines()
            .filter(|line| !line.trim_start().starts_with("-----"))
            .flat_map(str::split_whitespace)
            .collect();
        let der = STANDARD
            .decode(body)
            .map_err(|_| refused("the base64 body of a public key is expected, as in `openssl rsa -pubout`"))?;
        let key = RsaPublicKey::from_public_key_der(&der)
            .map_err(|_| refused("an RSA public key of 2048 to 4096 bits in SubjectPublicKeyInfo form is expected"))?;
        if key.n().bits() < KEY_BITS_MIN {
            return Err(refused("the key must have at least 2048 bits"));
        }
        let fingerprint = format!("SHA256:{}", STANDARD.encode(Sha256::digest(&der)));
        Ok(Self { der, fingerprint })
    }

    pub(crate) fn to_base64(&self) -> String {
        STANDARD.encode(&self.der)
    }
}

fn shortened(text: &str) -> String {
    let start: String = text.chars().take(16).collect();
    if start.len() < text.len() { format!("{start}…") } else { start }
}
