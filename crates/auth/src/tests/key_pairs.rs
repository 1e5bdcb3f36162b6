//! Tokens signed with a user's own key.

use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde_json::{Value, json};

use super::{KEYS, Key, NOW_MS, NOW_S, Server, URL_SAFE_NO_PAD, with};
use crate::{AuthError, TokenType};
use base64::Engine;

fn good_claims(key: &Key) -> Value {
    json!({
        "iss": format!("ACME-EU.ANN.{}", key.fingerprint()),
        "sub": "ACME-EU.ANN",
        "iat": NOW_S - 10,
        "exp": NOW_S + 50,
    })
}

fn server_with_key() -> Server {
    let server = Server::new();
    server.alter_ann(&[("RSA_PUBLIC_KEY", &KEYS[0].public_base64())]);
    server
}

#[test]
fn claims_decide() {
    let server = server_with_key();
    let [key, other] = &*KEYS;
    let good = good_claims(key);
    let ann = Ok(("ANN", None));
    let bad = Err(AuthError::BadJwt);
    let fingerprint = key.fingerprint();
    let issuer = |subject: &str| format!("{subject}.{fingerprint}");
    let cases = [
        ("good", json!({}), ann),
        ("milliseconds", json!({"iat": NOW_MS - 10_000, "exp": NOW_MS + 50_000}), ann),
        ("fractions", json!({"iat": NOW_S as f64 - 0.5, "exp": NOW_S as f64 + 0.5}), ann),
        ("an exp a year ahead", json!({"exp": NOW_S + 31_536_000}), ann),
        ("a clock half a minute ahead", json!({"iat": NOW_S + 30}), ann),
        ("expired just now", json!({"exp": NOW_S}), bad),
        ("expired in milliseconds", json!({"exp": NOW_MS}), bad),
        ("an hour old", json!({"iat": NOW_S - 3_600, "exp": NOW_S + 31_536_000}), bad),
        ("from the future", json!({"iat": NOW_S + 61, "exp": NOW_S + 120}), bad),
        ("not yet", json!({"nbf": NOW_S + 61}), bad),
        ("no iat", json!({"iat": null}), bad),
        ("no exp", json!({"exp": null}), bad),
        ("iat as text", json!({"iat": "1800000000"}), bad),
        ("exp as text", json!({"exp": "1900000000"}), bad),
        ("negative iat", json!({"iat": -1}), bad),
        ("enormous exp", json!({"exp": 1e300}), bad),
        ("no sub", json!({"sub": null}), bad),
        ("another sub", json!({"sub": "ACME-EU.ADMIN"}), bad),
        ("sub in lower case", json!({"sub": "acme-eu.ann", "iss": issuer("acme-eu.ann")}), bad),
        ("user in lower case", json!({"sub": "ACME-EU.ann", "iss": issuer("ACME-EU.ann")}), bad),
        ("another account", json!({"sub": "OTHER.ANN", "iss": issuer("OTHER.ANN")}), bad),
        ("account with its dot", json!({"sub": "ACME.EU.ANN", "iss": issuer("ACME.EU.ANN")}), bad),
        ("account as prefix", json!({"sub": "ACME-EUROPE.ANN", "iss": issuer("ACME-EUROPE.ANN")}), bad),
        ("a user without a key", json!({"sub": "ACME-EU.ADMIN", "iss": issuer("ACME-EU.ADMIN")}), bad),
        ("an unknown user", json!({"sub": "ACME-EU.BOB", "iss": issuer("ACME-EU.BOB")}), bad),
        ("no user", json!({"sub": "ACME-EU.", "iss": issuer("ACME-EU.")}), bad),
        ("another fingerprint", json!({"iss": format!("ACME-EU.ANN.{}", other.fingerprint())}), bad),
        ("an empty fingerprint", json!({"iss": "ACME-EU.ANN.SHA256:"}), bad),
        ("a longer fingerprint", json!({"iss": format!("ACME-EU.ANN.{fingerprint}A")}), bad),
    ];
    for (what, changes, expected) in cases {
        server.check(what, &key.sign(&with(&good, changes)), expected);
    }
}

#[test]
fn signatures_decide() {
    let server = server_with_key();
    let [key, other] = &*KEYS;
    let good = good_claims(key);
    let bad = Err(AuthError::BadJwt);
    let token = key.sign(&good);
    let (message, signature) = token.rsplit_once('.').unwrap();
    let (header, payload) = message.split_once('.').unwrap();
    let encode = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let longer_lived = encode(with(&good, json!({"exp": NOW_S + 99})));
    let hmac = |secret: &[u8]| {
        jsonwebtoken::encode(&Header::new(Algorithm::HS256), &good, &EncodingKey::from_secret(secret)).unwrap()
    };
    let critical = Header { crit: Some(vec!["b64".to_owned()]), ..Header::new(Algorithm::RS256) };
    let none = encode(json!({"alg": "none", "typ": "JWT"}));
    let claimed_pss = encode(json!({"alg": "PS256", "typ": "JWT"}));
    let cases = [
        ("another key", other.sign(&good)),
        ("no signature", format!("{message}.")),
        ("a cut signature", token[..token.len() - 8].to_owned()),
        ("another payload", format!("{header}.{longer_lived}.{signature}")),
        ("alg none", format!("{none}.{payload}.")),
        ("alg none with the signature", format!("{none}.{payload}.{signature}")),
        ("HMAC with the public key", hmac(&key.public_der())),
        ("HMAC with the public key's text", hmac(key.public_base64().as_bytes())),
        ("HMAC with nothing", hmac(b"")),
        ("PSS", key.sign_with(&Header::new(Algorithm::PS256), &good)),
        ("said to be PSS", format!("{claimed_pss}.{payload}.{signature}")),
        ("a demanded extension", key.sign_with(&critical, &good)),
    ];
    for (what, forged) in cases {
        server.check(what, &forged, bad);
    }
    for algorithm in [Algorithm::RS384, Algorithm::RS512] {
        server.check("a longer hash", &key.sign_with(&Header::new(algorithm), &good), Ok(("ANN", None)));
    }
    let oversized = format!("{message}.{}", "A".repeat(20_000));
    assert!(server.authenticate(&oversized, Some(TokenType::KeypairJwt), NOW_MS).is_err());
    assert!(server.authenticate(&token, Some(TokenType::Oauth), NOW_MS).is_err());
    assert!(server.authenticate(&token, Some(TokenType::ProgrammaticAccessToken), NOW_MS).is_err());
    assert!(server.authenticate("not.a.token", Some(TokenType::KeypairJwt), NOW_MS).is_err());
}

#[test]
fn a_verified_token_is_judged_anew_when_time_or_the_account_moves_on() {
    let server = server_with_key();
    let [key, other] = &*KEYS;
    let token = key.sign(&good_claims(key));
    let present = |now_ms| server.authenticate(&token, None, now_ms).is_ok();
    assert!(present(NOW_MS) && present(NOW_MS));
    assert!(server.authenticate(&token, Some(TokenType::Oauth), NOW_MS).is_err());
    assert!(present(NOW_MS + 49_999) && !present(NOW_MS + 50_000));

    server.alter_ann(&[("RSA_PUBLIC_KEY_2", &other.public_base64())]);
    assert!(present(NOW_MS));
    server.check("the second key", &other.sign(&good_claims(other)), Ok(("ANN", None)));
    server.alter_ann(&[("RSA_PUBLIC_KEY", &other.public_base64())]);
    assert!(!present(NOW_MS), "a key that was rotated away");
    server.alter_ann(&[("RSA_PUBLIC_KEY", &key.public_base64())]);
    assert!(present(NOW_MS));
    server.alter_ann(&[("DISABLED", "TRUE")]);
    assert!(!present(NOW_MS), "a disabled user");
}
