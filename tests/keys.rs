//! RSA keys and the tokens made from them, good and bad.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use rsa::RsaPrivateKey;
use rsa::pkcs1::EncodeRsaPrivateKey;
use rsa::pkcs8::EncodePublicKey;
use rsa::traits::PublicKeyParts;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use crate::server::ACCOUNT;

pub struct KeyPair {
    signing: EncodingKey,
    /// DER of the SubjectPublicKeyInfo.
    pub public_der: Vec<u8>,
    modulus: Vec<u8>,
    exponent: Vec<u8>,
}

impl KeyPair {
    pub fn generate(bits: usize) -> Self {
        let private = RsaPrivateKey::new(&mut rsa::rand_core::OsRng, bits).expect("an RSA key");
        let signing = EncodingKey::from_rsa_der(private.to_pkcs1_der().expect("PKCS#1").as_bytes());
        let public_der = private.to_public_key().to_public_key_der().expect("a public key").into_vec();
        let (modulus, exponent) = (private.n().to_bytes_be(), private.e().to_bytes_be());
        Self { signing, public_der, modulus, exponent }
    }

    /// The value of `RSA_PUBLIC_KEY`: base64 without the PEM lines.
    pub fn public_text(&self) -> String {
        STANDARD.encode(&self.public_der)
    }

    pub fn fingerprint(&self) -> String {
        format!("SHA256:{}", STANDARD.encode(Sha256::digest(&self.public_der)))
    }

    /// The claims of a good token of this key's owner, issued now, for half an hour.
    pub fn claims(&self, user: &str) -> Value {
        let subject = format!("{ACCOUNT}.{user}");
        let issuer = format!("{subject}.{}", self.fingerprint());
        json!({"iss": issuer, "sub": subject, "iat": now_s(), "exp": now_s() + 1800})
    }

    pub fn sign(&self, claims: &Value) -> String {
        self.sign_as(Algorithm::RS256, claims)
    }

    pub fn sign_as(&self, algorithm: Algorithm, claims: &Value) -> String {
        encode(&Header::new(algorithm), claims, &self.signing).expect("a signed token")
    }

    pub fn sign_with_id(&self, key_id: &str, claims: &Value) -> String {
        let header = Header { kid: Some(key_id.to_owned()), ..Header::new(Algorithm::RS256) };
        encode(&header, claims, &self.signing).expect("a signed token")
    }

    pub fn token(&self, user: &str) -> String {
        self.sign(&self.claims(user))
    }

    /// This key as an entry of a JSON Web Key Set.
    pub fn jwk(&self, key_id: &str) -> Value {
        let part = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        json!({"kty": "RSA", "use": "sig", "alg": "RS256", "kid": key_id, "n": part(&self.modulus), "e": part(&self.exponent)})
    }
}

/// Keys are slow to make; suites share these.
pub fn key(index: usize) -> &'static KeyPair {
    static KEYS: [OnceLock<KeyPair>; 4] = [const { OnceLock::new() }; 4];
    KEYS[index].get_or_init(|| KeyPair::generate(2048))
}

/// A token put together by hand: any header, any claims, any signature.
pub fn assembled(header: &Value, claims: &Value, signature: &[u8]) -> String {
    let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
    format!("{}.{}.{}", part(header), part(claims), URL_SAFE_NO_PAD.encode(signature))
}

/// Signed with a shared secret: the way a public key is abused as one.
pub fn signed_with_secret(algorithm: Algorithm, claims: &Value, secret: &[u8]) -> String {
    encode(&Header::new(algorithm), claims, &EncodingKey::from_secret(secret)).expect("a signed token")
}

pub fn now_s() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64)
}
