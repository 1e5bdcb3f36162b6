//! Tokens: whatever is sent for one, only the tokens that were issued let anybody in.

use firn_auth::{Authenticator, TokenType, claimed_user};
use firn_catalog::Catalog;
use firn_fuzz::campaign::Campaign;
use firn_tests::keys::key;
use serde_json::json;

const ADMIN_TOKEN: &str = "0123456789abcdef.0123456789abcdef.admin";
const NOW_MS: i64 = 1_800_000_000_000;

#[test]
fn only_issued_tokens_let_anybody_in() {
    let folder = tempfile::tempdir().expect("a folder");
    let catalog = Catalog::open(folder.path()).expect("a catalog");
    catalog.bootstrap("TESTACCOUNT", Some(ADMIN_TOKEN)).expect("a first start");
    let authenticator = Authenticator::new(catalog);
    let claims = json!({"iss": "https://issuer.test", "sub": "ADMIN", "aud": ["firn"], "exp": 1_800_000_600});
    let mut tokens = vec![ADMIN_TOKEN.to_owned(), key(0).sign(&key(0).claims("ADMIN")), key(1).sign(&claims)];
    tokens.push(key(1).sign_with_id("k", &json!({"sub": {"a": [1]}, "exp": "soon"})));
    Campaign { name: "tokens", rounds: 3000 }.run(&tokens, |token| {
        let declared =
            [None, Some(TokenType::KeypairJwt), Some(TokenType::Oauth), Some(TokenType::ProgrammaticAccessToken)];
        for declared in declared {
            let is_let_in = authenticator.authenticate(token, declared, NOW_MS).is_ok();
            assert!(!is_let_in || token == ADMIN_TOKEN, "{token:?} as {declared:?} is let in");
        }
        // Shown in the log, never trusted.
        let _ = claimed_user(token);
    });
}
