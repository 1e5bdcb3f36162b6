//! The writer's own SQL on the tables of records.

use firn_engine::{ExecutionContext, Outcome, Session};
use firn_sql::command::{Command, Ddl};
use firn_sql::resolve::resolve;
use firn_sql::{Namespace, ObjectName, ParseLimits, SourceStatement, calendar_date, parse_statement};

use super::definitions::RECORDS;
use crate::evaluate::table_of;
use crate::run_error::RunError;
use firn_sql::names::OWN_DATABASE;

/// A row as it is appended: texts and nulls.
pub type Row = Vec<Option<String>>;

/// The objects of one table of records that exist now: each with what makes it this one, and its columns.
pub struct Existing {
    pub table: &'static str,
    pub objects: Vec<(String, Row)>,
}

const LIMITS: ParseLimits = ParseLimits { text_bytes_max: 16 << 20, statements_max: 1, nesting_depth_max: 100 };
const ROWS_MAX: u64 = 10_000_000;
const MILLISECONDS_IN_DAY: i64 = 86_400_000;

pub fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

/// As nobody: no role owns the records.
pub fn context() -> ExecutionContext {
    ExecutionContext::of_role(String::new())
}

fn command(sql: &str) -> Result<Command, RunError> {
    let source = SourceStatement { text: sql.to_owned(), line: 1, position: 0 };
    let mut statement = parse_statement(&source, &LIMITS)?;
    resolve(&mut statement, &Namespace::default())?;
    Ok(statement.command)
}

pub fn definition(sql: &str) -> Result<Ddl, RunError> {
    match command(sql)? {
        Command::Ddl(ddl) => Ok(ddl),
        _ => Err(RunError::Internal("a definition of records is none".to_owned())),
    }
}

pub fn change(session: &mut dyn Session, sql: &str) -> Result<(), RunError> {
    match session.execute(&command(sql)?, &context())? {
        Outcome::Rows(_) => Err(RunError::Internal("a change of records gave rows".to_owned())),
        _ => Ok(()),
    }
}

pub fn rows(session: &mut dyn Session, sql: &str) -> Result<Vec<Vec<Option<String>>>, RunError> {
    Ok(table_of(session, &command(sql)?, &context(), ROWS_MAX)?.rows)
}

pub fn table(name: &str) -> ObjectName {
    ObjectName::qualified(OWN_DATABASE, RECORDS, name)
}

/// `2026-01-02 03:04:05.678+00`.
pub fn instant(ms: i64) -> String {
    let (day, ms) = (ms.div_euclid(MILLISECONDS_IN_DAY), ms.rem_euclid(MILLISECONDS_IN_DAY));
    let seconds = ms / 1_000;
    format!(
        "{} {:02}:{:02}:{:02}.{:03}+00",
        day_text(day),
        seconds / 3_600,
        seconds / 60 % 60,
        seconds % 60,
        ms % 1_000
    )
}

pub fn day_of(ms: i64) -> String {
    day_text(ms.div_euclid(MILLISECONDS_IN_DAY))
}

fn day_text(day: i64) -> String {
    calendar_date(day).unwrap_or_else(|| "1970-01-01".to_owned())
}

#[cfg(test)]
mod tests {
    use super::instant;

    #[test]
    fn an_instant_is_written_in_utc() {
        assert_eq!(instant(0), "1970-01-01 00:00:00.000+00");
        assert_eq!(instant(1_700_000_000_123), "2023-11-14 22:13:20.123+00");
    }
}
