//! Privileges on account objects. No rule allows privilege escalation: users and roles that can become ACCOUNTADMIN are
//! managed by ACCOUNTADMIN alone.

use std::sync::{PoisonError, RwLockReadGuard};

use firn_sql::Failure;
use firn_sql::privileges::{Privilege, PrivilegeSet};

use super::Change;
use crate::grants::{Grants, Securable};
use crate::principals::{ACCOUNT_ADMIN, Role};
use crate::user::User;
use crate::warehouses::Warehouse;

impl Change<'_> {
    /// The privilege on the account to create something. What secondary roles have does not count.
    pub(super) fn require_to_create(&self, privilege: Privilege, kind: &str, name: &str) -> Result<(), Failure> {
        let granted = self.grants().held(&self.role.primary, &Securable::Account);
        let is_admin = self.role.primary.contains(ACCOUNT_ADMIN);
        self.require(is_admin || granted.contains(privilege), kind, name)
    }

    /// Whether the role may grant anything to anybody.
    pub(super) fn manages_grants(&self) -> bool {
        self.role.is_account_admin()
            || self.grants().held(&self.role.held, &Securable::Account).contains(Privilege::ManageGrants)
    }

    /// What the role has on something that it does not own.
    pub(super) fn privileges_on(&self, on: &Securable) -> PrivilegeSet {
        self.grants().held(&self.role.held, on)
    }

    fn grants(&self) -> RwLockReadGuard<'_, Grants> {
        self.before.grants.read().unwrap_or_else(PoisonError::into_inner)
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
        self.before.may_manage_user(user, self.role)
    }

    /// Changing a role needs its ownership or MANAGE GRANTS, which is not enough for one that leads to ACCOUNTADMIN.
    pub(super) fn require_role_owner(&self, role: &Role) -> Result<(), Failure> {
        let may = self.role.may_use_what_is_owned_by(&role.owner)
            || self.manages_grants() && !self.leads_to_account_admin(role);
        self.require(may, "role", &role.name)
    }

    /// Nobody but ACCOUNTADMIN grants or revokes such a role.
    pub(super) fn require_role_granter(&self, role: &Role) -> Result<(), Failure> {
        self.require(self.may_hand_out(role), "role", &role.name)
    }

    fn may_hand_out(&self, role: &Role) -> bool {
        if self.role.is_account_admin() {
            return true;
        }
        !self.leads_to_account_admin(role) && (self.manages_grants() || self.role.holds(&role.owner))
    }

    fn leads_to_account_admin(&self, role: &Role) -> bool {
        self.principals().role_with_inherited(&role.name).is_some_and(|inherited| inherited.holds(ACCOUNT_ADMIN))
    }

    /// A warehouse's owner may do anything to it, others what was granted to them.
    pub(super) fn require_on_warehouse(&self, warehouse: &Warehouse, needed: Privilege) -> Result<(), Failure> {
        let of_all = needed != Privilege::Ownership
            && self.privileges_on(&Securable::Account).contains(Privilege::ManageWarehouses);
        let granted = self.privileges_on(&Securable::Warehouse(warehouse.name.clone())).contains(needed);
        let owns = self.role.may_use_what_is_owned_by(&warehouse.owner);
        self.require(owns || of_all || granted, "warehouse", &warehouse.name)
    }

    fn require(&self, allowed: bool, kind: &str, name: &str) -> Result<(), Failure> {
        if allowed { Ok(()) } else { Err(Failure::insufficient_privileges(kind, name)) }
    }
}
