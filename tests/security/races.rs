//! Statements that run while names come to stand for other objects: a role reads what it was granted, under whatever name,
//! and nothing else.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use firn_tests::{Client, Response, Server};
use serde_json::{Value, json};

const ROUNDS: usize = 60;
const SETUP: [&str; 24] = [
    "CREATE DATABASE R",
    "CREATE TABLE R.PUBLIC.S AS SELECT 'SECRET' AS A",
    "CREATE TABLE R.PUBLIC.Z AS SELECT 'open' AS A",
    "CREATE VIEW R.PUBLIC.V AS SELECT 'open' AS A",
    "CREATE TABLE R.PUBLIC.G AS SELECT 'open' AS A",
    "CREATE SCHEMA R.OWN",
    "CREATE DATABASE RA",
    "CREATE TABLE RA.PUBLIC.T AS SELECT 'open' AS A",
    "CREATE DATABASE RB",
    "CREATE TABLE RB.PUBLIC.T AS SELECT 'SECRET' AS A",
    "CREATE ROLE READER",
    "GRANT USAGE ON DATABASE R TO ROLE READER",
    "GRANT USAGE ON SCHEMA R.PUBLIC TO ROLE READER",
    "GRANT ALL ON SCHEMA R.OWN TO ROLE READER",
    "GRANT SELECT ON TABLE R.PUBLIC.Z TO ROLE READER",
    "GRANT SELECT ON VIEW R.PUBLIC.V TO ROLE READER",
    "GRANT SELECT ON TABLE R.PUBLIC.G TO ROLE READER",
    "GRANT USAGE ON DATABASE RA TO ROLE READER",
    "GRANT USAGE ON DATABASE RB TO ROLE READER",
    "GRANT USAGE ON SCHEMA RA.PUBLIC TO ROLE READER",
    "GRANT USAGE ON SCHEMA RB.PUBLIC TO ROLE READER",
    "GRANT SELECT ON TABLE RA.PUBLIC.T TO ROLE READER",
    "GRANT ROLE READER TO USER ADMIN",
    "CREATE TABLE R.OWN.TAKEN (A VARCHAR)",
];

const CHANGES: [&str; 6] = [
    "ALTER TABLE R.PUBLIC.S SWAP WITH R.PUBLIC.Z",
    "ALTER DATABASE RA SWAP WITH RB",
    "CREATE OR REPLACE VIEW R.PUBLIC.V AS SELECT 'SECRET' AS A",
    "CREATE OR REPLACE VIEW R.PUBLIC.V AS SELECT 'open' AS A",
    "GRANT SELECT ON VIEW R.PUBLIC.V TO ROLE READER",
    "CREATE OR REPLACE TABLE R.PUBLIC.G COPY GRANTS AS SELECT 'open' AS A",
];

/// Statements of the role; what they take is in their answers or in the table.
const READS: [&str; 7] = [
    "SELECT A FROM R.PUBLIC.S",
    "SELECT A FROM RA.PUBLIC.T",
    "SELECT A FROM R.PUBLIC.V",
    "SELECT A FROM R.PUBLIC.S WHERE A <> '${n}'",
    "INSERT INTO R.OWN.TAKEN SELECT A FROM R.PUBLIC.S",
    "CREATE OR REPLACE TABLE R.OWN.COPY AS SELECT A FROM R.PUBLIC.S",
    "BEGIN; INSERT INTO R.OWN.TAKEN SELECT A FROM R.PUBLIC.Z; INSERT INTO R.OWN.TAKEN SELECT A FROM R.PUBLIC.S; COMMIT",
];

#[test]
fn a_name_that_is_anothers_meanwhile_gives_nothing_away() {
    let server = Server::start();
    let admin = server.admin();
    SETUP.iter().for_each(|statement| drop(admin.rows(statement)));
    admin.rows("GRANT OWNERSHIP ON TABLE R.OWN.TAKEN TO ROLE READER");
    let (is_over, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for reads in [&READS[..4], &READS[4..]] {
            let (reader, is_over, answered) = (server.admin(), &is_over, &answered);
            scope.spawn(move || {
                for (round, read) in reads.iter().cycle().enumerate() {
                    if is_over.load(Ordering::SeqCst) {
                        return;
                    }
                    let rows = taken(&reader, &read.replace("${n}", &round.to_string()));
                    answered.fetch_add(usize::from(rows.contains("open")), Ordering::SeqCst);
                    assert!(!rows.contains("SECRET"), "{read}: {rows}");
                }
            });
        }
        let (reader, is_over) = (server.admin(), &is_over);
        scope.spawn(move || {
            // A long statement is not copied beforehand.
            let long = format!("SELECT A FROM R.PUBLIC.G WHERE A <> '{}'", "x".repeat(70_000));
            while !is_over.load(Ordering::SeqCst) {
                for read in ["SELECT A FROM R.PUBLIC.G", long.as_str()] {
                    let rows = taken(&reader, read);
                    assert!(
                        rows.contains("open"),
                        "a replaced table has the grants of the former one at any time: {rows}"
                    );
                }
            }
        });
        for _ in 0..ROUNDS {
            CHANGES.iter().for_each(|change| drop(admin.sql(change)));
        }
        is_over.store(true, Ordering::SeqCst);
    });
    assert!(answered.into_inner() > 0, "nothing was read at all");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM R.OWN.TAKEN WHERE A = 'SECRET'"), "0");
}

#[test]
fn a_statement_that_takes_long_to_plan_is_bound_between_changes() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE L");
    for number in 0..300 {
        admin.rows(&format!("CREATE TABLE L.PUBLIC.T{number} (A INT)"));
    }
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for changer in 0..3 {
            let (admin, is_over) = (server.admin(), &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    drop(admin.sql(&format!("COMMENT ON TABLE L.PUBLIC.T{changer} IS 'changed'")));
                }
            });
        }
        let answers: Vec<String> = (0..10)
            .map(|_| {
                admin
                    .sql(
                        "SELECT * FROM TABLE(L.INFORMATION_SCHEMA.POLICY_REFERENCES(REF_ENTITY_NAME => 'L.PUBLIC.T9', \
                         REF_ENTITY_DOMAIN => 'TABLE'))",
                    )
                    .text()
            })
            .collect();
        is_over.store(true, Ordering::SeqCst);
        let refused: Vec<&String> = answers.iter().filter(|answer| answer.contains("000625")).collect();
        assert!(refused.is_empty(), "{} of {}: {refused:?}", refused.len(), answers.len());
    });
}

/// Objects come into a schema while it is dropped and brought back: whoever comes second waits, and nothing stays behind.
#[test]
fn a_schema_is_dropped_and_restored_beside_definitions_in_it() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE U");
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        for definition in [
            "CREATE TABLE IF NOT EXISTS U.S.T (A INT)",
            "CREATE TABLE IF NOT EXISTS U.S.T (A INT)",
            "CREATE OR REPLACE VIEW U.S.V AS SELECT 1 AS A",
            "CREATE STAGE IF NOT EXISTS U.S.G",
            "CREATE SEQUENCE IF NOT EXISTS U.S.Q",
        ] {
            let (admin, is_over) = (server.admin(), &is_over);
            scope.spawn(move || {
                while !is_over.load(Ordering::SeqCst) {
                    let answer = admin.sql(definition);
                    assert!(["", "002003"].contains(&failure_of(&answer).as_str()), "{definition}: {answer}");
                    assert!(!answer.text().contains("__DROPPED"), "{definition}: {answer}");
                }
            });
        }
        let answers: Vec<(&str, String)> = (0..25)
            .flat_map(|_| ["CREATE SCHEMA U.S", "DROP SCHEMA U.S", "UNDROP SCHEMA U.S", "DROP SCHEMA U.S"])
            .map(|change| (change, admin.sql(change)))
            .filter(|(_, answer)| answer.status != 200)
            .map(|(change, answer)| (change, answer.text()))
            .collect();
        is_over.store(true, Ordering::SeqCst);
        assert!(answers.is_empty(), "{answers:?}");
    });
    admin.rows("UNDROP SCHEMA U.S");
    admin.rows("CREATE TABLE IF NOT EXISTS U.S.T (A INT)");
    assert_eq!(admin.cell("SELECT COUNT(*) FROM U.S.T"), "0");
}

fn failure_of(answer: &Response) -> String {
    if answer.status == 200 { String::new() } else { answer.code() }
}

/// The answer to a statement of the role, and what its table of copies has afterwards.
fn taken(reader: &Client, statement: &str) -> String {
    let ask = |statement: &str, count: usize| {
        let fields: Value = json!({"role": "READER", "parameters": {"MULTI_STATEMENT_COUNT": count.to_string()}});
        reader.sql_with(statement, fields)
    };
    let answer = ask(statement, statement.matches("; ").count() + 1);
    match statement.contains("R.OWN.COPY") && answer.status == 200 {
        true => ask("SELECT A FROM R.OWN.COPY", 1).text(),
        false => answer.text(),
    }
}

/// What overflows 64 bits is run again with wider integers, and authorised again if definitions changed in between.
#[test]
fn numbers_of_more_than_64_bits_are_computed_while_definitions_change() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE W");
    admin.rows("CREATE TABLE W.PUBLIC.T (A INT)");
    admin.rows("INSERT INTO W.PUBLIC.T VALUES (9223372036854775807)");
    let is_over = AtomicBool::new(false);
    let answers: Vec<_> = thread::scope(|scope| {
        let (changing, is_over) = (server.admin(), &is_over);
        scope.spawn(move || {
            while !is_over.load(Ordering::SeqCst) {
                changing.sql("CREATE OR REPLACE TABLE W.PUBLIC.OTHER (A INT)");
            }
        });
        let answer = |round: usize| admin.sql(&format!("SELECT A * 2 + {round} FROM W.PUBLIC.T"));
        let answers = (0..ROUNDS).map(answer).collect();
        is_over.store(true, Ordering::SeqCst);
        answers
    });
    for (round, answer) in answers.iter().enumerate() {
        let expected = i128::from(i64::MAX) * 2 + round as i128;
        assert_eq!(answer.rows(), [[Some(expected.to_string())]]);
    }
}
