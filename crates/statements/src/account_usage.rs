//! The audit trail: what ran, who came, what was read and what exists, as tables of the server's own database, with the
//! views of SNOWFLAKE.ACCOUNT_USAGE over them. Statements note their records in a queue; one thread writes them in batches.

mod accesses;
mod account_objects;
mod database_objects;
mod definitions;
mod expiry;
mod governance;
mod limits_of_account;
mod login_records;
mod queue;
mod record_sql;
mod setup;
mod snapshots;
mod statement_records;
mod writer;
mod written_columns;

use std::collections::HashMap;

use firn_catalog::{ActiveRole, Catalog, DatabaseRecord, Holder, Securable};
use firn_sql::names::{ACCOUNT_USAGE, OWN_DATABASE, SchemaName};
use firn_sql::privileges::Privilege;
use firn_sql::resolve::{Access, ContainerUse, Uses};
use firn_sql::{Failure, ObjectName};

use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

pub use accesses::Accessed;
pub use login_records::Login;
pub use queue::{Entry, Queue, Wanted};
pub use setup::prepare;
pub use writer::Writer;

/// The schema of the tables below the views; no role sees it.
pub const RECORDS: &str = "RECORDS";

/// A row as it is appended: texts and nulls.
type Row = Vec<Option<String>>;

fn text(value: &str) -> Option<String> {
    Some(value.to_owned())
}

/// What a statement sees of the records that were noted before it: all of them.
pub fn refresh_for(services: &Services, uses: &Uses) {
    let views = uses.objects.iter().filter(|used| used.name.database() == OWN_DATABASE);
    let mut views = views.filter(|used| used.name.schema() == ACCOUNT_USAGE).peekable();
    if views.peek().is_some() {
        let wanted = match views.any(|used| definitions::shows_objects(&used.name.name)) {
            true => Wanted::Objects,
            false => Wanted::Records,
        };
        services.account_usage.write_all(wanted);
    }
}

/// The last logins: everybody's for the account's administrator, one's own for everyone else.
pub fn logins_of(services: &Services, state: &SessionState) -> Result<Vec<Row>, RunError> {
    const LOGINS_MAX: u32 = 10_000;
    if state.has_owners_rights && !state.role.is_account_admin() {
        return Ok(Vec::new());
    }
    services.account_usage.write_all(Wanted::Records);
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
pub fn last_logins(services: &Services) -> Result<HashMap<String, i64>, RunError> {
    services.account_usage.write_all(Wanted::Records);
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
pub fn metering_of(services: &Services, state: &SessionState) -> Result<Vec<Row>, RunError> {
    if !services.catalog.has_account_privilege(&state.role, Privilege::MonitorUsage) {
        return Ok(Vec::new());
    }
    services.account_usage.write_all(Wanted::Records);
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

/// The owner of a view names the database role that reads it.
fn owner_of(reader: &str) -> String {
    format!("{OWN_DATABASE}.{reader}")
}

pub fn role_of_owner(owner: &str) -> Option<&str> {
    owner.strip_prefix(OWN_DATABASE)?.strip_prefix('.')
}

/// The owners that a role may know of when it looks at the server's own database.
pub fn visible_owners(catalog: &Catalog, role: &ActiveRole, own: &DatabaseRecord) -> Vec<String> {
    let mut owners: Vec<String> = match role.is_account_admin() {
        true => catalog.principals().roles().map(|role| role.name.clone()).collect(),
        false => role.held.iter().cloned().collect(),
    };
    let granted = catalog.privileges(role, &Securable::Database(own.id));
    let reads_all = role.is_account_admin() || granted.contains(Privilege::ImportedPrivileges);
    let readers = definitions::readers().into_iter().filter(|reader| {
        let key = Holder::DatabaseRole { database: own.id, name: (*reader).to_owned() }.key();
        reads_all || role.held.contains(&key)
    });
    owners.extend(readers.map(owner_of));
    // The schema of the views has no owner.
    owners.push(String::new());
    owners
}

pub fn is_own(catalog: &Catalog, name: &ObjectName) -> bool {
    name.database() == OWN_DATABASE && catalog.database(OWN_DATABASE).is_some_and(|found| found.is_own())
}

/// Whether it is a view that the vendor has and firn has not.
pub fn is_refused(catalog: &Catalog, name: &ObjectName) -> bool {
    name.schema() == ACCOUNT_USAGE && definitions::is_refused_view(&name.name) && is_own(catalog, name)
}

/// Whether a statement changes or clones something in the server's own database.
pub fn changes_own(uses: &Uses) -> bool {
    let objects = uses.objects.iter().map(|used| (used.name.database(), used.access));
    let schemas = uses.schemas.iter().map(|used| (used.name.database(), used.access));
    let databases = uses.databases.iter().map(|used| (used.name.as_str(), used.access));
    let mut all = objects.chain(schemas).chain(databases);
    let is_own = |used: &ContainerUse<SchemaName>| used.name.database() == OWN_DATABASE;
    all.any(|(database, access)| database == OWN_DATABASE && access != Access::Read)
        || uses.schemas.iter().any(is_own) && uses.schemas.iter().any(|used| used.access != Access::Read)
}

/// Nothing in the server's own database can be changed.
pub fn refuse_changes(catalog: &Catalog) -> Result<(), Failure> {
    match catalog.database(OWN_DATABASE).is_some_and(|found| found.is_own()) {
        true => Err(Failure::read_only_database(OWN_DATABASE)),
        false => Ok(()),
    }
}
