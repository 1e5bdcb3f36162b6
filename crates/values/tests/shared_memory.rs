//! What all calls of the process may take together; no other test may run beside this one.

use std::panic::{AssertUnwindSafe, catch_unwind};

use firn_values::running_call::{Ended, reserve, run_call};

const MAX: usize = 64 << 20;

fn taking(depth: usize) {
    reserve(MAX - (1 << 20));
    if depth > 0 {
        run_call(None, MAX, || taking(depth - 1));
    }
}

fn ending(depth: usize) -> Option<String> {
    let payload = catch_unwind(AssertUnwindSafe(|| run_call(None, MAX, || taking(depth)))).err()?;
    payload.downcast::<Ended>().ok().map(|ended| ended.0)
}

#[test]
fn calls_that_run_at_a_time_share_their_memory() {
    assert!(ending(3).is_some_and(|message| message.contains("together")), "four calls take twice what they may");
    assert_eq!(ending(1), None, "what they took is free again");
}
