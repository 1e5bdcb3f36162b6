//! Users, roles, access tokens and identity providers, as one immutable snapshot.

/// A user as stored. `id` never returns, so that a user made anew under an old name is another one.
#[derive(Clone, Debug)]
pub struct User {
    pub id: i64,
    pub name: String,
    pub login_name: String,
    pub display_name: Option<String>,
    pub email: Option<String>,
    pub comment: Option<String>,
    pub disabled: bool,
    pub default_role: Option<String>,
    pub default_warehouse: Option<String>,
    /// `DB` or `DB.SCHEMA`, already split and folded.
    pub default_database: Option<String>,
    pub default_schema: Option<String>,
    pub rsa_public_key: Option<RsaKey>,
    pub rsa_public_key_2: Option<RsaKey>,
    /// Session parameters set with ALTER USER, names in upper case.
    pub parameters: std::collections::BTreeMap<String, String>,
    pub created_on_ms: i64,
    pub owner: String,
}

/// A registered public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RsaKey {
    /// DER of the SubjectPublicKeyInfo.
    pub der: Vec<u8>,
    /// `SHA256:` and the padded base64 of the hash over `der`.
    pub fingerprint: String,
}

#[derive(Clone, Debug)]
pub struct Principals {}
