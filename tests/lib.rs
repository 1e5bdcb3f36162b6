//! Black-box suites: they start the real `firn` binary on a loopback port with a data folder of its
//! own, and speak HTTP to it. Nothing in here links against firn's crates.

pub mod client;
pub mod keys;
pub mod matching;
pub mod probe;
pub mod random;
pub mod raw;
pub mod scenario;
pub mod server;
pub mod sqllogic;

pub use client::{Client, Request, Response};
pub use server::Server;
