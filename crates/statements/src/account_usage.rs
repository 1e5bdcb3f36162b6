//! The audit trail: what ran, who came, what was read and what exists, as tables of the server's own database, with the
//! views of SNOWFLAKE.ACCOUNT_USAGE over them. Statements note their records in a queue; one thread writes them in batches, and
//! another one what exists.

pub mod accessed;
mod accesses;
mod account_objects;
mod database_objects;
pub mod definitions;
mod expiry;
mod governance;
mod limits_of_account;
mod login_records;
pub mod queue;
mod quoted_values;
mod record_sql;
mod setup;
mod snapshots;
mod statement_records;
mod unwritten;
mod writer;
mod written_columns;

use std::collections::HashMap;

use firn_engine::Session;
use firn_sql::names::{ACCOUNT_USAGE, OWN_DATABASE};
use firn_sql::privileges::Privilege;
use firn_sql::resolve::Uses;

use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use record_sql::Row;

pub use accessed::Accessed;
pub use login_records::Login;
pub use queue::{Entry, Queue, Wanted};
pub use setup::prepare;
pub use writer::Writer;

/// What a statement sees of the records that were noted before it: all of them.
pub fn refresh_for(services: &Services, session: &dyn Session, state: &SessionState, uses: &Uses) {
    let views = uses.objects.iter().filter(|used| used.name.database() == OWN_DATABASE);
    let mut views = views.filter(|used| used.name.schema() == ACCOUNT_USAGE).peekable();
    if views.peek().is_some() && state.effects.asks_for_audit_trail() {
        let wanted = match views.any(|used| definitions::shows_objects(&used.name.name)) {
            true => Wanted::Objects,
            false => Wanted::Records,
        };
        write_all(services, session, wanted);
    }
}

/// Waits for the writer, unless the session's statement is stopped.
fn write_all(services: &Services, session: &dyn Session, wanted: Wanted) {
    let interrupter = session.interrupter();
    services.account_usage.write_all(wanted, || interrupter.is_interrupted());
}

/// The last logins: everybody's for the account's administrator, one's own for everyone else.
pub fn logins_of(services: &Services, session: &dyn Session, state: &SessionState) -> Result<Vec<Row>, RunError> {
    const LOGINS_MAX: u32 = 10_000;
    if state.has_owners_rights && !state.role.is_account_admin() {
        return Ok(Vec::new());
    }
    write_all(services, session, Wanted::Records);
    let mut session = services.engine.open_session()?;
    let whose = match state.role.is_account_admin() {
        true => "TRUE".to_owned(),
        false => format!("USER_NAME = '{}'", state.caller.user.name.replace('\\', r"\\").replace('\'', "''")),
    };
    record_sql::rows(
        session.as_mut(),
        &format!(
            "SELECT DATE_PART('epoch_millisecond', EVENT_TIMESTAMP), EVENT_ID, EVENT_TYPE, USER_NAME, CLIENT_IP, \
             REPORTED_CLIENT_TYPE, REPORTED_CLIENT_VERSION, FIRST_AUTHENTICATION_FACTOR, SECOND_AUTHENTICATION_FACTOR, \
             IS_SUCCESS, ERROR_CODE, ERROR_MESSAGE, RELATED_EVENT_ID, CONNECTION \
             FROM {OWN_DATABASE}.{ACCOUNT_USAGE}.LOGIN_HISTORY WHERE {whose} ORDER BY 1 DESC LIMIT {LOGINS_MAX}"
        ),
    )
}

/// When users were last let in, by their names, as far as the trail goes back.
pub fn last_logins(services: &Services, session: &dyn Session) -> Result<HashMap<String, i64>, RunError> {
    write_all(services, session, Wanted::Records);
    let mut session = services.engine.open_session()?;
    let sql = "SELECT USER_NAME, DATE_PART('epoch_millisecond', MAX(EVENT_TIMESTAMP)) FROM SNOWFLAKE.RECORDS.LOGINS \
               WHERE IS_SUCCESS = 'YES' GROUP BY USER_NAME";
    let pair = |row: Row| {
        let mut cells = row.into_iter().flatten();
        Some((cells.next()?, cells.next()?.parse().ok()?))
    };
    Ok(record_sql::rows(session.as_mut(), sql)?.into_iter().filter_map(pair).collect())
}

/// What warehouses used by hours of the last half year, for who may see the usage of the account.
pub fn metering_of(services: &Services, session: &dyn Session, state: &SessionState) -> Result<Vec<Row>, RunError> {
    if !services.catalog.has_account_privilege(&state.role, Privilege::MonitorUsage) {
        return Ok(Vec::new());
    }
    write_all(services, session, Wanted::Records);
    let mut session = services.engine.open_session()?;
    record_sql::rows(
        session.as_mut(),
        &format!(
            "SELECT DATE_PART('epoch_millisecond', START_TIME), WAREHOUSE_NAME, CREDITS_USED \
             FROM {OWN_DATABASE}.{ACCOUNT_USAGE}.WAREHOUSE_METERING_HISTORY \
             WHERE START_TIME > DATEADD('month', -6, CURRENT_TIMESTAMP())"
        ),
    )
}
