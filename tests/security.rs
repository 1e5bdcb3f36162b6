//! Who may do and know what, asked of a running server.

#[path = "security/existence.rs"]
mod existence;

#[path = "security/policies.rs"]
mod policies;

#[path = "security/public_alone.rs"]
mod public_alone;

#[path = "security/read_only.rs"]
mod read_only;

#[path = "security/rules.rs"]
mod rules;

#[path = "security/kinds.rs"]
mod kinds;

#[path = "security/lock_waits.rs"]
mod lock_waits;

#[path = "security/races.rs"]
mod races;

#[path = "security/grant_sweep.rs"]
mod grant_sweep;
