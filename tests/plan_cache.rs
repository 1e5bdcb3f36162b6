//! Statements that differ in values only run with a cached plan. The result must be the same as on the full path, which a
//! comment in the statement makes it take.

use firn_tests::{Client, Server};
use serde_json::{Value, json};

/// More statements than it takes for a plan to be cached.
const TIMES: usize = 8;

const TABLES: &[&str] = &[
    "CREATE OR REPLACE DATABASE TEMPLATES",
    "CREATE TABLE TEMPLATES.PUBLIC.T (ID INT, N NUMBER(10,2), W NUMBER(38,0), F FLOAT, B BOOLEAN, S VARCHAR(40), \
     C VARCHAR COLLATE 'en-ci', D DATE, TS TIMESTAMP_NTZ, V VARIANT)",
    "INSERT INTO TEMPLATES.PUBLIC.T SELECT X, X / 4, X * 1000000, X / 3, X % 2 = 0, 'name ' || X, 'Name ' || X, \
     DATEADD(DAY, X, '2024-01-01'::DATE), '2024-01-01 10:00:00'::TIMESTAMP_NTZ, PARSE_JSON('{\"a\":' || X || '}') \
     FROM (SELECT SEQ4() AS X FROM TABLE(GENERATOR(ROWCOUNT => 60))) G",
];

/// Each with a place for a number.
const WITH_NUMBERS: &[&str] = &[
    "SELECT {} + 1 AS A",
    "SELECT {} AS A, {} * 2 AS B",
    "SELECT {}",
    "SELECT {} / 7 AS A, -{} AS B, {}::VARCHAR AS C, {}::NUMBER(10,3) AS D",
    "SELECT ID, S FROM TEMPLATES.PUBLIC.T WHERE ID = {}",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE ID <> {} AND ID < 5 ORDER BY ID",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE N = {}",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE W > {} ORDER BY 1",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE F >= {} ORDER BY ID LIMIT 3",
    "SELECT COUNT(*) FROM TEMPLATES.PUBLIC.T WHERE B = {}",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE S = {}",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE D = {}",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE V:a = {}",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE ID IN ({}, 3) ORDER BY ID",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE ID BETWEEN {} AND 12 ORDER BY ID",
    "SELECT ID FROM TEMPLATES.PUBLIC.T ORDER BY ID LIMIT {}",
    "SELECT ID FROM TEMPLATES.PUBLIC.T ORDER BY ID OFFSET {}",
    "SELECT ROUND(F, {}) AS R FROM TEMPLATES.PUBLIC.T WHERE ID < 4 ORDER BY ID",
    "SELECT ID, N FROM TEMPLATES.PUBLIC.T WHERE ID < 4 ORDER BY {}",
    "SELECT CASE WHEN ID > {} THEN 'more' ELSE 'less' END AS A, COUNT(*) FROM TEMPLATES.PUBLIC.T GROUP BY 1 ORDER BY 1",
    "SELECT SUM(N) AS A FROM TEMPLATES.PUBLIC.T WHERE ID < {} HAVING COUNT(*) > 2",
    "SELECT ID FROM TEMPLATES.PUBLIC.T QUALIFY ROW_NUMBER() OVER (ORDER BY ID) = {}",
    "SELECT A.ID FROM TEMPLATES.PUBLIC.T A JOIN TEMPLATES.PUBLIC.T B ON A.ID = B.ID AND B.ID > {} ORDER BY 1 LIMIT 2",
    "WITH X AS (SELECT ID, S FROM TEMPLATES.PUBLIC.T WHERE ID > {}) SELECT MIN(S) AS S FROM X",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE ID = {} UNION ALL SELECT {} ORDER BY 1",
    "SELECT DATEADD(DAY, {}, '2024-02-28'::DATE) AS D",
    "SELECT SUBSTR('abcdefghijklmnopqrstuvwxyz', {}, 2) AS S",
    "SELECT 10 / ({} - 5) AS Q",
    "SELECT NOSUCH FROM TEMPLATES.PUBLIC.T WHERE ID = {}",
    "SELECT IFF(ID > {}, S, 'z') FROM TEMPLATES.PUBLIC.T WHERE ID < 4 ORDER BY ID",
    "SELECT CASE WHEN ID > {} THEN 1 END FROM TEMPLATES.PUBLIC.T WHERE ID < 4 ORDER BY ID",
    "SELECT COUNT_IF(ID > {}) FROM TEMPLATES.PUBLIC.T",
    "SELECT ID > {} AND B FROM TEMPLATES.PUBLIC.T WHERE ID < 4 ORDER BY ID",
    "SELECT EXISTS (SELECT 1 FROM TEMPLATES.PUBLIC.T WHERE ID = {})",
    "SELECT CAST({} AS INT)",
    "SELECT * FROM (SELECT ID > {} FROM TEMPLATES.PUBLIC.T WHERE ID < 4) ORDER BY 1",
    "SELECT \"ID > 5\" FROM (SELECT ID > {} FROM TEMPLATES.PUBLIC.T WHERE ID < 4) ORDER BY 1",
    "SELECT * FROM (SELECT ID, N FROM TEMPLATES.PUBLIC.T) PIVOT(MAX(N) FOR ID IN (1, {}))",
];

/// Each with a place for a text.
const WITH_TEXTS: &[&str] = &[
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE S = '{}'",
    "SELECT COUNT(*) FROM TEMPLATES.PUBLIC.T WHERE S > '{}' AND ID < 30",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE C = '{}'",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE S LIKE '{}'",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE '{}' = S",
    "SELECT '{}' AS S, LENGTH('{}') AS L",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE S = '{}' OR S = 'name 1' ORDER BY ID",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE D = '{}'",
    "SELECT ID FROM TEMPLATES.PUBLIC.T WHERE ID = '{}'",
    "SELECT DATE_TRUNC('{}', '2024-05-17'::DATE) AS D",
    "SELECT IFF(S > '{}', 1, 2) FROM TEMPLATES.PUBLIC.T WHERE ID < 4 ORDER BY ID",
    "SELECT * FROM (SELECT S, N FROM TEMPLATES.PUBLIC.T) PIVOT(MAX(N) FOR S IN ('name 1', '{}'))",
    "SELECT \"'name 4'\" FROM (SELECT S, N FROM TEMPLATES.PUBLIC.T) PIVOT(MAX(N) FOR S IN ('name 1', '{}'))",
];

fn ask(client: &Client, statement: &str) -> Value {
    let answer = client.sql_with(statement, json!({"parameters": {"use_cached_result": "false"}})).json();
    json!([answer["resultSetMetaData"]["rowType"], answer["data"], answer["code"], answer["message"]])
}

fn set_up(server: &Server) -> Client {
    let client = server.admin();
    for statement in TABLES {
        let answer = client.sql_to_its_end(statement);
        assert_eq!(answer.status, 200, "{statement}: {answer}");
    }
    client
}

fn check(client: &Client, form: &str, values: &[&str]) {
    for value in values {
        let statement = form.replace("{}", value);
        let quick = ask(client, &statement);
        let whole = ask(client, &format!("{statement} -- the whole way"));
        assert_eq!(quick, whole, "{statement}");
    }
}

fn run_with_cached_plans(client: &Client) -> u64 {
    let counters = client.send(&firn_tests::Request::get("/metrics")).text();
    let line = counters.lines().find_map(|line| line.strip_prefix("firn_statements_by_cached_plan_total "));
    line.and_then(|count| count.parse().ok()).expect("a counter of the metrics")
}

#[test]
fn numbers_are_answered_as_on_the_whole_way() {
    let server = Server::start();
    let client = set_up(&server);
    for form in WITH_NUMBERS {
        check(&client, form, &["1", "2", "3", "4", "5", "6", "7", "8", "9", "0"]);
        check(&client, form, &["10", "11", "12", "13", "14", "57", "99"]);
        check(&client, form, &["123456789", "234567890", "345678901", "456789012", "999999999"]);
        let large = ["900000000000000001", "900000000000000002", "900000000000000003", "900000000000000004"];
        check(&client, form, &large);
    }
    let cached = run_with_cached_plans(&client);
    assert!(cached >= 50, "many of these run with cached plans, not {cached}");
}

#[test]
fn texts_are_answered_as_on_the_whole_way() {
    let server = Server::start();
    let client = set_up(&server);
    let names = ["name 1", "name 2", "name 3", "name 4", "name 5", "Name 6", "NAME 7", "", "%", "é", "NULL"];
    let dates = ["2024-01-05", "2024-01-06", "2024-01-07", "2024-01-08", "not a date", "2024-01-09"];
    let others = ["day", "month", "year", "quarter", "week", "12", "13", "14", "15", "x"];
    for form in WITH_TEXTS {
        check(&client, form, &names);
        check(&client, form, &dates);
        check(&client, form, &others);
    }
}

#[test]
fn a_change_shows_at_once() {
    let server = Server::start();
    let client = set_up(&server);
    let look = |id: usize| ask(&client, &format!("SELECT S FROM TEMPLATES.PUBLIC.T WHERE ID = {id}"))[1].clone();
    let warm = || (10..10 + TIMES).for_each(|id| assert_eq!(look(id), json!([[format!("name {id}")]])));
    let change = |statement: &str| {
        let answer = client.sql(statement);
        assert_eq!(answer.status, 200, "{statement}: {answer}");
    };
    warm();
    change("UPDATE TEMPLATES.PUBLIC.T SET S = 'other' WHERE ID = 20");
    assert_eq!(look(20), json!([["other"]]));
    warm();
    change("INSERT INTO TEMPLATES.PUBLIC.T (ID, S) VALUES (77, 'new')");
    assert_eq!(look(77), json!([["new"]]));
    warm();
    change("ALTER TABLE TEMPLATES.PUBLIC.T RENAME COLUMN S TO S2");
    assert_eq!(look(21), Value::Null);
    change("ALTER TABLE TEMPLATES.PUBLIC.T RENAME COLUMN S2 TO S");
    warm();
    change("DROP DATABASE TEMPLATES");
    assert_eq!(look(22), Value::Null);
    change("UNDROP DATABASE TEMPLATES");
    warm();
    change("CREATE OR REPLACE TABLE TEMPLATES.PUBLIC.T (ID NUMBER(5,1), S VARCHAR)");
    assert_eq!(look(23), json!([]));
}

#[test]
fn another_role_is_asked_anew() {
    let server = Server::start();
    let client = set_up(&server);
    let look = |role: &str, id: usize| {
        let body = json!({"role": role, "parameters": {"use_cached_result": "false"}});
        client.sql_with(&format!("SELECT S FROM TEMPLATES.PUBLIC.T WHERE ID = {id}"), body).status
    };
    (10..10 + TIMES).for_each(|id| assert_eq!(look("ACCOUNTADMIN", id), 200));
    for statement in ["CREATE ROLE STRANGER", "GRANT ROLE STRANGER TO USER ADMIN"] {
        assert_eq!(client.sql(statement).status, 200, "{statement}");
    }
    (10..10 + TIMES).for_each(|id| assert_eq!(look("ACCOUNTADMIN", id), 200));
    (10..10 + TIMES).for_each(|id| assert_eq!(look("STRANGER", id), 422));
}

/// Rows of one table do not concern the plans of another, while those of its own do.
#[test]
fn a_write_to_one_table_leaves_the_plans_of_others() {
    let server = Server::start();
    let client = set_up(&server);
    let run = |statement: &str| {
        let answer = client.sql(statement);
        assert_eq!(answer.status, 200, "{statement}: {answer}");
    };
    run("CREATE TABLE TEMPLATES.PUBLIC.OTHER (N INT)");
    let look = |id: usize| {
        let answer = ask(&client, &format!("SELECT S FROM TEMPLATES.PUBLIC.T WHERE ID = {id}"));
        assert_eq!(answer[1], json!([[format!("name {id}")]]));
    };
    (10..13).for_each(look);
    for id in 20..30 {
        let before = run_with_cached_plans(&client);
        run(&format!("INSERT INTO TEMPLATES.PUBLIC.OTHER VALUES ({id})"));
        run("UPDATE TEMPLATES.PUBLIC.OTHER SET N = N + 1");
        run("DELETE FROM TEMPLATES.PUBLIC.OTHER WHERE N < 22");
        look(id);
        assert_eq!(run_with_cached_plans(&client), before + 1, "after {id}");
    }
    let before = run_with_cached_plans(&client);
    run("INSERT INTO TEMPLATES.PUBLIC.T (ID, S) VALUES (90, 'name 90')");
    look(90);
    assert_eq!(run_with_cached_plans(&client), before);
}

/// Statements that were short so far run where their request was read; whether they do must not be seen.
#[test]
fn a_statement_that_takes_long_after_short_ones_is_answered_like_any_other() {
    let server = Server::start_with(&[("FIRN_SYNC_WAIT_MS", "400")]);
    let client = set_up(&server);
    for number in 0..TIMES {
        let short = "SELECT COUNT(*) FROM TEMPLATES.PUBLIC.T A, TEMPLATES.PUBLIC.T B WHERE A.ID = B.ID";
        let answer = client.sql_to_its_end(&format!("{short} -- {number}"));
        assert_eq!(answer.rows()[0][0].as_deref(), Some("60"), "{answer}");
    }
    let long = "SELECT COUNT(*) FROM TEMPLATES.PUBLIC.T A, TEMPLATES.PUBLIC.T B \
                WHERE EDITDISTANCE(REPEAT(A.S || B.S, 1000), REPEAT(B.S || A.S, 1000)) = -1";
    let running = client.sql_with(long, json!({"parameters": {"use_cached_result": "false"}}));
    assert_eq!(running.status, 202, "{running}");
    assert_eq!(client.cancel(&running.handle()).status, 200);
    let limited = client.sql_with(long, json!({"timeout": 1, "parameters": {"use_cached_result": "false"}}));
    assert_eq!(client.outcome(&limited.handle()).code(), "000630");
    let failed = client.sql_to_its_end("SELECT ID / (ID - ID) FROM TEMPLATES.PUBLIC.T");
    assert_eq!((failed.status, failed.code()), (422, "100051".to_owned()), "{failed}");
}

/// A query that was short with other values does not block other requests when it takes long. It runs with a cached plan,
/// as the metric shows; whether the long ones begin on the thread that read their request depends on the time that the
/// short ones took, and must not be visible.
#[test]
fn a_value_that_takes_long_is_answered_like_any_long_statement() {
    let server = Server::start_with(&[("FIRN_SYNC_WAIT_MS", "400")]);
    let client = set_up(&server);
    for statement in [
        "CREATE TABLE TEMPLATES.PUBLIC.L (ID INT)",
        "INSERT INTO TEMPLATES.PUBLIC.L SELECT SEQ4() FROM TABLE(GENERATOR(ROWCOUNT => 48000)) G",
    ] {
        assert_eq!(client.sql_to_its_end(statement).status, 200, "{statement}");
    }
    let pairs = |below: usize| {
        format!(
            "SELECT COUNT(*) FROM TEMPLATES.PUBLIC.L A JOIN TEMPLATES.PUBLIC.L B ON A.ID <= B.ID + 1 - MOD(B.ID, 2) \
             WHERE A.ID < {below}"
        )
    };
    let fresh = || json!({"parameters": {"use_cached_result": "false"}});
    let count = |below: usize| client.sql_to_its_end_with(&pairs(below), fresh()).rows()[0][0].clone();
    // A.ID is at most the odd number at or after B.ID: two more for every pair of B's, from the end.
    let expected = |below: usize| (0..below).map(|id| 48_000 - id / 2 * 2).sum::<usize>();
    for below in [1, 2, 3, 1, 2, 3, 1, 2, 3] {
        assert_eq!(count(below), Some(expected(below).to_string()));
    }
    // The first three show that more will come.
    assert_eq!(run_with_cached_plans(&client), 6);
    // A thousand million pairs.
    let long = client.sql_with(&pairs(48_000), fresh());
    assert_eq!(long.status, 202, "{long}");
    let ended = client.cancel(&long.handle());
    assert_eq!(ended.status, 200, "{ended}");
    let limited = client.sql_with(&pairs(47_999), json!({"timeout": 1, "parameters": {"use_cached_result": "false"}}));
    assert_eq!(client.outcome(&limited.handle()).code(), "000630");
    assert_eq!(count(2).as_deref(), Some("96000"));
    assert_eq!(run_with_cached_plans(&client), 7);
}
