//! What is refused, by name, and where a syntax error is seen.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use super::refused;
use crate::script::{parse_statement, split_script};
use crate::testing::LIMITS;

/// The place of the failure in a request of possibly several statements.
fn check(text: &str, line: u64, position: u64, token: &str) {
    let sources = split_script(text, &LIMITS).unwrap();
    let failure = sources.iter().find_map(|source| parse_statement(source, &LIMITS).err()).unwrap();
    let expected =
        format!("SQL compilation error:\nsyntax error line {line} at position {position} unexpected '{token}'.");
    assert_eq!((failure.code, failure.sql_state, failure.message), ("001003", "42000", expected), "{text}");
}

#[test]
fn syntax_errors_have_the_requests_coordinates() {
    check("SELEC 1", 1, 0, "SELEC");
    check("select 1 from", 1, 13, "<EOF>");
    check("select 1;\n  selec 2", 2, 2, "selec");
    check("select 1; drop tabel t", 1, 15, "tabel");
    check("select 1;\nselect a\nfrom t where", 3, 12, "<EOF>");
    check("select a b c from t", 1, 11, "c");
    check("create table t (a int b)", 1, 22, "b");
    check("drop table", 1, 10, "<EOF>");
    check("create user 'u'", 1, 12, "'u'");
    check("select (1", 1, 9, "<EOF>");
    check("select 'é' é", 1, 11, "é");
    check("use database a.b", 1, 13, "a");
    check("commit nonsense", 1, 7, "nonsense");
    check("create or replace table if not exists t (a int)", 1, 24, "if");
    check("select * from t where a = = 1", 1, 26, "=");
}

#[test]
fn known_and_engine_statements_are_refused_by_name() {
    for (text, name) in [
        ("attach 'x.db'", "ATTACH"),
        ("detach x", "DETACH"),
        ("copy t to 'x.csv'", "COPY"),
        ("install httpfs", "INSTALL"),
        ("load httpfs", "LOAD"),
        ("pragma version", "PRAGMA"),
        ("export database 'x'", "EXPORT"),
        ("import database 'x'", "IMPORT"),
        ("checkpoint", "CHECKPOINT"),
        ("vacuum", "VACUUM"),
        ("prepare p as select 1", "PREPARE"),
        ("explain drop table t", "EXPLAIN DROP"),
        ("undrop view v", "UNDROP VIEW"),
        ("create pipe p as copy into t from @s", "CREATE PIPE"),
        ("copy t from 'x'", "COPY"),
        ("create or replace stream s on table t", "CREATE STREAM"),
        ("create function f() returns int language javascript as '1'", "FUNCTION in LANGUAGE JAVASCRIPT"),
        ("create procedure p() returns int language python as '1'", "PROCEDURE in LANGUAGE PYTHON"),
        ("create projection policy p as () returns projection_constraint -> 1", "CREATE PROJECTION POLICY"),
        ("create table t (a int projection policy p)", "PROJECTION POLICY"),
        ("alter table t set aggregation policy p", "SET AGGREGATION POLICY"),
        ("alter table t alter column a set projection policy p", "ALTER COLUMN SET PROJECTION POLICY"),
        ("create tag t propagate = on_dependency", "CREATE TAG PROPAGATE"),
        ("create macro m() as 1", "CREATE MACRO"),
        ("create secret s", "CREATE SECRET"),
        ("alter task t resume", "ALTER TASK"),
        ("drop pipe p", "DROP PIPE"),
        ("from t", "FROM"),
    ] {
        refused(text, "000002", &format!("'{name}'"));
    }
}
