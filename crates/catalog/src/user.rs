//! Users of the account.

use std::collections::BTreeMap;

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
