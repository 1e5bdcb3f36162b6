//! When users last showed a token that let them in, since the server's start: the audit trail has one record of a token in a
//! period, however often it is shown.

use std::collections::HashMap;
use std::sync::Mutex;

use crate::mutex::lock;

/// By the ids of users.
#[derive(Default)]
pub struct TokenUses(Mutex<HashMap<i64, i64>>);

impl TokenUses {
    pub fn note(&self, user_id: i64, at_ms: i64) {
        lock(&self.0).insert(user_id, at_ms);
    }

    pub fn last(&self, user_id: i64) -> Option<i64> {
        lock(&self.0).get(&user_id).copied()
    }
}
