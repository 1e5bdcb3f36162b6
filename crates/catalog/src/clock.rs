//! The wall clock in the unit everything is stamped with.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since the epoch; zero for a clock set before it.
pub(crate) fn now_ms() -> i64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since_epoch.as_millis()).unwrap_or(i64::MAX)
}
