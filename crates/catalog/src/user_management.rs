//! Who may act on a user. Whoever sets a password, key or token of a user can act as that user, so none of it is for roles that
//! have fewer rights over others than the user can take: ACCOUNTADMIN, or MANAGE GRANTS.

use std::collections::HashSet;
use std::sync::PoisonError;

use firn_sql::privileges::Privilege;

use crate::caller::ActiveRole;
use crate::catalog::Catalog;
use crate::grants::Securable;
use crate::memory::Memory;
use crate::principals::holders::Holder;
use crate::principals::{ACCOUNT_ADMIN, SECURITY_ADMIN};
use crate::user::User;

impl Memory {
    /// Whether the user can take a role with rights over others that the acting role lacks.
    pub(crate) fn is_above(&self, user: &User, role: &ActiveRole) -> bool {
        if role.is_account_admin() {
            return false;
        }
        let lacks = |name: &str| self.principals.may_take_role(user.id, name) && !role.holds(name);
        let user_manages_grants = || {
            let mut held = HashSet::clone(&self.principals.held_by_user(user.id));
            held.insert(Holder::User(user.id).key());
            self.manages_grants(&held)
        };
        lacks(ACCOUNT_ADMIN) || lacks(SECURITY_ADMIN) || (!self.manages_grants(&role.held) && user_manages_grants())
    }

    /// Whether the role may change and drop the user.
    pub(crate) fn may_manage_user(&self, user: &User, role: &ActiveRole) -> bool {
        !self.is_above(user, role) && (role.holds(SECURITY_ADMIN) || role.may_use_what_is_owned_by(&user.owner))
    }

    /// Whether the role may make, change and list the access tokens of another user.
    pub(crate) fn may_manage_tokens(&self, user: &User, role: &ActiveRole) -> bool {
        let granted =
            self.granted(&role.held, &Securable::User(user.id), Privilege::ModifyProgrammaticAuthenticationMethods);
        self.may_manage_user(user, role) || (granted && !self.is_above(user, role))
    }

    fn manages_grants(&self, held: &HashSet<String>) -> bool {
        self.granted(held, &Securable::Account, Privilege::ManageGrants)
    }

    fn granted(&self, held: &HashSet<String>, on: &Securable, privilege: Privilege) -> bool {
        let grants = self.grants.read().unwrap_or_else(PoisonError::into_inner);
        grants.held(held, on).contains(privilege)
    }
}

impl Catalog {
    /// Whether the user can take a role with rights over others that the acting role lacks.
    pub fn is_above(&self, user: &User, role: &ActiveRole) -> bool {
        self.look(|memory| memory.is_above(user, role))
    }

    /// Whether the role may list and manage the access tokens of the user; users list their own.
    pub fn may_manage_tokens(&self, role: &ActiveRole, user: &User) -> bool {
        self.look(|memory| memory.may_manage_tokens(user, role))
    }
}
