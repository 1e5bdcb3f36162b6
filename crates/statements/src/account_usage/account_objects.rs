//! The users, roles and grants of the account as rows, and what its databases and stages take on disk.

use std::fs;

use firn_catalog::{Catalog, DatabaseRecord, Holder, PrivilegeGrant, Securable, User};
use firn_engine::Session;
use firn_sql::command::LoginPolicyKind;
use firn_sql::names::display_identifier;

use super::limits_of_account;
use super::record_sql::{self, day_of, instant};
use super::record_sql::{Existing, Row, text};
use crate::clock::now_ms;
use crate::run_error::RunError;
use crate::services::Services;

pub fn existing(services: &Services) -> Vec<Existing> {
    let catalog = &services.catalog;
    let databases = catalog.databases();
    vec![
        users(catalog),
        roles(catalog, &databases),
        role_grants(catalog),
        grants_to_users(catalog),
        limits_of_account::resource_monitors(catalog),
        limits_of_account::login_policies(catalog, LoginPolicyKind::Password, "PASSWORD_POLICIES"),
        limits_of_account::login_policies(catalog, LoginPolicyKind::Session, "SESSION_POLICIES"),
        limits_of_account::login_policies(catalog, LoginPolicyKind::Authentication, "AUTHENTICATION_POLICIES"),
    ]
}

fn yes_or_no(value: bool) -> Option<String> {
    text(if value { "true" } else { "false" })
}

fn users(catalog: &Catalog) -> Existing {
    let principals = catalog.principals();
    let row = |user: &User| {
        let other = |name: &str| user.other_properties.get(name).cloned();
        let namespace = match (&user.default_database, &user.default_schema) {
            (Some(database), Some(schema)) => Some(format!("{database}.{schema}")),
            (database, _) => database.clone(),
        };
        let cells = vec![
            Some(user.id.to_string()),
            text(&user.name),
            Some(instant(user.created_on_ms)),
            text(&user.login_name),
            user.display_name.clone().or_else(|| text(&user.name)),
            other("FIRST_NAME"),
            other("LAST_NAME"),
            user.email.clone(),
            user.comment.clone(),
            yes_or_no(user.disabled),
            user.default_warehouse.clone(),
            namespace,
            user.default_role.clone(),
            yes_or_no(user.rsa_public_key.is_some() || user.rsa_public_key_2.is_some()),
            text(&user.owner),
            yes_or_no(user.must_change_password),
            yes_or_no(user.password.is_some()),
            user.expires_on_ms.map(instant),
            user.unlocked_on_ms().map(instant),
            user.password.as_ref().map(|_| instant(user.password_set_on_ms)),
            text(user.kind()),
        ];
        (user.id.to_string(), cells)
    };
    Existing { table: "USERS", objects: principals.users().map(|user| row(user)).collect() }
}

fn roles(catalog: &Catalog, databases: &[DatabaseRecord]) -> Existing {
    let principals = catalog.principals();
    let row = |name: &str, owner: &str, comment: &Option<String>, created_on_ms: i64, database: Option<&str>| {
        let kind = if database.is_some() { "DATABASE_ROLE" } else { "ROLE" };
        let cells = vec![
            Some(instant(created_on_ms)),
            text(name),
            comment.clone(),
            text(owner),
            text(kind),
            database.map(str::to_owned),
        ];
        (format!("{kind} {} {name} {created_on_ms}", database.unwrap_or_default()), cells)
    };
    let of_account =
        principals.roles().map(|role| row(&role.name, &role.owner, &role.comment, role.created_on_ms, None));
    let mut objects: Vec<(String, Row)> = of_account.collect();
    for database in databases {
        let within = principals.database_roles_of(database.id);
        objects.extend(
            within.map(|role| row(&role.name, &role.owner, &role.comment, role.created_on_ms, Some(&database.name))),
        );
    }
    Existing { table: "ROLES", objects }
}

fn grants_to_users(catalog: &Catalog) -> Existing {
    let principals = catalog.principals();
    let of_user = |key: &str| match Holder::of_key(key) {
        Holder::User(id) => principals.users().find(|user| user.id == id).map(|user| user.name.clone()),
        _ => None,
    };
    let mut objects = Vec::new();
    for grant in principals.role_grants() {
        if let Some(user) = of_user(&grant.grantee) {
            let role = shown_holder(catalog, &grant.role).1;
            let cells = vec![Some(instant(grant.created_on_ms)), Some(role), Some(user), text(&grant.granted_by)];
            objects.push((format!("{} {} {}", grant.role, grant.grantee, grant.created_on_ms), cells));
        }
    }
    Existing { table: "GRANTS_TO_USERS", objects }
}

/// The roles that are granted to roles, and the privileges on what is not inside a database.
fn role_grants(catalog: &Catalog) -> Existing {
    let principals = catalog.principals();
    let mut objects = Vec::new();
    for grant in principals.role_grants() {
        let (granted_to, grantee) = shown_holder(catalog, &grant.grantee);
        if granted_to == "USER" {
            continue;
        }
        let (kind, role) = shown_holder(catalog, &grant.role);
        let cells = vec![
            Some(instant(grant.created_on_ms)),
            text("USAGE"),
            text(kind),
            Some(role),
            None,
            None,
            text(granted_to),
            Some(grantee),
            yes_or_no(false),
            text(&grant.granted_by),
        ];
        objects.push((format!("role {} {} {}", grant.role, grant.grantee, grant.created_on_ms), cells));
    }
    let warehouses =
        catalog.warehouses().into_iter().map(|found| (Securable::Warehouse(found.name.clone()), found.name));
    let monitors = catalog.resource_monitors().into_iter();
    let monitors = monitors.map(|found| (Securable::ResourceMonitor(found.name.clone()), found.name));
    let of_account = warehouses.chain(monitors);
    let databases = catalog.databases().into_iter().map(|found| (Securable::Database(found.id), found.name));
    let account = [(Securable::Account, catalog.account())];
    for (on, name) in account.into_iter().chain(of_account).chain(databases) {
        for grant in catalog.grants_on(&on) {
            let kind = on.kind().label();
            objects.push(privilege(
                catalog,
                &grant,
                &Granted { kind: &kind, name: &name, database: None, schema: None },
            ));
        }
    }
    Existing { table: "GRANTS_TO_ROLES", objects }
}

/// An object that privileges are granted on.
pub struct Granted<'a> {
    pub kind: &'a str,
    pub name: &'a str,
    pub database: Option<&'a str>,
    pub schema: Option<&'a str>,
}

/// A privilege as a row of GRANTS_TO_ROLES.
pub fn privilege(catalog: &Catalog, grant: &PrivilegeGrant, on: &Granted<'_>) -> (String, Row) {
    let (granted_to, grantee) = shown_holder(catalog, &grant.grantee);
    let cells = vec![
        Some(instant(grant.created_on_ms)),
        text(grant.privilege.words()),
        text(on.kind),
        text(on.name),
        on.database.map(str::to_owned),
        on.schema.map(str::to_owned),
        text(granted_to),
        Some(grantee),
        yes_or_no(grant.grant_option),
        Some(shown_holder(catalog, &grant.granted_by).1),
    ];
    let place = [on.database.unwrap_or_default(), on.schema.unwrap_or_default(), on.name].join("\u{1}");
    let identity = format!(
        "{} {place} {} {} {} {}",
        on.kind,
        grant.privilege.words(),
        grant.grantee,
        grant.granted_by,
        grant.created_on_ms
    );
    (identity, cells)
}

/// The kind and the name of who holds something.
fn shown_holder(catalog: &Catalog, key: &str) -> (&'static str, String) {
    match Holder::of_key(key) {
        Holder::Role(name) => ("ROLE", name),
        Holder::DatabaseRole { database, name } => {
            let found = catalog.databases().into_iter().find(|found| found.id == database);
            let database = found.map(|found| display_identifier(&found.name)).unwrap_or_default();
            ("DATABASE_ROLE", format!("{database}.{}", display_identifier(&name)))
        }
        Holder::User(id) => {
            let principals = catalog.principals();
            let user = principals.users().find(|user| user.id == id);
            ("USER", user.map(|user| user.name.clone()).unwrap_or_default())
        }
    }
}

/// What databases and stages take now counts for the day.
pub fn record_storage(services: &Services, session: &mut dyn Session) -> Result<(), RunError> {
    let today = day_of(now_ms());
    let size = |name: &str| fs::metadata(services.databases.folder.join(name)).map_or(0, |file| file.len());
    let mut rows: Vec<Row> = Vec::new();
    for database in services.catalog.databases() {
        if services.databases.set_aside.contains(&database.name) {
            continue;
        }
        let mut stage_bytes = 0;
        for folder in services.engine.stage_folders(&database.name)? {
            let files = services.engine.stage_files().list(&folder, "").unwrap_or_default();
            stage_bytes += files.iter().map(|file| file.bytes).sum::<u64>();
        }
        let bytes = size(&database.file_name) + size(&format!("{}.wal", database.file_name));
        rows.push(vec![
            text(&today),
            Some(database.id.to_string()),
            Some(database.name),
            Some(bytes.to_string()),
            Some(stage_bytes.to_string()),
        ]);
    }
    record_sql::change(session, &format!("DELETE FROM SNOWFLAKE.RECORDS.STORAGE WHERE USAGE_DATE = '{today}'"))?;
    Ok(session.append(&[(record_sql::table("STORAGE"), rows)])?)
}
