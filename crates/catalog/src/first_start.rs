//! The first start on an empty folder: an account someone can log in to.

use firn_sql::Failure;
use rusqlite::{Connection, OptionalExtension, params};

use crate::catalog::Catalog;
use crate::clock::now_ms;
use crate::error::CatalogError;
use crate::memory::Memory;
use crate::principals::{ACCOUNT_ADMIN, BUILT_IN_ROLES, SYS_ADMIN};
use crate::secrets::{ACCESS_TOKEN_PREFIX, SecretHash, generate_secret, hash_secret};

pub const ADMIN_USER: &str = "ADMIN";
/// The name of the access token that the server was started with.
pub const ADMIN_TOKEN: &str = "FIRN_ADMIN_TOKEN";
const FIRST_WAREHOUSE: &str = "COMPUTE_WH";
/// The default database of ADMIN. Its file is created by the crate that manages databases.
pub const FIRST_DATABASE: &str = "FIRN";
/// The administrator's own token is renewed by setting it at a start, so it may live long.
const ADMIN_TOKEN_LIFETIME_MS: i64 = 3_650 * 24 * 3_600 * 1_000;

/// What the first start made.
#[derive(Clone, Debug)]
pub struct FirstStart {
    /// The given token or a generated one; it is not shown again.
    pub admin_token: String,
}

impl Catalog {
    /// Makes the account, its roles, the user ADMIN and a warehouse when there is none yet. On a
    /// later start only a given token counts: it becomes ADMIN's, as long as that user exists.
    pub fn bootstrap(&self, account: &str, admin_token: Option<&str>) -> Result<Option<FirstStart>, CatalogError> {
        admin_token.map(check_token).transpose()?;
        self.change(
            |_, connection| Memory::load(connection),
            |transaction, before| {
                if !before.account.is_empty() {
                    if let Some(token) = admin_token {
                        set_admin_token(transaction, token)?;
                    }
                    return Ok(None);
                }
                let admin_token = match admin_token {
                    Some(token) => token.to_owned(),
                    None => generate_secret(ACCESS_TOKEN_PREFIX)?,
                };
                make_account(transaction, account)?;
                set_admin_token(transaction, &admin_token)?;
                Ok(Some(FirstStart { admin_token }))
            },
        )
    }
}

fn check_token(token: &str) -> Result<(), Failure> {
    if !token.is_empty() && token.chars().all(|character| character.is_ascii_graphic()) {
        return Ok(());
    }
    Err(Failure::invalid_value(
        "the administrator's token",
        "…",
        "visible ASCII characters without spaces are expected",
    ))
}

fn make_account(connection: &Connection, account: &str) -> Result<(), CatalogError> {
    if account.is_empty() || !account.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
        return Err(
            Failure::invalid_value("the account's name", account, "letters, digits, - _ and . are expected").into()
        );
    }
    let now_ms = now_ms();
    connection.execute("INSERT INTO settings (name, value) VALUES ('ACCOUNT', ?1)", [account.to_uppercase()])?;
    for (role, parent, comment) in BUILT_IN_ROLES {
        connection.execute(
            "INSERT INTO roles (name, owner, comment, created_on_ms) VALUES (?1, ?2, ?3, ?4)",
            params![role, ACCOUNT_ADMIN, comment, now_ms],
        )?;
        if let Some(parent) = parent {
            connection.execute(
                "INSERT INTO role_grants_to_roles (role, grantee, granted_by, created_on_ms) VALUES (?1, ?2, ?3, ?4)",
                params![role, parent, ACCOUNT_ADMIN, now_ms],
            )?;
        }
    }
    let properties = serde_json::json!({
        "LOGIN_NAME": ADMIN_USER,
        "DEFAULT_ROLE": ACCOUNT_ADMIN,
        "DEFAULT_WAREHOUSE": FIRST_WAREHOUSE,
        "DEFAULT_DATABASE": FIRST_DATABASE,
        "DEFAULT_SCHEMA": "PUBLIC",
    });
    connection.execute(
        "INSERT INTO users (name, owner, created_on_ms, properties) VALUES (?1, ?2, ?3, ?4)",
        params![ADMIN_USER, ACCOUNT_ADMIN, now_ms, properties.to_string()],
    )?;
    connection.execute(
        "INSERT INTO role_grants_to_users (role, user_id, granted_by, created_on_ms) VALUES (?1, ?2, ?1, ?3)",
        params![ACCOUNT_ADMIN, connection.last_insert_rowid(), now_ms],
    )?;
    connection.execute(
        "INSERT INTO warehouses (name, owner, created_on_ms, suspended, properties) VALUES (?1, ?2, ?3, 0, '{}')",
        params![FIRST_WAREHOUSE, SYS_ADMIN, now_ms],
    )?;
    connection.execute_batch(include_str!("store/built_in_privileges.sql"))?;
    Ok(())
}

fn set_admin_token(connection: &Connection, token: &str) -> Result<(), CatalogError> {
    let admin: Option<i64> =
        connection.query_row("SELECT id FROM users WHERE name = ?1", [ADMIN_USER], |row| row.get(0)).optional()?;
    let Some(user_id) = admin else { return Ok(()) };
    // The way back in for an administrator whom failed logins locked out.
    connection.execute(
        "UPDATE users SET properties = json_remove(properties, '$.LOCKED_UNTIL_MS', '$.PASSWORD_LOCKED_UNTIL_MS') WHERE id = ?1",
        [user_id],
    )?;
    let hash: SecretHash = hash_secret(token);
    connection.execute("DELETE FROM access_tokens WHERE secret_hash = ?1", [hash])?;
    connection.execute(
        "INSERT INTO access_tokens (user_id, name, secret_hash, created_on_ms, expires_on_ms, created_by) \
         VALUES (?1, ?2, ?3, ?4, ?5, ?6) ON CONFLICT (user_id, name) DO UPDATE SET secret_hash = excluded.secret_hash, \
         created_on_ms = excluded.created_on_ms, expires_on_ms = excluded.expires_on_ms, role_restriction = NULL, \
         disabled = 0, rotated_to = NULL",
        params![user_id, ADMIN_TOKEN, hash, now_ms(), now_ms() + ADMIN_TOKEN_LIFETIME_MS, ADMIN_USER],
    )?;
    Ok(())
}
