//! Which objects of the account a role may know of. Any other answers like one that does not exist.

use std::sync::Arc;

use firn_sql::privileges::Privilege;

use super::Change;
use crate::grants::Securable;
use crate::integrations::SecurityIntegration;
use crate::principals::{Role, USER_ADMIN};
use crate::user::User;
use crate::warehouses::Warehouse;

impl Change<'_> {
    pub(super) fn visible_user(&self, name: &str) -> Option<&Arc<User>> {
        self.principals().user(name).filter(|user| {
            user.id == self.caller.user.id
                || self.administers_principals()
                || self.role.may_use_what_is_owned_by(&user.owner)
                || !self.privileges_on(&Securable::User(user.id)).is_empty()
        })
    }

    pub(super) fn visible_role(&self, name: &str) -> Option<&Role> {
        self.principals().role(name).filter(|role| {
            role.is_built_in()
                || self.principals().may_take_role(self.caller.user.id, &role.name)
                || self.administers_principals()
                || self.role.may_use_what_is_owned_by(&role.owner)
        })
    }

    pub(super) fn visible_warehouse(&self, name: &str) -> Option<&Warehouse> {
        self.before.warehouses.get(name).filter(|warehouse| {
            self.role.may_use_what_is_owned_by(&warehouse.owner)
                || !self.privileges_on(&Securable::Warehouse(name.to_owned())).is_empty()
                || self.privileges_on(&Securable::Account).contains(Privilege::ManageWarehouses)
        })
    }

    pub(super) fn visible_integration(&self, name: &str) -> Option<&Arc<SecurityIntegration>> {
        self.principals().integration(name).filter(|integration| {
            self.role.may_use_what_is_owned_by(&integration.owner)
                || !self.privileges_on(&Securable::Integration(name.to_owned())).is_empty()
        })
    }

    fn administers_principals(&self) -> bool {
        self.role.holds(USER_ADMIN) || self.manages_grants()
    }
}
