//! The engine as the rest of firn sees it: statements of the dialect through the traits `Engine` and `Session`, against
//! a live instance in a temporary folder.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

#[path = "live_engine/arrow.rs"]
mod arrow;
#[path = "live_engine/bench.rs"]
mod bench;
#[path = "live_engine/cases.rs"]
mod cases;
#[path = "live_engine/identities.rs"]
mod identities;
#[path = "live_engine/interruption.rs"]
mod interruption;
#[path = "live_engine/outcomes.rs"]
mod outcomes;
#[path = "live_engine/results.rs"]
mod results;
#[path = "live_engine/sessions.rs"]
mod sessions;
#[path = "live_engine/speed.rs"]
mod speed;
#[path = "live_engine/visibility.rs"]
mod visibility;
