//! A history of more statements than QUERY_HISTORY returns at once: the arguments decide which, wherever they stand in it.

use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use firn_tests::{Client, Request, Server};
use rusqlite::{Connection, params};
use serde_json::{Value, json};
use uuid::Uuid;

const STATEMENTS: i64 = 12_000;
/// One begins every tenth of a second, and takes half of that.
const STEP_MS: i64 = 100;
const TOOK_MS: i64 = 50;
const HISTORY: &str = "SNOWFLAKE.INFORMATION_SCHEMA.QUERY_HISTORY";

struct Past {
    server: Server,
    low: String,
    began_on_ms: i64,
}

/// Statements in turns: the administrator's, one of LOW, and one of LOW in a procedure with the administrator's rights.
fn past() -> Past {
    let mut server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE ROLE LOW_ROLE");
    admin.rows("CREATE USER LOW TYPE = SERVICE DEFAULT_ROLE = LOW_ROLE DEFAULT_WAREHOUSE = COMPUTE_WH");
    admin.rows("GRANT ROLE LOW_ROLE TO USER LOW");
    let low = admin.rows("ALTER USER LOW ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    assert!(server.terminate().success());
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
    let began_on_ms = now.as_millis() as i64 - 7_200_000;
    fill(server.data_dir(), began_on_ms);
    Past { server: server.start_again(), low, began_on_ms }
}

fn fill(data: &Path, began_on_ms: i64) {
    let mut state = Connection::open(data.join("firn.sqlite")).unwrap();
    let user = |name: &str| -> i64 {
        state.query_row("SELECT id FROM users WHERE name = ?1", [name], |row| row.get(0)).unwrap()
    };
    let (admin, low) = (user("ADMIN"), user("LOW"));
    let parent = Uuid::now_v7();
    let transaction = state.transaction().unwrap();
    let mut insert = transaction
        .prepare(
            "INSERT INTO statements (handle, user_id, parent, created_on_ms, role, warehouse, text, finished_on_ms, expires_on_ms, \
             state, code, sql_state, message, result_rows, session, result_expired) \
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, 0, '090001', '00000', 'done', 1, ?9, 1)",
        )
        .unwrap();
    for number in 0..STATEMENTS {
        let (user, role, parent) = match number % 3 {
            0 => (admin, "ACCOUNTADMIN", None),
            1 => (low, "LOW_ROLE", None),
            _ => (low, "ACCOUNTADMIN", Some(&parent.as_bytes()[..])),
        };
        let created_on_ms = began_on_ms + number * STEP_MS;
        let warehouse = if number < 50 { "OLD_WH" } else { "COMPUTE_WH" };
        let session = (number == 7).then_some(77);
        let handle = Uuid::now_v7();
        let text = format!("SELECT 'past', {number}");
        let finished_on_ms = created_on_ms + TOOK_MS;
        let columns = params![
            &handle.as_bytes()[..],
            user,
            parent,
            created_on_ms,
            role,
            warehouse,
            text,
            finished_on_ms,
            session
        ];
        insert.execute(columns).unwrap();
    }
    drop(insert);
    transaction.commit().unwrap();
}

fn count(client: &Client, call: &str) -> String {
    client.cell(&format!("SELECT COUNT(*) FROM TABLE({call}) WHERE QUERY_TEXT LIKE 'SELECT ''past''%'"))
}

fn numbers(client: &Client, call: &str) -> Vec<String> {
    let number = "REGEXP_SUBSTR(QUERY_TEXT, '[0-9]+$')";
    let sql = format!("SELECT {number} FROM TABLE({call}) ORDER BY START_TIME DESC");
    client.rows(&sql).into_iter().map(|row| row[0].clone().unwrap_or_default()).collect()
}

#[test]
fn arguments_find_statements_anywhere_in_a_long_history() {
    let Past { server, low, began_on_ms } = past();
    let (admin, low) = (server.admin(), server.client(&low));
    let at = |number: i64| format!("TO_TIMESTAMP_LTZ({}, 3)", began_on_ms + number * STEP_MS);
    // Of the times one is a literal, the other has to be computed.
    let times =
        format!("END_TIME_RANGE_START => DATEADD('second', 10, {}), END_TIME_RANGE_END => {}", at(0), at(2_000));
    assert_eq!(count(&admin, &format!("{HISTORY}({times}, RESULT_LIMIT => 10000)")), "1900");
    assert_eq!(numbers(&admin, &format!("{HISTORY}({times}, RESULT_LIMIT => 3)")), ["1999", "1998", "1997"]);
    assert_eq!(count(&admin, &format!("{HISTORY}_BY_USER('LOW', {times}, RESULT_LIMIT => 10000)")), "1267");
    assert_eq!(count(&admin, &format!("{HISTORY}_BY_USER(USER_NAME => 'LOW', RESULT_LIMIT => 10000)")), "8000");
    assert_eq!(count(&admin, &format!("{HISTORY}_BY_WAREHOUSE('OLD_WH', RESULT_LIMIT => 10000)")), "50");
    assert_eq!(numbers(&admin, &format!("{HISTORY}_BY_SESSION(77)")), ["7"]);
    // Times of other types, and of none.
    let text = format!("TO_VARCHAR({}, 'YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM')", at(2_000));
    assert_eq!(count(&admin, &format!("{HISTORY}(END_TIME_RANGE_END => {text}, RESULT_LIMIT => 10000)")), "2000");
    assert_eq!(count(&admin, &format!("{HISTORY}(END_TIME_RANGE_END => NULL::TIMESTAMP_LTZ)")), "0");
    let computed = format!("(SELECT MAX(T) FROM (SELECT {} AS T))", at(2_000));
    assert_eq!(count(&admin, &format!("{HISTORY}(END_TIME_RANGE_END => {computed}, RESULT_LIMIT => 10000)")), "2000");
    // Several calls in a statement, and one in a view.
    let [first, last] = [(100, 200), (11_000, 11_100)].map(|(from, until)| {
        format!("{HISTORY}(END_TIME_RANGE_START => {}, END_TIME_RANGE_END => {})", at(from), at(until))
    });
    let both = format!("SELECT COUNT(*) FROM (SELECT * FROM TABLE({first}) UNION ALL SELECT * FROM TABLE({last}))");
    assert_eq!(admin.cell(&both), "200");
    admin.rows("CREATE DATABASE VIEWS");
    admin.rows(&format!("CREATE VIEW VIEWS.PUBLIC.EARLY AS SELECT QUERY_TEXT FROM TABLE({first})"));
    assert_eq!(admin.cell("SELECT COUNT(*) FROM VIEWS.PUBLIC.EARLY"), "100");
    // What LOW does not see takes no place among its rows; others' statements are nobody's.
    assert_eq!(count(&low, &format!("{HISTORY}({times}, RESULT_LIMIT => 10000)")), "634");
    assert_eq!(numbers(&low, &format!("{HISTORY}({times}, RESULT_LIMIT => 3)")), ["1999", "1996", "1993"]);
    assert_eq!(count(&low, &format!("{HISTORY}_BY_USER('ADMIN', {times})")), "0");
    assert_eq!(admin.cell(&format!("SELECT COUNT(*) > {STATEMENTS} FROM {HISTORY}")), "true");
}

#[test]
fn filters_and_sums_look_at_the_whole_history() {
    let Past { server, low, began_on_ms } = past();
    let (admin, low) = (server.admin(), server.client(&low));
    let get = |client: &Client, query: &str| {
        let response = client.send(&Request::get(&format!("/api/v2/history{query}")));
        assert_eq!(response.status, 200, "{response}");
        response.json()
    };
    let texts = |client: &Client, query: &str| -> Vec<String> {
        let listed = get(client, query);
        let text = |entry: &Value| entry["text"].as_str().unwrap().to_owned();
        listed["statements"].as_array().unwrap().iter().map(text).collect()
    };
    // The oldest of all.
    assert_eq!(texts(&admin, "?text=%27PAST%27%2C%200&limit=5"), ["SELECT 'past', 0"]);
    assert_eq!(texts(&low, "?text=%27past%27%2C%2013&state=succeeded&limit=1"), ["SELECT 'past', 1399"]);
    assert_eq!(texts(&low, "?text=%27past%27%2C%202&from=0&until=9&limit=5"), Vec::<String>::new());
    let until = began_on_ms + 10 * STEP_MS;
    assert_eq!(texts(&admin, &format!("?until={until}&limit=2")), ["SELECT 'past', 10", "SELECT 'past', 9"]);
    assert_eq!(texts(&admin, "?user=LOW&text=past&limit=10000").len(), 8_000);
    assert_eq!(texts(&low, "?text=past&limit=10000").len(), 4_000);
    assert_eq!(get(&admin, "/users")["users"], json!(["ADMIN", "LOW"]));
    let load = |client: &Client, warehouse: &str| -> (u64, u64) {
        let load = get(client, &format!("/load?from={}&slice=300", began_on_ms - 300_000));
        let slices = load["slices"].as_array().unwrap().iter().filter(|slice| slice["warehouse"] == warehouse);
        let number = |slice: &Value, field: &str| slice[field].as_u64().unwrap();
        slices.fold((0, 0), |(statements, elapsed), slice| {
            (statements + number(slice, "statements"), elapsed + number(slice, "elapsedMs"))
        })
    };
    assert_eq!(load(&admin, "OLD_WH"), (50, 50 * TOOK_MS as u64));
    assert!(load(&admin, "COMPUTE_WH").0 >= STATEMENTS as u64 - 50);
    assert_eq!(load(&low, "OLD_WH"), (17, 17 * TOOK_MS as u64));
}
