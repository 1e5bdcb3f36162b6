//! Which logins the audit trail has already: a client shows its token with every request, and the trail has one record per
//! token and address in a period. Failed logins are all recorded.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

const PERIOD: Duration = Duration::from_secs(3_600);
/// Past this many, all are forgotten, and recorded again.
const LOGINS_MAX: usize = 10_000;

/// Tokens are remembered as hashes that nobody else can compute.
#[derive(Default)]
pub struct NotedLogins {
    hashing: RandomState,
    noted: Mutex<HashMap<u64, Instant>>,
}

impl NotedLogins {
    /// Whether this is the first login in a period.
    pub fn is_first(&self, token: &str, address: Option<IpAddr>) -> bool {
        let key = self.hashing.hash_one((token, address));
        let mut noted = self.noted.lock().unwrap_or_else(PoisonError::into_inner);
        if noted.get(&key).is_some_and(|at| at.elapsed() < PERIOD) {
            return false;
        }
        if noted.len() >= LOGINS_MAX {
            noted.clear();
        }
        noted.insert(key, Instant::now());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_noted_once_per_address() {
        let logins = NotedLogins::default();
        let address = |text: &str| text.parse().ok();
        assert!(logins.is_first("a", address("10.0.0.1")));
        assert!(!logins.is_first("a", address("10.0.0.1")));
        assert!(logins.is_first("a", address("10.0.0.2")));
        assert!(logins.is_first("b", address("10.0.0.1")));
        for number in 0..LOGINS_MAX {
            logins.is_first(&number.to_string(), None);
        }
        assert!(logins.is_first("a", address("10.0.0.1")), "those before are forgotten");
    }
}
