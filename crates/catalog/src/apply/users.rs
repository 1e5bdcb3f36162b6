//! CREATE, ALTER and DROP USER.

use firn_sql::Failure;
use firn_sql::command::{CreateMode, IfMissing, Property, PropertyValue, UserChange};
use firn_sql::privileges::Privilege;
use rusqlite::params;

use super::{AccountOutcome, Change, Creation, created, creation, dropped, missing_to_alter, missing_to_drop};
use crate::error::CatalogError;
use crate::grants::Securable;
use crate::integrations::check_rsa_key;
use crate::logins::set_password;
use crate::network_policies::NETWORK_POLICY;
use crate::passwords::{PASSWORD, unusable};
use crate::principals::ACCOUNT_ADMIN;
use crate::principals::holders::Holder;
use crate::properties::{
    Checked, CheckedProperty, Properties, check_choice, check_flag, check_list, check_number, check_text, invalid,
    text_of, unknown_property,
};
use crate::session_parameters::{check_session_parameter, is_session_parameter};
use crate::user::User;

/// What users may change about themselves without a role that manages users.
const OWN_PROPERTIES: &[&str] = &["DEFAULT_WAREHOUSE", "DEFAULT_NAMESPACE"];
/// The same, unless a token is tied to a role.
const OF_WHOLE: &[&str] = &["DEFAULT_ROLE", PASSWORD];
const EXPIRY_DAYS_MAX: u32 = 36_500;
const LOCK_MINUTES_MAX: u32 = 5_256_000;
const DAY_MS: i64 = 86_400_000;
const MINUTE_MS: i64 = 60_000;
/// What only people have.
const OF_PERSONS: &[&str] = &[PASSWORD, "MUST_CHANGE_PASSWORD", "FIRST_NAME", "MIDDLE_NAME", "LAST_NAME"];

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
        refuse_persons_properties(&stored)?;
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
            if names_password(change) {
                self.require_owner(&user.owner, "user", &user.name)?;
            }
        }
        let rules = self.before.password_rules(Some(user));
        if names_password(change) && user.id == self.caller.user.id && rules.is_too_young(user, self.now_ms) {
            return Err(unusable("it was changed too short a time ago").into());
        }
        match change {
            UserChange::Rename(to) => self.rename_user(user, to)?,
            UserChange::Set(properties) => self.rewrite_user(user, |stored| {
                self.set_user_properties(stored, properties)?;
                self.refuse_expiry_of_admin(user, properties)?;
                let gives_must_change = properties.iter().any(|property| property.name == "MUST_CHANGE_PASSWORD");
                if names_password(change) && user.id == self.caller.user.id && !gives_must_change {
                    stored.set("MUST_CHANGE_PASSWORD", None);
                }
                Ok(())
            })?,
            UserChange::Unset(names) => self.rewrite_user(user, |stored| {
                names.iter().try_for_each(|name| unset(stored, user, name))?;
                if names_password(change) {
                    set_password(stored, None, self.now_ms);
                }
                Ok(())
            })?,
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
        // A token that gives some roles only must not become a password, which gives all of them, nor choose another role.
        let is_whole = self.caller.has_all_roles();
        let harmless = |name: &str| {
            OWN_PROPERTIES.contains(&name) || is_session_parameter(name) || (OF_WHOLE.contains(&name) && is_whole)
        };
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
        let holder = Holder::User(user.id);
        self.settle_grants_of(&holder.key())?;
        self.forget_grants_to(&holder)?;
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
            // They stay ended when the user is enabled again.
            stored.set("SESSIONS_ENDED_ON_MS", Some(Checked::Text(self.now_ms.to_string())));
        }
        let until_ms = stored.instant("LOCKED_UNTIL_MS");
        if until_ms.is_some_and(|until_ms| until_ms > self.now_ms) && until_ms != user.locked_until_ms {
            self.refuse_own_end(user, "lock")?;
        }
        refuse_persons_properties(&stored)?;
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
            match property.name.as_str() {
                "DEFAULT_NAMESPACE" => set_namespace(stored, property)?,
                // Its hash: the password itself was replaced before.
                PASSWORD => set_password(stored, check_text(property)?, self.now_ms),
                "DAYS_TO_EXPIRY" => {
                    let days = check_number(property, 0..=EXPIRY_DAYS_MAX)?;
                    stored.set("EXPIRES_ON_MS", self.instant_in(days, DAY_MS));
                }
                "MINS_TO_UNLOCK" => {
                    let minutes = check_number(property, 0..=LOCK_MINUTES_MAX)?;
                    stored.set("LOCKED_UNTIL_MS", self.instant_in(minutes, MINUTE_MS));
                    stored.set("PASSWORD_LOCKED_UNTIL_MS", None);
                }
                name => match (self.check_user_property(property)?, name) {
                    (None, "LOGIN_NAME") => return Err(invalid(property, "NULL", "a name is expected")),
                    (checked, name) => stored.set(name, checked),
                },
            }
        }
        Ok(())
    }

    fn instant_in(&self, units: Option<Checked>, unit_ms: i64) -> Option<Checked> {
        let Some(Checked::Text(units)) = units else { return None };
        let units: i64 = units.parse().ok()?;
        Some(Checked::Text((self.now_ms + units * unit_ms).to_string()))
    }

    /// The account must not lose its administrators as time goes by.
    fn refuse_expiry_of_admin(&self, user: &User, properties: &[Property]) -> Result<(), Failure> {
        let expires = |property: &Property| property.name == "DAYS_TO_EXPIRY" && property.value != PropertyValue::Null;
        let is_admin = self.principals().may_take_role(user.id, ACCOUNT_ADMIN);
        match properties.iter().find(|property| is_admin && expires(property)) {
            Some(property) => Err(invalid(property, &user.name, "users with the role ACCOUNTADMIN do not expire")),
            None => Ok(()),
        }
    }

    fn check_user_property(&self, property: &Property) -> CheckedProperty {
        match property.name.as_str() {
            "LOGIN_NAME" => check_login(property),
            "DISPLAY_NAME" | "EMAIL" | "COMMENT" | "FIRST_NAME" | "MIDDLE_NAME" | "LAST_NAME" => check_text(property),
            "DISABLED" | "MUST_CHANGE_PASSWORD" => check_flag(property),
            NETWORK_POLICY => match text_of(property)? {
                Some(name) => Ok(Some(Checked::Text(self.named_network_policy(&name)?))),
                None => Ok(None),
            },
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
        "DAYS_TO_EXPIRY" => stored.set("EXPIRES_ON_MS", None),
        "MINS_TO_UNLOCK" => {
            stored.set("LOCKED_UNTIL_MS", None);
            stored.set("PASSWORD_LOCKED_UNTIL_MS", None);
        }
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
        | PASSWORD
        | "MUST_CHANGE_PASSWORD"
        | NETWORK_POLICY
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

fn names_password(change: &UserChange) -> bool {
    match change {
        UserChange::Rename(_) => false,
        UserChange::Set(properties) => properties.iter().any(|property| property.name == PASSWORD),
        UserChange::Unset(names) => names.iter().any(|name| name == PASSWORD),
    }
}

fn refuse_persons_properties(stored: &Properties) -> Result<(), Failure> {
    if stored.text("TYPE").as_deref() != Some("SERVICE") {
        return Ok(());
    }
    match OF_PERSONS.iter().find(|name| stored.text(name).is_some_and(|value| value != "false")) {
        Some(name) => Err(Failure::invalid_value(
            "TYPE",
            "SERVICE",
            &format!("a user of this type has no {name}; give PERSON or LEGACY_SERVICE, or UNSET {name}"),
        )),
        None => Ok(()),
    }
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
