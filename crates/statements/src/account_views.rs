//! Rows for those views of INFORMATION_SCHEMA that no table of the engine holds: databases, roles, what ran. They are
//! made only for a statement that reads such a view, and hold only what the caller may see.

mod objects;
mod policies;
mod privileges;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use firn_catalog::registry::{EndState, PastStatement, Sender};
use firn_engine::{AccountRows, ExecutionContext, OwnersViews, Session};
use firn_sql::ObjectName;
use firn_sql::names::INFORMATION_SCHEMA;
use firn_sql::owners_views::reader_of;
use firn_sql::privileges::SecurableKind;
use firn_sql::resolve::{ObjectUse, Uses};
use firn_sql::routines::RoutineKind;
use serde_json::json;
use uuid::Uuid;

use objects::Whom;

use crate::authorise::{Authority, role_of_owner};
use crate::handle::session_of;
use crate::query_type::query_type;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;
use crate::{account_usage, past_results};

const PAST_STATEMENTS_MAX: u32 = 10_000;

type Row = Vec<Option<String>>;

/// What a statement is executed with, these rows included.
pub fn context(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    uses: &Uses,
) -> Result<ExecutionContext, RunError> {
    account_usage::refresh_for(services, session, state, uses);
    let views_of_owners = views_of_owners(services, session, state, uses)?;
    Ok(ExecutionContext { views_of_owners, ..context_of_role(services, session, state, uses, Whom::Session)? })
}

fn context_of_role(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    uses: &Uses,
    of_whom: Whom,
) -> Result<ExecutionContext, RunError> {
    let account_rows = rows(services, session, state, uses, of_whom)?;
    Ok(ExecutionContext { account_rows, ..state.execution_context(&services.catalog, uses) })
}

/// What the owners of definitions see of INFORMATION_SCHEMA, as far as the statement reads it for them.
fn views_of_owners(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    uses: &Uses,
) -> Result<Vec<OwnersViews>, RunError> {
    let mut by_owner: BTreeMap<&str, Uses> = BTreeMap::new();
    for used in uses.objects.iter().filter(|used| used.name.schema() == INFORMATION_SCHEMA) {
        if let (view, Some(owner)) = reader_of(&used.name.name) {
            let name = ObjectName { name: view.to_owned(), ..used.name.clone() };
            by_owner.entry(owner).or_default().objects.push(ObjectUse { name, ..used.clone() });
        }
    }
    let of_owner = |(owner, uses): (&str, Uses)| {
        let role = role_of_owner(&services.catalog, owner)?;
        let mut state = state.clone();
        state.role = role;
        state.has_owners_rights = true;
        let context = context_of_role(services, session, &state, &uses, Whom::Owner)?;
        let ExecutionContext { visible_owners, granted_schemas, granted_objects, account_rows, .. } = context;
        let owner = owner.to_owned();
        Ok(OwnersViews { owner, visible_owners, granted_schemas, granted_objects, account_rows })
    };
    by_owner.into_iter().map(of_owner).collect()
}

fn rows(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    uses: &Uses,
    of_whom: Whom,
) -> Result<Vec<AccountRows>, RunError> {
    let mut found = Vec::new();
    for object in uses.objects.iter().filter(|object| object.name.schema() == INFORMATION_SCHEMA) {
        let database = object.name.database();
        let of_database = objects::Asked { services, session, state, database, of_whom };
        let (view, rows) = match object.name.name.as_str() {
            "STAGES" => ("STAGES", of_database.stages()?),
            "TABLES" => ("TABLES", of_database.table_sizes()?),
            "FILE_FORMATS" => ("FILE_FORMATS", of_database.file_formats()?),
            "FUNCTIONS" => ("FUNCTIONS", of_database.routines(RoutineKind::Function)?),
            "PROCEDURES" => ("PROCEDURES", of_database.routines(RoutineKind::Procedure)?),
            "POLICY_REFERENCES" => ("POLICY_REFERENCES", of_database.policy_references()?),
            "TAG_REFERENCES" => ("TAG_REFERENCES", of_database.tag_references()?),
            "OBJECT_PRIVILEGES" => ("OBJECT_PRIVILEGES", of_database.privileges(|_| true)?),
            "TABLE_PRIVILEGES" => ("TABLE_PRIVILEGES", of_database.privileges(is_table)?),
            "USAGE_PRIVILEGES" => ("USAGE_PRIVILEGES", of_database.privileges(|kind| !is_table(kind))?),
            "DATABASES" => ("DATABASES", databases(services, session, state)?),
            "APPLICABLE_ROLES" => ("APPLICABLE_ROLES", applicable_roles(services, state)),
            "ENABLED_ROLES" => ("ENABLED_ROLES", enabled_roles(services, state)),
            "LOGIN_HISTORY" => ("LOGIN_HISTORY", account_usage::logins_of(services, session, state)?),
            "WAREHOUSE_METERING_HISTORY" => {
                ("WAREHOUSE_METERING_HISTORY", account_usage::metering_of(services, session, state)?)
            }
            "QUERY_HISTORY" => ("QUERY_HISTORY", query_history(services, session, state)?),
            _ => continue,
        };
        found.push(AccountRows { view, database: Some(database.to_owned()), json: json!(rows).to_string() });
    }
    Ok(found)
}

fn is_table(kind: SecurableKind) -> bool {
    matches!(kind, SecurableKind::Table | SecurableKind::View)
}

fn databases(services: &Services, session: &dyn Session, state: &SessionState) -> Result<Vec<Row>, RunError> {
    let mut rows = Vec::new();
    let authority = Authority::new(&services.catalog, session, &state.role);
    for database in services.catalog.databases() {
        if authority.sees_database(&database.name) {
            let retention_days = session.retention_days(&database.name, "")?;
            rows.push(vec![
                Some(database.name),
                Some(database.owner),
                database.comment,
                Some(database.created_on_ms.to_string()),
                Some(retention_days.to_string()),
            ]);
        }
    }
    Ok(rows)
}

/// Roles the user was granted, directly or through another role; in a procedure with its owner's rights, those of the owner.
fn applicable_roles(services: &Services, state: &SessionState) -> Vec<Row> {
    let principals = services.catalog.principals();
    let user = &state.caller.user;
    let held = principals.roles().filter(|role| match state.own_user() {
        Some(user) => principals.may_take_role(user.id, &role.name),
        None => state.role.held.contains(&role.name),
    });
    held.map(|role| vec![Some(user.name.clone()), Some(role.name.clone()), Some(role.owner.clone())]).collect()
}

/// Roles that the session's role holds.
fn enabled_roles(services: &Services, state: &SessionState) -> Vec<Row> {
    let principals = services.catalog.principals();
    let held = principals.roles().filter(|role| state.role.held.contains(&role.name));
    held.map(|role| vec![Some(role.name.clone()), Some(role.owner.clone())]).collect()
}

/// Everybody's statements for the account's administrator, one's own for everyone else; the latest first. A procedure with its
/// owner's rights has none: those of its caller are not its owner's.
pub fn visible_history(services: &Services, state: &SessionState) -> Result<Vec<PastStatement>, RunError> {
    let registry = services.catalog.registry();
    if state.role.is_account_admin() {
        let past = registry.past(None, PAST_STATEMENTS_MAX)?;
        return Ok(with_unrecorded(services, state, |_| true, past));
    }
    if state.has_owners_rights {
        return Ok(Vec::new());
    }
    let own = registry.past(Some(state.caller.user.id), PAST_STATEMENTS_MAX)?;
    let mut own = with_unrecorded(services, state, |user_id| user_id == state.caller.user.id, own);
    let principals = services.catalog.principals();
    // What a procedure ran with its owner's rights is the owner's.
    let is_own = |statement: &PastStatement| {
        statement.parent.is_none() || principals.may_take_role(state.caller.user.id, &statement.role)
    };
    own.retain(|statement| is_own(statement) && principals.token_covers_role(&state.caller, &statement.role));
    Ok(own)
}

/// Adds what other requests run and is in no file yet.
fn with_unrecorded(
    services: &Services,
    state: &SessionState,
    is_of: impl Fn(i64) -> bool,
    mut past: Vec<PastStatement>,
) -> Vec<PastStatement> {
    let known: HashSet<Uuid> = past.iter().map(|statement| statement.handle).collect();
    let running = services.running.all();
    let unrecorded = running.iter().filter(|execution| {
        let handle = execution.handle.0;
        is_of(execution.user_id) && !known.contains(&handle) && execution.session().to_string() != state.session_id
    });
    past.extend(unrecorded.map(|execution| PastStatement::of(execution.record())));
    past.sort_by_key(|statement| Reverse(statement.created_on_ms));
    past
}

fn query_history(services: &Services, session: &dyn Session, state: &SessionState) -> Result<Vec<Row>, RunError> {
    let principals = services.catalog.principals();
    let mut past = visible_history(services, state)?;
    past_results::hide_values(services, session, state, &mut past)?;
    let user_name = |id: i64| principals.users().find(|user| user.id == id).map(|user| user.name.clone());
    let queued = services.running.queued();
    let row = |statement: PastStatement| {
        let status = match queued.contains(&statement.handle) {
            true => "QUEUED",
            false => status_word(statement.state),
        };
        history_row(user_name(statement.user_id), statement, status)
    };
    Ok(past.into_iter().map(row).collect())
}

fn status_word(state: Option<EndState>) -> &'static str {
    match state {
        None => "RUNNING",
        Some(EndState::Succeeded) => "SUCCESS",
        Some(_) => "FAILED_WITH_ERROR",
    }
}

fn history_row(user: Option<String>, statement: PastStatement, status: &str) -> Row {
    let failed = statement.state.is_some_and(|state| state != EndState::Succeeded);
    let session = session_of(&statement);
    vec![
        Some(statement.handle.to_string()),
        Some(statement.text.clone()),
        statement.database,
        statement.schema,
        Some(query_type(&statement.text)),
        user,
        Some(statement.role),
        statement.warehouse,
        Some(statement.query_tag.unwrap_or_default()),
        Some(status.to_owned()),
        statement.code.filter(|_| failed),
        statement.message.filter(|_| failed),
        Some(statement.created_on_ms.to_string()),
        statement.finished_on_ms.map(|time| time.to_string()),
        statement.rows.map(|rows| rows.to_string()),
        Some(session.to_string()),
        Some((statement.sender == Sender::Client).to_string()),
    ]
}
