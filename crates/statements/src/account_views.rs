//! Rows for those views of INFORMATION_SCHEMA that no table of the engine holds: databases, roles, what ran. They are
//! made only for a statement that reads such a view, and hold only what the caller may see.

mod objects;
mod past_statements;
mod policies;
mod privileges;

use std::collections::BTreeMap;

use firn_engine::{AccountRows, ExecutionContext, OwnersViews, Session};
use firn_sql::command::Command;
use firn_sql::names::INFORMATION_SCHEMA;
use firn_sql::owners_views::reader_of;
use firn_sql::privileges::SecurableKind;
use firn_sql::resolve::{ObjectUse, Uses};
use firn_sql::routines::RoutineKind;
use firn_sql::{ObjectName, print};
use serde_json::json;

use objects::Whom;
pub use past_statements::{Sight, found, latest_visible};

use crate::account_usage;
use crate::authorise::{Authority, role_of_owner};
use crate::history_calls::{self, HistoryCall};
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

type Row = Vec<Option<String>>;

/// What a statement is executed with, these rows included.
pub fn context(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    (command, uses): (&Command, &Uses),
) -> Result<ExecutionContext, RunError> {
    account_usage::refresh_for(services, session, state, uses);
    let sizes = sizes_of_tables(command, uses);
    let read = &Read { uses, history: &history_calls::calls(command, uses), sizes };
    let views_of_owners = views_of_owners(services, session, state, read)?;
    Ok(ExecutionContext { views_of_owners, ..context_of_role(services, session, state, read, Whom::Session)? })
}

/// What a statement reads.
struct Read<'a> {
    uses: &'a Uses,
    history: &'a [HistoryCall],
    sizes: Sizes,
}

/// Whether the sizes of tables are asked for: to find them takes long where there are many.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sizes {
    Asked,
    Left,
}

/// Left only where nothing but views of INFORMATION_SCHEMA is read, and nothing that is written may be those columns.
fn sizes_of_tables(command: &Command, uses: &Uses) -> Sizes {
    const COLUMNS: [&str; 2] = ["ROW_COUNT", "BYTES"];
    let Command::Query(query) = command else { return Sizes::Asked };
    if uses.objects.iter().any(|used| used.name.schema() != INFORMATION_SCHEMA) {
        return Sizes::Asked;
    }
    let written = print::sql(query.as_ref()).to_ascii_uppercase();
    let has_all_columns = written.replace("COUNT(*)", "").contains('*') || written.contains(" NATURAL ");
    match has_all_columns || COLUMNS.iter().any(|column| written.contains(column)) {
        true => Sizes::Asked,
        false => Sizes::Left,
    }
}

fn context_of_role(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    read: &Read<'_>,
    of_whom: Whom,
) -> Result<ExecutionContext, RunError> {
    let account_rows = rows(services, session, state, read, of_whom)?;
    Ok(ExecutionContext { account_rows, ..state.execution_context(&services.catalog, read.uses) })
}

/// What the owners of definitions see of INFORMATION_SCHEMA, as far as the statement reads it for them.
fn views_of_owners(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    read: &Read<'_>,
) -> Result<Vec<OwnersViews>, RunError> {
    let mut by_owner: BTreeMap<&str, Uses> = BTreeMap::new();
    for used in read.uses.objects.iter().filter(|used| used.name.schema() == INFORMATION_SCHEMA) {
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
        let read = Read { uses: &uses, ..*read };
        let context = context_of_role(services, session, &state, &read, Whom::Owner)?;
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
    read: &Read<'_>,
    of_whom: Whom,
) -> Result<Vec<AccountRows>, RunError> {
    let mut found = Vec::new();
    for object in read.uses.objects.iter().filter(|object| object.name.schema() == INFORMATION_SCHEMA) {
        let database = object.name.database();
        let of_database = objects::Asked { services, session, state, database, of_whom };
        let (view, rows) = match object.name.name.as_str() {
            "STAGES" => ("STAGES", of_database.stages()?),
            "TABLES" if read.sizes == Sizes::Left => continue,
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
            "QUERY_HISTORY" => ("QUERY_HISTORY", past_statements::rows(services, session, state, read.history)?),
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
