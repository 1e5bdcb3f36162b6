//! CREATE, ALTER and DROP USER.

use firn_sql::Failure;
use firn_sql::command::{CreateMode, IfMissing, Property, PropertyValue, UserChange};
use firn_sql::privileges::Privilege;
use rusqlite::params;

use super::{AccountOutcome, Change, Creation, created, creation, dropped, missing_to_alter, missing_to_drop};
use crate::error::CatalogError;
use crate::grants::Securable;
use crate::integrations::check_rsa_key;
use crate::principals::holders::Holder;
use crate::properties::{
    Checked, CheckedProperty, Properties, check_choice, check_flag, check_list, check_text, invalid, text_of,
    unknown_property,
};
use crate::session_parameters::{check_session_parameter, is_session_parameter};
use crate::user::User;

/// What users may change about themselves without a role that manages users.
const OWN_PROPERTIES: &[&str] = &["DEFAULT_ROLE", "DEFAULT_WAREHOUSE", "DEFAULT_NAMESPACE"];

impl Change<'_> {
    pub(super) fn create_user(
        &self,
        name: &str,
        mode: CreateMode,
        properties: &[Property],
    ) -> Result<AccountOutcome, CatalogError> {
        self.require_to_create(Privilege::CreateUser, "account", &self.before.account)?;
        let existing = self.principals().user(name);
        let mut stored = Properties::default();
        match creation(name, mode, existing.is_some())? {
            Creation::Keep(outcome) => return Ok(outcome),
            Creation::Make => {}
            Creation::Replace => {
                if let Some(user) = existing {
                    self.delete_user(user)?;
                }
            }
        }
        stored.set("LOGIN_NAME", Some(Checked::Text(name.to_uppercase())));
        self.set_user_properties(&mut stored, properties)?;
        self.refuse_taken_login(name, &stored)?;
        self.transaction.execute(
            "INSERT INTO users (name, owner, created_on_ms, properties) VALUES (?1, ?2, ?3, ?4)",
            params![name, self.role.name, self.now_ms, stored.to_json()?],
        )?;
        Ok(created("User", name))
    }

    pub(super) fn alter_user(
        &self,
        name: &str,
        if_missing: IfMissing,
        change: &UserChange,
    ) -> Result<AccountOutcome, CatalogError> {
        let Some(user) = self.visible_user(name) else {
            return missing_to_alter("User", name, if_missing);
        };
        if !self.is_own_change(user, change) {
            self.require_user_manager(user)?;
        }
        match change {
            UserChange::Rename(to) => self.rename_user(user, to)?,
            UserChange::Set(properties) => {
                self.rewrite_user(user, |stored| self.set_user_properties(stored, properties))?;
            }
            UserChange::Unset(names) => {
                self.rewrite_user(user, |stored| names.iter().try_for_each(|name| unset(stored, user, name)))?;
            }
        }
        Ok(AccountOutcome::executed())
    }

    pub(super) fn drop_user(&self, name: &str, if_missing: IfMissing) -> Result<AccountOutcome, CatalogError> {
        let Some(user) = self.visible_user(name) else {
            return missing_to_drop("User", name, if_missing);
        };
        self.require_user_manager(user)?;
        self.delete_user(user)?;
        Ok(dropped(name))
    }

    fn is_own_change(&self, user: &User, change: &UserChange) -> bool {
        let harmless = |name: &str| OWN_PROPERTIES.contains(&name) || is_session_parameter(name);
        user.id == self.caller.user.id
            && match change {
                UserChange::Rename(_) => false,
                UserChange::Set(properties) => properties.iter().all(|property| harmless(&property.name)),
                UserChange::Unset(names) => names.iter().all(|name| harmless(name)),
            }
    }

    fn delete_user(&self, user: &User) -> Result<(), CatalogError> {
        self.require_user_manager(user)?;
        self.refuse_own_end(user, "drop")?;
        self.transaction.execute("DELETE FROM access_tokens WHERE user_id = ?1", [user.id])?;
        self.transaction.execute("DELETE FROM role_grants_to_users WHERE user_id = ?1", [user.id])?;
        self.forget_grants_on(&Securable::User(user.id))?;
        self.forget_grants_to(&Holder::User(user.id))?;
        self.transaction.execute("DELETE FROM users WHERE id = ?1", [user.id])?;
        Ok(())
    }

    fn refuse_own_end(&self, user: &User, verb: &str) -> Result<(), Failure> {
        if user.id != self.caller.user.id {
            return Ok(());
        }
        Err(Failure::new(
            "003554",
            "42501",
            format!("SQL access control error:\nYou cannot {verb} yourself; another administrator can."),
        ))
    }

    /// A login name made from the user's name follows the new one.
    fn rename_user(&self, user: &User, to: &str) -> Result<(), CatalogError> {
        if user.name == to {
            return Ok(());
        }
        creation(to, CreateMode::New, self.principals().user(to).is_some())?;
        if user.login_name == user.name.to_uppercase() {
            self.rewrite_user(user, |stored| {
                stored.set("LOGIN_NAME", Some(Checked::Text(to.to_uppercase())));
                Ok(())
            })?;
        }
        self.transaction.execute("UPDATE users SET name = ?2 WHERE id = ?1", params![user.id, to])?;
        Ok(())
    }

    fn rewrite_user(
        &self,
        user: &User,
        edit: impl FnOnce(&mut Properties) -> Result<(), Failure>,
    ) -> Result<(), CatalogError> {
        let json: String =
            self.transaction.query_row("SELECT properties FROM users WHERE id = ?1", [user.id], |row| row.get(0))?;
        let mut stored = Properties::from_json(&json)?;
        edit(&mut stored)?;
        if stored.flag("DISABLED") == Some(true) && !user.disabled {
            self.refuse_own_end(user, "disable")?;
        }
        self.refuse_taken_login(&user.name, &stored)?;
        self.transaction
            .execute("UPDATE users SET properties = ?2 WHERE id = ?1", params![user.id, stored.to_json()?])?;
        Ok(())
    }

    fn refuse_taken_login(&self, name: &str, stored: &Properties) -> Result<(), Failure> {
        let login = stored.text("LOGIN_NAME").unwrap_or_default();
        match self.principals().user_by_login(&login) {
            Some(other) if other.name != name => Err(Failure::already_exists(&login)),
            _ => Ok(()),
        }
    }

    fn set_user_properties(&self, stored: &mut Properties, properties: &[Property]) -> Result<(), Failure> {
        for property in properties {
            if property.name == "DEFAULT_NAMESPACE" {
                set_namespace(stored, property)?;
                continue;
            }
            let checked = self.check_user_property(property)?;
            match (&checked, property.name.as_str()) {
                (None, "LOGIN_NAME") => return Err(invalid(property, "NULL", "a name is expected")),
                (_, name) => stored.set(name, checked),
            }
        }
        Ok(())
    }

    fn check_user_property(&self, property: &Property) -> CheckedProperty {
        match property.name.as_str() {
            "LOGIN_NAME" => check_login(property),
            "DISPLAY_NAME" | "EMAIL" | "COMMENT" | "FIRST_NAME" | "MIDDLE_NAME" | "LAST_NAME" => check_text(property),
            "DISABLED" => check_flag(property),
            "TYPE" => check_choice(property, &["PERSON", "SERVICE", "LEGACY_SERVICE"]),
            "DEFAULT_ROLE" => Ok(text_of(property)?.map(|role| Checked::Text(self.fold_unless_known_role(&role)))),
            "DEFAULT_SECONDARY_ROLES" => check_secondary_roles(property),
            "DEFAULT_WAREHOUSE" => {
                let fold = |name: String| match self.before.warehouses.contains_key(&name) {
                    true => name,
                    false => name.to_uppercase(),
                };
                Ok(text_of(property)?.map(fold).map(Checked::Text))
            }
            "RSA_PUBLIC_KEY" | "RSA_PUBLIC_KEY_2" => check_rsa_key(property),
            "PASSWORD" | "MUST_CHANGE_PASSWORD" => Err(Failure::new(
                "000002",
                "0A000",
                format!(
                    "Unsupported feature '{}': this server has no passwords; use a key pair or an access token.",
                    property.name
                ),
            )),
            name if is_session_parameter(name) => {
                text_of(property)?.map(|value| check_session_parameter(name, &value).map(Checked::Text)).transpose()
            }
            name => Err(unknown_property(name, "USER")),
        }
    }

    /// A role's name given as text: as it is when there is such a role, else in upper case.
    pub(super) fn fold_unless_known_role(&self, name: &str) -> String {
        if self.principals().role(name).is_some() { name.to_owned() } else { name.to_uppercase() }
    }
}

fn unset(stored: &mut Properties, user: &User, name: &str) -> Result<(), Failure> {
    match name {
        "LOGIN_NAME" => stored.set(name, Some(Checked::Text(user.name.to_uppercase()))),
        "DEFAULT_NAMESPACE" => {
            stored.set("DEFAULT_DATABASE", None);
            stored.set("DEFAULT_SCHEMA", None);
        }
        "DISPLAY_NAME"
        | "EMAIL"
        | "COMMENT"
        | "FIRST_NAME"
        | "MIDDLE_NAME"
        | "LAST_NAME"
        | "TYPE"
        | "DISABLED"
        | "DEFAULT_ROLE"
        | "DEFAULT_SECONDARY_ROLES"
        | "DEFAULT_WAREHOUSE"
        | "RSA_PUBLIC_KEY"
        | "RSA_PUBLIC_KEY_2" => stored.set(name, None),
        _ if is_session_parameter(name) => stored.set(name, None),
        _ => return Err(unknown_property(name, "USER")),
    }
    Ok(())
}

fn check_login(property: &Property) -> CheckedProperty {
    match text_of(property)? {
        Some(text) if text.trim().is_empty() => Err(invalid(property, &text, "a name is expected")),
        other => Ok(other.map(|login| Checked::Text(login.to_uppercase()))),
    }
}

/// `db`, `db.schema`, either part in double quotes to keep its case; a list gives the two parts.
fn set_namespace(stored: &mut Properties, property: &Property) -> Result<(), Failure> {
    let parts = match &property.value {
        PropertyValue::Null => Vec::new(),
        PropertyValue::List(parts) => parts.clone(),
        PropertyValue::Text(text) => split_identifiers(text).ok_or_else(|| {
            invalid(property, text, "a database, or a database and a schema as DB.SCHEMA, is expected")
        })?,
    };
    if parts.len() > 2 {
        return Err(invalid(property, &parts.join("."), "at most a database and a schema are expected"));
    }
    let mut parts = parts.into_iter().map(Checked::Text);
    stored.set("DEFAULT_DATABASE", parts.next());
    stored.set("DEFAULT_SCHEMA", parts.next());
    Ok(())
}

fn split_identifiers(text: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    let mut rest = text.trim();
    loop {
        let part = if let Some(quoted) = rest.strip_prefix('"') {
            let mut part = String::new();
            let mut characters = quoted.char_indices().peekable();
            let end = loop {
                match characters.next()? {
                    (_, '"') if characters.next_if(|(_, next)| *next == '"').is_some() => part.push('"'),
                    (at, '"') => break at,
                    (_, character) => part.push(character),
                }
            };
            rest = &quoted[end + 1..];
            part
        } else {
            let end = rest.find('.').unwrap_or(rest.len());
            let part = rest[..end].trim().to_uppercase();
            rest = &rest[end..];
            part
        };
        if part.is_empty() {
            return None;
        }
        parts.push(part);
        if rest.is_empty() {
            return Some(parts);
        }
        rest = rest.strip_prefix('.')?;
    }
}

/// `('ALL')` or `()`.
fn check_secondary_roles(property: &Property) -> CheckedProperty {
    let checked = check_list(property)?;
    match &checked {
        Some(Checked::List(roles)) if roles.iter().any(|role| role != "ALL") => {
            Err(invalid(property, &roles.join(", "), "('ALL') or () is expected"))
        }
        _ => Ok(checked),
    }
}
