//! Who is asking. Every look-up in firn takes a `Caller` or an `ActiveRole`.

use std::collections::HashSet;
use std::net::IpAddr;
use std::sync::Arc;

use crate::user::User;

/// An authenticated user, with what the token allows.
#[derive(Clone, Debug)]
pub struct Caller {
    pub user: Arc<User>,
    /// A token may be tied to one role; no other can then be taken.
    pub role_restriction: Option<String>,
    /// The access token, if it is tied to a role.
    pub tied_token: Option<TiedToken>,
    /// Roles this way of authenticating never gives, nor any role that inherits them.
    pub blocked_roles: Vec<String>,
    /// Where the request comes from; unknown for what the server does by itself.
    pub address: Option<IpAddr>,
    /// How the user was authenticated, and by which kind of client; unknown for what the server does by itself.
    pub method: Option<AuthenticationMethod>,
    pub client: Option<ClientType>,
}

/// An access token that is tied to a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TiedToken {
    pub id: i64,
    pub expires_on_ms: i64,
}

/// As authentication policies know them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AuthenticationMethod {
    Password,
    Keypair,
    Oauth,
    AccessToken,
    /// The access token that the server was started with.
    StartToken,
}

impl AuthenticationMethod {
    pub const fn word(self) -> &'static str {
        match self {
            Self::Password => "PASSWORD",
            Self::Keypair => "KEYPAIR",
            Self::Oauth => "OAUTH",
            Self::AccessToken | Self::StartToken => "PROGRAMMATIC_ACCESS_TOKEN",
        }
    }
}

/// What a client says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientType {
    Browser,
    Cli,
    SnowSql,
    Driver,
}

impl ClientType {
    pub fn of_user_agent(agent: &str) -> Self {
        let begins = |word: &str| agent.get(..word.len()).is_some_and(|start| start.eq_ignore_ascii_case(word));
        if begins("Mozilla/") {
            Self::Browser
        } else if begins("snowsql") {
            Self::SnowSql
        } else if begins("snowflake-cli") || begins("snowflakecli") {
            Self::Cli
        } else {
            Self::Driver
        }
    }

    pub const fn word(self) -> &'static str {
        match self {
            Self::Browser => "SNOWFLAKE_UI",
            Self::Cli => "SNOWFLAKE_CLI",
            Self::SnowSql => "SNOWSQL",
            Self::Driver => "DRIVERS",
        }
    }
}

impl Caller {
    pub fn new(user: Arc<User>, role_restriction: Option<String>) -> Self {
        Self {
            user,
            role_restriction,
            tied_token: None,
            blocked_roles: Vec::new(),
            address: None,
            method: None,
            client: None,
        }
    }

    /// Whether the way of authenticating gives every role of the user.
    pub fn has_all_roles(&self) -> bool {
        self.role_restriction.is_none() && self.blocked_roles.is_empty()
    }

    #[must_use]
    pub fn by(self, method: AuthenticationMethod) -> Self {
        Self { method: Some(method), ..self }
    }
}

/// The role a statement runs under and everything that role inherits.
#[derive(Clone, Debug)]
pub struct ActiveRole {
    pub name: String,
    /// The keys of `name`, of every role granted to it directly or through others, and of PUBLIC; with secondary roles, of
    /// all other roles of the user and of the user too.
    pub held: Arc<HashSet<String>>,
    /// Without those of secondary roles: what may create objects.
    pub primary: Arc<HashSet<String>>,
}

impl ActiveRole {
    /// ACCOUNTADMIN stands above every owner.
    pub fn may_use_what_is_owned_by(&self, owner: &str) -> bool {
        self.is_account_admin() || self.held.contains(owner)
    }

    pub fn is_account_admin(&self) -> bool {
        self.held.contains("ACCOUNTADMIN")
    }

    pub(crate) fn holds(&self, role: &str) -> bool {
        self.held.contains(role)
    }
}
