//! Reads the snapshot from the state file.

use std::collections::BTreeMap;
use std::sync::Arc;

use firn_sql::command::LoginPolicyKind;
use rusqlite::Connection;

use super::holders::Holder;
use super::role_graph::{DatabaseRole, Holdings, Role, RoleGrant, RoleNode};
use super::{AccessToken, Principals};
use crate::catalog_integrations::load_catalog_integrations;
use crate::error::CatalogError;
use crate::integrations::load_integrations;
use crate::login_policies::reference;
use crate::passwords::{PASSWORD, PASSWORD_HISTORY, StoredPassword};
use crate::properties::Properties;
use crate::rsa_key::RsaKey;
use crate::session_parameters::is_session_parameter;
use crate::user::User;

/// Properties with a field of their own in `User`.
const USER_FIELDS: &[&str] = &[
    "LOGIN_NAME",
    "DISPLAY_NAME",
    "EMAIL",
    "COMMENT",
    "DISABLED",
    "PASSWORD",
    "PASSWORD_SET_ON_MS",
    "MUST_CHANGE_PASSWORD",
    "EXPIRES_ON_MS",
    "LOCKED_UNTIL_MS",
    "PASSWORD_LOCKED_UNTIL_MS",
    "NETWORK_POLICY",
    "PASSWORD POLICY ID",
    "SESSION POLICY ID",
    "AUTHENTICATION POLICY ID",
    "SESSIONS_ENDED_ON_MS",
    "DEFAULT_ROLE",
    "DEFAULT_WAREHOUSE",
    "DEFAULT_DATABASE",
    "DEFAULT_SCHEMA",
    "RSA_PUBLIC_KEY",
    "RSA_PUBLIC_KEY_2",
];

pub(crate) fn load_principals(connection: &Connection) -> Result<Principals, CatalogError> {
    let mut principals = Principals::default();
    load_users(connection, &mut principals)?;
    load_roles(connection, &mut principals)?;
    load_database_roles(connection, &mut principals)?;
    load_grants(connection, &mut principals)?;
    load_tokens(connection, &mut principals)?;
    principals.integrations = load_integrations(connection)?;
    principals.catalog_integrations = load_catalog_integrations(connection)?;
    Ok(principals)
}

fn load_users(connection: &Connection, principals: &mut Principals) -> Result<(), CatalogError> {
    let mut statement = connection.prepare("SELECT id, name, owner, created_on_ms, properties FROM users")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let properties = Properties::from_json(row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?)?;
        let user = read_user(row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, &properties)?;
        principals.names_by_login.insert(user.login_name.clone(), user.name.clone());
        principals.roles.users.insert(user.id, Holdings::default());
        let user = Arc::new(user);
        principals.users_by_id.insert(user.id, Arc::clone(&user));
        principals.users.insert(user.name.clone(), user);
    }
    Ok(())
}

fn read_user(
    id: i64,
    name: String,
    owner: String,
    created_on_ms: i64,
    properties: &Properties,
) -> Result<User, CatalogError> {
    let mut parameters = BTreeMap::new();
    let mut other_properties = BTreeMap::new();
    for (property, value) in properties.texts().filter(|(property, _)| !USER_FIELDS.contains(property)) {
        let target = if is_session_parameter(property) { &mut parameters } else { &mut other_properties };
        target.insert(property.to_owned(), value.to_owned());
    }
    let key = |property: &str| {
        properties.text(property).map(|body| RsaKey::parse(property, &body)).transpose().map_err(CatalogError::from)
    };
    Ok(User {
        id,
        login_name: properties.text("LOGIN_NAME").unwrap_or_else(|| name.to_uppercase()),
        name,
        display_name: properties.text("DISPLAY_NAME"),
        email: properties.text("EMAIL"),
        comment: properties.text("COMMENT"),
        disabled: properties.flag("DISABLED").unwrap_or(false),
        password: properties.text(PASSWORD).map(StoredPassword::new),
        password_set_on_ms: properties.instant("PASSWORD_SET_ON_MS").unwrap_or(0),
        password_history: properties.list(PASSWORD_HISTORY).into_iter().map(StoredPassword::new).collect(),
        sessions_ended_on_ms: properties.instant("SESSIONS_ENDED_ON_MS").unwrap_or(0),
        must_change_password: properties.flag("MUST_CHANGE_PASSWORD").unwrap_or(false),
        expires_on_ms: properties.instant("EXPIRES_ON_MS"),
        locked_until_ms: properties.instant("LOCKED_UNTIL_MS"),
        password_locked_until_ms: properties.instant("PASSWORD_LOCKED_UNTIL_MS"),
        network_policy: properties.text("NETWORK_POLICY"),
        login_policies: LoginPolicyKind::EVERY
            .into_iter()
            .filter_map(|kind| Some((kind, properties.instant(&reference(kind))?)))
            .collect(),
        default_role: properties.text("DEFAULT_ROLE"),
        has_secondary_roles: properties.list("DEFAULT_SECONDARY_ROLES").iter().any(|role| role == "ALL"),
        default_warehouse: properties.text("DEFAULT_WAREHOUSE"),
        default_database: properties.text("DEFAULT_DATABASE"),
        default_schema: properties.text("DEFAULT_SCHEMA"),
        rsa_public_key: key("RSA_PUBLIC_KEY")?,
        rsa_public_key_2: key("RSA_PUBLIC_KEY_2")?,
        parameters,
        other_properties,
        created_on_ms,
        owner,
    })
}

fn load_roles(connection: &Connection, principals: &mut Principals) -> Result<(), CatalogError> {
    let mut statement = connection.prepare("SELECT name, comment, owner, created_on_ms FROM roles")?;
    let roles = statement.query_map([], |row| {
        Ok(Role { name: row.get(0)?, comment: row.get(1)?, owner: row.get(2)?, created_on_ms: row.get(3)? })
    })?;
    for role in roles {
        let role = role?;
        let node = RoleNode { role, holdings: Holdings::default() };
        principals.roles.roles.insert(node.role.name.clone(), node);
    }
    Ok(())
}

fn load_database_roles(connection: &Connection, principals: &mut Principals) -> Result<(), CatalogError> {
    let mut statement =
        connection.prepare("SELECT database_id, name, owner, comment, created_on_ms FROM database_roles")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let role = DatabaseRole {
            database: row.get(0)?,
            name: row.get(1)?,
            owner: row.get(2)?,
            comment: row.get(3)?,
            created_on_ms: row.get(4)?,
        };
        let holder = Holder::DatabaseRole { database: role.database, name: role.name.clone() };
        principals.roles.database_roles.insert(holder.key(), Holdings::default());
        principals.database_roles.insert((role.database, role.name.clone()), role);
    }
    Ok(())
}

fn load_grants(connection: &Connection, principals: &mut Principals) -> Result<(), CatalogError> {
    let graph = &mut principals.roles;
    let mut to_roles =
        connection.prepare("SELECT role, grantee, granted_by, created_on_ms FROM role_grants_to_roles")?;
    let mut rows = to_roles.query([])?;
    while let Some(row) = rows.next()? {
        let (role, grantee): (String, String) = (row.get(0)?, row.get(1)?);
        let in_account = graph.roles.get_mut(&grantee).map(|node| &mut node.holdings);
        if let Some(holdings) = in_account.or_else(|| graph.database_roles.get_mut(&grantee)) {
            holdings.granted.push(role.clone());
        }
        graph.grants.push(RoleGrant { role, grantee, granted_by: row.get(2)?, created_on_ms: row.get(3)? });
    }
    let mut to_users = connection.prepare(
        "SELECT role, user_id, granted_by, role_grants_to_users.created_on_ms \
         FROM role_grants_to_users JOIN users ON users.id = user_id",
    )?;
    let mut rows = to_users.query([])?;
    while let Some(row) = rows.next()? {
        let (role, user_id): (String, i64) = (row.get(0)?, row.get(1)?);
        graph.users.entry(user_id).or_default().granted.push(role.clone());
        let grantee = Holder::User(user_id).key();
        graph.grants.push(RoleGrant { role, grantee, granted_by: row.get(2)?, created_on_ms: row.get(3)? });
    }
    Ok(())
}

fn load_tokens(connection: &Connection, principals: &mut Principals) -> Result<(), CatalogError> {
    let mut statement = connection.prepare(
        "SELECT secret_hash, id, user_id, name, role_restriction, created_on_ms, expires_on_ms, created_by, comment, \
         disabled, rotated_to, made_with FROM access_tokens ORDER BY id",
    )?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        principals.tokens_by_hash.insert(row.get(0)?, principals.tokens.len());
        principals.tokens.push(AccessToken {
            id: row.get(1)?,
            user_id: row.get(2)?,
            name: row.get(3)?,
            role_restriction: row.get(4)?,
            created_on_ms: row.get(5)?,
            expires_on_ms: row.get(6)?,
            created_by: row.get(7)?,
            comment: row.get(8)?,
            disabled: row.get(9)?,
            rotated_to: row.get(10)?,
            made_with: row.get(11)?,
        });
    }
    Ok(())
}
