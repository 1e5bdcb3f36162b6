//! Users who are disabled, locked or expired: nothing authenticates them, also what did before.

use firn_catalog::{AccountOutcome, Edited};
use firn_sql::command::{AccessTokenChange, AccountCommand, CreateMode, IfMissing, UserChange};
use serde_json::json;

use super::access_tokens::now_ms;
use super::{KEYS, Server, properties};
use crate::{AuthError, PasswordLogins};

const PASSWORD: &str = "a good password";

/// One token of every kind, each with the refusal of a bad one of its kind.
fn every_token(server: &Server) -> [(String, AuthError); 4] {
    let key = &KEYS[0];
    server.alter_ann(&[("RSA_PUBLIC_KEY", &key.public_base64()), ("PASSWORD", PASSWORD)]);
    let issuer = properties(&[
        ("TYPE", "EXTERNAL_OAUTH"),
        ("ENABLED", "TRUE"),
        ("EXTERNAL_OAUTH_ISSUER", "https://id.example.com"),
        ("EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM", "upn"),
        ("EXTERNAL_OAUTH_AUDIENCE_LIST", "firn"),
        ("EXTERNAL_OAUTH_RSA_PUBLIC_KEY", &key.public_base64()),
    ]);
    server.apply(&AccountCommand::CreateIntegration {
        name: "ID".to_owned(),
        mode: CreateMode::New,
        properties: issuer,
    });
    let now_s = now_ms() / 1_000;
    let subject = "ACME-EU.ANN";
    let key_pair = key.sign(&json!({
        "iss": format!("{subject}.{}", key.fingerprint()), "sub": subject, "iat": now_s - 1, "exp": now_s + 600,
    }));
    let oauth = key.sign(&json!({
        "iss": "https://id.example.com", "aud": "firn", "upn": "ann", "scp": "session:role:analyst", "exp": now_s + 600,
    }));
    let add = AccessTokenChange::Add { name: "T".to_owned(), properties: Vec::new() };
    let added = server.apply(&AccountCommand::AccessToken { user: Some("ANN".to_owned()), change: add });
    let AccountOutcome::TokenSecret { secret, .. } = added else { panic!("no secret") };
    let user = PasswordLogins::new(server.catalog.clone()).verify("ann", PASSWORD, now_ms()).unwrap();
    let session = server.catalog.open_login_session(&user, firn_catalog::ClientType::Driver).unwrap();
    [
        (key_pair, AuthError::BadJwt),
        (oauth, AuthError::BadOauth),
        (secret, AuthError::BadAccessToken),
        (session, AuthError::BadSession),
    ]
}

#[test]
fn every_kind_of_token_is_refused_at_once_and_good_again_later() {
    let server = Server::new();
    let tokens = every_token(&server);
    let logins = PasswordLogins::new(server.catalog.clone());
    for (bar, unbar) in
        [("MINS_TO_UNLOCK=60", "MINS_TO_UNLOCK"), ("DAYS_TO_EXPIRY=0", "DAYS_TO_EXPIRY"), ("DISABLED=TRUE", "DISABLED")]
    {
        for (token, refusal) in &tokens {
            assert!(server.authenticate(token, None, now_ms()).is_ok(), "{refusal:?} before {bar}");
        }
        server.alter_ann(&[bar.split_once('=').unwrap()]);
        for (token, refusal) in &tokens {
            assert_eq!(server.authenticate(token, None, now_ms()).unwrap_err(), *refusal, "{bar}");
        }
        assert_eq!(logins.verify("ANN", PASSWORD, now_ms()).unwrap_err(), AuthError::BadPassword, "{bar}");
        server.apply(&AccountCommand::AlterUser {
            name: "ANN".to_owned(),
            if_missing: IfMissing::Fail,
            change: UserChange::Unset(vec![unbar.to_owned()]),
        });
    }
    let hour_ms = 3_600_000;
    server.alter_ann(&[("DAYS_TO_EXPIRY", "1")]);
    let (access_token, _) = &tokens[2];
    assert!(server.authenticate(access_token, None, now_ms() + 23 * hour_ms).is_ok());
    assert!(server.authenticate(access_token, None, now_ms() + 24 * hour_ms).is_err(), "it expires by itself");
    for (token, refusal) in &tokens {
        let is_session = *refusal == AuthError::BadSession;
        assert_eq!(
            server.authenticate(token, None, now_ms()).is_err(),
            is_session,
            "sessions of the disabled stay ended"
        );
    }
}

/// Anybody can guess wrongly; that must not stop the programs of a user.
#[test]
fn wrong_passwords_shut_out_no_token() {
    let server = Server::new();
    let tokens = every_token(&server);
    let logins = PasswordLogins::new(server.catalog.clone());
    for _ in 0..5 {
        assert!(logins.verify("ANN", "a wrong password", now_ms()).is_err());
    }
    assert_eq!(logins.verify("ANN", PASSWORD, now_ms()).unwrap_err(), AuthError::BadPassword);
    for (token, refusal) in &tokens {
        assert!(server.authenticate(token, None, now_ms()).is_ok(), "{refusal:?}");
    }
    server.alter_ann(&[("MINS_TO_UNLOCK", "0")]);
    assert!(logins.verify("ANN", PASSWORD, now_ms()).is_ok());
}

#[test]
fn wrong_passwords_lock_for_a_while_whoever_has_one() {
    let server = Server::new();
    server.alter_ann(&[("PASSWORD", PASSWORD)]);
    server.create_user("BARE", &[]);
    let logins = PasswordLogins::new(server.catalog.clone());
    for login in ["ANN", "BARE", "NOBODY"] {
        for _ in 0..5 {
            assert_eq!(logins.verify(login, "a wrong password", now_ms()).unwrap_err(), AuthError::BadPassword);
        }
    }
    assert!(logins.verify("ANN", PASSWORD, now_ms()).is_err());
    assert!(logins.verify("ANN", PASSWORD, now_ms() + 16 * 60_000).is_ok());
    let principals = server.catalog.principals();
    assert_eq!(principals.user("BARE").unwrap().unlocked_on_ms(), None, "there is no password to guess");
}

#[test]
fn a_session_ends_with_the_password_that_opened_it() {
    let server = Server::new();
    let [.., (session, _)] = every_token(&server);
    assert!(server.authenticate(&session, None, now_ms()).is_ok());
    assert!(server.authenticate(&session, None, now_ms() + 4 * 3_600_000).is_err(), "by time");
    server.alter_ann(&[("PASSWORD", "another password")]);
    assert_eq!(server.authenticate(&session, None, now_ms()).unwrap_err(), AuthError::BadSession);
}

/// Between the check of the old password and the change to the new one, the administrator may set another.
#[test]
fn a_password_that_was_replaced_meanwhile_is_not_replaced_again() {
    let server = Server::new();
    server.alter_ann(&[("PASSWORD", PASSWORD)]);
    let logins = PasswordLogins::new(server.catalog.clone());
    let user = logins.verify("ann", PASSWORD, now_ms()).unwrap();
    server.alter_ann(&[("PASSWORD", "set by the administrator")]);
    assert_eq!(server.catalog.replace_password(&user, "chosen by the user").unwrap(), Edited::No);
    assert!(logins.verify("ann", "set by the administrator", now_ms()).is_ok());
}
