//! A statement that waits for a lock is authorised for what its names mean when it runs.

use std::thread;
use std::time::{Duration, Instant};

use firn_tests::{Client, Request, Response, Server};
use serde_json::json;

const WAITING_MAX: Duration = Duration::from_secs(30);

/// What the administrator does while the statement waits.
const CHANGES: [(&str, &[&str]); 7] = [
    (
        "a privilege is revoked",
        &["REVOKE SELECT ON TABLE D.S.SOURCE FROM ROLE READER", "UPDATE D.S.SOURCE SET V = 'secret'"],
    ),
    ("the role is revoked", &["REVOKE ROLE READER FROM USER ANNA", "UPDATE D.S.SOURCE SET V = 'secret'"]),
    ("the schema is closed", &["REVOKE USAGE ON SCHEMA D.S FROM ROLE READER", "UPDATE D.S.SOURCE SET V = 'secret'"]),
    ("the table is replaced", &["CREATE OR REPLACE TABLE D.S.SOURCE AS SELECT 'secret' V"]),
    ("the table is swapped", &["ALTER TABLE D.S.SOURCE SWAP WITH D.S.HIDDEN"]),
    (
        "another takes its name",
        &["ALTER TABLE D.S.SOURCE RENAME TO D.S.GONE", "ALTER TABLE D.S.HIDDEN RENAME TO D.S.SOURCE"],
    ),
    ("it is dropped and made anew", &["DROP TABLE D.S.SOURCE", "CREATE TABLE D.S.SOURCE AS SELECT 'secret' V"]),
];

const STATEMENTS: [&str; 4] = [
    "INSERT INTO D.OWN.MINE SELECT V FROM D.S.SOURCE",
    "UPDATE D.OWN.MINE SET V = (SELECT MAX(V) FROM D.S.SOURCE)",
    "MERGE INTO D.OWN.MINE USING D.S.SOURCE ON FALSE WHEN NOT MATCHED THEN INSERT VALUES (SOURCE.V)",
    "CREATE OR REPLACE TABLE D.OWN.MINE AS SELECT V FROM D.S.SOURCE",
];

const SETUP: &str = "CREATE OR REPLACE DATABASE D; CREATE SCHEMA D.S; CREATE SCHEMA D.OWN; \
     CREATE TABLE D.S.SOURCE AS SELECT 'public' V; CREATE TABLE D.S.HIDDEN AS SELECT 'secret' V; \
     CREATE ROLE IF NOT EXISTS READER; GRANT ROLE READER TO USER ANNA; \
     GRANT USAGE ON DATABASE D TO ROLE READER; GRANT ALL ON SCHEMA D.OWN TO ROLE READER; \
     GRANT USAGE ON SCHEMA D.S TO ROLE READER; GRANT SELECT ON TABLE D.S.SOURCE TO ROLE READER; \
     GRANT USAGE ON WAREHOUSE COMPUTE_WH TO ROLE READER";

/// After these the statement may run, and sees nothing.
const POLICIES: [&[&str]; 2] = [
    &[
        "CREATE MASKING POLICY D.S.MASK AS (V VARCHAR) RETURNS VARCHAR -> 'masked'",
        "ALTER TABLE D.S.SOURCE MODIFY COLUMN V SET MASKING POLICY D.S.MASK",
        "TRUNCATE TABLE D.S.SOURCE",
        "INSERT INTO D.S.SOURCE VALUES ('secret')",
    ],
    &[
        "CREATE ROW ACCESS POLICY D.S.FILTER AS (V VARCHAR) RETURNS BOOLEAN -> FALSE",
        "ALTER TABLE D.S.SOURCE ADD ROW ACCESS POLICY D.S.FILTER ON (V)",
        "INSERT INTO D.S.SOURCE VALUES ('secret')",
    ],
];

const HARMLESS: &str = "CREATE TABLE D.S.OTHER (A INT)";

const HOLDER: &str = "BEGIN; INSERT INTO D.OWN.MINE VALUES ('held'); SELECT SYSTEM$WAIT(60); COMMIT";

fn run(client: &Client, text: &str, role: &str, is_async: bool) -> Response {
    let fields = json!({"role": role, "warehouse": "COMPUTE_WH", "parameters": {"MULTI_STATEMENT_COUNT": "0"}});
    let request = Request::statement(text, fields);
    client.send(&if is_async { request.query("async", "true") } else { request })
}

fn wait_for_holder(admin: &Client) {
    let begun = Instant::now();
    while admin.rows("SHOW LOCKS IN ACCOUNT").is_empty() {
        assert!(begun.elapsed() < WAITING_MAX, "the lock is not there");
        thread::sleep(Duration::from_millis(10));
    }
}

/// What becomes of a statement that waits for a table while the administrator makes changes.
fn outcome_of(admin: &Client, anna: &Client, statement: &str, changes: &[&str]) -> Response {
    assert_eq!(run(admin, SETUP, "ACCOUNTADMIN", false).status, 200);
    assert_eq!(run(anna, "CREATE TABLE D.OWN.MINE (V VARCHAR)", "READER", false).status, 200);
    let holder = run(anna, HOLDER, "READER", true).handle();
    wait_for_holder(admin);
    let waiting = run(anna, statement, "READER", true).handle();
    // SHOW LOCKS lists transactions only. A statement that comes to its lock later than this is refused all the more.
    thread::sleep(Duration::from_millis(150));
    for change in changes {
        let changed = run(admin, change, "ACCOUNTADMIN", false);
        assert_eq!(changed.status, 200, "{change}: {}", changed.text());
    }
    anna.cancel(&holder);
    anna.outcome(&waiting)
}

#[test]
fn what_changes_while_a_statement_waits_counts() {
    let server = Server::start();
    let admin = server.admin();
    assert_eq!(admin.sql("CREATE USER ANNA").status, 200);
    let token = admin.rows("ALTER USER ANNA ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    let anna = server.client(&token);
    let mut wrong = Vec::new();
    for statement in STATEMENTS {
        let allowed = outcome_of(&admin, &anna, statement, &[HARMLESS]);
        assert_eq!(allowed.status, 200, "{statement}: {}", allowed.text());
        for changes in POLICIES {
            outcome_of(&admin, &anna, statement, changes);
            let count = run(&admin, "SELECT COUNT_IF(V = 'secret') FROM D.OWN.MINE", "ACCOUNTADMIN", false);
            if count.rows()[0][0].as_deref() != Some("0") {
                wrong.push(format!("{}: {statement} saw what the policy hides", changes[0]));
            }
        }
        for (what, changes) in CHANGES {
            let outcome = outcome_of(&admin, &anna, statement, changes);
            let count = run(&admin, "SELECT COUNT_IF(V = 'secret') FROM D.OWN.MINE", "ACCOUNTADMIN", false);
            let seen = count.rows()[0][0].clone().unwrap();
            if outcome.status != 422 || seen != "0" {
                wrong.push(format!("{what}: {statement}: {} {}, {seen} secrets", outcome.status, outcome.text()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
