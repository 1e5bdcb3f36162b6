//! Every limit of the server in one place.

use std::time::Duration;

#[derive(Clone, Debug)]
pub struct Limits {
    /// How long a request waits for its statement before it is answered with the handle.
    pub sync_wait: Duration,
    /// The most a statement may run, whatever it asks for.
    pub statement_timeout_s_max: u64,
    pub body_bytes_max: usize,
    /// The largest file that a stage takes.
    pub stage_file_bytes_max: u64,
    pub sql_bytes_max: usize,
    pub statements_per_request_max: usize,
    pub nesting_depth_max: usize,
    pub bindings_max: usize,
    pub queue_length_max: usize,
    pub queue_wait: Duration,
    /// Requests a user may make per second; zero means no limit.
    pub requests_per_second_max: u32,
    /// A result larger than this is cut and told with code 391908.
    pub result_bytes_max: u64,
    /// All results together on disk; the oldest go first.
    pub results_disk_bytes_max: u64,
    pub result_retention: Duration,
    pub sweep_interval: Duration,
    /// How long stopping waits for running statements.
    pub drain_wait: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sync_wait: Duration::from_secs(45),
            statement_timeout_s_max: 604_800,
            body_bytes_max: 16 << 20,
            stage_file_bytes_max: 5 << 30,
            sql_bytes_max: 1 << 20,
            statements_per_request_max: 1_000,
            nesting_depth_max: 100,
            bindings_max: 100_000,
            queue_length_max: 1_000,
            queue_wait: Duration::from_secs(300),
            requests_per_second_max: 0,
            result_bytes_max: 10 << 30,
            results_disk_bytes_max: 50 << 30,
            result_retention: Duration::from_secs(24 * 3_600),
            sweep_interval: Duration::from_secs(60),
            drain_wait: Duration::from_secs(10),
        }
    }
}
