//! Tokens signed with a caller's private key: RS256, for account and user in upper case, with the fingerprint of the public key.

use std::error::Error;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use chrono::Utc;
use rsa::RsaPrivateKey;
use rsa::pkcs1::DecodeRsaPrivateKey;
use rsa::pkcs1v15::SigningKey;
use rsa::pkcs8::{DecodePrivateKey, EncodePublicKey};
use rsa::signature::{SignatureEncoding, Signer};
use serde_json::json;
use sha2::{Digest, Sha256};

use crate::failure::Failure;

const LIFETIME_S: i64 = 3_600;

pub fn signed_token(account: &str, user: &str, pem: &str) -> Result<String, Box<dyn Error>> {
    let key = private_key(pem)?;
    let public = key.to_public_key().to_public_key_der()?;
    let fingerprint = STANDARD.encode(Sha256::digest(public.as_bytes()));
    let subject = format!("{}.{}", account_name(account), user.to_uppercase());
    let now = Utc::now().timestamp();
    let header = json!({"alg": "RS256", "typ": "JWT"});
    let claims = json!({"iss": format!("{subject}.SHA256:{fingerprint}"), "sub": subject, "iat": now,
        "exp": now + LIFETIME_S});
    let text = |value: &serde_json::Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let signed = format!("{}.{}", text(&header), text(&claims));
    let signature = SigningKey::<Sha256>::new(key).try_sign(signed.as_bytes())?;
    Ok(format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature.to_bytes())))
}

/// The account as tokens name it: in upper case, without the region behind the first dot.
fn account_name(account: &str) -> String {
    account.split('.').next().unwrap_or_default().to_uppercase()
}

fn private_key(pem: &str) -> Result<RsaPrivateKey, Box<dyn Error>> {
    if pem.contains("ENCRYPTED") {
        let way_out = "openssl pkcs8 -in key.p8 -out plain.p8 && chmod 0600 plain.p8";
        return Err(Failure::usage(format!("the private key is encrypted, which is not supported; run: {way_out}")));
    }
    let base64: String = pem.lines().filter(|line| !line.starts_with('-')).map(str::trim).collect();
    let der = STANDARD.decode(base64).map_err(|_| Failure::usage("the private key is no PEM file"))?;
    let key = RsaPrivateKey::from_pkcs8_der(&der).ok().or_else(|| RsaPrivateKey::from_pkcs1_der(&der).ok());
    key.ok_or_else(|| Failure::usage("the private key is no RSA key in PKCS#8 or PKCS#1"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn accounts_are_named_without_their_region() {
        assert_eq!(account_name("acme.eu-west-1"), "ACME");
        assert_eq!(account_name("org-one"), "ORG-ONE");
    }

    #[test]
    fn keys_that_cannot_be_used_are_refused_by_name() {
        let check = |pem: &str, expected: &str| {
            let message = signed_token("a", "u", pem).unwrap_err().to_string();
            assert!(message.contains(expected), "{message}");
        };
        check("-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n", "is encrypted");
        check("not a key", "no PEM file");
        check("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n", "no RSA key");
    }
}
