//! What a session's parameters mean: request over user over account over default.

use std::collections::BTreeMap;
use std::sync::Arc;

use firn_catalog::session_parameters::{check_session_parameter, fixed_value};
use firn_catalog::{Catalog, User};
use firn_engine::formats::{BinaryFormat, FormatModel, Nulls};
use firn_engine::{CellFormats, ShapeFormat, WeekRules};
use firn_sql::Failure;

use crate::parameters::SessionParameters;

pub const DEFAULT_TIMEZONE: &str = "UTC";
const DEFAULT_STATEMENT_TIMEOUT_S: u64 = 172_800;
const DEFAULT_CHUNK_MB: u64 = 16;
const CHUNK_MB_MAX: u64 = 160;
const QUERY_TAG_CHARACTERS_MAX: usize = 2_000;

#[derive(Clone, Debug)]
pub struct SessionSettings {
    pub timezone: String,
    pub weeks: WeekRules,
    pub formats: CellFormats,
    /// `None` means every row.
    pub rows_max: Option<u64>,
    pub chunk_bytes_max: usize,
    pub query_tag: Option<String>,
    pub cached_results: CachedResults,
    pub statement_timeout_s: u64,
    pub statement_count: StatementCount,
    /// The parameters that the session itself was given, for SHOW PARAMETERS.
    pub given: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachedResults {
    Reuse,
    Ignore,
}

/// `MULTI_STATEMENT_COUNT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementCount {
    Any,
    Exactly(usize),
}

impl SessionSettings {
    /// The settings of a fresh session, before the request's own parameters.
    pub fn of(catalog: &Catalog, user: &User, nulls: Nulls) -> Self {
        let inherited = |name: &str| user.parameters.get(name).cloned().or_else(|| catalog.account_parameter(name));
        let timezone = inherited("TIMEZONE").unwrap_or_else(|| DEFAULT_TIMEZONE.to_owned());
        Self {
            formats: CellFormats {
                nulls,
                timezone: CellFormats::parse_timezone(&timezone).ok(),
                geography: inherited_shapes(&inherited, "GEOGRAPHY_OUTPUT_FORMAT"),
                geometry: inherited_shapes(&inherited, "GEOMETRY_OUTPUT_FORMAT"),
                ..CellFormats::default()
            },
            timezone,
            weeks: inherited_weeks(&inherited),
            rows_max: inherited("ROWS_PER_RESULTSET").and_then(|text| text.parse().ok()).filter(|&rows| rows > 0),
            chunk_bytes_max: (DEFAULT_CHUNK_MB << 20) as usize,
            query_tag: inherited("QUERY_TAG"),
            cached_results: match inherited("USE_CACHED_RESULT") {
                Some(text) if text.eq_ignore_ascii_case("false") => CachedResults::Ignore,
                _ => CachedResults::Reuse,
            },
            statement_timeout_s: inherited("STATEMENT_TIMEOUT_IN_SECONDS")
                .and_then(|text| text.parse().ok())
                .unwrap_or(DEFAULT_STATEMENT_TIMEOUT_S),
            statement_count: StatementCount::Exactly(1),
            given: BTreeMap::new(),
        }
    }

    pub fn apply_all(&mut self, parameters: &SessionParameters) -> Result<(), Failure> {
        for (name, value) in parameters.given() {
            self.set(name, value)?;
        }
        Ok(())
    }

    /// Sets one parameter by its name in upper case: of a request, or of ALTER SESSION.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        self.apply(name, value)?;
        self.given.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    fn apply(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        if fixed_value(name).is_some() {
            return check_session_parameter(name, value).map(|_| ());
        }
        match name {
            "BINARY_OUTPUT_FORMAT" => self.formats.binary = BinaryFormat::parse(value)?,
            "CLIENT_RESULT_CHUNK_SIZE" => {
                let megabytes = integer(name, value, 1, CHUNK_MB_MAX)?;
                self.chunk_bytes_max = (megabytes << 20) as usize;
            }
            "GEOGRAPHY_OUTPUT_FORMAT" => self.formats.geography = shape_format(name, value)?,
            "GEOMETRY_OUTPUT_FORMAT" => self.formats.geometry = shape_format(name, value)?,
            "DATE_OUTPUT_FORMAT" => self.formats.date = Some(model(name, value)?),
            "TIME_OUTPUT_FORMAT" => self.formats.time = Some(model(name, value)?),
            "TIMESTAMP_NTZ_OUTPUT_FORMAT" => self.formats.timestamp_ntz = Some(model(name, value)?),
            "TIMESTAMP_LTZ_OUTPUT_FORMAT" => self.formats.timestamp_ltz = Some(model(name, value)?),
            "TIMESTAMP_TZ_OUTPUT_FORMAT" => self.formats.timestamp_tz = Some(model(name, value)?),
            "TIMESTAMP_OUTPUT_FORMAT" => self.apply_timestamp_format(&model(name, value)?),
            "MULTI_STATEMENT_COUNT" => {
                self.statement_count = match integer(name, value, 0, u64::from(u32::MAX))? {
                    0 => StatementCount::Any,
                    count => StatementCount::Exactly(count as usize),
                };
            }
            "QUERY_TAG" => self.query_tag = Some(query_tag(value)?),
            "ROWS_PER_RESULTSET" => {
                self.rows_max = Some(integer(name, value, 0, i64::MAX as u64)?).filter(|&rows| rows > 0);
            }
            "TIMEZONE" => {
                self.formats.timezone = Some(CellFormats::parse_timezone(value)?);
                self.timezone = value.to_owned();
            }
            "USE_CACHED_RESULT" => self.cached_results = cached_results(value)?,
            "WEEK_OF_YEAR_POLICY" => self.weeks = self.weeks.with_policy(value)?,
            "WEEK_START" => self.weeks = self.weeks.with_start(value)?,
            "STATEMENT_TIMEOUT_IN_SECONDS" => self.statement_timeout_s = integer(name, value, 0, 604_800)?,
            _ => return Err(unknown_parameter(name)),
        }
        Ok(())
    }

    /// Takes one parameter back to what it is in a fresh session.
    pub fn reset(&mut self, name: &str, fresh: &Self) -> Result<(), Failure> {
        self.given.remove(name);
        let formats = &mut self.formats;
        match name {
            "BINARY_OUTPUT_FORMAT" => formats.binary = fresh.formats.binary,
            "CLIENT_RESULT_CHUNK_SIZE" => self.chunk_bytes_max = fresh.chunk_bytes_max,
            "DATE_OUTPUT_FORMAT" => formats.date = None,
            "GEOGRAPHY_OUTPUT_FORMAT" => formats.geography = fresh.formats.geography,
            "GEOMETRY_OUTPUT_FORMAT" => formats.geometry = fresh.formats.geometry,
            "TIME_OUTPUT_FORMAT" => formats.time = None,
            "TIMESTAMP_NTZ_OUTPUT_FORMAT" => formats.timestamp_ntz = None,
            "TIMESTAMP_LTZ_OUTPUT_FORMAT" => formats.timestamp_ltz = None,
            "TIMESTAMP_TZ_OUTPUT_FORMAT" => formats.timestamp_tz = None,
            "TIMESTAMP_OUTPUT_FORMAT" => {
                (formats.timestamp_ntz, formats.timestamp_ltz, formats.timestamp_tz) = (None, None, None);
            }
            "MULTI_STATEMENT_COUNT" => {}
            "QUERY_TAG" => self.query_tag.clone_from(&fresh.query_tag),
            "ROWS_PER_RESULTSET" => self.rows_max = fresh.rows_max,
            "TIMEZONE" => {
                formats.timezone = fresh.formats.timezone;
                self.timezone.clone_from(&fresh.timezone);
            }
            "USE_CACHED_RESULT" => self.cached_results = fresh.cached_results,
            "WEEK_OF_YEAR_POLICY" => self.weeks.first_week = fresh.weeks.first_week,
            "WEEK_START" => self.weeks = self.weeks.starting_like(fresh.weeks),
            "STATEMENT_TIMEOUT_IN_SECONDS" => self.statement_timeout_s = fresh.statement_timeout_s,
            _ if fixed_value(name).is_some() => {}
            _ => return Err(unknown_parameter(name)),
        }
        Ok(())
    }

    /// The general format serves the variants that have none of their own.
    fn apply_timestamp_format(&mut self, format: &Arc<FormatModel>) {
        let formats = &mut self.formats;
        for slot in [&mut formats.timestamp_ntz, &mut formats.timestamp_ltz, &mut formats.timestamp_tz] {
            slot.get_or_insert_with(|| format.clone());
        }
    }
}

/// What a user or the account presets has been checked when it was set.
fn inherited_weeks(inherited: &impl Fn(&str) -> Option<String>) -> WeekRules {
    let rules = WeekRules::default();
    let rules = inherited("WEEK_START").and_then(|value| rules.with_start(&value).ok()).unwrap_or(rules);
    inherited("WEEK_OF_YEAR_POLICY").and_then(|value| rules.with_policy(&value).ok()).unwrap_or(rules)
}

fn inherited_shapes(inherited: &impl Fn(&str) -> Option<String>, name: &str) -> ShapeFormat {
    inherited(name).and_then(|value| ShapeFormat::parse(&value)).unwrap_or_default()
}

fn unknown_parameter(name: &str) -> Failure {
    Failure::invalid_value("session parameter name", name, "SHOW PARAMETERS lists those that can be set")
}

fn model(name: &str, value: &str) -> Result<Arc<FormatModel>, Failure> {
    let kind = match name {
        "DATE_OUTPUT_FORMAT" => "YYYY-MM-DD",
        "TIME_OUTPUT_FORMAT" => "HH24:MI:SS",
        "TIMESTAMP_NTZ_OUTPUT_FORMAT" => "YYYY-MM-DD HH24:MI:SS.FF3",
        _ => "YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM",
    };
    let text = if value.eq_ignore_ascii_case("AUTO") || value.is_empty() { kind } else { value };
    FormatModel::parse(text)
        .map(Arc::new)
        .map_err(|failure| Failure { message: format!("parameter {name}: {}", failure.message), ..failure })
}

fn shape_format(name: &str, value: &str) -> Result<ShapeFormat, Failure> {
    ShapeFormat::parse(value).ok_or_else(|| {
        Failure::invalid_value(&format!("parameter {name}"), value, "give GeoJSON, WKT, WKB, EWKT or EWKB")
    })
}

fn integer(name: &str, value: &str, least: u64, most: u64) -> Result<u64, Failure> {
    let number = value.trim().parse::<u64>().ok().filter(|number| (least..=most).contains(number));
    number.ok_or_else(|| {
        Failure::invalid_value(
            &format!("parameter {name}"),
            value,
            &format!("give a whole number from {least} to {most}"),
        )
    })
}

fn query_tag(value: &str) -> Result<String, Failure> {
    if value.chars().count() > QUERY_TAG_CHARACTERS_MAX {
        let way_out = format!("a tag has at most {QUERY_TAG_CHARACTERS_MAX} characters");
        return Err(Failure::invalid_value(
            "parameter QUERY_TAG",
            &value.chars().take(20).collect::<String>(),
            &way_out,
        ));
    }
    Ok(value.to_owned())
}

fn cached_results(value: &str) -> Result<CachedResults, Failure> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(CachedResults::Reuse),
        "false" | "0" => Ok(CachedResults::Ignore),
        _ => Err(Failure::invalid_value("parameter USE_CACHED_RESULT", value, "give true or false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> SessionSettings {
        SessionSettings {
            weeks: WeekRules::default(),
            timezone: DEFAULT_TIMEZONE.to_owned(),
            formats: CellFormats::default(),
            rows_max: None,
            chunk_bytes_max: 1,
            query_tag: None,
            cached_results: CachedResults::Reuse,
            statement_timeout_s: 1,
            statement_count: StatementCount::Exactly(1),
            given: BTreeMap::new(),
        }
    }

    #[test]
    fn values_that_a_parameter_does_not_take_are_named() {
        let refused = [
            ("CLIENT_RESULT_CHUNK_SIZE", "0"),
            ("CLIENT_RESULT_CHUNK_SIZE", "161"),
            ("MULTI_STATEMENT_COUNT", "-1"),
            ("MULTI_STATEMENT_COUNT", "two"),
            ("ROWS_PER_RESULTSET", "1.5"),
            ("USE_CACHED_RESULT", "maybe"),
            ("TIMEZONE", "Mars/Olympus"),
            ("BINARY_OUTPUT_FORMAT", "OCTAL"),
            ("NO_SUCH_PARAMETER", "1"),
        ];
        for (name, value) in refused {
            let failure = fresh().apply(name, value).err();
            assert!(
                failure.is_some_and(|failure| failure.message.contains(value) || failure.message.contains(name)),
                "{name} = {value}"
            );
        }
    }

    #[test]
    fn the_general_timestamp_format_leaves_particular_ones_alone() {
        let parameters = SessionParameters {
            timestamp_output_format: Some("YYYY".to_owned()),
            timestamp_ntz_output_format: Some("MM".to_owned()),
            ..SessionParameters::default()
        };
        let mut settings = fresh();
        assert_eq!(settings.apply_all(&parameters), Ok(()));
        assert_ne!(settings.formats.timestamp_ntz, settings.formats.timestamp_ltz);
        assert_eq!(settings.formats.timestamp_ltz, settings.formats.timestamp_tz);
    }

    #[test]
    fn zero_rows_per_result_set_means_all() {
        let mut settings = fresh();
        assert_eq!(settings.apply("ROWS_PER_RESULTSET", "5"), Ok(()));
        assert_eq!(settings.rows_max, Some(5));
        assert_eq!(settings.apply("ROWS_PER_RESULTSET", "0"), Ok(()));
        assert_eq!(settings.rows_max, None);
    }
}
