//! Users of the account.

use std::collections::BTreeMap;

use firn_sql::command::LoginPolicyKind;

use crate::passwords::StoredPassword;
use crate::rsa_key::RsaKey;

/// A user as stored. Ids are never reused, so a user created again under an old name is another one.
#[derive(Clone, Debug)]
pub struct User {
    pub id: i64,
    pub name: String,
    /// In upper case; compared without regard to case.
    pub login_name: String,
    pub display_name: Option<String>,
    pub email: Option<String>,
    pub comment: Option<String>,
    pub disabled: bool,
    pub password: Option<StoredPassword>,
    /// Also when the password was taken away; 0 for a user who never had one.
    pub password_set_on_ms: i64,
    /// Those before the current one, the latest first.
    pub password_history: Vec<StoredPassword>,
    /// Sessions that were opened before have ended.
    pub sessions_ended_on_ms: i64,
    pub must_change_password: bool,
    pub expires_on_ms: Option<i64>,
    pub locked_until_ms: Option<i64>,
    /// Wrong passwords refuse the password alone: whoever guesses must not shut out the programs of the user.
    pub password_locked_until_ms: Option<i64>,
    /// The policy that stands in the place of the account's.
    pub network_policy: Option<String>,
    /// The ids of the login policies that stand in the place of the account's.
    pub login_policies: BTreeMap<LoginPolicyKind, i64>,
    pub default_role: Option<String>,
    /// DEFAULT_SECONDARY_ROLES = ('ALL').
    pub has_secondary_roles: bool,
    pub default_warehouse: Option<String>,
    /// `DB` or `DB.SCHEMA`, already split and folded.
    pub default_database: Option<String>,
    pub default_schema: Option<String>,
    pub rsa_public_key: Option<RsaKey>,
    pub rsa_public_key_2: Option<RsaKey>,
    /// Session parameters set with ALTER USER, names in upper case.
    pub parameters: BTreeMap<String, String>,
    /// Properties that are stored and shown but have no effect: FIRST_NAME, TYPE and the like.
    pub other_properties: BTreeMap<String, String>,
    pub created_on_ms: i64,
    pub owner: String,
}

/// Why nothing authenticates a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Barred {
    Disabled,
    Expired,
    Locked,
}

impl User {
    /// Whether nothing authenticates the user at that time, and why.
    pub fn barred_at(&self, now_ms: i64) -> Option<Barred> {
        if self.disabled {
            return Some(Barred::Disabled);
        }
        if self.expires_on_ms.is_some_and(|expires_on_ms| now_ms >= expires_on_ms) {
            return Some(Barred::Expired);
        }
        self.locked_until_ms.filter(|until_ms| now_ms < *until_ms).map(|_| Barred::Locked)
    }

    /// Whether no password authenticates the user at that time, after too many wrong ones.
    pub fn is_password_locked_at(&self, now_ms: i64) -> bool {
        self.password_locked_until_ms.is_some_and(|until_ms| now_ms < until_ms)
    }

    /// When every lock is over.
    pub fn unlocked_on_ms(&self) -> Option<i64> {
        self.locked_until_ms.max(self.password_locked_until_ms)
    }

    /// PERSON, SERVICE or LEGACY_SERVICE; PERSON where nothing was given.
    pub fn kind(&self) -> &str {
        self.other_properties.get("TYPE").map_or("PERSON", String::as_str)
    }
}
