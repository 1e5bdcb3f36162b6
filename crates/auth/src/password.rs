//! Logins by password. A refusal never says whether there is such a user: unknown names cost as much as known ones, and are
//! counted and locked alike.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use firn_catalog::passwords::{PASSWORD_CHARACTERS_MAX, StoredPassword};
use firn_catalog::{Catalog, PasswordRules, User};

use crate::AuthError;

/// After so long without another one, wrong passwords are forgotten.
const FORGOTTEN_MS: i64 = 15 * 60_000;
const NAMES_MAX: usize = 10_000;
/// No user has this id.
const NOBODY: i64 = 0;

/// Counts wrong passwords, by login name.
pub struct PasswordLogins {
    catalog: Catalog,
    hashing: RandomState,
    failures: Mutex<HashMap<u64, Failures>>,
}

#[derive(Clone, Copy)]
struct Failures {
    count: u32,
    last_ms: i64,
    /// Those of users are not pushed out by those of names that nobody has.
    is_of_user: bool,
}

impl PasswordLogins {
    pub fn new(catalog: Catalog) -> Self {
        Self { catalog, hashing: RandomState::new(), failures: Mutex::default() }
    }

    /// The user with that password. Blocks for as long as a hash takes; a name must not be asked for twice at a time, as
    /// failures are counted afterwards.
    pub fn verify(&self, login: &str, password: &str, now_ms: i64) -> Result<Arc<User>, AuthError> {
        let principals = self.catalog.principals();
        let user = principals.user_by_login(login);
        let stored = user.and_then(|user| user.password.clone());
        let is_possible = password.chars().count() <= PASSWORD_CHARACTERS_MAX;
        let compared = if is_possible { password } else { "" };
        let is_right = stored.clone().unwrap_or_else(StoredPassword::nobodys).is(compared);
        let is_barred = |user: &User| user.barred_at(now_ms).is_some() || user.is_password_locked_at(now_ms);
        let admitted = user.filter(|user| !is_barred(user) && stored.is_some());
        let rules = self.catalog.password_rules(user.map(Arc::as_ref));
        match admitted.filter(|_| is_right && is_possible) {
            Some(user) => {
                self.failures().remove(&self.key(login));
                Ok(Arc::clone(user))
            }
            None => {
                // Whoever has no password cannot be locked out by guessing one.
                self.count(login, admitted.map(|user| user.id), &rules, now_ms);
                Err(AuthError::BadPassword)
            }
        }
    }

    fn count(&self, login: &str, user_id: Option<i64>, rules: &PasswordRules, now_ms: i64) {
        let key = self.key(login);
        let count = {
            let mut failures = self.failures();
            make_room(&mut failures, key, now_ms);
            let fresh = Failures { count: 0, last_ms: now_ms, is_of_user: user_id.is_some() };
            let counted = failures.entry(key).or_insert(fresh);
            if is_over(counted, now_ms) {
                *counted = fresh;
            }
            counted.count += 1;
            counted.last_ms = now_ms;
            counted.count
        };
        if count < rules.failures_max {
            return;
        }
        self.failures().remove(&key);
        match self.catalog.lock_password(user_id.unwrap_or(NOBODY), now_ms + rules.locked_ms) {
            Ok(()) => {}
            Err(error) => tracing::error!(%error, "a password cannot be locked after wrong ones"),
        }
    }

    fn key(&self, login: &str) -> u64 {
        self.hashing.hash_one(login.to_uppercase())
    }

    fn failures(&self) -> MutexGuard<'_, HashMap<u64, Failures>> {
        self.failures.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn is_over(failures: &Failures, now_ms: i64) -> bool {
    now_ms - failures.last_ms > FORGOTTEN_MS
}

fn make_room(failures: &mut HashMap<u64, Failures>, key: u64, now_ms: i64) {
    if failures.len() < NAMES_MAX || failures.contains_key(&key) {
        return;
    }
    failures.retain(|_, counted| !is_over(counted, now_ms));
    if failures.len() >= NAMES_MAX {
        failures.retain(|_, counted| counted.is_of_user);
    }
}
