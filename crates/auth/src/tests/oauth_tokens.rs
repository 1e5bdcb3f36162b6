//! Tokens of an external issuer.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use firn_sql::command::{AccountCommand, CreateMode, IfMissing};
use jsonwebtoken::{Algorithm, Header};
use serde_json::{Value, json};

use super::{KEYS, NOW_MS, NOW_S, Server, properties, with};
use crate::{AuthError, TokenType};

const BASE: &[(&str, &str)] = &[
    ("TYPE", "EXTERNAL_OAUTH"),
    ("ENABLED", "TRUE"),
    ("EXTERNAL_OAUTH_ISSUER", "https://id.example.com"),
    ("EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM", "upn"),
    ("EXTERNAL_OAUTH_AUDIENCE_LIST", "firn"),
];

fn server_with(set: &[(&str, &str)]) -> Server {
    let server = Server::new();
    let properties = properties(&[BASE, set].concat());
    server.apply(&AccountCommand::CreateIntegration { name: "ID".to_owned(), mode: CreateMode::New, properties });
    server
}

fn server_with_key() -> Server {
    server_with(&[("EXTERNAL_OAUTH_RSA_PUBLIC_KEY", &KEYS[0].public_base64())])
}

fn alter(server: &Server, set: &[(&str, &str)]) {
    server.apply(&AccountCommand::AlterIntegration {
        name: "ID".to_owned(),
        if_missing: IfMissing::Fail,
        set: properties(set),
        unset: Vec::new(),
    });
}

fn good_claims() -> Value {
    json!({
        "iss": "https://id.example.com",
        "aud": "firn",
        "upn": "ann",
        "scp": "openid session:role:analyst",
        "exp": NOW_S + 600,
    })
}

#[test]
fn claims_decide() {
    let server = server_with_key();
    let analyst = || Ok(("ANN", Some("ANALYST")));
    let bad = || Err(AuthError::BadOauth);
    let cases = [
        ("good", json!({}), analyst()),
        ("audiences as a list", json!({"aud": ["other", "firn"]}), analyst()),
        ("scopes as a list", json!({"scp": ["session:role:ANALYST"]}), analyst()),
        ("scopes under their other name", json!({"scp": null, "scope": "session:role:Analyst"}), analyst()),
        ("everyone's role", json!({"scp": "session:role:public"}), Ok(("ANN", Some("PUBLIC")))),
        ("the first role that can be had", json!({"scp": "session:role:x session:role:analyst"}), analyst()),
        ("expired", json!({"exp": NOW_S}), bad()),
        ("no exp", json!({"exp": null}), bad()),
        ("not yet", json!({"nbf": NOW_S + 61}), bad()),
        ("from the future", json!({"iat": NOW_S + 61}), bad()),
        ("another issuer", json!({"iss": "https://evil.example.com"}), bad()),
        ("no issuer", json!({"iss": null}), bad()),
        ("another audience", json!({"aud": "other"}), bad()),
        ("no audience", json!({"aud": null}), bad()),
        ("an unknown user", json!({"upn": "bob"}), bad()),
        ("no user", json!({"upn": null, "sub": "ann"}), bad()),
        ("a user that is no text", json!({"upn": ["ann"]}), bad()),
        ("no scope", json!({"scp": null}), bad()),
        ("a role not granted", json!({"scp": "session:role:sysadmin"}), bad()),
        ("an empty role", json!({"scp": "session:role:"}), bad()),
        ("any role", json!({"scp": "session:role-any"}), bad()),
        ("a privileged role", json!({"upn": "admin", "scp": "session:role:accountadmin"}), bad()),
    ];
    for (what, changes, expected) in cases {
        server.check(what, &KEYS[0].sign(&with(&good_claims(), changes)), expected);
    }
    server.check("another key", &KEYS[1].sign(&good_claims()), bad());
    server.check("PSS", &KEYS[0].sign_with(&Header::new(Algorithm::PS256), &good_claims()), bad());
    let token = KEYS[0].sign(&good_claims());
    assert!(server.authenticate(&token, Some(TokenType::Oauth), NOW_MS).is_ok());
    assert_eq!(server.authenticate(&token, Some(TokenType::KeypairJwt), NOW_MS).unwrap_err(), AuthError::BadJwt);
}

#[test]
fn the_integration_decides() {
    let server = server_with_key();
    let token = KEYS[0].sign(&good_claims());
    let any_role = KEYS[0].sign(&with(&good_claims(), json!({"scp": "session:role-any"})));
    let admin = KEYS[0].sign(&with(&good_claims(), json!({"upn": "admin", "scp": "session:role-any"})));
    server.check("as made", &token, Ok(("ANN", Some("ANALYST"))));
    alter(&server, &[("EXTERNAL_OAUTH_ANY_ROLE_MODE", "ENABLE")]);
    server.check("any role", &any_role, Ok(("ANN", None)));
    let caller = server.authenticate(&admin, None, NOW_MS).unwrap();
    assert!(server.catalog.principals().active_role(&caller, Some("ACCOUNTADMIN")).is_err());
    assert!(server.catalog.principals().active_role(&caller, Some("SYSADMIN")).is_ok());
    alter(&server, &[("EXTERNAL_OAUTH_BLOCKED_ROLES_LIST", "analyst")]);
    server.check("a blocked role", &token, Err(AuthError::BadOauth));
    alter(&server, &[("EXTERNAL_OAUTH_BLOCKED_ROLES_LIST", "other")]);
    server.check("no longer blocked", &token, Ok(("ANN", Some("ANALYST"))));
    server.alter_ann(&[("EMAIL", "Ann@example.com")]);
    alter(&server, &[("EXTERNAL_OAUTH_USER_MAPPING_ATTRIBUTE", "EMAIL_ADDRESS")]);
    server.check("a login where an address is asked", &token, Err(AuthError::BadOauth));
    let by_email = KEYS[0].sign(&with(&good_claims(), json!({"upn": "ann@example.com"})));
    server.check("an address", &by_email, Ok(("ANN", Some("ANALYST"))));
    server.create_user("TWIN", &[("EMAIL", "ANN@EXAMPLE.COM")]);
    server.check("an address of two users", &by_email, Err(AuthError::BadOauth));
    alter(&server, &[("ENABLED", "FALSE")]);
    server.check("switched off", &by_email, Err(AuthError::BadOauth));
}

/// Answers every request with the keys it is given, and counts the requests.
fn publish(keys: Value) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/keys", listener.local_addr().unwrap());
    let requests = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&requests);
    std::thread::spawn(move || {
        let body = json!({"keys": keys}).to_string();
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4_096]).unwrap();
            counted.fetch_add(1, Ordering::SeqCst);
            let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\nconnection: close\r\n\r\n", body.len());
            stream.write_all((head + &body).as_bytes()).unwrap();
        }
    });
    (url, requests)
}

fn signed_with_id(key: usize, key_id: Option<&str>) -> String {
    let header = Header { kid: key_id.map(str::to_owned), ..Header::new(Algorithm::RS256) };
    KEYS[key].sign_with(&header, &good_claims())
}

#[test]
fn published_keys_are_fetched_once_and_found_by_their_id() {
    let weak = json!({"kty": "RSA", "kid": "weak", "n": "AQAB", "e": "AQAB"});
    let secret = json!({"kty": "oct", "kid": "secret", "k": "AAAA"});
    let (url, requests) = publish(json!([weak, secret, KEYS[0].published("first")]));
    let server = server_with(&[("EXTERNAL_OAUTH_JWS_KEYS_URL", &url)]);
    let token = signed_with_id(0, Some("first"));
    assert!(server.authenticator.authenticate_fast(&token, None, NOW_MS).is_none(), "the keys are not here yet");
    assert_eq!(requests.load(Ordering::SeqCst), 0);
    server.check("good", &token, Ok(("ANN", Some("ANALYST"))));
    server.check("the only usable key, unnamed", &signed_with_id(0, None), Ok(("ANN", Some("ANALYST"))));
    server.check("a forged signature", &signed_with_id(1, Some("first")), Err(AuthError::BadOauth));
    server.check("an unknown key", &signed_with_id(1, Some("second")), Err(AuthError::BadOauth));
    server.check("a weak key", &signed_with_id(1, Some("weak")), Err(AuthError::BadOauth));
    assert!(server.authenticator.authenticate_fast(&token, None, NOW_MS).unwrap().is_ok());
    assert_eq!(requests.load(Ordering::SeqCst), 1);
}

#[test]
fn keys_out_of_reach_let_nobody_in() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let server = server_with(&[("EXTERNAL_OAUTH_JWS_KEYS_URL", &format!("http://{closed}/keys"))]);
    server.check("out of reach", &signed_with_id(0, Some("first")), Err(AuthError::Unavailable));
    server.check("asked a moment ago", &signed_with_id(0, Some("first")), Err(AuthError::Unavailable));
}
