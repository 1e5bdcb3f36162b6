//! Forged and stale tokens of all three kinds: each is refused with 401, and the answer says nothing
//! about why. The good ones are accepted.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Read, Write};
use std::net::TcpListener;

use firn_tests::keys::{KeyPair, assembled, key, now_s, signed_with_secret};
use firn_tests::server::{ACCOUNT, ADMIN_TOKEN};
use firn_tests::{Request, Response, Server};
use jsonwebtoken::Algorithm;
use serde_json::{Value, json};

const KEY_PAIR: &str = "KEYPAIR_JWT";
const OAUTH: &str = "OAUTH";
const ACCESS_TOKEN: &str = "PROGRAMMATIC_ACCESS_TOKEN";
const ISSUER: &str = "https://issuer.test";

struct Forged {
    name: &'static str,
    kind: &'static str,
    token: String,
}

fn forged(kind: &'static str, name: &'static str, token: impl Into<String>) -> Forged {
    Forged { name, kind, token: token.into() }
}

fn call(server: &Server, token: &str, kind: Option<&str>) -> Response {
    let mut request = Request::statement("SELECT CURRENT_USER()", json!({}));
    if let Some(kind) = kind {
        request = request.header("X-Service-Authorization-Token-Type", kind);
    }
    server.client(token).send(&request)
}

fn run(server: &Server, statements: &[&str]) {
    for statement in statements {
        server.admin().rows(statement);
    }
}

/// Changes one field; null takes it away.
fn with(claims: &Value, name: &str, value: Value) -> Value {
    let mut changed = claims.clone();
    match value {
        Value::Null => drop(changed.as_object_mut().unwrap().remove(name)),
        value => changed[name] = value,
    }
    changed
}

/// JANE's key is 0, her second key 1; 2 is nobody's; 3 signs for the issuer.
fn server_with_users() -> Server {
    let server = Server::start_with(&[("FIRN_LOGIN_DELAY_MS_MAX", "0")]);
    let set_key =
        |user: &str, slot: &str, index: usize| format!("ALTER USER {user} SET {slot} = '{}'", key(index).public_text());
    run(
        &server,
        &[
            "CREATE USER JANE",
            "CREATE USER JOHN",
            "CREATE USER GONE",
            "CREATE USER LOCKED DISABLED = TRUE",
            "CREATE ROLE ANALYST",
            "GRANT ROLE ANALYST TO USER JANE",
            &set_key("JANE", "RSA_PUBLIC_KEY", 0),
            &set_key("JANE", "RSA_PUBLIC_KEY_2", 1),
            &set_key("LOCKED", "RSA_PUBLIC_KEY", 0),
            &set_key("GONE", "RSA_PUBLIC_KEY", 0),
            "DROP USER GONE",
            &integration("TRUSTED", ISSUER, 3, "TRUE"),
            &integration("SWITCHED_OFF", "https://off.test", 3, "FALSE"),
        ],
    );
    server
}

fn integration(name: &str, issuer: &str, key_index: usize, enabled: &str) -> String {
    format!(
        "CREATE SECURITY INTEGRATION {name} TYPE = EXTERNAL_OAUTH ENABLED = {enabled} EXTERNAL_OAUTH_TYPE = CUSTOM \
         EXTERNAL_OAUTH_ISSUER = '{issuer}' EXTERNAL_OAUTH_RSA_PUBLIC_KEY = '{}' \
         EXTERNAL_OAUTH_AUDIENCE_LIST = ('firn') EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM = 'upn' \
         EXTERNAL_OAUTH_SNOWFLAKE_USER_MAPPING_ATTRIBUTE = 'LOGIN_NAME' \
         EXTERNAL_OAUTH_BLOCKED_ROLES_LIST = ('ACCOUNTADMIN')",
        key(key_index).public_text()
    )
}

fn oauth_claims() -> Value {
    json!({
        "iss": ISSUER, "aud": "firn", "iat": now_s(), "exp": now_s() + 600,
        "upn": "JANE", "scp": "session:role:ANALYST",
    })
}

fn key_pair_tokens() -> Vec<Forged> {
    let jane = key(0);
    let good = jane.claims("JANE");
    let changed = |name: &str, value: Value| jane.sign(&with(&good, name, value));
    let claims_of_nobody = key(2).claims("JANE");
    let good_token = jane.sign(&good);
    let parts: Vec<&str> = good_token.split('.').collect();
    let subject = good["sub"].as_str().unwrap();
    let fingerprint = jane.fingerprint();
    let bare_fingerprint = fingerprint.trim_start_matches("SHA256:");
    let token = |name, token: String| forged(KEY_PAIR, name, token);
    vec![
        token("alg none, no signature", assembled(&json!({"alg": "none", "typ": "JWT"}), &good, b"")),
        token("alg None", assembled(&json!({"alg": "None"}), &good, b"")),
        token("alg none with a signature", assembled(&json!({"alg": "none"}), &good, b"x")),
        token("no alg", assembled(&json!({"typ": "JWT"}), &good, b"x")),
        token("alg is a number", assembled(&json!({"alg": 256}), &good, b"x")),
        token("HS256 with the public key", signed_with_secret(Algorithm::HS256, &good, &jane.public_der)),
        token("HS256 with the key's text", signed_with_secret(Algorithm::HS256, &good, jane.public_text().as_bytes())),
        token("HS512 with the public key", signed_with_secret(Algorithm::HS512, &good, &jane.public_der)),
        token("HS256 with no secret", signed_with_secret(Algorithm::HS256, &good, b"")),
        token("PS256, which is not allowed", jane.sign_as(Algorithm::PS256, &good)),
        token("signed with nobody's key", key(2).sign(&good)),
        token("nobody's key and its own fingerprint", key(2).sign(&claims_of_nobody)),
        token("a fingerprint that is not the key's", jane.sign(&claims_of_nobody)),
        token("fingerprint left out", changed("iss", json!(subject))),
        token("fingerprint without its prefix", changed("iss", json!(format!("{subject}.{bare_fingerprint}")))),
        token("fingerprint in lower case", changed("iss", json!(format!("{subject}.{}", fingerprint.to_lowercase())))),
        token("no iss", changed("iss", Value::Null)),
        token("no sub", changed("sub", Value::Null)),
        token("sub in lower case", changed("sub", json!(subject.to_lowercase()))),
        token("sub of another user", changed("sub", json!(format!("{ACCOUNT}.JOHN")))),
        token("sub of ADMIN", changed("sub", json!(format!("{ACCOUNT}.ADMIN")))),
        token("sub without the account", changed("sub", json!("JANE"))),
        token("another account", jane.sign(&in_account(jane, "OTHERACCOUNT"))),
        token("no account", jane.sign(&in_account(jane, ""))),
        token("a user without a key", jane.token("JOHN")),
        token("a user that is not there", jane.token("NOBODY")),
        token("a user that was dropped", jane.token("GONE")),
        token("a disabled user", jane.token("LOCKED")),
        token("expired a minute ago", jane.sign(&json_times(&good, now_s() - 600, now_s() - 60))),
        token("expired a second ago", jane.sign(&json_times(&good, now_s() - 600, now_s() - 1))),
        token("issued more than an hour ago", jane.sign(&json_times(&good, now_s() - 3_700, now_s() + 3_600))),
        token(
            "issued a day ago, good for a year",
            jane.sign(&json_times(&good, now_s() - 86_400, now_s() + 31_536_000)),
        ),
        token("issued in the future", jane.sign(&json_times(&good, now_s() + 600, now_s() + 1_200))),
        token("issued and expired in the future, in milliseconds", {
            jane.sign(&json_times(&good, (now_s() + 600) * 1_000, (now_s() + 1_200) * 1_000))
        }),
        token(
            "expired, in milliseconds",
            jane.sign(&json_times(&good, (now_s() - 600) * 1_000, (now_s() - 60) * 1_000)),
        ),
        token("no iat", changed("iat", Value::Null)),
        token(
            "no exp and an old iat",
            jane.sign(&with(&with(&good, "exp", Value::Null), "iat", json!(now_s() - 7_200))),
        ),
        token("iat is text", changed("iat", json!("now"))),
        token("exp is text", changed("exp", json!("never"))),
        token("exp is negative", changed("exp", json!(-1))),
        token("exp is before iat", jane.sign(&json_times(&good, now_s(), now_s() - 10))),
        token(
            "signature of other claims",
            format!("{}.{}.{}", parts[0], assembled_claims(&changed_user(&good)), parts[2]),
        ),
        token("signature cut", good_token[..good_token.len() - 8].to_owned()),
        token("signature left out", format!("{}.{}.", parts[0], parts[1])),
        token("two parts", format!("{}.{}", parts[0], parts[1])),
        token("four parts", format!("{good_token}.x")),
        token("claims that are no object", assembled(&json!({"alg": "RS256"}), &json!([1, 2]), b"x")),
        token("garbage", "garbage".to_owned()),
        token("dots", "...".to_owned()),
        token("not base64", "!!!.???.===".to_owned()),
        token("huge", format!("{}.{}.{}", parts[0], "A".repeat(6_000), parts[2])),
        token("an access token in its place", ADMIN_TOKEN.to_owned()),
        token("a key of 1024 bits", KeyPair::generate(1024).token("JANE")),
    ]
}

fn in_account(pair: &KeyPair, account: &str) -> Value {
    let claims = pair.claims("JANE");
    let subject = format!("{account}.JANE");
    let issuer = format!("{subject}.{}", pair.fingerprint());
    with(&with(&claims, "sub", json!(subject)), "iss", json!(issuer))
}

fn json_times(claims: &Value, issued: i64, expires: i64) -> Value {
    with(&with(claims, "iat", json!(issued)), "exp", json!(expires))
}

fn changed_user(claims: &Value) -> Value {
    with(claims, "sub", json!(format!("{ACCOUNT}.ADMIN")))
}

fn assembled_claims(claims: &Value) -> String {
    let whole = assembled(&json!({}), claims, b"");
    whole.split('.').nth(1).unwrap_or_default().to_owned()
}

fn oauth_tokens() -> Vec<Forged> {
    let issuer = key(3);
    let good = oauth_claims();
    let changed = |name: &str, value: Value| issuer.sign(&with(&good, name, value));
    let token = |name, token: String| forged(OAUTH, name, token);
    vec![
        token("an issuer nobody trusts", changed("iss", json!("https://evil.test"))),
        token("an issuer that differs by a slash", changed("iss", json!("https://issuer.test/"))),
        token("no issuer", changed("iss", Value::Null)),
        token("another audience", changed("aud", json!("elsewhere"))),
        token("a list of other audiences", changed("aud", json!(["a", "b"]))),
        token("no audience", changed("aud", Value::Null)),
        token("another key", key(2).sign(&good)),
        token("HS256 with the public key", signed_with_secret(Algorithm::HS256, &good, &issuer.public_der)),
        token("alg none", assembled(&json!({"alg": "none"}), &good, b"")),
        token("expired", issuer.sign(&json_times(&good, now_s() - 600, now_s() - 60))),
        token("expired a second ago", issuer.sign(&json_times(&good, now_s() - 600, now_s() - 1))),
        token("no exp", changed("exp", Value::Null)),
        token("issued in the future", issuer.sign(&json_times(&good, now_s() + 600, now_s() + 1_200))),
        token("not yet valid", changed("nbf", json!(now_s() + 600))),
        token("a user that is not there", changed("upn", json!("NOBODY"))),
        token("a disabled user", changed("upn", json!("LOCKED"))),
        token("no user", changed("upn", Value::Null)),
        token("the user in another claim", with_other_claim(issuer, &good)),
        token("a blocked role", changed("scp", json!("session:role:ACCOUNTADMIN"))),
        token("a role that is not granted", changed("scp", json!("session:role:NOT_GRANTED"))),
        token("no scope", changed("scp", Value::Null)),
        token("a scope that names no role", changed("scp", json!("openid profile"))),
        token("an integration that is switched off", changed("iss", json!("https://off.test"))),
        token("a key-pair token in its place", key(0).token("JANE")),
        token("garbage", "garbage.in.here".to_owned()),
    ]
}

fn with_other_claim(issuer: &KeyPair, claims: &Value) -> String {
    issuer.sign(&with(&with(claims, "upn", Value::Null), "sub", json!("JANE")))
}

fn access_tokens(server: &Server) -> Vec<Forged> {
    let admin = server.admin();
    let secret = |statement: &str| admin.rows(statement)[0][1].clone().unwrap();
    let removed = secret("ALTER USER JOHN ADD PROGRAMMATIC ACCESS TOKEN REMOVED");
    let rotated = secret("ALTER USER JOHN ADD PROGRAMMATIC ACCESS TOKEN ROTATED");
    let switched_off = secret("ALTER USER JOHN ADD PROGRAMMATIC ACCESS TOKEN SWITCHED_OFF");
    let of_locked = secret("ALTER USER LOCKED ADD PROGRAMMATIC ACCESS TOKEN T");
    run(
        server,
        &[
            "CREATE ROLE PASSING",
            "GRANT ROLE PASSING TO USER JOHN",
            "CREATE ROLE DROPPED",
            "GRANT ROLE DROPPED TO USER JOHN",
            "CREATE USER LEFT",
        ],
    );
    let role_revoked = secret("ALTER USER JOHN ADD PROGRAMMATIC ACCESS TOKEN TIED ROLE_RESTRICTION = 'PASSING'");
    let role_dropped = secret("ALTER USER JOHN ADD PROGRAMMATIC ACCESS TOKEN TIED_2 ROLE_RESTRICTION = 'DROPPED'");
    let of_left = secret("ALTER USER LEFT ADD PROGRAMMATIC ACCESS TOKEN T");
    let good = secret("ALTER USER JOHN ADD PROGRAMMATIC ACCESS TOKEN GOOD");
    run(
        server,
        &[
            "ALTER USER JOHN REMOVE PROGRAMMATIC ACCESS TOKEN REMOVED",
            "ALTER USER JOHN ROTATE PROGRAMMATIC ACCESS TOKEN ROTATED EXPIRE_ROTATED_TOKEN_AFTER_HOURS = 0",
            "ALTER USER JOHN MODIFY PROGRAMMATIC ACCESS TOKEN SWITCHED_OFF SET DISABLED = TRUE",
            "REVOKE ROLE PASSING FROM USER JOHN",
            "DROP ROLE DROPPED",
            "DROP USER LEFT",
        ],
    );
    assert_eq!(call(server, &good, Some(ACCESS_TOKEN)).status, 200);
    let token = |name, token: String| forged(ACCESS_TOKEN, name, token);
    vec![
        token("removed", removed),
        token("rotated past", rotated),
        token("switched off", switched_off),
        token("of a disabled user", of_locked),
        token("its role was revoked", role_revoked),
        token("its role was dropped", role_dropped),
        token("of a dropped user", of_left),
        token("one letter short", good[..good.len() - 1].to_owned()),
        token("one letter more", format!("{good}A")),
        token("other letter case", swapped_case(&good)),
        token("never given", "x".repeat(64)),
        token("its name in place of its secret", "GOOD".to_owned()),
        token("a key-pair token in its place", key(0).token("JANE")),
    ]
}

fn swapped_case(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() }).collect()
}

#[test]
fn every_one_is_refused_without_a_reason() {
    let server = server_with_users();
    let tokens: Vec<Forged> =
        [key_pair_tokens(), oauth_tokens(), access_tokens(&server)].into_iter().flatten().collect();
    assert!(tokens.len() >= 40, "only {} tokens", tokens.len());

    let mut problems = Vec::new();
    let mut answers: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
    for Forged { name, kind, token } in &tokens {
        let response = call(&server, token, Some(kind));
        if response.status != 401 {
            problems.push(format!("{kind}, {name}: {response}"));
        }
        answers.entry(kind).or_default().insert(response.text());
        let borrowed = name.ends_with("in its place");
        let undeclared = call(&server, token, None);
        if undeclared.status != 401 && !borrowed {
            problems.push(format!("undeclared {kind}, {name}: {undeclared}"));
        }
    }
    assert!(problems.is_empty(), "{} tokens were accepted\n{}", problems.len(), problems.join("\n"));
    for (kind, code) in [(KEY_PAIR, "390144"), (OAUTH, "390303"), (ACCESS_TOKEN, "394400")] {
        let bodies = &answers[kind];
        assert_eq!(bodies.len(), 1, "{kind} is refused in more than one way: {bodies:#?}");
        assert!(bodies.iter().all(|body| body.contains(code)), "{kind}: {bodies:?}");
    }
}

#[test]
fn good_ones_are_accepted() {
    let server = server_with_users();
    let jane = key(0);
    let good = jane.claims("JANE");
    let milliseconds = json_times(&good, now_s() * 1_000, (now_s() + 600) * 1_000);
    let issued_a_while_ago = json_times(&good, now_s() - 3_000, now_s() + 86_400);
    let list_of_audiences = with(&oauth_claims(), "aud", json!(["other", "firn"]));
    let list_of_scopes = with(&oauth_claims(), "scp", json!(["openid", "session:role:ANALYST"]));
    for (name, kind, token) in [
        ("key pair", KEY_PAIR, jane.sign(&good)),
        ("the second key", KEY_PAIR, key(1).token("JANE")),
        ("RS384", KEY_PAIR, jane.sign_as(Algorithm::RS384, &good)),
        ("RS512", KEY_PAIR, jane.sign_as(Algorithm::RS512, &good)),
        ("milliseconds", KEY_PAIR, jane.sign(&milliseconds)),
        ("exp far away, iat within the hour", KEY_PAIR, jane.sign(&issued_a_while_ago)),
        ("OAuth", OAUTH, key(3).sign(&oauth_claims())),
        ("OAuth with a list of audiences", OAUTH, key(3).sign(&list_of_audiences)),
        ("OAuth with a list of scopes", OAUTH, key(3).sign(&list_of_scopes)),
    ] {
        for declared in [Some(kind), None] {
            let response = call(&server, &token, declared);
            assert_eq!(response.status, 200, "{name}, declared as {declared:?}: {response}");
            assert_eq!(response.rows()[0][0].as_deref(), Some("JANE"), "{name}");
        }
    }
    for header in ["X-Service-Authorization-Token-Type", "X-Snowflake-Authorization-Token-Type"] {
        let request = Request::statement("SELECT 1", json!({})).header(header, ACCESS_TOKEN);
        assert_eq!(server.admin().send(&request).status, 200, "{header}");
        let request = request.header(header, KEY_PAIR);
        assert_eq!(server.admin().send(&request).status, 401, "{header}");
    }
}

#[test]
fn a_scope_sets_the_role() {
    let server = server_with_users();
    let token = key(3).sign(&oauth_claims());
    let role = |fields: Value| server.client(&token).sql_with("SELECT CURRENT_ROLE()", fields);
    assert_eq!(role(json!({})).rows()[0][0].as_deref(), Some("ANALYST"));
    assert_eq!(role(json!({"role": "ANALYST"})).status, 200);
    assert_eq!(role(json!({"role": "PUBLIC"})).status, 400);
}

#[test]
fn a_key_goes_stale_when_it_is_removed_or_replaced() {
    let server = server_with_users();
    let (first, second) = (key(0).token("JANE"), key(1).token("JANE"));
    let accepted = |token: &str| call(&server, token, Some(KEY_PAIR)).status == 200;
    assert!(accepted(&first) && accepted(&second));
    run(&server, &["ALTER USER JANE UNSET RSA_PUBLIC_KEY"]);
    assert!(!accepted(&first) && accepted(&second));
    let replaced = format!("ALTER USER JANE SET RSA_PUBLIC_KEY_2 = '{}'", key(2).public_text());
    run(&server, &[&replaced]);
    assert!(!accepted(&second) && accepted(&key(2).token("JANE")));
    let response = server.admin().sql("ALTER USER JANE SET RSA_PUBLIC_KEY = 'no key at all'");
    assert_eq!(response.status, 422, "{response}");
    let properties = server.admin().rows("DESC USER JANE");
    let shown = |name: &str| {
        let row = properties.iter().find(|row| row[0].as_deref() == Some(name));
        row.and_then(|row| row[1].clone()).unwrap_or_default()
    };
    assert_eq!(shown("RSA_PUBLIC_KEY_2_FP"), key(2).fingerprint());
}

/// Keys may come from a URL of the issuer's.
#[test]
fn keys_of_an_issuer_are_fetched() {
    let server = server_with_users();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/keys", listener.local_addr().unwrap());
    let body = json!({"keys": [key(1).jwk("k1")]}).to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten().take(8) {
            let mut request = [0; 4096];
            let _ = stream.read(&mut request);
            let head = format!(
                "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(format!("{head}{body}").as_bytes());
        }
    });
    let statement = integration("BY_URL", "https://keys.test", 1, "TRUE").replace(
        &format!("EXTERNAL_OAUTH_RSA_PUBLIC_KEY = '{}'", key(1).public_text()),
        &format!("EXTERNAL_OAUTH_JWS_KEYS_URL = '{url}'"),
    );
    run(&server, &[&statement]);
    let claims = with(&oauth_claims(), "iss", json!("https://keys.test"));
    let good = call(&server, &key(1).sign_with_id("k1", &claims), Some(OAUTH));
    assert_eq!(good.status, 200, "{good}");
    let bad = call(&server, &key(2).sign_with_id("k1", &claims), Some(OAUTH));
    assert_eq!(bad.status, 401, "{bad}");
    let unknown = call(&server, &key(2).sign_with_id("k2", &claims), Some(OAUTH));
    assert_eq!(unknown.status, 401, "{unknown}");
}
