//! Who may do and know what, asked of a running server.

#[path = "security/existence.rs"]
mod existence;

#[path = "security/rules.rs"]
mod rules;
