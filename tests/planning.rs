//! Statements that the engine takes long to plan: a time limit and a cancel end them all the same, and they hold up
//! neither others nor the server's end.

use std::thread;
use std::time::Duration;

use firn_tests::Server;
use firn_tests::client::{Client, Request};
use serde_json::json;

/// Every table is joined to every other; to find an order takes the engine longer than any test.
fn long_to_plan() -> String {
    const TABLES: usize = 130;
    let tables: Vec<String> = (0..TABLES).map(|table| format!("PLANNED.PUBLIC.T T{table}")).collect();
    let pairs = (0..TABLES).flat_map(|left| (0..left).map(move |right| format!("T{left}.A = T{right}.B")));
    format!("SELECT COUNT(*) FROM {} WHERE {}", tables.join(", "), pairs.collect::<Vec<_>>().join(" AND "))
}

fn set_up(server: &Server) -> Client {
    let admin = server.admin();
    admin.rows("CREATE DATABASE PLANNED");
    admin
        .rows("CREATE TABLE PLANNED.PUBLIC.T AS SELECT SEQ4() AS A, SEQ4() AS B FROM TABLE(GENERATOR(ROWCOUNT => 10))");
    admin
}

#[test]
fn a_time_limit_and_a_cancel_end_what_is_being_planned() {
    let mut server = Server::start();
    let admin = set_up(&server);
    let answer = admin.sql_with(&long_to_plan(), json!({"timeout": 1}));
    assert_eq!((answer.status, answer.code().as_str()), (408, "000630"), "{}", answer.text());

    let handle = admin.submit_async(&long_to_plan());
    thread::sleep(Duration::from_millis(500));
    assert_eq!(admin.status(&handle).status, 202, "it is being planned");
    let cancelled = admin.cancel(&handle);
    assert_eq!(cancelled.status, 200, "{}", cancelled.text());
    let ended = admin.outcome(&handle);
    assert_eq!((ended.status, ended.code().as_str()), (422, "000604"), "{}", ended.text());

    assert_eq!(admin.cell("SELECT COUNT(*) FROM PLANNED.PUBLIC.T"), "10");
    assert!(server.terminate().success(), "{}", server.log());
}

/// The engine does not notice it before it has planned: the statement has ended for everybody at once.
#[test]
fn a_statement_of_a_set_that_is_stopped_while_it_is_planned_is_recorded_as_cancelled() {
    let server = Server::start();
    let admin = set_up(&server);
    let set = format!("SELECT 'first'; {}; SELECT 'last'", long_to_plan());
    let request = Request::statement(&set, json!({"parameters": {"MULTI_STATEMENT_COUNT": "3"}}));
    let submitted = admin.send(&request.query("async", "true"));
    assert_eq!(submitted.status, 202, "{submitted}");
    let handle = submitted.handle();
    let children = || admin.status(&handle).json()["statementHandles"].clone();
    let first = children()[0].as_str().unwrap().to_owned();
    assert!(firn_tests::comes_true(|| admin.status(&first).status == 200));
    thread::sleep(Duration::from_millis(500));
    let planned = children()[1].as_str().unwrap().to_owned();
    assert_eq!(admin.status(&planned).status, 202, "it is being planned");
    assert_eq!(admin.cancel(&handle).status, 200);
    let ended = admin.status(&planned);
    assert_eq!((ended.status, ended.code().as_str()), (422, "000604"), "{ended}");
    let history = "SELECT QUERY_ID, ERROR_CODE FROM TABLE(FIRN.INFORMATION_SCHEMA.QUERY_HISTORY())";
    let recorded = admin.rows(&format!("{history} WHERE QUERY_ID IN ('{first}', '{planned}') ORDER BY START_TIME"));
    assert_eq!(recorded, [[Some(first), None], [Some(planned.clone()), Some("000604".to_owned())]]);
    // Once the engine has noticed it, it is recorded no second time.
    assert!(firn_tests::comes_true(|| admin.cell("SELECT COUNT(*) FROM PLANNED.PUBLIC.T") == "10"));
    assert_eq!(admin.status(&planned).code(), "000604");
}

/// Every statement waits while a database is renamed, and the renaming waits for what is being planned.
#[test]
fn a_cancel_and_a_time_limit_end_what_waits_for_a_renaming() {
    let server = Server::start();
    let admin = set_up(&server);
    admin.rows("CREATE DATABASE RENAMED");
    let planned = admin.submit_async(&long_to_plan());
    // Until the engine has begun to plan.
    let mut names = ["RENAMED", "RENAMED_TOO"].into_iter().cycle().take(60);
    let mut from = names.next();
    let renaming = names.find_map(|to| {
        let handle = admin.submit_async(&format!("ALTER DATABASE {} RENAME TO {to}", from.replace(to)?));
        thread::sleep(Duration::from_millis(300));
        (admin.status(&handle).status == 202).then_some(handle)
    });
    let renaming = renaming.expect("a renaming waits for the plan");
    let waiting = admin.submit_async("SELECT MAX(A) + 17 FROM PLANNED.PUBLIC.T");
    thread::sleep(Duration::from_millis(200));
    assert_eq!(admin.status(&waiting).status, 202, "it waits");
    assert_eq!(admin.cancel(&waiting).status, 200);
    let ended = admin.outcome(&waiting);
    assert_eq!((ended.status, ended.code().as_str()), (422, "000604"), "{}", ended.text());

    let late = admin.sql_with("SELECT MAX(A) + 18 FROM PLANNED.PUBLIC.T", json!({"timeout": 1}));
    assert_eq!((late.status, late.code().as_str()), (408, "000630"), "{}", late.text());
    assert_eq!(admin.status(&renaming).status, 202, "the renaming waits for the plan");
    assert_eq!(admin.cancel(&planned).status, 200);
    let renamed = admin.outcome(&renaming);
    assert_eq!(renamed.status, 200, "{}", renamed.text());
}

/// A query around a query, each of which reads its column twice.
fn doubled(levels: usize, expression: &str) -> String {
    let inside = "SELECT A FROM PLANNED.PUBLIC.T".to_owned();
    (0..levels).fold(inside, |inside, _| format!("SELECT {expression} AS A FROM ({inside})"))
}

fn listed(count: usize, between: &str, item: impl Fn(usize) -> String) -> String {
    (0..count).map(item).collect::<Vec<_>>().join(between)
}

/// Statements for which the engine makes trees that are far larger than their text.
fn large_to_plan() -> Vec<String> {
    const T: &str = "PLANNED.PUBLIC.T";
    let columns = listed(12, ", ", |index| format!("C{index}"));
    let of_columns = listed(12, ", ", |index| format!("A + {index} AS C{index}"));
    vec![
        doubled(8, "UPPER(A) || LOWER(A)"),
        doubled(24, "UPPER(A) || LOWER(A)"),
        doubled(20, "ARRAY_CAT(TO_ARRAY(A), TO_ARRAY(A))"),
        format!(
            "WITH C0 AS (SELECT A FROM {T}), {} SELECT A FROM C24",
            listed(24, ", ", |step| format!("C{} AS (SELECT UPPER(A) || LOWER(A) AS A FROM C{step})", step + 1))
        ),
        format!(
            "SELECT A AS A0, {} FROM {T}",
            listed(24, ", ", |step| format!("UPPER(A{step}) || LOWER(A{step}) AS A{}", step + 1))
        ),
        format!("SELECT COUNT(*) FROM (SELECT {of_columns} FROM {T}) GROUP BY CUBE ({columns})"),
        format!(
            "SELECT COUNT(*) FROM (SELECT {of_columns} FROM {T}) GROUP BY GROUPING SETS ({})",
            listed(5_000, ", ", |index| format!("(C0, C{})", index % 12))
        ),
        format!(
            "SELECT COUNT(*) FROM {T} WHERE {}",
            listed(200, " OR ", |index| format!("A IN (SELECT B FROM {T} WHERE A <> {index})"))
        ),
        format!("SELECT * FROM {T} PIVOT (MAX(B) FOR A IN ({}))", listed(3_000, ", ", |index| index.to_string())),
        format!(
            "SELECT COUNT(*) FROM {T} T0 {}",
            listed(900, " ", |index| format!("LEFT JOIN {T} T{} ON T{}.A = T{index}.B", index + 1, index + 1))
        ),
        format!("SELECT {} FROM {T}", listed(1_500, ", ", |index| format!("COUNT(DISTINCT A + {index})"))),
        format!("SELECT {} FROM {T}", listed(20_000, ", ", |index| format!("A + {index}"))),
        listed(900, " UNION ", |_| format!("SELECT A FROM {T}")),
    ]
}

#[test]
fn large_plans_end_by_a_limit_and_hold_up_no_others() {
    let mut server = Server::start_with(&[("FIRN_MEMORY_LIMIT", "1GB")]);
    let admin = set_up(&server);
    for statement in large_to_plan() {
        let handle = admin.submit_async(&statement);
        assert_eq!(admin.cell("SELECT COUNT(*) FROM PLANNED.PUBLIC.T"), "10");
        admin.cancel(&handle);
        let answer = admin.sql_with(&statement, json!({"timeout": 2}));
        let shown: String = statement.chars().take(200).collect();
        let code = answer.code();
        assert!(matches!(code.as_str(), "090001" | "000630" | "300010" | "000603"), "{shown}: {}", answer.text());
        assert_eq!(admin.cell("SELECT COUNT(*) FROM PLANNED.PUBLIC.T"), "10");
    }
    let peak = server.peak_memory_bytes();
    assert!(peak < 1_700_000_000, "{peak} bytes");
    assert!(server.terminate().success(), "{}", server.log());
}

/// A value that each level compares twice.
#[test]
fn nested_comparisons_are_planned_in_linear_time() {
    const LEVELS: usize = 60;
    let server = Server::start();
    let nested = |open: &str, close: &str| {
        format!("SELECT {}A{} FROM (SELECT TRUE A)", open.repeat(LEVELS), close.repeat(LEVELS))
    };
    let answer = server.admin().sql_with(&nested("(", " BETWEEN FALSE AND TRUE)"), json!({"timeout": 8}));
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.json()["data"], json!([["true"]]));
}

/// The engine has a long list of literals as one value; what a comparison means is as with a short one.
#[test]
fn long_lists_of_literals_compare_as_short_ones_do() {
    const ITEMS: usize = 1_000;
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE PLANNED");
    admin.rows(
        "CREATE TABLE PLANNED.PUBLIC.V (N NUMBER(10,2), F FLOAT, T VARCHAR, J VARIANT, K INT) AS SELECT COLUMN1, COLUMN1, COLUMN2, \
         TO_VARIANT(COLUMN2), COLUMN3 FROM VALUES (1, '1', 1), (1.5, 'x', 2), (NULL, NULL, 3), (-7, '-7', 4)",
    );
    let numbers = format!("-7, {}", listed(ITEMS, ", ", |item| item.to_string()));
    let texts = format!("'it''s', {}", listed(ITEMS, ", ", |item| format!("'{item}'")));
    let found = |condition: &str| {
        admin.cell(&format!("SELECT LISTAGG(K, ',') WITHIN GROUP (ORDER BY K) FROM PLANNED.PUBLIC.V WHERE {condition}"))
    };
    for (value, list, within, without) in [
        ("N", &numbers, "1,4", "2"),
        ("F", &numbers, "1,4", "2"),
        ("T", &texts, "1", "2,4"),
        ("J::VARCHAR", &texts, "1", "2,4"),
        ("N", &format!("{numbers}, NULL"), "1,4", ""),
    ] {
        let shown: String = list.chars().take(20).collect();
        assert_eq!(found(&format!("{value} IN ({list})")), within, "{value} IN ({shown} …)");
        assert_eq!(found(&format!("{value} NOT IN ({list})")), without, "{value} NOT IN ({shown} …)");
        assert_eq!(
            found(&format!("({value} IN ({list})) IS NULL AND N IS NOT NULL")),
            if list.ends_with("NULL") { "2" } else { "" }
        );
        assert_eq!(found(&format!("CASE WHEN {value} IN ({list}) THEN FALSE ELSE K = 2 END")), "2");
        assert_eq!(
            found(&format!("EXISTS (SELECT 1 FROM PLANNED.PUBLIC.V I WHERE I.K = V.K AND V.{value} IN ({list}))")),
            within
        );
        assert_eq!(found(&format!("K = 4 OR FILTER([1], E -> E IN ({numbers}))[0] = 2 OR {value} IN ({list})")), "1,4");
    }
    admin.rows(&format!("UPDATE PLANNED.PUBLIC.V SET T = 'set' WHERE N IN ({numbers})"));
    assert_eq!(found("T = 'set'"), "1,4");
    admin.rows(&format!("DELETE FROM PLANNED.PUBLIC.V WHERE T NOT IN ({texts})"));
    assert_eq!(found("TRUE"), "3");
}

/// The rows are inserted in parts, all or none of them.
#[test]
fn long_lists_of_values_are_inserted_within_a_small_memory() {
    const COLUMNS: usize = 100;
    const ROWS: usize = 2_500;
    let mut server = Server::start_with(&[("FIRN_MEMORY_LIMIT", "1GB")]);
    let admin = server.admin();
    let columns = listed(COLUMNS, ", ", |column| match column % 2 {
        0 => format!("C{column} INT"),
        _ => format!("C{column} VARCHAR(9)"),
    });
    admin.rows("CREATE DATABASE WIDE");
    admin.rows(&format!("CREATE TABLE WIDE.PUBLIC.T ({columns})"));
    // A megabyte of text at most.
    let values = |wrong: Option<usize>| {
        listed(ROWS, ",", |row| {
            let cell = |column: usize| match column % 2 {
                0 => (row % 10).to_string(),
                _ if wrong == Some(row) => "'longer than it may be'".to_owned(),
                _ => "'a'".to_owned(),
            };
            format!("({})", listed(COLUMNS, ",", cell))
        })
    };
    let refused = admin.sql(&format!("INSERT INTO WIDE.PUBLIC.T VALUES {}", values(Some(ROWS - 1))));
    assert_eq!((refused.status, refused.code().as_str()), (422, "100078"), "{}", refused.text());
    assert_eq!(admin.cell("SELECT COUNT(*) FROM WIDE.PUBLIC.T"), "0", "none of the parts stays");
    let inserted = admin.sql(&format!("INSERT INTO WIDE.PUBLIC.T VALUES {}", values(None)));
    assert_eq!(inserted.status, 200, "{}", inserted.text());
    assert_eq!(inserted.rows()[0][0].as_deref(), Some("2500"));
    let found = admin.rows("SELECT COUNT(*), COUNT_IF(C99 = 'a'), SUM(C98) FROM WIDE.PUBLIC.T");
    assert_eq!(found[0], [ROWS, ROWS, ROWS / 10 * 45].map(|number| Some(number.to_string())), "{found:?}");
    assert!(server.terminate().success(), "{}", server.log());
}

/// Whatever is made of them, it is not the end of the server.
#[test]
fn the_deepest_statements_that_can_be_allowed_are_answered() {
    let mut server = Server::start_with(&[("FIRN_NESTING_DEPTH_MAX", "250")]);
    let admin = server.admin();
    for (before, opening, inside, closing) in [
        ("select ", "(", "1", ")"),
        ("select ", "-(", "1", ")"),
        ("select ", "abs(", "1", ")"),
        ("select ", "case when true then ", "1", " end"),
        ("select ", "(select ", "1", ")"),
        ("select ", "array_construct(", "1", ")"),
        ("", "select * from (", "select 1 as a", ")"),
        ("", "select a.* from (", "select 1 as a", ") a join (select 1 as a) b on a.a = b.a"),
        ("", "with t as (", "select 1 as a", ") select * from t"),
        ("", "select 1 as a where exists (", "select 1 as a", ")"),
        ("", "select 1 as a where 1 in (", "select 1 as a", ")"),
        ("", "select * from (", "select 1 as a, 1 as b", ") pivot (sum(a) for b in (1, 2))"),
    ] {
        for levels in [80, 120, 240] {
            let text = format!("{before}{}{inside}{}", opening.repeat(levels), closing.repeat(levels));
            let answer = admin.sql_with(&text, json!({"timeout": 2}));
            assert!(matches!(answer.status, 200 | 408 | 422), "{levels} × {opening}: {}", answer.text());
        }
    }
    assert_eq!(admin.cell("SELECT 1"), "1");
    assert!(server.terminate().success(), "{}", server.log());
}

/// They are refused without a plan, however long they are.
#[test]
fn long_chains_are_refused_by_name() {
    let mut server = Server::start();
    let admin = server.admin();
    for (statement, what) in [
        (format!("select 1 from t{}", " join t".repeat(20_000)), "joins that have no condition"),
        (format!("select 1 from t{}", " natural join t".repeat(300)), "joins that have no condition"),
        (format!("select 1{}", " is not distinct from 1".repeat(20_000)), "depth of an expression"),
        (
            format!("select 1 as a0, {}", listed(2_000, ", ", |step| format!("a{step} as a{}", step + 1))),
            "aliases behind",
        ),
        (
            format!(
                "with c0 as (select 1 as x), {} select * from c2000",
                listed(2_000, ", ", |step| format!("c{} as (select x from c{step})", step + 1))
            ),
            "common table expressions",
        ),
    ] {
        let answer = admin.sql(&statement);
        assert_eq!(answer.status, 422, "{what}: {}", answer.text());
        assert!(answer.text().contains(what), "{what}: {}", answer.text());
    }
    assert!(server.terminate().success(), "{}", server.log());
}
