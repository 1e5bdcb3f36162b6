//! Which objects of the account somebody may know of. Any other answers like one that does not exist.

use std::sync::{Arc, PoisonError, RwLock};

use firn_sql::privileges::{Privilege, PrivilegeSet};

use crate::caller::{ActiveRole, Caller};
use crate::catalog::Catalog;
use crate::grants::{Grants, Securable};
use crate::memory::Memory;
use crate::principals::{Principals, Role, USER_ADMIN};
use crate::resource_monitors::ResourceMonitor;
use crate::user::User;
use crate::warehouses::Warehouse;

/// Who looks, under which role.
pub struct Visibility<'a> {
    /// `None` where the role alone looks, as in a procedure with its owner's rights.
    user_id: Option<i64>,
    role: &'a ActiveRole,
    principals: Arc<Principals>,
    grants: Arc<RwLock<Grants>>,
}

impl Visibility<'_> {
    /// Users are seen by themselves, by their owner, by whoever administers users, and with a privilege on them.
    pub fn user(&self, user: &User) -> bool {
        self.user_id == Some(user.id)
            || self.administers_principals()
            || self.role.may_use_what_is_owned_by(&user.owner)
            || !self.privileges_on(&Securable::User(user.id)).is_empty()
    }

    /// Roles are seen by who has or owns them, and by whoever administers roles. Everybody knows the built-in ones.
    pub fn role(&self, role: &Role) -> bool {
        role.is_built_in()
            || self.may_take(role)
            || self.administers_principals()
            || self.role.may_use_what_is_owned_by(&role.owner)
    }

    fn may_take(&self, role: &Role) -> bool {
        match self.user_id {
            Some(user_id) => self.principals.may_take_role(user_id, &role.name),
            None => self.role.holds(&role.name),
        }
    }

    pub fn warehouse(&self, warehouse: &Warehouse) -> bool {
        self.role.may_use_what_is_owned_by(&warehouse.owner)
            || !self.privileges_on(&Securable::Warehouse(warehouse.name.clone())).is_empty()
            || self.privileges_on(&Securable::Account).contains(Privilege::ManageWarehouses)
    }

    pub fn resource_monitor(&self, monitor: &ResourceMonitor) -> bool {
        self.role.may_use_what_is_owned_by(&monitor.owner)
            || !self.privileges_on(&Securable::ResourceMonitor(monitor.name.clone())).is_empty()
    }

    /// An integration of any kind, by its name and its owner.
    pub fn integration(&self, name: &str, owner: &str) -> bool {
        self.role.may_use_what_is_owned_by(owner)
            || !self.privileges_on(&Securable::Integration(name.to_owned())).is_empty()
    }

    fn administers_principals(&self) -> bool {
        self.role.holds(USER_ADMIN)
            || self.role.is_account_admin()
            || self.privileges_on(&Securable::Account).contains(Privilege::ManageGrants)
    }

    fn privileges_on(&self, on: &Securable) -> PrivilegeSet {
        self.grants.read().unwrap_or_else(PoisonError::into_inner).held(&self.role.held, on)
    }
}

impl Memory {
    pub(crate) fn visibility<'a>(&self, caller: &Caller, role: &'a ActiveRole) -> Visibility<'a> {
        let (principals, grants) = (Arc::clone(&self.principals), Arc::clone(&self.grants));
        Visibility { user_id: Some(caller.user.id), role, principals, grants }
    }
}

impl Catalog {
    pub fn visibility<'a>(&self, caller: &Caller, role: &'a ActiveRole) -> Visibility<'a> {
        self.look(|memory| memory.visibility(caller, role))
    }

    /// What a role may see, whoever holds it.
    pub fn visibility_of_role<'a>(&self, role: &'a ActiveRole) -> Visibility<'a> {
        self.look(|memory| {
            let (principals, grants) = (Arc::clone(&memory.principals), Arc::clone(&memory.grants));
            Visibility { user_id: None, role, principals, grants }
        })
    }
}
