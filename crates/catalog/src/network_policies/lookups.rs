//! The network policies that hold for the account and for users.

use std::net::IpAddr;

use super::{NETWORK_POLICY, NetworkPolicy};
use crate::catalog::Catalog;
use crate::memory::Memory;
use crate::user::User;

impl Memory {
    /// Whether the policy that holds for the user lets requests from there in.
    pub(crate) fn admits(&self, user: &User, address: Option<IpAddr>) -> bool {
        let name = user.network_policy.as_ref().or_else(|| self.parameters.get(NETWORK_POLICY));
        let Some(name) = name else { return true };
        let policy = self.network_policies.get(name);
        policy.is_some_and(|policy| address.is_some_and(|address| policy.allows(address)))
    }
}

impl Catalog {
    /// Whether the network policy of the user, else that of the account, lets requests from the address in.
    pub fn admits(&self, user: &User, address: Option<IpAddr>) -> bool {
        self.look(|memory| memory.admits(user, address))
    }

    /// In the order of their names.
    pub fn network_policies(&self) -> Vec<NetworkPolicy> {
        self.look(|memory| memory.network_policies.values().cloned().collect())
    }
}
