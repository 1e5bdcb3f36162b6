//! Who is let in by what, and how long.

use firn_tests::driver::{Driver, LOGIN, QUERY, envelope, login_body, request};
use firn_tests::keys::{key, now_s};
use firn_tests::server::ADMIN_TOKEN;
use firn_tests::{Request, Server, client, comes_true};
use serde_json::{Value, json};

const PASSWORD: &str = "a quiet Sunday 7 times";

fn with_user(server: &Server) {
    let admin = server.admin();
    admin.rows(&format!("CREATE USER ANNA PASSWORD = '{PASSWORD}' MUST_CHANGE_PASSWORD = FALSE"));
}

fn password_body(user: &str, password: &str) -> Value {
    json!({"data": {"LOGIN_NAME": user, "PASSWORD": password, "AUTHENTICATOR": "SNOWFLAKE",
        "EXT_AUTHN_DUO_METHOD": "push", "SVN_REVISION": null, "CLIENT_APP_ID": "MyTool",
        "SESSION_PARAMETERS": {"NO_SUCH_PARAMETER": "x", "TIMEZONE": "Europe/Oslo", "AUTOCOMMIT": false}}})
}

fn with_token(driver: &Driver, token: &str) -> Driver {
    let mut other = driver.clone();
    other.session_token = token.to_owned();
    other
}

#[test]
fn every_field_that_some_driver_needs_is_there() {
    let server = Server::start();
    let answer = Driver::try_open(&server, &[], &login_body(ADMIN_TOKEN, &json!({})));
    let data = &answer["data"];
    assert!(data["sessionId"].is_u64() && data["token"].is_string() && data["masterToken"].is_string(), "{answer}");
    assert!(data["validityInSeconds"] == 3_600 && data["masterValidityInSeconds"] == 14_400, "{answer}");
    assert!(data["sessionInfo"].is_object() && data["sessionInfo"]["roleName"].is_string(), "{answer}");
    assert!(data["serverVersion"].as_str().is_some_and(|version| !version.starts_with('0')), "{answer}");
    let parameters = data["parameters"].as_array().expect("a list of parameters");
    let value = |name: &str| parameters.iter().find(|one| one["name"] == name).map(|one| one["value"].clone());
    assert_eq!(value("AUTOCOMMIT"), Some(json!(true)));
    assert_eq!(value("TIMEZONE"), Some(json!("UTC")));
    assert!(value("CLIENT_STAGE_ARRAY_BINDING_THRESHOLD").is_some_and(|value| value.is_u64()));
}

#[test]
fn a_password_or_a_token_in_its_place_lets_a_user_in() {
    let server = Server::start();
    with_user(&server);
    let answer = Driver::try_open(&server, &[], &password_body("anna", PASSWORD));
    let driver = Driver::of_answer(&server, &answer);
    assert_eq!(driver.cell("SELECT CURRENT_USER()"), "ANNA");
    assert_eq!(driver.cell("SELECT CURRENT_TIMESTAMP()::VARCHAR LIKE '% +0_00'"), "1", "the parameter of the login");
    let by_token = Driver::try_open(&server, &[], &password_body("ADMIN", ADMIN_TOKEN));
    assert_eq!(Driver::of_answer(&server, &by_token).cell("SELECT CURRENT_USER()"), "ADMIN");
    // A token of another user than the one who is named.
    for (user, password) in [("anna", "wrong"), ("nobody", PASSWORD), ("anna", ADMIN_TOKEN), ("", "")] {
        let refused = Driver::try_open(&server, &[], &password_body(user, password));
        assert_eq!((&refused["success"], &refused["code"]), (&json!(false), &json!("390100")), "{user}: {refused}");
    }
    let rows =
        "SELECT COUNT(*) FROM TABLE(INFORMATION_SCHEMA.LOGIN_HISTORY()) WHERE USER_NAME = 'ANNA' AND IS_SUCCESS = 'NO'";
    let is_recorded = || server.admin().sql(rows).status != 200 || server.admin().cell(rows) != "0";
    assert!(comes_true(is_recorded));
}

/// A login with a token of this kind.
fn open_by(server: &Server, authenticator: &str, token: &str) -> Driver {
    let body = json!({"data": {"LOGIN_NAME": "ANNA", "AUTHENTICATOR": authenticator, "TOKEN": token}});
    Driver::of_answer(server, &Driver::try_open(server, &[], &body))
}

#[test]
fn a_session_ends_with_the_key_that_opened_it() {
    let server = Server::start();
    with_user(&server);
    let (admin, first, second) = (server.admin(), key(0), key(1));
    let keys = [("RSA_PUBLIC_KEY", first), ("RSA_PUBLIC_KEY_2", second)];
    for (property, key) in keys {
        admin.rows(&format!("ALTER USER ANNA SET {property} = '{}'", key.public_text()));
    }
    let sessions = keys.map(|(_, key)| open_by(&server, "SNOWFLAKE_JWT", &key.token("ANNA")));
    for driver in &sessions {
        assert_eq!(driver.cell("SELECT CURRENT_USER()"), "ANNA");
    }
    admin.rows("ALTER USER ANNA UNSET RSA_PUBLIC_KEY");
    assert_eq!(sessions[0].code("SELECT 1"), "390111");
    assert_eq!(sessions[1].cell("SELECT 2"), "2", "the other key is there");
}

#[test]
fn a_session_ends_with_the_integration_of_its_issuer() {
    let server = Server::start();
    with_user(&server);
    let (admin, issuer) = (server.admin(), key(2));
    admin.rows(&format!(
        "CREATE SECURITY INTEGRATION IDP TYPE = EXTERNAL_OAUTH ENABLED = TRUE EXTERNAL_OAUTH_TYPE = CUSTOM \
         EXTERNAL_OAUTH_ISSUER = 'https://idp.example' EXTERNAL_OAUTH_RSA_PUBLIC_KEY = '{}' \
         EXTERNAL_OAUTH_AUDIENCE_LIST = ('firn') EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM = 'sub' \
         EXTERNAL_OAUTH_SNOWFLAKE_USER_MAPPING_ATTRIBUTE = 'LOGIN_NAME' EXTERNAL_OAUTH_ANY_ROLE_MODE = 'ENABLE'",
        issuer.public_text()
    ));
    let claims = json!({"iss": "https://idp.example", "aud": "firn", "sub": "ANNA", "scp": "session:role-any",
        "iat": now_s(), "exp": now_s() + 600});
    let driver = open_by(&server, "OAUTH", &issuer.sign(&claims));
    assert_eq!(driver.cell("SELECT CURRENT_USER()"), "ANNA");
    admin.rows("ALTER SECURITY INTEGRATION IDP SET ENABLED = FALSE");
    assert_eq!(driver.code("SELECT 1"), "390111");
}

#[test]
fn wrong_passwords_lock_a_user_out() {
    let server = Server::start();
    with_user(&server);
    for _ in 0..5 {
        Driver::try_open(&server, &[], &password_body("ANNA", "wrong"));
    }
    assert_eq!(Driver::try_open(&server, &[], &password_body("ANNA", PASSWORD))["code"], "390100");
}

#[test]
fn other_authenticators_are_refused_by_name() {
    let server = Server::start();
    for name in ["EXTERNALBROWSER", "WORKLOAD_IDENTITY", "https://example.okta.com"] {
        let body = json!({"data": {"LOGIN_NAME": "ADMIN", "AUTHENTICATOR": name}});
        let answer = Driver::try_open(&server, &[], &body);
        assert!(answer["message"].as_str().is_some_and(|text| text.contains(&name.to_uppercase())), "{answer}");
    }
    let answer = envelope(&server.stranger().send(&request("POST", "/session/authenticator-request", "None")));
    assert_eq!(answer["success"], false);
}

#[test]
fn bodies_that_are_no_login_are_refused() {
    let server = Server::start();
    for body in ["", "{}", "[]", "{\"data\":5}", "\u{1}"] {
        let mut sent = request("POST", LOGIN, "None");
        sent.body = body.as_bytes().to_vec();
        assert_eq!(envelope(&server.stranger().send(&sent))["success"], false, "{body}");
    }
    let packed = client::gzip(login_body(ADMIN_TOKEN, &json!({})).to_string().as_bytes());
    let mut sent = request("POST", LOGIN, "None").header("content-encoding", "gzip");
    sent.body = packed;
    assert_eq!(envelope(&server.stranger().send(&sent))["success"], true, "gzip");
}

#[test]
fn names_at_login_are_chosen_where_they_exist() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE KEPT");
    admin.rows("CREATE SCHEMA KEPT.\"Odd\"");
    let names = |driver: &Driver| driver.cell("SELECT CURRENT_DATABASE() || '.' || COALESCE(CURRENT_SCHEMA(), '-')");
    let open = |address: &[(&str, &str)]| Driver::open_with(&server, address, &json!({}));
    assert_eq!(names(&open(&[("databaseName", "kept"), ("schemaName", "")])), "KEPT.PUBLIC");
    assert_eq!(names(&open(&[("databaseName", "kept"), ("schemaName", "\"Odd\"")])), "KEPT.Odd");
    assert_eq!(names(&open(&[("databaseName", "kept"), ("schemaName", "to_come")])), "KEPT.-");
    let of_none = open(&[("databaseName", "nowhere"), ("warehouse", "nowhere")]);
    assert_eq!(of_none.run("SELECT 1")["finalDatabaseName"], Value::Null);
    let strict = login_body(ADMIN_TOKEN, &json!({"SESSION_PARAMETERS": {"CLIENT_VALIDATE_DEFAULT_PARAMETERS": true}}));
    let answer = Driver::try_open(&server, &[("databaseName", "nowhere")], &strict);
    assert_eq!(answer["code"], "390201", "{answer}");
    let role = Driver::try_open(&server, &[("roleName", "nowhere")], &login_body(ADMIN_TOKEN, &json!({})));
    assert_eq!(role["code"], "390189", "{role}");
}

#[test]
fn an_expired_token_is_renewed_with_the_master_token() {
    let server = Server::start_with(&[("FIRN_DRIVER_TOKEN_S", "1")]);
    let driver = Driver::open(&server);
    driver.run("CREATE TEMPORARY TABLE KEPT AS SELECT 5 AS A");
    assert!(comes_true(|| driver.query("SELECT 1")["code"] == "390112"));
    assert_eq!(driver.post("/session/heartbeat", &json!({}))["code"], "390112");
    let renewal = |token: &str| {
        let body = json!({"oldSessionToken": driver.session_token, "requestType": "RENEW"});
        envelope(&driver.send(&request("POST", "/session/token-request", token).json(&body)))
    };
    let answer = renewal(&driver.master_token);
    let data = &answer["data"];
    assert!(data["sessionId"] == driver.session_id && data["validityInSecondsST"].is_u64(), "{answer}");
    let renewed = with_token(&driver, data["sessionToken"].as_str().unwrap());
    assert_eq!(renewed.cell("SELECT A FROM KEPT"), "5");
    // A session token renews nothing, and a master token runs nothing.
    assert_eq!(renewal(&renewed.session_token)["code"], "390111");
    let as_master = with_token(&renewed, &renewed.master_token);
    assert_eq!(as_master.query("SELECT 1")["code"], "390111");
}

#[test]
fn a_session_ends_at_log_out_and_without_a_sign_of_its_driver() {
    let server = Server::start_with(&[("FIRN_DRIVER_SESSION_IDLE_S_MAX", "1")]);
    let driver = Driver::open(&server);
    assert_eq!(driver.post("/session/heartbeat", &json!({}))["success"], true);
    assert_eq!(driver.log_out()["success"], true);
    assert_eq!(driver.query("SELECT 1")["code"], "390111");
    assert_eq!(driver.log_out()["code"], "390111");
    let idle = Driver::open(&server);
    std::thread::sleep(std::time::Duration::from_millis(1_500));
    assert_eq!(idle.query("SELECT 1")["code"], "390111");
}

#[test]
fn a_session_ends_with_the_server_and_with_what_opened_it() {
    let server = Server::start();
    let admin = server.admin();
    with_user(&server);
    let before = Driver::open(&server);
    let anna = || Driver::of_answer(&server, &Driver::try_open(&server, &[], &password_body("ANNA", PASSWORD)));
    let of_password = anna();
    admin.rows("ALTER USER ANNA SET PASSWORD = 'another Sunday 8 times' MUST_CHANGE_PASSWORD = FALSE");
    assert_eq!(of_password.query("SELECT 1")["code"], "390111");
    let secret = admin.rows("ALTER USER ANNA ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    let opened = Driver::try_open(&server, &[], &login_body(&secret, &json!({})));
    let of_token = Driver::of_answer(&server, &opened);
    assert_eq!(of_token.cell("SELECT CURRENT_USER()"), "ANNA");
    admin.rows("ALTER USER ANNA REMOVE PROGRAMMATIC ACCESS TOKEN T");
    assert_eq!(of_token.query("SELECT 1")["code"], "390111");
    let server = server.kill_and_restart();
    let after = Driver::open(&server);
    assert_eq!(with_token(&after, &before.session_token).query("SELECT 1")["code"], "390111");
    let renewal = request("POST", "/session/token-request", &before.master_token).json(&json!({}));
    assert_eq!(envelope(&after.send(&renewal))["code"], "390111");
}

#[test]
fn forged_and_missing_tokens_let_nobody_in() {
    let server = Server::start();
    let driver = Driver::open(&server);
    let altered = format!("{}x", driver.session_token);
    for token in ["", "None", altered.as_str(), ADMIN_TOKEN, "firn_driver_"] {
        let forged = with_token(&driver, token);
        assert_eq!(forged.query("SELECT 1")["code"], "390111", "{token}");
        assert_eq!(forged.post("/session/heartbeat", &json!({}))["success"], false, "{token}");
        assert_eq!(forged.post("/telemetry/send", &json!({}))["success"], false, "{token}");
    }
    let without = Request::new("POST", QUERY).json(&json!({"sqlText": "SELECT 1"}));
    assert_eq!(envelope(&server.stranger().send(&without))["code"], "390111");
    assert_eq!(driver.post("/telemetry/send", &json!({"logs": []}))["success"], true);
}

#[test]
fn the_statement_api_takes_the_session_token() {
    let server = Server::start();
    let driver = Driver::open(&server);
    let api = server.client(&driver.session_token);
    assert_eq!(api.cell("SELECT CURRENT_USER()"), "ADMIN");
    driver.log_out();
    assert_eq!(api.sql("SELECT 1").code(), "390111");
}

#[test]
fn a_user_has_so_many_sessions_and_no_more() {
    let server = Server::start_with(&[("FIRN_DRIVER_SESSIONS_PER_USER_MAX", "2")]);
    let (first, _second) = (Driver::open(&server), Driver::open(&server));
    let refused = Driver::try_open(&server, &[], &login_body(ADMIN_TOKEN, &json!({})));
    assert_eq!((&refused["success"], &refused["code"]), (&json!(false), &json!("391915")), "{refused}");
    first.log_out();
    Driver::open(&server);
}
