//! Black-box suites: they start the real `firn` binary on a loopback port with a data folder of its
//! own, and speak HTTP to it. Nothing in here links against firn's crates.

pub mod cli;
pub mod client;
pub mod driver;
pub mod keys;
pub mod matching;
pub mod probe;
pub mod random;
pub mod raw;
pub mod scenario;
pub mod server;
pub mod sqllogic;

use std::time::{Duration, Instant};

pub use client::{Client, Request, Response};
pub use server::Server;

/// Whether something comes true: soon on an idle machine, within minutes on a busy one.
pub fn comes_true(mut is_true: impl FnMut() -> bool) -> bool {
    const LONGEST: Duration = Duration::from_secs(120);
    let begun = Instant::now();
    while begun.elapsed() < LONGEST {
        if is_true() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    is_true()
}
