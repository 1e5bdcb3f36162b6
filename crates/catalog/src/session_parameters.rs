//! Parameters a user or the account can preset for sessions, and the values each one takes.

use firn_sql::Failure;

/// The longest a statement may be allowed to run: seven days.
pub const STATEMENT_TIMEOUT_S_MAX: u32 = 604_800;
const QUERY_TAG_CHARS_MAX: usize = 2_000;
const FORMAT_CHARS_MAX: usize = 256;

/// Parameters that have one value here; any other is refused by name.
const FIXED: &[(&str, &str)] = &[
    ("ABORT_DETACHED_QUERY", "false"),
    ("LOCK_TIMEOUT", "43200"),
    ("LOG_LEVEL", "OFF"),
    ("METRIC_LEVEL", "NONE"),
    ("TIMESTAMP_DAY_IS_ALWAYS_24H", "false"),
    ("TRACE_LEVEL", "OFF"),
    ("TRANSACTION_DEFAULT_ISOLATION_LEVEL", "READ COMMITTED"),
];

/// Parameters that only clients read, with their defaults.
const OF_CLIENTS: &[(&str, &str)] = &[
    ("CLIENT_MEMORY_LIMIT", "1536"),
    ("CLIENT_METADATA_REQUEST_USE_CONNECTION_CTX", "false"),
    ("CLIENT_PREFETCH_THREADS", "4"),
    ("CLIENT_SESSION_KEEP_ALIVE", "false"),
    ("CLIENT_SESSION_KEEP_ALIVE_HEARTBEAT_FREQUENCY", "3600"),
    ("CLIENT_TIMESTAMP_TYPE_MAPPING", "TIMESTAMP_LTZ"),
];

/// How the names of the parameters begin that single drivers read, and that are none of the above.
const DRIVER_PREFIXES: &[&str] =
    &["CLIENT_", "CSHARP_", "DOTNET_", "GO_", "JDBC_", "JS_", "ODBC_", "PHP_", "PYTHON_CONNECTOR_", "PYTHON_SNOWPARK_"];
const DRIVER_VALUE_CHARS_MAX: usize = 256;

/// Every parameter, in upper case.
pub const SESSION_PARAMETERS: &[&str] = &[
    "ABORT_DETACHED_QUERY",
    "AUTOCOMMIT",
    "BINARY_INPUT_FORMAT",
    "BINARY_OUTPUT_FORMAT",
    "CLIENT_MEMORY_LIMIT",
    "CLIENT_METADATA_REQUEST_USE_CONNECTION_CTX",
    "CLIENT_PREFETCH_THREADS",
    "CLIENT_RESULT_CHUNK_SIZE",
    "CLIENT_SESSION_KEEP_ALIVE",
    "CLIENT_SESSION_KEEP_ALIVE_HEARTBEAT_FREQUENCY",
    "CLIENT_TIMESTAMP_TYPE_MAPPING",
    "DATE_INPUT_FORMAT",
    "DATE_OUTPUT_FORMAT",
    "ERROR_ON_NONDETERMINISTIC_MERGE",
    "ERROR_ON_NONDETERMINISTIC_UPDATE",
    "GEOGRAPHY_OUTPUT_FORMAT",
    "GEOMETRY_OUTPUT_FORMAT",
    "JSON_INDENT",
    "LOCK_TIMEOUT",
    "LOG_LEVEL",
    "METRIC_LEVEL",
    "MULTI_STATEMENT_COUNT",
    "PROFILE",
    "QUERY_TAG",
    "QUOTED_IDENTIFIERS_IGNORE_CASE",
    "ROWS_PER_RESULTSET",
    "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS",
    "STATEMENT_TIMEOUT_IN_SECONDS",
    "STRICT_JSON_OUTPUT",
    "TIMESTAMP_DAY_IS_ALWAYS_24H",
    "TIMESTAMP_INPUT_FORMAT",
    "TIMESTAMP_LTZ_OUTPUT_FORMAT",
    "TIMESTAMP_NTZ_OUTPUT_FORMAT",
    "TIMESTAMP_OUTPUT_FORMAT",
    "TIMESTAMP_TYPE_MAPPING",
    "TIMESTAMP_TZ_OUTPUT_FORMAT",
    "TIMEZONE",
    "TIME_INPUT_FORMAT",
    "TIME_OUTPUT_FORMAT",
    "TRACE_LEVEL",
    "TRANSACTION_DEFAULT_ISOLATION_LEVEL",
    "TWO_DIGIT_CENTURY_START",
    "USE_CACHED_RESULT",
    "WEEK_OF_YEAR_POLICY",
    "WEEK_START",
];

pub fn is_session_parameter(name: &str) -> bool {
    SESSION_PARAMETERS.contains(&name)
}

/// The value of a parameter that has only one.
pub fn fixed_value(name: &str) -> Option<&'static str> {
    FIXED.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// The default of a parameter that only clients read.
pub fn default_for_clients(name: &str) -> Option<&'static str> {
    OF_CLIENTS.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
}

/// Whether only drivers give the parameter a meaning: a session keeps what it is given, and the account knows nothing of it.
pub fn is_of_drivers(name: &str) -> bool {
    !is_session_parameter(name) && DRIVER_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
}

/// Why the value of such a parameter cannot be kept.
pub fn check_driver_parameter(name: &str, value: &str) -> Result<(), Failure> {
    text(name, value, DRIVER_VALUE_CHARS_MAX).map(|_| ())
}

/// The value in its stored form, or why it can't be one. `name` is in upper case.
pub fn check_session_parameter(name: &str, value: &str) -> Result<String, Failure> {
    if let Some(only) = fixed_value(name) {
        return match only.eq_ignore_ascii_case(value.trim()) {
            true => Ok(only.to_owned()),
            false => Err(Failure::unsupported(&format!("{name} = {value}"))),
        };
    }
    match name {
        "STATEMENT_TIMEOUT_IN_SECONDS" => number(name, value, 0, STATEMENT_TIMEOUT_S_MAX),
        "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS" | "ROWS_PER_RESULTSET" => number(name, value, 0, i32::MAX as u32),
        "MULTI_STATEMENT_COUNT" => number(name, value, 0, i32::MAX as u32),
        "CLIENT_RESULT_CHUNK_SIZE" => number(name, value, 16, 160),
        "CLIENT_MEMORY_LIMIT" => number(name, value, 100, i32::MAX as u32),
        "CLIENT_PREFETCH_THREADS" => number(name, value, 1, 10),
        "CLIENT_SESSION_KEEP_ALIVE_HEARTBEAT_FREQUENCY" => number(name, value, 900, 3600),
        "WEEK_OF_YEAR_POLICY" => number(name, value, 0, 1),
        "WEEK_START" => number(name, value, 0, 7),
        "JSON_INDENT" => number(name, value, 0, 16),
        "TWO_DIGIT_CENTURY_START" => number(name, value, 1900, 2100),
        "USE_CACHED_RESULT"
        | "AUTOCOMMIT"
        | "CLIENT_METADATA_REQUEST_USE_CONNECTION_CTX"
        | "CLIENT_SESSION_KEEP_ALIVE"
        | "ERROR_ON_NONDETERMINISTIC_MERGE"
        | "ERROR_ON_NONDETERMINISTIC_UPDATE"
        | "PROFILE"
        | "QUOTED_IDENTIFIERS_IGNORE_CASE"
        | "STRICT_JSON_OUTPUT" => choice(name, value, &["true", "false"]),
        "CLIENT_TIMESTAMP_TYPE_MAPPING" => choice(name, value, &["TIMESTAMP_LTZ", "TIMESTAMP_NTZ"]),
        "TIMESTAMP_TYPE_MAPPING" => choice(name, value, &["TIMESTAMP_LTZ", "TIMESTAMP_NTZ", "TIMESTAMP_TZ"]),
        "BINARY_INPUT_FORMAT" | "BINARY_OUTPUT_FORMAT" => choice(name, value, &["HEX", "BASE64", "UTF8"]),
        "GEOGRAPHY_OUTPUT_FORMAT" | "GEOMETRY_OUTPUT_FORMAT" => {
            choice(name, value, &["GeoJSON", "WKT", "WKB", "EWKT", "EWKB"])
        }
        "TIMEZONE" => time_zone(value),
        "QUERY_TAG" => text(name, value, QUERY_TAG_CHARS_MAX),
        _ if name.ends_with("PUT_FORMAT") && is_session_parameter(name) => text(name, value, FORMAT_CHARS_MAX),
        _ => Err(Failure::new(
            "002043",
            "02000",
            format!("SQL compilation error:\nParameter '{name}' does not exist; SHOW PARAMETERS lists them."),
        )),
    }
}

fn number(name: &str, value: &str, least: u32, most: u32) -> Result<String, Failure> {
    match value.trim().parse::<u32>() {
        Ok(number) if (least..=most).contains(&number) => Ok(number.to_string()),
        _ => Err(Failure::invalid_value(name, value, &format!("a whole number from {least} to {most} is expected"))),
    }
}

fn choice(name: &str, value: &str, choices: &[&str]) -> Result<String, Failure> {
    let found = choices.iter().find(|choice| choice.eq_ignore_ascii_case(value));
    found
        .map(|choice| (*choice).to_owned())
        .ok_or_else(|| Failure::invalid_value(name, value, &format!("{} is expected", choices.join(" or "))))
}

fn time_zone(value: &str) -> Result<String, Failure> {
    let zone = chrono_tz::TZ_VARIANTS.iter().find(|zone| zone.name().eq_ignore_ascii_case(value));
    zone.map(|zone| zone.name().to_owned()).ok_or_else(|| {
        let way_out = "a name of the time zone database is expected, such as Europe/Paris";
        Failure::invalid_value("TIMEZONE", value, way_out)
    })
}

fn text(name: &str, value: &str, chars_max: usize) -> Result<String, Failure> {
    if value.chars().count() > chars_max {
        return Err(Failure::invalid_value(name, "…", &format!("at most {chars_max} characters are expected")));
    }
    Ok(value.to_owned())
}
