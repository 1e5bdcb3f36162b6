//! The binder's types as the server logs them, by the handles of statements.

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
    /// Columns that the engine has other names for.
    pub renamed: u64,
}

/// The last results of the statements that the log has from a place on. Waits until the log has these.
pub fn logged_since<'handles>(
    server: &Server,
    start_bytes: usize,
    handles: impl Iterator<Item = &'handles str> + Clone,
) -> HashMap<String, Logged> {
    let end = Instant::now() + LOG_WAIT;
    loop {
        let results = by_handle(&server.log()[start_bytes..]);
        let Some(missing) = handles.clone().find(|handle| !results.contains_key(*handle)) else { return results };
        assert!(Instant::now() < end, "the result of {missing} is not in the log");
        std::thread::sleep(LOG_POLL);
    }
}

fn by_handle(log: &str) -> HashMap<String, Logged> {
    let lines = log.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let results = lines.filter(|line| line["target"] == "row_types");
    results.filter_map(|line| Some((line["query_id"].as_str()?.to_owned(), Logged::of(&line)))).collect()
}

impl Logged {
    fn of(line: &Value) -> Self {
        let types = line["types"].as_str().unwrap_or_default();
        let types = types.split('\t').filter(|text| !text.is_empty()).map(str::to_owned).collect();
        Self { types, renamed: line["renamed"].as_u64().unwrap_or_default() }
    }
}
