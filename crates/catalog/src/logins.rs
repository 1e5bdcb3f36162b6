//! What a login changes about a user: the lock after failed attempts, and a password that its owner replaces.

use std::sync::Arc;

use rusqlite::{Connection, OptionalExtension, Transaction, params};

use crate::catalog::Catalog;
use crate::clock::now_ms;
use crate::error::CatalogError;
use crate::memory::Memory;
use crate::passwords::{self, Expected, HISTORY_MAX, PASSWORD, PASSWORD_HISTORY};
use crate::properties::{Checked, Properties};
use crate::user::User;

/// Whether a user was changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edited {
    Yes,
    No,
}

impl Catalog {
    /// Locks the password of the user until that time. Costs as much where there is no such user.
    pub fn lock_password(&self, user_id: i64, until_ms: i64) -> Result<(), CatalogError> {
        self.edit_user(user_id, |_, stored| {
            stored.set("PASSWORD_LOCKED_UNTIL_MS", Some(Checked::Text(until_ms.to_string())));
            Edited::Yes
        })
        .map(drop)
    }

    /// Replaces the password with which the user logged in by one that the user chose. Not if somebody else has replaced it
    /// meanwhile.
    pub fn replace_password(&self, user: &User, password: &str) -> Result<Edited, CatalogError> {
        let rules = self.password_rules(Some(user));
        if rules.is_too_young(user, now_ms()) {
            return Err(passwords::unusable("it was changed too short a time ago").into());
        }
        let hash = passwords::hash(&user.login_name, password, &Expected::of(rules, Some(user)))?;
        self.edit_user(user.id, |before, stored| {
            let is_same = |now: &Arc<User>| {
                now.password == user.password && now.password_set_on_ms == user.password_set_on_ms && !now.disabled
            };
            if !before.principals.user_by_id(user.id).is_some_and(is_same) {
                return Edited::No;
            }
            set_password(stored, Some(Checked::Text(hash.into_text())), now_ms());
            stored.set("MUST_CHANGE_PASSWORD", None);
            Edited::Yes
        })
    }

    fn edit_user(
        &self,
        user_id: i64,
        edit: impl FnOnce(&Memory, &mut Properties) -> Edited,
    ) -> Result<Edited, CatalogError> {
        let reload = |before: &Memory, connection: &Connection| Memory::load_with(connection, before.grants.clone());
        self.change(reload, |transaction: &Transaction<'_>, before| {
            let json: Option<String> = transaction
                .query_row("SELECT properties FROM users WHERE id = ?1", [user_id], |row| row.get(0))
                .optional()?;
            let mut stored = Properties::from_json(json.as_deref().unwrap_or("{}"))?;
            let edited = edit(before, &mut stored);
            if edited == Edited::Yes {
                transaction
                    .execute("UPDATE users SET properties = ?2 WHERE id = ?1", params![user_id, stored.to_json()?])?;
            }
            Ok(edited)
        })
    }
}

/// Sets or takes away a password, by its hash; sessions of the one before end with that.
pub(crate) fn set_password(stored: &mut Properties, hash: Option<Checked>, now_ms: i64) {
    let before = stored.text(PASSWORD).into_iter().chain(stored.list(PASSWORD_HISTORY));
    let before: Vec<String> = before.take(HISTORY_MAX).collect();
    stored.set(PASSWORD_HISTORY, (!before.is_empty()).then_some(Checked::List(before)));
    stored.set(PASSWORD, hash);
    stored.set("PASSWORD_SET_ON_MS", Some(Checked::Text(now_ms.to_string())));
}
