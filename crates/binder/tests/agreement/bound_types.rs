//! The binder's types as the server logs them. A request is logged after the results of its statements.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use firn_tests::Server;
use serde_json::Value;

const LOG_WAIT: Duration = Duration::from_secs(60);
const LOG_POLL: Duration = Duration::from_millis(20);

/// What the binder knew of a result.
#[derive(Clone, Default)]
pub struct Logged {
    /// None where the columns were not known.
    pub types: Vec<String>,
    /// Columns that the binder names otherwise than the engine.
    pub other_names: u64,
}

/// The last results of the requests that the log has from a place on, by their handles. Waits for the last of them.
pub fn logged_since(server: &Server, start_bytes: usize, last_handle: &str) -> HashMap<String, Logged> {
    let end = Instant::now() + LOG_WAIT;
    loop {
        let results = by_handle(&server.log()[start_bytes..]);
        if results.contains_key(last_handle) {
            return results;
        }
        assert!(Instant::now() < end, "the request {last_handle} is not in the log");
        std::thread::sleep(LOG_POLL);
    }
}

fn by_handle(log: &str) -> HashMap<String, Logged> {
    let mut results = HashMap::new();
    let mut last = Logged::default();
    for line in log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        if line["target"] == "row_types" {
            last = Logged::of(&line);
        } else if let Some(handle) = line["statement.handle"].as_str()
            && line["message"] == "request"
        {
            results.entry(handle.to_owned()).or_insert(std::mem::take(&mut last));
        }
    }
    results
}

impl Logged {
    fn of(line: &Value) -> Self {
        let types = line["types"].as_str().unwrap_or_default();
        let types = types.split('\t').filter(|text| !text.is_empty()).map(str::to_owned).collect();
        Self { types, other_names: line["other_names"].as_u64().unwrap_or_default() }
    }
}
