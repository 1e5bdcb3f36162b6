//! Parameters a user or the account can preset for sessions, and the values each one takes.

use firn_sql::Failure;

/// The longest a statement may be allowed to run: seven days.
pub const STATEMENT_TIMEOUT_S_MAX: u32 = 604_800;
const QUERY_TAG_CHARS_MAX: usize = 2_000;
const FORMAT_CHARS_MAX: usize = 256;

/// Every parameter, in upper case.
pub const SESSION_PARAMETERS: &[&str] = &[
    "BINARY_OUTPUT_FORMAT",
    "CLIENT_RESULT_CHUNK_SIZE",
    "DATE_OUTPUT_FORMAT",
    "GEOGRAPHY_OUTPUT_FORMAT",
    "GEOMETRY_OUTPUT_FORMAT",
    "MULTI_STATEMENT_COUNT",
    "QUERY_TAG",
    "ROWS_PER_RESULTSET",
    "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS",
    "STATEMENT_TIMEOUT_IN_SECONDS",
    "TIMESTAMP_LTZ_OUTPUT_FORMAT",
    "TIMESTAMP_NTZ_OUTPUT_FORMAT",
    "TIMESTAMP_OUTPUT_FORMAT",
    "TIMESTAMP_TZ_OUTPUT_FORMAT",
    "TIMEZONE",
    "TIME_OUTPUT_FORMAT",
    "USE_CACHED_RESULT",
    "WEEK_OF_YEAR_POLICY",
    "WEEK_START",
];

pub fn is_session_parameter(name: &str) -> bool {
    SESSION_PARAMETERS.contains(&name)
}

/// The value in its stored form, or why it can't be one. `name` is in upper case.
pub fn check_session_parameter(name: &str, value: &str) -> Result<String, Failure> {
    match name {
        "STATEMENT_TIMEOUT_IN_SECONDS" => number(name, value, 0, STATEMENT_TIMEOUT_S_MAX),
        "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS" | "ROWS_PER_RESULTSET" => number(name, value, 0, i32::MAX as u32),
        "MULTI_STATEMENT_COUNT" => number(name, value, 0, i32::MAX as u32),
        "CLIENT_RESULT_CHUNK_SIZE" => number(name, value, 16, 160),
        "WEEK_OF_YEAR_POLICY" => number(name, value, 0, 1),
        "WEEK_START" => number(name, value, 0, 7),
        "USE_CACHED_RESULT" => choice(name, value, &["true", "false"]),
        "BINARY_OUTPUT_FORMAT" => choice(name, value, &["HEX", "BASE64", "UTF8"]),
        "GEOGRAPHY_OUTPUT_FORMAT" | "GEOMETRY_OUTPUT_FORMAT" => {
            choice(name, value, &["GeoJSON", "WKT", "WKB", "EWKT", "EWKB"])
        }
        "TIMEZONE" => time_zone(value),
        "QUERY_TAG" => text(name, value, QUERY_TAG_CHARS_MAX),
        _ if name.ends_with("_OUTPUT_FORMAT") && is_session_parameter(name) => text(name, value, FORMAT_CHARS_MAX),
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
