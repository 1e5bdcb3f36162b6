//! The parameters that drivers are sent with each answer, as JSON values.

use serde_json::{Map, Value, json};

/// Those that are the same for every session.
fn of_server(bindings_max: usize) -> [(&'static str, Value); 7] {
    [
        ("CLIENT_RESULT_CHUNK_SIZE", json!(160)),
        ("CLIENT_STAGE_ARRAY_BINDING_THRESHOLD", json!(bindings_max)),
        ("CLIENT_TELEMETRY_ENABLED", json!(false)),
        ("ENABLE_STAGE_S3_PRIVATELINK_FOR_US_EAST_1", json!(false)),
        ("JS_TREAT_INTEGER_AS_BIGINT", json!(false)),
        ("QUERY_CONTEXT_CACHE_SIZE", json!(5)),
        ("SERVICE_NAME", json!("")),
    ]
}

const NUMBERS: [&str; 6] = [
    "CLIENT_MEMORY_LIMIT",
    "CLIENT_PREFETCH_THREADS",
    "CLIENT_RESULT_CHUNK_SIZE",
    "CLIENT_SESSION_KEEP_ALIVE_HEARTBEAT_FREQUENCY",
    "CLIENT_STAGE_ARRAY_BINDING_THRESHOLD",
    "QUERY_CONTEXT_CACHE_SIZE",
];

/// `[{"name": …, "value": …}, …]` of a session with these parameters.
pub fn listed(of_session: &[(String, String)], bindings_max: usize) -> Value {
    let mut values: Map<String, Value> =
        of_server(bindings_max).into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    for (name, value) in of_session {
        values.insert(name.clone(), typed(name, value));
    }
    values.into_iter().map(|(name, value)| json!({"name": name, "value": value})).collect()
}

fn typed(name: &str, value: &str) -> Value {
    let is_flag = || value.eq_ignore_ascii_case("true") || value.eq_ignore_ascii_case("false");
    match value.parse::<i64>() {
        Ok(number) if NUMBERS.contains(&name) => json!(number),
        _ if is_flag() => json!(value.eq_ignore_ascii_case("true")),
        _ => json!(value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_have_the_types_that_drivers_expect() {
        let given = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let of_session = [given("AUTOCOMMIT", "FALSE"), given("QUERY_TAG", "5"), given("CLIENT_PREFETCH_THREADS", "2")];
        let listed = listed(&of_session, 10);
        let value = |name: &str| listed.as_array().and_then(|all| all.iter().find(|one| one["name"] == name)).cloned();
        let value = |name: &str| value(name).map(|found| found["value"].clone());
        assert_eq!(value("AUTOCOMMIT"), Some(json!(false)));
        assert_eq!(value("QUERY_TAG"), Some(json!("5")));
        assert_eq!(value("CLIENT_PREFETCH_THREADS"), Some(json!(2)));
        assert_eq!(value("CLIENT_STAGE_ARRAY_BINDING_THRESHOLD"), Some(json!(10)));
    }
}
