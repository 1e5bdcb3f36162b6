//! Network policies: the addresses from which requests are answered. A user's own policy replaces the account's.

mod lookups;

use std::collections::BTreeMap;
use std::net::IpAddr;

use firn_sql::Failure;
use firn_sql::command::Property;
use rusqlite::Connection;

use crate::error::CatalogError;
use crate::properties::{Checked, CheckedProperty, Properties, check_list, check_text, invalid, unknown_property};

/// The account parameter and the property of users that name a policy.
pub const NETWORK_POLICY: &str = "NETWORK_POLICY";
pub(crate) const ALLOWED: &str = "ALLOWED_IP_LIST";
pub(crate) const BLOCKED: &str = "BLOCKED_IP_LIST";
const ADDRESSES_MAX: usize = 10_000;

#[derive(Clone, Debug)]
pub struct NetworkPolicy {
    pub name: String,
    pub owner: String,
    pub created_on_ms: i64,
    pub comment: Option<String>,
    /// As they were given.
    pub allowed: Vec<String>,
    pub blocked: Vec<String>,
    allowed_networks: Vec<Network>,
    blocked_networks: Vec<Network>,
}

impl NetworkPolicy {
    /// Blocked addresses stay out though they are allowed too; what is not allowed is blocked.
    pub fn allows(&self, address: IpAddr) -> bool {
        let among = |networks: &[Network]| networks.iter().any(|network| network.contains(address));
        !among(&self.blocked_networks) && among(&self.allowed_networks)
    }
}

pub(crate) type NetworkPolicies = BTreeMap<String, NetworkPolicy>;

pub(crate) fn load_network_policies(connection: &Connection) -> Result<NetworkPolicies, CatalogError> {
    let mut statement = connection.prepare("SELECT name, owner, created_on_ms, properties FROM network_policies")?;
    let mut rows = statement.query([])?;
    let mut policies = NetworkPolicies::new();
    while let Some(row) = rows.next()? {
        let properties = Properties::from_json(row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?)?;
        let (allowed, blocked) = (properties.list(ALLOWED), properties.list(BLOCKED));
        let networks = |list: &[String]| list.iter().filter_map(|text| Network::parse(text)).collect();
        let policy = NetworkPolicy {
            name: row.get(0)?,
            owner: row.get(1)?,
            created_on_ms: row.get(2)?,
            comment: properties.text("COMMENT"),
            allowed_networks: networks(&allowed),
            blocked_networks: networks(&blocked),
            allowed,
            blocked,
        };
        policies.insert(policy.name.clone(), policy);
    }
    Ok(policies)
}

/// The addresses that begin with the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    first: IpAddr,
    bits: u8,
}

impl Network {
    /// `192.0.2.1`, `192.0.2.0/24` or the same of IPv6. Bits behind the prefix are ignored.
    pub fn parse(text: &str) -> Option<Self> {
        let (address, bits) = match text.trim().split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (text.trim(), None),
        };
        let first: IpAddr = address.parse().ok()?;
        let bits_max = if first.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => bits_max,
            Some(bits) if bits.bytes().all(|byte| byte.is_ascii_digit()) => bits.parse().ok()?,
            Some(_) => return None,
        };
        (bits <= bits_max).then_some(Self { first, bits })
    }

    /// An address of IPv4 that is written as one of IPv6 counts as what it is.
    pub fn contains(&self, address: IpAddr) -> bool {
        match (self.first, address.to_canonical()) {
            (IpAddr::V4(first), IpAddr::V4(address)) => {
                let differing = u32::from(first) ^ u32::from(address);
                differing.leading_zeros() >= u32::from(self.bits)
            }
            (IpAddr::V6(first), IpAddr::V6(address)) => {
                let differing = u128::from(first) ^ u128::from(address);
                differing.leading_zeros() >= u32::from(self.bits)
            }
            _ => false,
        }
    }
}

pub(crate) fn check_policy_property(property: &Property) -> CheckedProperty {
    match property.name.as_str() {
        ALLOWED | BLOCKED => {
            let checked = check_list(property)?;
            let Some(Checked::List(addresses)) = &checked else { return Ok(checked) };
            if addresses.len() > ADDRESSES_MAX {
                return Err(invalid(property, "…", &format!("at most {ADDRESSES_MAX} addresses are expected")));
            }
            match addresses.iter().find(|address| Network::parse(address).is_none()) {
                Some(wrong) => Err(invalid(
                    property,
                    wrong,
                    "an address of IPv4 or IPv6, or a network as 192.0.2.0/24, is expected",
                )),
                None => Ok(checked),
            }
        }
        "COMMENT" => check_text(property),
        "ALLOWED_NETWORK_RULE_LIST" | "BLOCKED_NETWORK_RULE_LIST" => Err(Failure::unsupported(&property.name)),
        name => Err(unknown_property(name, "NETWORK POLICY")),
    }
}

#[cfg(test)]
mod tests {
    use super::Network;

    #[test]
    fn networks() {
        for (network, address, expected) in [
            ("192.0.2.1", "192.0.2.1", true),
            ("192.0.2.1", "192.0.2.2", false),
            ("192.0.2.77/24", "192.0.2.200", true),
            ("192.0.2.0/24", "192.0.3.0", false),
            ("192.0.2.0/24", "::ffff:192.0.2.9", true),
            ("0.0.0.0/0", "203.0.113.7", true),
            ("0.0.0.0/0", "2001:db8::1", false),
            ("::/0", "2001:db8::1", true),
            ("::/0", "10.0.0.1", false),
            ("2001:db8::/32", "2001:db8:1::1", true),
            ("2001:db8::/32", "2001:db9::1", false),
            (" 10.0.0.0/8 ", "10.255.0.1", true),
        ] {
            let contained = address.parse().ok().zip(Network::parse(network)).map(|(at, network)| network.contains(at));
            assert_eq!(contained, Some(expected), "{address} in {network}");
        }
        for wrong in
            ["", "10.0.0", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "::/129", "example.com", "10.0.0.1-10.0.0.9"]
        {
            assert_eq!(Network::parse(wrong), None, "{wrong}");
        }
    }
}
