//! The wall clock in the unit everything here is recorded in.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since 1970; a clock set before that reads as zero.
pub fn now_ms() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| elapsed.as_millis() as i64)
}
