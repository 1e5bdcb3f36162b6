//! Privileges on account objects. No rule allows privilege escalation: users and roles that can become ACCOUNTADMIN are
//! managed by ACCOUNTADMIN alone.

use firn_sql::Failure;

use super::Change;
use crate::principals::{ACCOUNT_ADMIN, Role, SECURITY_ADMIN, SYS_ADMIN, USER_ADMIN};
use crate::user::User;

impl Change<'_> {
    pub(super) fn require_user_admin(&self, kind: &str, name: &str) -> Result<(), Failure> {
        self.require(self.role.holds(USER_ADMIN), kind, name)
    }

    pub(super) fn require_sys_admin(&self, kind: &str, name: &str) -> Result<(), Failure> {
        self.require(self.role.holds(SYS_ADMIN), kind, name)
    }

    pub(super) fn require_account_admin(&self, kind: &str, name: &str) -> Result<(), Failure> {
        self.require(self.role.is_account_admin(), kind, name)
    }

    pub(super) fn require_owner(&self, owner: &str, kind: &str, name: &str) -> Result<(), Failure> {
        self.require(self.role.may_use_what_is_owned_by(owner), kind, name)
    }

    pub(super) fn require_user_manager(&self, user: &User) -> Result<(), Failure> {
        self.require(self.may_manage_user(user), "user", &user.name)
    }

    pub(super) fn may_manage_user(&self, user: &User) -> bool {
        let user_may_take = |role: &str| self.principals().may_take_role(user.id, role);
        if self.role.is_account_admin() {
            return true;
        }
        if user_may_take(ACCOUNT_ADMIN) {
            return false;
        }
        if self.role.holds(SECURITY_ADMIN) || self.role.holds(&user.owner) {
            return true;
        }
        self.role.holds(USER_ADMIN) && !user_may_take(SECURITY_ADMIN) && !user_may_take(SYS_ADMIN)
    }

    /// Changing a role needs its ownership or SECURITYADMIN.
    pub(super) fn require_role_owner(&self, role: &Role) -> Result<(), Failure> {
        let may = self.role.holds(SECURITY_ADMIN) || self.role.may_use_what_is_owned_by(&role.owner);
        self.require(may, "role", &role.name)
    }

    /// So does granting and revoking it, unless it leads to ACCOUNTADMIN.
    pub(super) fn require_role_granter(&self, role: &Role) -> Result<(), Failure> {
        self.require(self.may_hand_out(role), "role", &role.name)
    }

    fn may_hand_out(&self, role: &Role) -> bool {
        if self.role.is_account_admin() {
            return true;
        }
        let leads_to_account_admin =
            self.principals().role_with_inherited(&role.name).is_some_and(|inherited| inherited.holds(ACCOUNT_ADMIN));
        !leads_to_account_admin && (self.role.holds(SECURITY_ADMIN) || self.role.holds(&role.owner))
    }

    fn require(&self, allowed: bool, kind: &str, name: &str) -> Result<(), Failure> {
        if allowed { Ok(()) } else { Err(Failure::insufficient_privileges(kind, name)) }
    }
}
