//! Programmatic access tokens.

use firn_catalog::AccountOutcome;
use firn_sql::command::{AccessTokenChange, AccountCommand, Grantee, TokenChange};

use super::{Server, properties};
use crate::{AuthError, TokenType};

fn change(change: AccessTokenChange) -> AccountCommand {
    AccountCommand::AccessToken { user: Some("ANN".to_owned()), change }
}

fn add_token(server: &Server, name: &str, set: &[(&str, &str)]) -> String {
    let added = change(AccessTokenChange::Add { name: name.to_owned(), properties: properties(set) });
    match server.apply(&added) {
        AccountOutcome::TokenSecret { secret, .. } => secret,
        AccountOutcome::Done(status) => panic!("no secret: {status}"),
    }
}

/// Access tokens are stamped with the real clock, so these tests are too.
pub(super) fn now_ms() -> i64 {
    std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap().as_millis() as i64
}

#[test]
fn a_token_works_until_it_is_expired_disabled_or_removed() {
    let server = Server::new();
    let free = add_token(&server, "FREE", &[]);
    let tied = add_token(&server, "TIED", &[("ROLE_RESTRICTION", "ANALYST")]);
    let present = |token: &str, now_ms| server.authenticate(token, None, now_ms);
    let day_ms = 86_400_000;
    assert_eq!(present(&free, now_ms()).unwrap().user.name, "ANN");
    assert_eq!(present(&tied, now_ms()).unwrap().role_restriction.as_deref(), Some("ANALYST"));
    assert!(present(&free, now_ms() + 14 * day_ms).is_ok());
    assert_eq!(present(&free, now_ms() + 15 * day_ms).unwrap_err(), AuthError::BadAccessToken);
    assert!(server.authenticate(&free, Some(TokenType::ProgrammaticAccessToken), now_ms()).is_ok());
    assert_eq!(server.authenticate(&free, Some(TokenType::Oauth), now_ms()).unwrap_err(), AuthError::BadOauth);
    assert_eq!(server.authenticate(&free, Some(TokenType::KeypairJwt), now_ms()).unwrap_err(), AuthError::BadJwt);

    let disable = TokenChange::Set(properties(&[("DISABLED", "TRUE")]));
    server.apply(&change(AccessTokenChange::Modify { name: "FREE".to_owned(), change: disable }));
    assert!(present(&free, now_ms()).is_err());
    server.apply(&AccountCommand::RevokeRole { role: "ANALYST".to_owned(), from: Grantee::User("ANN".to_owned()) });
    assert_eq!(present(&tied, now_ms()).unwrap_err(), AuthError::BadAccessToken, "its role was revoked");
}

#[test]
fn rotation_keeps_the_old_secret_for_a_while() {
    let server = Server::new();
    let old = add_token(&server, "T", &[]);
    let rotate = AccessTokenChange::Rotate { name: "T".to_owned(), properties: Vec::new() };
    let AccountOutcome::TokenSecret { secret: new, .. } = server.apply(&change(rotate)) else { panic!("no secret") };
    let hour_ms = 3_600_000;
    let present = |token: &str, now_ms| server.authenticate(token, None, now_ms).is_ok();
    assert!(present(&old, now_ms()) && present(&new, now_ms()));
    assert!(!present(&old, now_ms() + 24 * hour_ms) && present(&new, now_ms() + 24 * hour_ms));
    server.apply(&change(AccessTokenChange::Remove { name: "T".to_owned() }));
    assert!(!present(&new, now_ms()));
    server.alter_ann(&[("DISABLED", "TRUE")]);
    assert!(!present(&old, now_ms()));
}

#[test]
fn unknown_secrets_say_nothing() {
    let server = Server::new();
    let bad = || Err(AuthError::BadAccessToken);
    server.check("no token", "", Err(AuthError::Missing));
    server.check("a word", "secret", bad());
    server.check("an unknown secret", "firn_pat_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", bad());
    server.check("a prefix alone", "firn_pat_", bad());
    server.check("a secret with dots", "firn_pat_a.b.c", bad());
    server.check("the first token, dots and all", "admin.token.given", Ok(("ADMIN", None)));
    server.check("the first token in upper case", "ADMIN.TOKEN.GIVEN", Err(AuthError::BadOauth));
    server.check("far too long", &"x".repeat(1 << 20), Err(AuthError::BadOauth));
}
