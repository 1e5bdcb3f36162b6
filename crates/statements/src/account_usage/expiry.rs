//! Records do not stay for ever: past their time, and past the size they may take, the oldest go.

use firn_engine::Session;

use super::record_sql;
use crate::limits::AuditLimits;
use crate::run_error::RunError;

/// The tables of records with the columns of their times.
const TABLES: [(&str, &str); 3] =
    [("STATEMENTS", "START_TIME"), ("ACCESSES", "QUERY_START_TIME"), ("LOGINS", "EVENT_TIMESTAMP")];

/// Tables of objects, of which those that are gone expire.
const OBJECTS: [(&str, &str); 20] = [
    ("USERS", "DELETED_ON"),
    ("ROLES", "DELETED_ON"),
    ("GRANTS_TO_ROLES", "DELETED_ON"),
    ("GRANTS_TO_USERS", "DELETED_ON"),
    ("DATABASES", "DELETED"),
    ("SCHEMATA", "DELETED"),
    ("TABLES", "DELETED"),
    ("COLUMNS", "DELETED"),
    ("STAGES", "DELETED"),
    ("ROUTINES", "DELETED"),
    ("SEQUENCES", "DELETED"),
    ("FILE_FORMATS", "DELETED"),
    ("TABLE_CONSTRAINTS", "DELETED"),
    ("RESOURCE_MONITORS", "DELETED"),
    ("PASSWORD_POLICIES", "DELETED"),
    ("SESSION_POLICIES", "DELETED"),
    ("AUTHENTICATION_POLICIES", "DELETED"),
    ("METERING", "START_TIME"),
    ("STORAGE", "USAGE_DATE"),
    ("LOADS", "LAST_LOAD_TIME"),
];

pub fn expire(session: &mut dyn Session, limits: &AuditLimits) -> Result<(), RunError> {
    let seconds = limits.retention.as_secs();
    for (table, time) in TABLES.iter().chain(&OBJECTS) {
        let expired = format!("{time} < DATEADD('second', -{seconds}, CURRENT_TIMESTAMP())");
        delete(session, table, &expired)?;
    }
    for (table, time) in TABLES {
        shrink(session, table, time, limits.bytes_max / TABLES.len() as u64)?;
    }
    Ok(())
}

/// A DELETE only where there is something to delete: it would take a lock and write a log for nothing.
fn delete(session: &mut dyn Session, table: &str, condition: &str) -> Result<(), RunError> {
    let found =
        record_sql::rows(session, &format!("SELECT 1 FROM SNOWFLAKE.RECORDS.{table} WHERE {condition} LIMIT 1"))?;
    match found.is_empty() {
        true => Ok(()),
        false => record_sql::change(session, &format!("DELETE FROM SNOWFLAKE.RECORDS.{table} WHERE {condition}")),
    }
}

/// Past the size, the oldest go until a tenth of it is free.
fn shrink(session: &mut dyn Session, table: &str, time: &str, bytes_max: u64) -> Result<(), RunError> {
    let number = |rows: Vec<Vec<Option<String>>>| {
        rows.into_iter().flatten().flatten().next().and_then(|cell| cell.parse::<u64>().ok()).unwrap_or(0)
    };
    let bytes = number(record_sql::rows(session, &format!("SELECT SUM(RECORD_BYTES) FROM SNOWFLAKE.RECORDS.{table}"))?);
    if bytes <= bytes_max {
        return Ok(());
    }
    let left = bytes_max - bytes_max / 10;
    let newest = format!(
        "SELECT {time} AS MOMENT, SUM(RECORD_BYTES) OVER (ORDER BY {time} DESC) AS BYTES FROM SNOWFLAKE.RECORDS.{table}"
    );
    let condition = format!("{time} <= (SELECT MAX(MOMENT) FROM ({newest}) WHERE BYTES > {left})");
    record_sql::change(session, &format!("DELETE FROM SNOWFLAKE.RECORDS.{table} WHERE {condition}"))
}
