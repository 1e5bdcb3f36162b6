//! Functions whose values grow in the engine's vectors: they count against the memory limit, and a cancel ends them.

use std::sync::atomic::{AtomicBool, Ordering};

use firn_tests::{Request, Server};
use serde_json::json;

/// Each would take hundreds of gigabytes if all of its rows were made at once.
const GROWING: [&str; 13] = [
    "SELECT MAX(LENGTH(REPEAT('x', 100000000 + SEQ4()))) FROM TABLE(GENERATOR(ROWCOUNT => 5000))",
    "SELECT MAX(LENGTH(SPACE(100000000 + SEQ4()))) FROM TABLE(GENERATOR(ROWCOUNT => 5000))",
    "SELECT MAX(LENGTH(RPAD('x', 100000000 + SEQ4(), 'ab'))) FROM TABLE(GENERATOR(ROWCOUNT => 5000))",
    "SELECT MAX(LENGTH(REPLACE(REPEAT('x', 10000), 'x', REPEAT('y', 10000 + SEQ4())))) FROM TABLE(GENERATOR(ROWCOUNT => 5000))",
    "SELECT MAX(ARRAY_SIZE(ARRAY_GENERATE_RANGE(0, 10000000 + SEQ4()))) FROM TABLE(GENERATOR(ROWCOUNT => 5000))",
    "SELECT MAX(LENGTH(RANDSTR(1000000, RANDOM()))) FROM TABLE(GENERATOR(ROWCOUNT => 5000))",
    "SELECT ARRAY_SIZE(PARSE_JSON('[' || REPEAT('{},', 40000000) || '1]'))",
    "SELECT PARSE_XML('<a>' || REPEAT('<b/>', 30000000) || '</a>')",
    "SELECT ARRAY_INSERT([], 15999999, 1)",
    "SELECT SPLIT(REPEAT(',', 100000000), ',')",
    "SELECT ARRAY_AGG(REPEAT('z', 10000)) OVER () FROM TABLE(GENERATOR(ROWCOUNT => 10000))",
    "SELECT OBJECT_AGG(SEQ8()::VARCHAR, REPEAT('z', 10000)::VARIANT) OVER () FROM TABLE(GENERATOR(ROWCOUNT => 10000))",
    "SELECT OBJECT_CONSTRUCT('a', x) FROM (SELECT REPEAT('z', 100000000) x) CROSS JOIN TABLE(GENERATOR(ROWCOUNT => 10000))",
];

#[test]
fn what_one_function_makes_of_a_batch_counts_against_the_memory() {
    let server = Server::start_with(&[("FIRN_MEMORY_LIMIT", "300MB")]);
    let admin = server.admin();
    for statement in GROWING {
        let refused = admin.sql(statement);
        // A value may be too long for any memory.
        let is_expected = ["300010", "100082"].contains(&refused.code().as_str());
        assert!(refused.status == 422 && is_expected, "{statement}: {refused}");
    }
    assert_eq!(admin.cell("SELECT LENGTH(REPEAT('x', 10000000))"), "10000000");
}

/// Each has one long value in every row of its result.
const REPEATED: [&str; 7] = [
    "SELECT REPEAT('x', 100000000) FROM TABLE(GENERATOR(ROWCOUNT => 5000))",
    "SELECT SEQ4(), IFF(SEQ4() % 2 = 0, REPEAT('x', 50000000), '') FROM TABLE(GENERATOR(ROWCOUNT => 5000))",
    "SELECT s FROM long CROSS JOIN TABLE(GENERATOR(ROWCOUNT => 5000))",
    "SELECT s FROM long CROSS JOIN many",
    "SELECT (SELECT MAX(s) FROM long) AS s, k FROM many",
    "SELECT TO_VARIANT(s) FROM (SELECT s FROM long) CROSS JOIN many",
    "COPY INTO @~/long FROM (SELECT s FROM long CROSS JOIN many)",
];

#[test]
fn a_long_value_in_every_row_counts_against_the_memory() {
    let server = Server::start_with(&[("FIRN_MEMORY_LIMIT", "1GB")]);
    let admin = server.admin();
    admin.rows("CREATE DATABASE d");
    let in_database = json!({"database": "D", "schema": "PUBLIC"});
    for made in [
        "CREATE TABLE long AS SELECT 1 AS k, REPEAT('x', 10000000) AS s",
        "CREATE TABLE many AS SELECT 1 AS k FROM TABLE(GENERATOR(ROWCOUNT => 5000))",
    ] {
        assert_eq!(admin.sql_with(made, in_database.clone()).status, 200, "{made}");
    }
    for statement in REPEATED {
        let refused = admin.sql_with(statement, in_database.clone());
        assert_eq!((refused.status, refused.code().as_str()), (422, "300010"), "{statement}: {refused}");
    }
    let few = "SELECT LENGTH(s) FROM (SELECT s FROM long CROSS JOIN (SELECT * FROM many LIMIT 3))";
    assert_eq!(admin.sql_with(few, in_database.clone()).status, 200);
    let answered = admin.sql_with("SELECT s FROM long CROSS JOIN many LIMIT 2", in_database);
    assert_eq!(answered.status, 200, "{answered}");
}

/// Each makes long texts with the engine's own functions: more in one batch of rows, or in the rows it sorts and groups, than
/// any machine has.
const LENGTHENED: [&str; 12] = [
    "SELECT REPEAT('x', 100000000) FROM TABLE(GENERATOR(ROWCOUNT => 2000)) ORDER BY 1",
    "SELECT MAX(LENGTH(a.s || b.s)) FROM texts a CROSS JOIN texts b",
    "SELECT a.s || b.s FROM texts a CROSS JOIN texts b",
    "SELECT MAX(LENGTH(CONCAT(a.s, b.s, a.s))) FROM texts a CROSS JOIN texts b",
    "SELECT MAX(LENGTH(UPPER(a.s))), MAX(LENGTH(REVERSE(a.s))) FROM texts a CROSS JOIN texts b",
    "SELECT COUNT(DISTINCT a.s || b.s) FROM texts a CROSS JOIN texts b",
    "SELECT a.s || b.s, COUNT(*) FROM texts a CROSS JOIN texts b GROUP BY 1",
    "SELECT REPLACE(a.s, 'a', 'yyy') FROM texts a CROSS JOIN texts b ORDER BY 1",
    "SELECT LISTAGG(a.s) FROM texts a CROSS JOIN texts b",
    "SELECT ARRAY_AGG(a.s) FROM texts a CROSS JOIN texts b",
    "SELECT MIN(s || '1') OVER (ORDER BY k) FROM (SELECT a.k, a.s FROM texts a CROSS JOIN texts b)",
    "CREATE TABLE copies AS SELECT a.s || b.s AS s FROM texts a CROSS JOIN texts b",
];

const RECURSIVE: &str = "WITH RECURSIVE r AS (SELECT 1 AS n, 'abcdefgh' AS s UNION ALL SELECT n + 1, s || s FROM r WHERE n < 40) \
                         SELECT MAX(LENGTH(s)) FROM r";

#[test]
fn long_texts_of_the_engine_count_against_the_memory() {
    let mut server = Server::start_with(&[("FIRN_MEMORY_LIMIT", "600MB")]);
    let admin = server.admin();
    admin.rows("CREATE DATABASE d");
    let in_database = json!({"database": "D", "schema": "PUBLIC"});
    let texts = "CREATE TABLE texts AS SELECT SEQ4() AS k, REPEAT(CHR(97 + SEQ4() % 20), 1000000) AS s \
                 FROM TABLE(GENERATOR(ROWCOUNT => 60))";
    assert_eq!(admin.sql_with(texts, in_database.clone()).status, 200);
    for statement in LENGTHENED.iter().chain([&RECURSIVE]) {
        let refused = admin.sql_with(statement, in_database.clone());
        assert_eq!((refused.status, refused.code().as_str()), (422, "300010"), "{statement}: {refused}");
    }
    let counted = admin.sql_with("SELECT COUNT(*), SUM(LENGTH(s)) FROM texts", in_database);
    assert_eq!(counted.json()["data"][0], json!(["60", "60000000"]), "{counted}");
    let (peak, limit) = (server.peak_memory_bytes(), 600_000_000 + (512 << 20));
    assert!(peak < limit + (128 << 20), "{peak} bytes");
    assert!(server.terminate().success(), "{}", server.log());
}

/// Each makes one value that would be longer than any may be, the first of them of fifty gigabytes.
const TOO_LONG: [&str; 8] = [
    "SELECT ARRAY_TO_STRING(ARRAY_GENERATE_RANGE(0, 5000000), REPEAT('x', 10000))",
    "SELECT REGEXP_REPLACE(REPEAT('a', 10000000), 'a', REPEAT('b', 100000))",
    "SELECT TO_JSON(ARRAY_CONSTRUCT(REPEAT(CHR(1), 100000000)))",
    "SELECT STRTOK_TO_ARRAY(REPEAT('a ', 60000000), ' ')",
    "SELECT REGEXP_SUBSTR_ALL(REPEAT('a', 100000000), 'a')",
    "SELECT LENGTH(BASE64_ENCODE(REPEAT('a', 120000000)))",
    "SELECT LENGTH(HEX_ENCODE(REPEAT('a', 70000000)))",
    "SELECT REPLACE(TO_BINARY(REPEAT('61', 1000000)), TO_BINARY('61'), TO_BINARY(REPEAT('62', 1000000)))",
];

#[test]
fn a_value_that_is_too_long_is_refused_while_it_is_made() {
    let server = Server::start_with(&[("FIRN_MEMORY_LIMIT", "1GB")]);
    let admin = server.admin();
    for statement in TOO_LONG {
        let refused = admin.outcome(&admin.submit_async(statement));
        assert_eq!((refused.status, refused.code().as_str()), (422, "100082"), "{statement}: {refused}");
    }
    assert_eq!(admin.cell("SELECT LENGTH(ARRAY_TO_STRING(ARRAY_GENERATE_RANGE(0, 3), 'xx'))"), "7");
}

#[test]
fn a_time_limit_ends_what_takes_long_for_one_row() {
    let server = Server::start();
    let admin = server.admin();
    for statement in [
        "SELECT EDITDISTANCE(REPEAT('ab', 9000), REPEAT('ba', 9000) || SEQ4()) FROM TABLE(GENERATOR(ROWCOUNT => 100000))",
        "SELECT MAX(LENGTH(RANDSTR(10000, SEQ4()))) FROM TABLE(GENERATOR(ROWCOUNT => 10000000))",
    ] {
        let stopped = admin.sql_with(statement, json!({"timeout": 1}));
        assert_eq!(stopped.code(), "000630", "{statement}: {stopped}");
    }
}

/// Each holds long values in variables, an array, a result set or a cursor, which are copied by the statements with them.
const HELD_BY_BLOCKS: [&str; 4] = [
    "BEGIN LET a VARCHAR := REPEAT('x', 120000000); LET b VARCHAR := a || '0'; LET c VARCHAR := a || '1'; RETURN LENGTH(b || c); END;",
    "DECLARE a ARRAY DEFAULT ARRAY_CONSTRUCT(REPEAT('x', 120000000)); BEGIN RETURN a; END;",
    "DECLARE r RESULTSET DEFAULT (SELECT REPEAT('x', 120000000) AS s); BEGIN RETURN TABLE(r); END;",
    "DECLARE c CURSOR FOR SELECT REPEAT('x', 120000000) AS s; a VARCHAR; b VARCHAR; BEGIN OPEN c; FETCH c INTO a; b := a || 'y'; \
     RETURN b; END;",
];

#[test]
fn values_of_blocks_count_against_the_memory() {
    let mut server = Server::start_with(&[("FIRN_MEMORY_LIMIT", "600MB")]);
    let admin = server.admin();
    let answers: Vec<_> = std::thread::scope(|scope| {
        let clients = (0..16).map(|client| {
            let admin = &admin;
            scope.spawn(move || admin.outcome(&admin.submit_async(HELD_BY_BLOCKS[client % HELD_BY_BLOCKS.len()])))
        });
        let clients: Vec<_> = clients.collect();
        clients.into_iter().map(|client| client.join().expect("a client")).collect()
    });
    for answer in &answers {
        let outcome = (answer.status, answer.code());
        assert!([(200, "090001"), (422, "300010")].contains(&(outcome.0, outcome.1.as_str())), "{answer}");
    }
    assert!(answers.iter().any(|answer| answer.status == 422));
    let small =
        "DECLARE r RESULTSET DEFAULT (SELECT 1 AS a); a VARCHAR DEFAULT REPEAT('x', 1000); BEGIN RETURN TABLE(r); END;";
    assert_eq!(admin.cell(small), "1");
    // Each of the statements that run at a time is spared for its first 64 MB.
    let (peak, limit) = (server.peak_memory_bytes(), 600_000_000 + (512 << 20));
    assert!(peak < limit + (768 << 20), "{peak} bytes");
    assert!(server.terminate().success(), "{}", server.log());
}

/// Their trees are a few hundred times as large as their texts.
#[test]
fn long_statements_count_against_the_memory() {
    let mut server = Server::start_with(&[("FIRN_MEMORY_LIMIT", "300MB")]);
    let admin = server.admin();
    let columns: Vec<String> = (0..15_000).map(|number| format!("{number} AS C{number}")).collect();
    let constants: Vec<String> = (0..130_000).map(|number| number.to_string()).collect();
    let texts = [format!("SELECT {}", columns.join(", ")), format!("SELECT 1 WHERE 1 IN ({})", constants.join(","))];
    let answers: Vec<_> = std::thread::scope(|scope| {
        let clients = (0..8).map(|client| {
            let (admin, text) = (&admin, format!("{} -- {client}", texts[client % texts.len()]));
            scope.spawn(move || {
                let request = Request::statement(&text, json!({})).query("async", "true");
                let submitted = admin.send(&request);
                if submitted.status == 202 { admin.outcome(&submitted.handle()) } else { submitted }
            })
        });
        let clients: Vec<_> = clients.collect();
        clients.into_iter().map(|client| client.join().expect("a client")).collect()
    });
    for answer in &answers {
        assert!(answer.status == 200 || answer.code() == "300010", "{}", &answer.text()[..300]);
    }
    assert!(answers.iter().any(|answer| answer.status == 200), "those that have room are served");
    let (peak, limit) = (server.peak_memory_bytes(), 300_000_000 + (512 << 20));
    assert!(peak < limit + (128 << 20), "{peak} bytes");
    assert!(server.terminate().success(), "{}", server.log());
}

/// What a large change takes of the engine's memory is not there for the commits of others; they have a reserve.
#[test]
fn small_changes_are_committed_beside_one_that_exhausts_the_memory() {
    let server = Server::start_with(&[("FIRN_MEMORY_LIMIT", "300MB"), ("FIRN_THREADS", "2")]);
    let admin = server.admin();
    admin.rows("CREATE DATABASE D");
    admin.rows("CREATE TABLE D.PUBLIC.SMALL (N INT)");
    let texts = "SELECT REPEAT(TO_CHAR(SEQ4() + 1000000), 30) AS S FROM TABLE(GENERATOR(ROWCOUNT => 100000))";
    admin.rows(&format!("CREATE TABLE D.PUBLIC.LARGE AS {texts}"));
    let grow = format!("UPDATE D.PUBLIC.LARGE SET S = {}", ["S"; 45].join(" || "));
    let is_over = AtomicBool::new(false);
    let committed = std::thread::scope(|scope| {
        let small = scope.spawn(|| {
            let client = server.admin();
            let mut committed = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                let number = committed.len().to_string();
                let inserted = client.sql_to_its_end(&format!("INSERT INTO D.PUBLIC.SMALL VALUES ({number})"));
                assert_eq!(inserted.status, 200, "{inserted}");
                committed.push([Some(number)]);
            }
            committed
        });
        let change = "UPDATE D.PUBLIC.LARGE SET S = S || 'x'";
        let ends: Vec<_> = (0..6).map(|round| admin.sql_to_its_end([grow.as_str(), change][round % 2])).collect();
        is_over.store(true, Ordering::Relaxed);
        for (round, ended) in ends.iter().enumerate() {
            let expected = [(422, "300010"), (200, "090001")][round % 2];
            assert_eq!((ended.status, ended.code().as_str()), expected, "round {round}: {ended}");
        }
        small.join().unwrap()
    });
    assert_eq!(admin.rows("SELECT N FROM D.PUBLIC.SMALL ORDER BY N"), committed);
    assert!(!server.log().contains("starts anew"), "{}", server.log());
}
