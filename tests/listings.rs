//! SHOW and INFORMATION_SCHEMA in a database of many tables: what is kept in memory is what the tables are.

use std::collections::BTreeMap;

use firn_tests::Server;
use firn_tests::client::Client;
use serde_json::json;

/// From a hundred tables on, those without rows are found otherwise than the others.
const TABLES: usize = 120;

fn run_all(client: &Client, statements: &[String]) {
    let count = statements.len().to_string();
    let answer = client.sql_with(&statements.join(";"), json!({"parameters": {"MULTI_STATEMENT_COUNT": count}}));
    assert_eq!(answer.status, 200, "{answer}");
}

/// The number of rows of every table, as SHOW, SHOW OBJECTS and INFORMATION_SCHEMA have it.
fn counts(client: &Client) -> BTreeMap<String, String> {
    let shown = |sql: &str| -> BTreeMap<String, String> {
        let answer = client.sql(sql);
        assert_eq!(answer.status, 200, "{answer}");
        let body = answer.json();
        let columns = body["resultSetMetaData"]["rowType"].as_array().unwrap();
        let place =
            |names: [&str; 2]| columns.iter().position(|column| names.contains(&column["name"].as_str().unwrap()));
        let (name, rows) = (place(["name", "TABLE_NAME"]).unwrap(), place(["rows", "ROW_COUNT"]).unwrap());
        answer.rows().iter().map(|row| (row[name].clone().unwrap(), row[rows].clone().unwrap_or_default())).collect()
    };
    let tables = shown("SHOW TABLES IN DATABASE LISTED");
    assert_eq!(tables, shown("SHOW OBJECTS IN SCHEMA LISTED.PUBLIC"));
    assert_eq!(tables, shown("SELECT TABLE_NAME, ROW_COUNT FROM LISTED.INFORMATION_SCHEMA.TABLES"));
    tables
}

#[test]
fn listings_follow_every_change_of_many_tables() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE LISTED");
    let create = |number: usize| format!("CREATE TABLE LISTED.PUBLIC.T{number} (A INT)");
    run_all(&admin, &(0..TABLES).map(create).collect::<Vec<_>>());
    let mut expected: BTreeMap<String, String> =
        (0..TABLES).map(|number| (format!("T{number}"), "0".to_owned())).collect();
    assert_eq!(counts(&admin), expected);

    admin.rows("INSERT INTO LISTED.PUBLIC.T1 VALUES (1), (2), (3)");
    admin.rows("INSERT INTO LISTED.PUBLIC.T2 VALUES (1), (2)");
    admin.rows("INSERT INTO LISTED.PUBLIC.T3 VALUES (1), (2)");
    admin.rows("DELETE FROM LISTED.PUBLIC.T1 WHERE A = 2");
    admin.rows("DELETE FROM LISTED.PUBLIC.T2");
    admin.rows("TRUNCATE TABLE LISTED.PUBLIC.T3");
    admin.rows("ALTER TABLE LISTED.PUBLIC.T4 RENAME TO LISTED.PUBLIC.RENAMED");
    admin.rows("DROP TABLE LISTED.PUBLIC.T5");
    admin.rows("CREATE OR REPLACE TABLE LISTED.PUBLIC.T6 AS SELECT 1 AS A");
    admin.rows("CREATE TABLE LISTED.PUBLIC.MADE AS SELECT 1 AS A UNION ALL SELECT 2");
    admin.rows("CREATE TABLE LISTED.PUBLIC.\"Q\"\"T\" AS SELECT 1 AS A");
    for gone in ["T4", "T5"] {
        expected.remove(gone);
    }
    for (name, rows) in [("T1", "2"), ("RENAMED", "0"), ("T6", "1"), ("MADE", "2"), ("Q\"T", "1")] {
        expected.insert(name.to_owned(), rows.to_owned());
    }
    assert_eq!(counts(&admin), expected);
    admin.rows("UNDROP TABLE LISTED.PUBLIC.T5");
    expected.insert("T5".to_owned(), "0".to_owned());
    assert_eq!(counts(&admin), expected);

    // What a transaction has inserted it counts.
    let set = "BEGIN; INSERT INTO LISTED.PUBLIC.T7 VALUES (1); SHOW TABLES LIKE 'T7' IN DATABASE LISTED; ROLLBACK";
    let answer = admin.sql_with(set, json!({"parameters": {"MULTI_STATEMENT_COUNT": "4"}}));
    let handle = answer.json()["statementHandles"][2].as_str().unwrap().to_owned();
    assert!(admin.status(&handle).rows()[0].contains(&Some("1".to_owned())), "{answer}");
    assert_eq!(counts(&admin), expected);

    let server = server.kill_and_restart();
    let admin = server.admin();
    assert_eq!(counts(&admin), expected, "read anew");
}

/// What a renamed sequence is called in the default of a column is read anew.
#[test]
fn a_renamed_sequence_is_renamed_in_listings() {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE LISTED");
    admin.rows("CREATE SEQUENCE LISTED.PUBLIC.Q");
    admin.rows("CREATE TABLE LISTED.PUBLIC.T (A INT DEFAULT LISTED.PUBLIC.Q.NEXTVAL)");
    let columns = || admin.sql("SHOW COLUMNS IN TABLE LISTED.PUBLIC.T").text();
    assert!(columns().contains("LISTED.PUBLIC.Q.NEXTVAL"), "{}", columns());
    assert_eq!(admin.rows("SHOW COLUMNS IN DATABASE LISTED").len(), 1);
    admin.rows("ALTER SEQUENCE LISTED.PUBLIC.Q RENAME TO LISTED.PUBLIC.R");
    assert!(columns().contains("LISTED.PUBLIC.R.NEXTVAL"), "{}", columns());
    assert!(admin.sql("SHOW COLUMNS IN DATABASE LISTED").text().contains("LISTED.PUBLIC.R.NEXTVAL"));
}
