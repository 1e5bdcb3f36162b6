//! Logins that fail, tokens that are too weak, and who is named in the log.

use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use firn_tests::raw::Connection;
use firn_tests::server::binary;
use firn_tests::{Client, Request, Response, Server, comes_true};

/// A key-pair token of the user with a signature that is none.
fn forged(user: &str) -> String {
    let part = |text: String| URL_SAFE_NO_PAD.encode(text);
    let header = part(r#"{"alg":"RS256","typ":"JWT"}"#.to_owned());
    let claims =
        format!(r#"{{"iss":"TESTACCOUNT.{user}.SHA256:x","sub":"TESTACCOUNT.{user}","iat":1,"exp":9999999999}}"#);
    format!("{header}.{}.{}", part(claims), part("signature".to_owned()))
}

/// Forty logins at a time; how many were turned away because too many answers were held back already.
fn turned_away(server: &Server, wrong: &Client) -> usize {
    let (turned_away, let_in) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..40 {
            scope.spawn(|| {
                let answer = wrong.sql("SELECT 1");
                assert!([401, 429].contains(&answer.status), "{answer}");
                if answer.status == 429 {
                    assert!(answer.headers.contains_key("retry-after"), "{answer}");
                    turned_away.fetch_add(1, Ordering::Relaxed);
                }
            });
            // Whoever has a right token is let in all the while, from the same address.
            scope.spawn(|| {
                assert_eq!(server.admin().sql("SELECT 1").status, 200);
                let_in.fetch_add(1, Ordering::Relaxed);
            });
        }
    });
    assert_eq!(let_in.into_inner(), 40);
    turned_away.into_inner()
}

#[test]
fn failed_logins_are_held_back_and_right_ones_are_not() {
    let server = Server::start_with(&[("FIRN_LOGIN_DELAY_MS_MAX", "400")]);
    let wrong = server.client("pat-that-nobody-has");
    for _ in 0..15 {
        assert_eq!(wrong.sql("SELECT 1").status, 401);
    }
    assert!(turned_away(&server, &wrong) > 0, "no answer was held back");
    let free = Server::start_with(&[("FIRN_LOGIN_DELAY_MS_MAX", "0")]);
    assert_eq!(turned_away(&free, &free.client("pat-that-nobody-has")), 0);
}

/// Failures count by what the token claims, so that a user who exists and one who does not look alike.
#[test]
fn a_refusal_says_nothing_of_who_exists() {
    let server = Server::start_with(&[("FIRN_LOGIN_DELAY_MS_MAX", "400")]);
    let mut refusals = Vec::new();
    for user in ["ADMIN", "NOBODY"] {
        let client = server.client(&forged(user));
        for _ in 0..15 {
            let answer = client.sql("SELECT 1");
            assert_eq!((answer.status, answer.code().as_str()), (401, "390144"), "{user}: {answer}");
            refusals.push(answer.body);
        }
        assert!(turned_away(&server, &client) > 0, "{user}: no answer was held back");
    }
    assert!(refusals.iter().all(|body| *body == refusals[0]));
}

#[test]
fn weak_tokens_of_the_administrator_stop_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let start = |setting: &str, token: &str| {
        let mut command = Command::new(binary());
        command.args(["serve", "--listen", "127.0.0.1:0"]).arg("--data-dir").arg(folder.path().join("data"));
        command.env_remove("FIRN_ADMIN_TOKEN").env(setting, token).output().unwrap()
    };
    for (token, problem) in [
        ("secret", "short"),
        ("Tr0ub4dor&3", "short"),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "few different characters"),
        ("password1password1password1password1", "few different characters"),
        ("correcthorsebatcorrecthorsebat", "repeated"),
    ] {
        for (setting, name) in [("FIRN_ADMIN_TOKEN", "`admin_token`"), ("FIRN_METRICS_TOKEN", "`metrics_token`")] {
            let output = start(setting, token);
            let said = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(!output.status.success(), "{token} was accepted");
            for part in [name, problem, "24 characters", "openssl rand"] {
                assert!(said.contains(part), "{token}: {said}");
            }
            assert!(!said.contains(token), "the token is shown: {said}");
        }
    }
    assert!(!folder.path().join("data").exists(), "nothing was made");
}

#[test]
fn the_log_of_requests_has_user_and_address() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE USER LOGGED");
    let token = admin.rows("ALTER USER LOGGED ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    server.client(&token).sql("SELECT 1");
    server.client("a-wrong-token-that-was-sent").sql("SELECT 1");
    server.stranger().send(&Request::get("/healthz"));
    let line = |parts: &[&str]| {
        let is_logged = || server.log().lines().any(|line| parts.iter().all(|part| line.contains(part)));
        assert!(comes_true(is_logged), "no line has {parts:?}:\n{}", server.log());
    };
    line(&["/api/v2/statements", "status=200", "address=127.0.0.1", "user=\"ADMIN\""]);
    line(&["/api/v2/statements", "address=127.0.0.1", "user=\"LOGGED\""]);
    line(&["/api/v2/statements", "status=401", "address=127.0.0.1"]);
    line(&["/healthz", "address=127.0.0.1"]);
    // Nobody is there any more to be answered.
    let mut leaving = Connection::open(&server);
    let body = serde_json::json!({"statement": "CALL SYSTEM$WAIT(30)"}).to_string();
    let length = body.len().to_string();
    let headers = [("content-type", "application/json"), ("content-length", length.as_str())];
    leaving.send("POST /api/v2/statements", &headers, body.as_bytes()).unwrap();
    std::thread::sleep(Duration::from_millis(500));
    drop(leaving);
    line(&["/api/v2/statements", "status=499", "address=127.0.0.1", "user=\"ADMIN\""]);
    for secret in [token.as_str(), "a-wrong-token-that-was-sent", firn_tests::server::ADMIN_TOKEN] {
        assert!(!server.log().contains(secret));
    }
}

#[test]
fn metrics_may_ask_for_a_token() {
    let token = "metrics-only-0123456789-abcdef";
    let server = Server::start_with(&[("FIRN_METRICS_TOKEN", token)]);
    let metrics = Request::get("/metrics");
    let refused = server.stranger().send(&metrics);
    assert_eq!((refused.status, refused.headers["www-authenticate"].as_str()), (401, "Bearer"), "{refused}");
    assert!(!refused.text().contains("firn_"), "{refused}");
    assert_eq!(server.client("another-token").send(&metrics).status, 401);
    assert_eq!(server.admin().send(&metrics).status, 401, "it is not a token of a user");
    let given = server.client(token).send(&metrics);
    assert_eq!(given.status, 200, "{given}");
    assert!(given.text().contains("firn_requests_total"), "{given}");
    assert_eq!(server.client(token).sql("SELECT 1").status, 401, "nor does it open anything else");
    assert_eq!(server.stranger().send(&Request::get("/readyz")).status, 200);
}

/// Every file below the folder that contains the text.
fn files_with(folder: &std::path::Path, text: &str) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if std::fs::read(&path).unwrap_or_default().windows(text.len()).any(|part| part == text.as_bytes()) {
            found.push(path);
        }
    }
    found
}

fn login(server: &Server, user: &str, password: &str) -> Response {
    let body = serde_json::json!({"user": user, "password": password});
    server.stranger().send(&Request::post("/api/v2/login").json(&body))
}

#[test]
fn a_password_is_nowhere_on_disk_nor_in_the_log() {
    let server = Server::start();
    let admin = server.admin();
    let (first, second, third) = ("fIrst-pAssw0rd", "sec0nd-pAssword", "th1rd-passw0rD");
    admin.rows(&format!("CREATE USER SECRETIVE PASSWORD = '{first}'"));
    admin.rows(&format!("ALTER USER SECRETIVE SET PASSWORD = '{second}'"));
    let replacing = serde_json::json!({"user": "SECRETIVE", "password": second, "newPassword": third});
    let replaced = server.stranger().send(&Request::post("/api/v2/login").json(&replacing));
    assert_eq!(replaced.status, 200, "{replaced}");
    let many = format!("SELECT 1; ALTER USER SECRETIVE SET PASSWORD '{second}'");
    let failed = admin.sql_with(&many, serde_json::json!({"parameters": {"MULTI_STATEMENT_COUNT": "2"}}));
    assert_eq!(failed.status, 422, "{failed}");
    assert!(!failed.text().contains(second), "{failed}");
    let block = format!("BEGIN ALTER USER SECRETIVE SET PASSWORD = '{third}'; RETURN 1/0; END");
    assert!(!admin.sql(&block).text().contains(third));
    assert_eq!(login(&server, "SECRETIVE", second).status, 401);
    let session = login(&server, "SECRETIVE", third);
    assert_eq!(session.status, 200, "{session}");
    let token = session.json()["token"].as_str().unwrap().to_owned();
    assert_eq!(server.client(&token).sql("SELECT CURRENT_USER()").rows()[0][0].as_deref(), Some("SECRETIVE"));
    for secret in [first, second, third, token.as_str()] {
        assert_eq!(files_with(server.data_dir(), secret), Vec::<std::path::PathBuf>::new(), "{secret}");
        assert!(!server.log().contains(secret), "{secret} is in the log");
    }
    let again = server.kill_and_restart();
    assert_eq!(again.client(&token).sql("SELECT 1").status, 200, "a session outlives the process");
    assert_eq!(login(&again, "SECRETIVE", third).status, 200);
}

/// What a statement of a block sets as a password is redacted in the texts that gave it to the block.
#[test]
fn a_password_of_a_block_is_nowhere_on_disk_nor_in_the_log() {
    let server = Server::start();
    let admin = server.admin();
    let (declared, joined, given, bound) = ("decl4red-pAssw0rd", "j0ined-pAssword", "g1ven-passw0rD", "b0und-pAssworD");
    admin.rows("CREATE DATABASE DEMO");
    admin.rows("CREATE USER BLOCKED PASSWORD = 'a first passw0rd'");
    let set = "'ALTER USER BLOCKED SET PASSWORD = ''' || p || ''''";
    admin.rows(&format!("DECLARE p VARCHAR DEFAULT '{declared}'; BEGIN EXECUTE IMMEDIATE {set}; RETURN 1; END"));
    assert_eq!(login(&server, "BLOCKED", declared).status, 200);
    let (start, end) = joined.split_at(6);
    admin.rows(&format!(
        "BEGIN LET a VARCHAR := '{start}'; LET p VARCHAR := a || '{end}'; EXECUTE IMMEDIATE {set}; RETURN 1; END"
    ));
    assert_eq!(login(&server, "BLOCKED", joined).status, 200);
    admin.rows(&format!(
        "CREATE PROCEDURE DEMO.PUBLIC.SET_PASSWORD(p VARCHAR) RETURNS INT LANGUAGE SQL EXECUTE AS CALLER AS \
         $$BEGIN EXECUTE IMMEDIATE {set}; RETURN 1; END$$"
    ));
    admin.rows(&format!("CALL DEMO.PUBLIC.SET_PASSWORD('{given}')"));
    assert_eq!(login(&server, "BLOCKED", given).status, 200);
    let block = format!("BEGIN LET q := '{bound}'; ALTER USER BLOCKED SET PASSWORD = :q; RETURN 1/0; END");
    let failed = admin.sql(&block);
    assert_eq!(failed.status, 422, "{failed}");
    assert_eq!(login(&server, "BLOCKED", bound).status, 200);
    let texts = admin.rows("SELECT QUERY_TEXT FROM TABLE(DEMO.INFORMATION_SCHEMA.QUERY_HISTORY(RESULT_LIMIT => 1000))");
    let texts: Vec<String> = texts.into_iter().flatten().flatten().collect();
    assert!(texts.iter().any(|text| text == "CALL DEMO.PUBLIC.SET_PASSWORD('****')"), "{texts:#?}");
    for secret in [declared, joined, start, end, given, bound] {
        assert!(!texts.iter().any(|text| text.contains(secret)), "{secret}: {texts:#?}");
    }
    for secret in [declared, joined, given, bound] {
        assert_eq!(files_with(server.data_dir(), secret), Vec::<std::path::PathBuf>::new(), "{secret}");
        assert!(!server.log().contains(secret), "{secret} is in the log");
    }
}

/// Whatever way a password takes to its statement, no record has it once the statement has ended.
#[test]
fn a_password_in_a_variable_is_nowhere_on_disk_nor_in_the_log() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE DEMO");
    admin.rows("CREATE USER VARIED PASSWORD = 'a first passw0rd'");
    admin.rows(
        "CREATE PROCEDURE DEMO.PUBLIC.SET_PASSWORD(p VARCHAR) RETURNS INT LANGUAGE SQL EXECUTE AS CALLER AS \
         $$BEGIN EXECUTE IMMEDIATE 'ALTER USER VARIED SET PASSWORD = ''' || p || ''''; RETURN 1; END$$",
    );
    let several = serde_json::json!({"parameters": {"MULTI_STATEMENT_COUNT": "0"}});
    let set = admin.sql_with("SET P = 's3t-in-a-set'; ALTER USER VARIED SET PASSWORD = $P", several.clone());
    assert_eq!(set.status, 200, "{set}");
    let called = admin.sql_with("SET P = 's3t-for-a-call'; CALL DEMO.PUBLIC.SET_PASSWORD($P)", several);
    assert_eq!(called.status, 200, "{called}");
    assert_eq!(login(&server, "VARIED", "s3t-for-a-call").status, 200);
    // A request of its own sets nothing.
    assert_eq!(admin.sql("SET P = 's3t-alone-pass'").status, 422);
    admin.rows(
        "BEGIN LET P VARCHAR; SELECT 's3lected-into' INTO :P; ALTER USER VARIED SET PASSWORD = :P; RETURN 1; END",
    );
    assert_eq!(login(&server, "VARIED", "s3lected-into").status, 200);
    let secrets = ["s3t-in-a-set", "s3t-for-a-call", "s3t-alone-pass", "s3lected-into"];
    // Their texts are on disk before anybody knows what is secret in them.
    let later = ["c4lled-later-x", "bl0ck-run-later"];
    for text in [
        format!("CALL DEMO.PUBLIC.SET_PASSWORD('{}')", later[0]),
        format!("BEGIN LET Q := REVERSE(REVERSE('{}')); CALL DEMO.PUBLIC.SET_PASSWORD(:Q); RETURN 1; END", later[1]),
    ] {
        let request = Request::post("/api/v2/statements?async=true").json(&serde_json::json!({"statement": text}));
        let begun = admin.send(&request);
        assert_eq!(begun.status, 202, "{begun}");
        let path = format!("/api/v2/statements/{}", begun.json()["statementHandle"].as_str().unwrap());
        let ended = || admin.send(&Request::get(&path)).status;
        let until = Instant::now() + Duration::from_secs(60);
        while ended() == 202 && Instant::now() < until {
            std::thread::sleep(Duration::from_millis(20));
        }
        assert_eq!(ended(), 200);
    }
    let query = "SELECT QUERY_TEXT FROM SNOWFLAKE.ACCOUNT_USAGE.QUERY_HISTORY";
    let texts: Vec<String> = admin.rows(query).into_iter().flatten().flatten().collect();
    assert!(texts.iter().any(|text| text == "SET P = '****'"), "{texts:#?}");
    for secret in secrets.iter().chain(&later) {
        comes_true(|| files_with(server.data_dir(), secret).is_empty());
        assert_eq!(files_with(server.data_dir(), secret), Vec::<std::path::PathBuf>::new(), "{secret}");
        assert!(!server.log().contains(secret), "{secret} is in the log");
        assert!(!texts.iter().any(|text| text.contains(secret)), "{secret}: {texts:#?}");
    }
}

/// Guesses that are sent at the same time are no way around the count.
#[test]
fn guesses_at_a_time_are_counted_and_lock_the_user() {
    let server = Server::start_with(&[("FIRN_LOGIN_DELAY_MS_MAX", "0")]);
    server.admin().rows("CREATE USER GUESSED PASSWORD = 'the right one'");
    std::thread::scope(|scope| {
        for number in 0..20 {
            let server = &server;
            scope.spawn(move || assert_eq!(login(server, "GUESSED", &format!("guess number {number}")).status, 401));
        }
    });
    assert_eq!(login(&server, "GUESSED", "the right one").status, 401, "it was locked");
    server.admin().rows("ALTER USER GUESSED UNSET MINS_TO_UNLOCK");
    std::thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| assert_eq!(login(&server, "GUESSED", "the right one").status, 200));
        }
    });
}

#[test]
fn what_a_user_runs_ends_when_they_are_disabled() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE USER RUNNING_USER DEFAULT_WAREHOUSE = COMPUTE_WH");
    let token = admin.rows("ALTER USER RUNNING_USER ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    let client = server.client(&token);
    let slow = "SELECT COUNT(*) FROM TABLE(GENERATOR(ROWCOUNT => 1000000)) a, TABLE(GENERATOR(ROWCOUNT => 1000000)) b";
    let handle = client.submit_async(slow);
    assert_eq!(client.status(&handle).status, 202);
    admin.rows("ALTER USER RUNNING_USER SET DISABLED = TRUE");
    assert_eq!(client.status(&handle).status, 401);
    admin.rows("ALTER USER RUNNING_USER SET DISABLED = FALSE");
    let outcome = client.outcome(&handle);
    assert_eq!((outcome.status, outcome.code().as_str()), (422, "000604"), "{outcome}");
}
