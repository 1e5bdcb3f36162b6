//! Statements that differ in values only run with a cached plan. The result must be the same as on the full path, which a
//! statement takes that is profiled.

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
    ask_with(client, statement, json!({}))
}

fn ask_with(client: &Client, statement: &str, bindings: Value) -> Value {
    answer(client, statement, bindings, "use_cached_result", "false")
}

fn ask_on_the_whole_way(client: &Client, statement: &str, bindings: Value) -> Value {
    answer(client, statement, bindings, "profile", "true")
}

fn answer(client: &Client, statement: &str, bindings: Value, parameter: &str, value: &str) -> Value {
    let body = json!({"parameters": {parameter: value}, "bindings": bindings});
    let answer = client.sql_with(statement, body).json();
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
        let whole = ask_on_the_whole_way(client, &statement, json!({}));
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

/// The statement with a placeholder for each of its values, and what is bound to them.
fn bound(form: &str, type_name: &str, value: &str) -> (String, Value) {
    let quoted = form.contains("'{}'");
    let (written, mark) = if quoted { ("'{}'", "?") } else { ("{}", "?") };
    let places = 1..=form.matches(written).count();
    let binding = |place: usize| (place.to_string(), json!({"type": type_name, "value": value}));
    (form.replace(written, mark), Value::Object(places.map(binding).collect()))
}

#[test]
fn bound_values_are_answered_as_on_the_whole_way() {
    let server = Server::start();
    let client = set_up(&server);
    let check = |form: &str, type_name: &str, values: &[&str]| {
        for value in values {
            let (statement, bindings) = bound(form, type_name, value);
            let quick = ask_with(&client, &statement, bindings.clone());
            let whole = ask_on_the_whole_way(&client, &statement, bindings.clone());
            assert_eq!(quick, whole, "{statement} {bindings}");
        }
    };
    let look_up = "SELECT ID, S FROM TEMPLATES.PUBLIC.T WHERE ID = {}";
    check(look_up, "FIXED", &["1", "2", "3", "4", "5", "-6", "7.5", "007", "8"]);
    assert!(run_with_cached_plans(&client) >= 2, "numbers that are bound are parameters of a plan");
    for form in WITH_NUMBERS {
        check(form, "FIXED", &["1", "2", "3", "4", "5", "-1", "6", "2.5"]);
        check(form, "FIXED", &["10", "11", "12", "13", "14"]);
    }
    let before = run_with_cached_plans(&client);
    check(WITH_TEXTS[0], "TEXT", &["name 1", "name 2", "name 3", "name 4", "it's", "a\\b", "", "name 5"]);
    assert!(run_with_cached_plans(&client) > before, "texts that are bound are parameters of a plan");
    for form in WITH_TEXTS.iter().filter(|form| !form.contains("\"'")) {
        check(
            form,
            "TEXT",
            &["name 1", "name 2", "name 3", "name 4", "it's", "a\\b", "", "%", "é", "month", "2024-01-05"],
        );
    }
    // Other values, or other types, with the same text of the statement.
    let (statement, bindings) = bound("SELECT {} AS A", "FIXED", "5");
    for _ in 0..TIMES {
        assert_eq!(ask_with(&client, &statement, bindings.clone())[1], json!([["5"]]));
    }
    for (type_name, value) in [("TEXT", "5"), ("REAL", "5.5"), ("BOOLEAN", "true"), ("FIXED", "9")] {
        let (_, bindings) = bound("SELECT {} AS A", type_name, value);
        assert_eq!(ask_with(&client, &statement, bindings)[1], json!([[value]]), "{type_name}");
    }
    let (_, nothing) = bound("SELECT 1", "FIXED", "5");
    assert_eq!(ask_with(&client, &statement, nothing)[2], json!("002049"));
}

/// Tools say in comments who asks, in which request.
#[test]
fn comments_and_semicolons_around_a_statement_do_not_make_it_another_one() {
    let server = Server::start();
    let client = set_up(&server);
    let look = |before: &str, id: usize, after: &str| {
        let statement = format!("{before}SELECT S FROM TEMPLATES.PUBLIC.T WHERE ID = {id}{after}");
        assert_eq!(ask(&client, &statement)[1], json!([[format!("name {id}")]]), "{statement}");
    };
    (10..14).for_each(|id| look("", id, ""));
    let before = run_with_cached_plans(&client);
    look("/* {\"app\": \"x\", \"id\": 1} */ ", 14, "");
    look("-- request 2\n", 15, "");
    look("", 16, "; ");
    look("", 17, " /* trace 'a' */ -- 3");
    look("", 18, ";\n-- done\n");
    assert_eq!(run_with_cached_plans(&client), before + 5);
    // What a comment hides is no part of the statement, and what follows it is.
    let hidden = "SELECT COUNT(*) FROM TEMPLATES.PUBLIC.T WHERE ID < 5 -- OR ID = 50\n OR ID > 57";
    assert_eq!(ask(&client, hidden)[1], json!([["7"]]));
    // A plan that fails is followed by the whole way, with the request's text.
    (10..14).for_each(|n| assert_eq!(ask(&client, &format!("SELECT 90 / ({n} - 20) AS Q"))[2], json!("090001")));
    let failed = client.sql("-- first line\nSELECT 90 / (20 - 20) AS Q;");
    assert_eq!((failed.status, failed.code()), (422, "100051".to_owned()), "{failed}");
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
