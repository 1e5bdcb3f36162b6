//! Who is asking. Every look-up in firn takes a `Caller` or an `ActiveRole`.

use std::collections::HashSet;
use std::sync::Arc;

use crate::user::User;

/// An authenticated user, with what the token allows.
#[derive(Clone, Debug)]
pub struct Caller {
    pub user: Arc<User>,
    /// A token may be tied to one role; no other can then be taken.
    pub role_restriction: Option<String>,
    /// Roles this way of authenticating never gives, nor any role that inherits them.
    pub blocked_roles: Vec<String>,
}

impl Caller {
    pub fn new(user: Arc<User>, role_restriction: Option<String>) -> Self {
        Self { user, role_restriction, blocked_roles: Vec::new() }
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
