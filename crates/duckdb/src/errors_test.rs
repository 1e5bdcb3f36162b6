//! How the engine's errors are translated.

use firn_engine::EngineError;

use super::errors::{translate, while_planning};

fn check(message: &str, code: &str, expected: &str) {
    match translate(message) {
        EngineError::Failed(failure) => {
            assert_eq!((failure.code, failure.message.as_str()), (code, expected), "for {message}");
        }
        other => assert_eq!(format!("{other:?}"), expected, "for {message}"),
    }
}

fn report(kind: &str, message: &str) -> String {
    format!("{kind} Error: {}", serde_json::json!({"exception_type": kind, "exception_message": message}))
}

#[test]
fn refused_allocations_are_a_lack_of_memory() {
    let needs_memory = "SQL execution error: the statement needs more memory than the server may use.";
    for message in [
        report("Out of Memory", "Failed to allocate block of 1 bytes (bad allocation)"),
        report("TransactionContext", "Failed to commit: Failed to re-allocate block of 1 bytes (bad allocation)"),
        report("Unknown Type", "std::bad_alloc"),
        report(
            "TransactionContext",
            "Failed to commit: failed to pin block of size 256.0 KiB (95.3 MiB/95.3 MiB used)",
        ),
        report("TransactionContext", "Failed to commit: could not allocate block of size 256.0 KiB (1 MiB/1 MiB used)"),
    ] {
        check(&message, "300010", needs_memory);
    }
}

#[test]
fn spilling_that_finds_no_room_is_a_full_disk() {
    let full = "SQL execution error: the server has no space left on its disk.";
    let refused = "failed to offload data block of size 256.0 KiB (335.7 MiB/335.8 MiB used).\nThis limit was set by the \
                   'max_temp_directory_size' setting.";
    check(&report("Out of Memory", refused), "000603", full);
    check(&report("TransactionContext", &format!("Failed to commit: {refused}")), "000603", full);
}

#[test]
fn the_advice_for_a_large_plan_fits_the_statement() {
    let long = format!("CREATE TABLE t ({})", "a INT, ".repeat(100_000));
    for (sql, advice) in [
        ("INSERT INTO t VALUES (1)", "load them from a file with COPY INTO"),
        (&long, "Make the statement shorter"),
        ("SELECT a FROM t", "temporary table"),
    ] {
        let error = while_planning(translate(&report("Unknown Type", "std::bad_alloc")), sql);
        assert!(matches!(&error, EngineError::Failed(failure) if failure.message.contains(advice)), "{error}");
    }
}

#[test]
fn mistakes_of_the_statement_have_the_contract_s_codes() {
    check(
        r#"Binder Error: {"exception_type":"Binder","exception_message":"Referenced column \"a\" not found in FROM clause!","error_subtype":"COLUMN_NOT_FOUND","name":"A"}"#,
        "000904",
        "SQL compilation error: error line 1 at position 0\ninvalid identifier 'A'",
    );
    check(
        r#"Catalog Error: {"exception_type":"Catalog","exception_message":"Table with name X does not exist!","error_subtype":"MISSING_ENTRY","type":"Table","name":"X"}"#,
        "002003",
        "SQL compilation error:\nObject 'X' does not exist or not authorized.",
    );
    check(
        r#"Binder Error: {"exception_type":"Binder","exception_message":"No function matches","call":"sum(VARCHAR)","error_subtype":"NO_MATCHING_FUNCTION","name":"sum"}"#,
        "001044",
        "SQL compilation error:\nInvalid argument types for function 'SUM': (VARCHAR)",
    );
    check(&report("Invalid Input", "firn:100051:Division by zero"), "100051", "Division by zero");
    check(
        &report("Conversion", "Could not convert string 'abc' to INT32"),
        "100038",
        "Numeric value 'abc' is not recognized",
    );
    check(
        &report("Conversion", "Could not convert string \"x\" to DECIMAL(10,2)"),
        "100038",
        "Numeric value 'x' is not recognized",
    );
    check(
        &report("Conversion", "Could not convert string 'x' to BOOL"),
        "100037",
        "Boolean value 'x' is not recognized",
    );
    check(
        &report("Conversion", "Could not convert string 'x' to BOOL when casting from source column S"),
        "100037",
        "Boolean value 'x' is not recognized",
    );
    check(
        &report("Conversion", "invalid date field format: \"abc\", expected format is (YYYY-MM-DD)"),
        "100040",
        "Date 'abc' is not recognized",
    );
    check(
        &report("Out of Range", "Overflow in addition of INT64 (1 + 1)!"),
        "100046",
        "Number out of representable range: integers are computed in 64 bits; cast an operand to NUMBER(38,0)",
    );
    check(
        &report("Conversion", "Could not cast value 1000 to DECIMAL(3,1) when casting from source column N"),
        "100046",
        "Number out of representable range: type FIXED[SB2](3,1){nullable}, value 1000",
    );
    check(
        &report("Conversion", "Casting value \"99.95\" to type DECIMAL(3,1) failed: value is out of range!"),
        "100046",
        "Number out of representable range: type FIXED[SB2](3,1){nullable}, value 99.95",
    );
    check(
        &report("Conversion", "Could not convert string '1000' to DECIMAL(3,1)"),
        "100039",
        "Numeric value '1000' is out of range",
    );
    check(&report("Constraint", "NOT NULL constraint failed: T.A"), "100072", "NULL result in a non-nullable column");
    check(
        &report("Binder", "column \"a\" must appear in the GROUP BY clause or must be part of an aggregate function."),
        "000979",
        "SQL compilation error:\n[\"a\"] is not a valid group by expression",
    );
}

#[test]
fn internal_errors_differ_from_user_errors() {
    check(&report("Interrupt", "Interrupted!"), "", "Interrupted");
    let conflict = translate(&report("TransactionContext", "Conflict on update!"));
    assert!(matches!(&conflict, EngineError::Conflict(why) if why.contains("Send the statement again")), "{conflict}");
    check(
        &report("IO", "Could not read file \"/srv/x.db\": gone"),
        "",
        "Internal(\"Could not read file \\\"<file>\\\": gone\")",
    );
}

#[test]
fn too_deep_a_query_is_reported_without_the_engine_s_settings() {
    check(
        &report(
            "Parser",
            "Max expression depth limit of 1000 exceeded. Use \"SET max_expression_depth TO x\" to increase the maximum \
             expression depth.",
        ),
        "000603",
        "SQL compilation error: the query is deeper than the engine takes; join fewer tables, or nest less.",
    );
}

#[test]
fn a_database_that_goes_while_a_statement_comes_is_missing() {
    check(
        &report("Binder", "Prepared statement requires database D but it was not attached"),
        "002003",
        "SQL compilation error:\nDatabase 'D' does not exist or not authorized.",
    );
}

/// A transaction goes on with the database that it has used, whose name of the moment nobody gave it.
#[test]
fn a_replaced_database_is_a_conflict() {
    for message in
        ["Catalog \"~0\" does not exist!", "Prepared statement requires database ~12 but it was not attached"]
    {
        let error = translate(&report("Binder", message));
        assert!(matches!(&error, EngineError::Conflict(why) if why.contains("repeat the transaction")), "{error}");
    }
    check(
        &report("Conversion", "Could not convert string '~0' to INT32"),
        "100038",
        "Numeric value '~0' is not recognized",
    );
}

#[test]
fn a_failing_disk_is_reported_by_name() {
    check(
        &report("IO", "Could not write file \"/data/databases/D.duckdb.wal\": Input/output error"),
        "000603",
        "SQL execution error: the server's disk failed (Input/output error); try again once it works.",
    );
    check(
        &report(
            "IO",
            "Corrupt database file: computed checksum 123 does not match stored checksum 456 in block at location 12288",
        ),
        "000603",
        "SQL execution error: a block of the database's file is damaged; bring the file back from a backup.",
    );
}

#[test]
fn a_full_disk_is_reported_by_name() {
    check(
        &report("IO", "Could not write file \"/data/databases/D.duckdb.wal\": No space left on device"),
        "000603",
        "SQL execution error: the server has no space left on its disk.",
    );
    check(
        &report(
            "FATAL",
            "Database \"D\" has been invalidated because checkpointing failed. Detach and reattach it before using it \
             again. Original error: Could not write file \"/data/databases/D.duckdb\": No space left on device",
        ),
        "000603",
        "SQL execution error: database D was closed because the server's disk was full. It is opened again as soon as that \
         is possible. What the statement changed may have been committed: look before you send it again.",
    );
    check(
        &report(
            "IO",
            "Checkpoint failed for database \"D\". The database has been invalidated. Original error: Allocation failure",
        ),
        "000603",
        "SQL execution error: database D was closed because its checkpoint got no memory. It is opened again as soon as that \
         is possible. What the statement changed may have been committed: look before you send it again.",
    );
    check(
        &report(
            "FATAL",
            "Database \"D\" has been invalidated because checkpointing failed. Original error: failed to pin block of size \
             256.0 KiB (142.9 MiB/143.0 MiB used)",
        ),
        "000603",
        "SQL execution error: database D was closed because its checkpoint got no memory. It is opened again as soon as that \
         is possible. What the statement changed may have been committed: look before you send it again.",
    );
    check(
        &report(
            "TransactionContext",
            "Failed to commit: Could not write file \"/data/databases/D.duckdb.wal\": No space left on device",
        ),
        "000603",
        "SQL execution error: the server has no space left on its disk.",
    );
}
