//! The objects of the account that the role of a command may know of.

use std::sync::Arc;

use super::Change;
use crate::principals::Role;
use crate::user::User;
use crate::visibility::Visibility;
use crate::warehouses::Warehouse;

impl Change<'_> {
    pub(super) fn visible_user(&self, name: &str) -> Option<&Arc<User>> {
        self.principals().user(name).filter(|user| self.visibility().user(user))
    }

    pub(super) fn visible_role(&self, name: &str) -> Option<&Role> {
        self.principals().role(name).filter(|role| self.visibility().role(role))
    }

    pub(super) fn visible_warehouse(&self, name: &str) -> Option<&Warehouse> {
        self.before.warehouses.get(name).filter(|warehouse| self.visibility().warehouse(warehouse))
    }

    /// The owner of an integration of any kind.
    pub(super) fn visible_integration(&self, name: &str) -> Option<&str> {
        let (owner, _) = self.principals().owner_of_integration(name)?;
        self.visibility().integration(name, owner).then_some(owner)
    }

    pub(super) fn visibility(&self) -> Visibility<'_> {
        self.before.visibility(self.caller, self.role)
    }
}
