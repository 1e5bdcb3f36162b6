//! The values of a session's parameters: those of the request take precedence over the user's, the account's and the
//! defaults.

use std::collections::BTreeMap;
use std::sync::Arc;

use firn_catalog::session_parameters::{
    check_driver_parameter, check_session_parameter, default_for_clients, fixed_value, is_of_drivers,
    is_session_parameter,
};
use firn_catalog::{Catalog, User};
use firn_engine::{CellFormats, InputFormats, RepeatedMatch, RepeatedMatches, ShapeFormat, WeekRules};
use firn_sql::{Failure, InputFormatsUse, QuotedNames, SessionRules, TimestampMapping};
use firn_values::formats::{BinaryFormat, FormatModel, FormatScope, JsonIndent, JsonWords, Nulls};

use crate::parameters::SessionParameters;
use crate::show::parameters::default_value;

pub const DEFAULT_TIMEZONE: &str = "UTC";
const DEFAULT_STATEMENT_TIMEOUT_S: u64 = 172_800;
const DEFAULT_CHUNK_MB: u64 = 16;
const CHUNK_MB_MAX: u64 = 160;
/// More than there are parameters; drivers may bring some of their own.
const GIVEN_MAX: usize = 200;
const QUERY_TAG_CHARACTERS_MAX: usize = 2_000;
/// What clients go by; they are sent these whether they were set or not.
const FOR_CLIENTS: [&str; 14] = [
    "AUTOCOMMIT",
    "BINARY_OUTPUT_FORMAT",
    "CLIENT_MEMORY_LIMIT",
    "CLIENT_METADATA_REQUEST_USE_CONNECTION_CTX",
    "CLIENT_PREFETCH_THREADS",
    "CLIENT_SESSION_KEEP_ALIVE",
    "CLIENT_SESSION_KEEP_ALIVE_HEARTBEAT_FREQUENCY",
    "CLIENT_TIMESTAMP_TYPE_MAPPING",
    "DATE_OUTPUT_FORMAT",
    "TIMESTAMP_NTZ_OUTPUT_FORMAT",
    "TIMESTAMP_OUTPUT_FORMAT",
    "TIMESTAMP_TYPE_MAPPING",
    "TIMEZONE",
    "TIME_OUTPUT_FORMAT",
];

#[derive(Clone, Debug)]
pub struct SessionSettings {
    pub timezone: String,
    pub weeks: WeekRules,
    pub formats: CellFormats,
    pub inputs: InputFormats,
    pub repeated_matches: RepeatedMatches,
    /// How its statements are read.
    pub rules: SessionRules,
    pub commits: Commits,
    /// `None` means every row.
    pub rows_max: Option<u64>,
    pub chunk_bytes_max: usize,
    pub query_tag: Option<String>,
    pub cached_results: CachedResults,
    pub profiling: Profiling,
    pub statement_timeout_s: u64,
    pub statement_count: StatementCount,
    /// The parameters that the session itself was given, for SHOW PARAMETERS.
    pub given: BTreeMap<String, String>,
    /// Those that the account and the user give it.
    preset: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CachedResults {
    Reuse,
    Ignore,
}

/// `PROFILE`: whether the operators of statements are measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profiling {
    Off,
    On,
}

/// `AUTOCOMMIT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Commits {
    AfterEachStatement,
    /// The first statement begins a transaction, which lasts until COMMIT.
    WhenAsked,
}

/// `MULTI_STATEMENT_COUNT`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatementCount {
    Any,
    Exactly(usize),
}

impl SessionSettings {
    /// Whether views mean something else than the engine's views, which are made with the default parameters.
    pub fn changes_views(&self) -> bool {
        self.formats.turns_cells_into_text()
            || self.weeks != WeekRules::default()
            || self.inputs != InputFormats::default()
    }

    fn new(nulls: Nulls) -> Self {
        Self {
            timezone: DEFAULT_TIMEZONE.to_owned(),
            weeks: WeekRules::default(),
            formats: CellFormats {
                nulls,
                timezone: CellFormats::parse_timezone(DEFAULT_TIMEZONE).ok(),
                ..CellFormats::default()
            },
            inputs: InputFormats::default(),
            repeated_matches: RepeatedMatches::default(),
            rules: SessionRules::default(),
            commits: Commits::AfterEachStatement,
            rows_max: None,
            chunk_bytes_max: (DEFAULT_CHUNK_MB << 20) as usize,
            query_tag: None,
            cached_results: CachedResults::Reuse,
            profiling: Profiling::Off,
            statement_timeout_s: DEFAULT_STATEMENT_TIMEOUT_S,
            statement_count: StatementCount::Exactly(1),
            given: BTreeMap::new(),
            preset: BTreeMap::new(),
        }
    }

    /// The settings of a fresh session, before the request's own parameters: the user's over the account's.
    pub fn of(catalog: &Catalog, user: &User, nulls: Nulls) -> Self {
        let mut settings = Self::new(nulls);
        let account = catalog.account_parameters();
        for (name, value) in account.iter().chain(&user.parameters).filter(|(name, _)| is_session_parameter(name)) {
            match settings.apply(name, value) {
                Ok(()) => drop(settings.preset.insert(name.clone(), value.clone())),
                Err(failure) => {
                    tracing::warn!(parameter = name, reason = failure.message, "a preset parameter has no effect");
                }
            }
        }
        settings.statement_count = StatementCount::Exactly(1);
        settings
    }

    pub fn apply_all(&mut self, parameters: &SessionParameters) -> Result<(), Failure> {
        for (name, value) in parameters.given() {
            self.set(name, value)?;
        }
        Ok(())
    }

    /// From here on they are those of a driver's session: its client formats the cells.
    pub fn of_driver(&mut self) {
        self.formats.scope = FormatScope::Texts;
    }

    /// The parameters that clients go by, and all that were set, with their values.
    pub fn for_clients(&self) -> Vec<(String, String)> {
        let mut values: BTreeMap<&str, &str> = FOR_CLIENTS.iter().map(|name| (*name, default_value(name))).collect();
        for (name, value) in self.preset.iter().chain(&self.given) {
            values.insert(name, value);
        }
        values.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// Sets one parameter by its name in upper case: of a request, or of ALTER SESSION.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        self.apply(name, value)?;
        if self.given.len() >= GIVEN_MAX && !self.given.contains_key(name) {
            return Err(Failure::limit_exceeded("the number of parameters that a session sets", GIVEN_MAX));
        }
        self.given.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    fn apply(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        if is_of_drivers(name) {
            return check_driver_parameter(name, value);
        }
        if fixed_value(name).is_some() || default_for_clients(name).is_some() {
            return check_session_parameter(name, value).map(|_| ());
        }
        if name.ends_with("_FORMAT") {
            return self.apply_format(name, value);
        }
        match name {
            "AUTOCOMMIT" => self.commits = flag(name, value, Commits::AfterEachStatement, Commits::WhenAsked)?,
            "CLIENT_RESULT_CHUNK_SIZE" => {
                let megabytes = integer(name, value, 1, CHUNK_MB_MAX)?;
                self.chunk_bytes_max = (megabytes << 20) as usize;
            }
            "ERROR_ON_NONDETERMINISTIC_MERGE" => {
                self.repeated_matches.in_merge = flag(name, value, RepeatedMatch::Refused, RepeatedMatch::Any)?;
            }
            "ERROR_ON_NONDETERMINISTIC_UPDATE" => {
                self.repeated_matches.in_update = flag(name, value, RepeatedMatch::Refused, RepeatedMatch::Any)?;
            }
            "JSON_INDENT" => self.formats.json_indent = JsonIndent(integer(name, value, 0, 16)? as u8),
            "MULTI_STATEMENT_COUNT" => {
                self.statement_count = match integer(name, value, 0, u64::from(u32::MAX))? {
                    0 => StatementCount::Any,
                    count => StatementCount::Exactly(count as usize),
                };
            }
            "PROFILE" => self.profiling = flag(name, value, Profiling::On, Profiling::Off)?,
            "QUERY_TAG" => self.query_tag = Some(query_tag(value)?),
            "QUOTED_IDENTIFIERS_IGNORE_CASE" => {
                self.rules.quoted_names = flag(name, value, QuotedNames::InUpperCase, QuotedNames::AsWritten)?;
            }
            "ROWS_PER_RESULTSET" => {
                self.rows_max = Some(integer(name, value, 0, i64::MAX as u64)?).filter(|&rows| rows > 0);
            }
            // Has no effect: the statement is queued before the session's parameters are known.
            "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS" => drop(integer(name, value, 0, i32::MAX as u64)?),
            "STATEMENT_TIMEOUT_IN_SECONDS" => self.statement_timeout_s = integer(name, value, 0, 604_800)?,
            "STRICT_JSON_OUTPUT" => self.formats.json_words = flag(name, value, JsonWords::Strict, JsonWords::All)?,
            "TIMESTAMP_TYPE_MAPPING" => self.rules.timestamps = timestamp_mapping(value)?,
            "TIMEZONE" => {
                self.formats.timezone = Some(CellFormats::parse_timezone(value)?);
                self.timezone = value.to_owned();
            }
            "TWO_DIGIT_CENTURY_START" => self.inputs.century_start = integer(name, value, 1900, 2100)? as u16,
            "USE_CACHED_RESULT" => {
                self.cached_results = flag(name, value, CachedResults::Reuse, CachedResults::Ignore)?;
            }
            "WEEK_OF_YEAR_POLICY" => self.weeks = self.weeks.with_policy(value)?,
            "WEEK_START" => self.weeks = self.weeks.with_start(value)?,
            _ => return Err(unknown_parameter(name)),
        }
        Ok(())
    }

    fn apply_format(&mut self, name: &str, value: &str) -> Result<(), Failure> {
        match name {
            "BINARY_INPUT_FORMAT" => self.inputs.binary = BinaryFormat::parse(name, value)?,
            "BINARY_OUTPUT_FORMAT" => self.formats.binary = BinaryFormat::parse(name, value)?,
            "DATE_INPUT_FORMAT" => self.inputs.date = InputFormats::parse_model(name, value)?,
            "DATE_OUTPUT_FORMAT" => self.formats.date = Some(model(name, value)?),
            "GEOGRAPHY_OUTPUT_FORMAT" => self.formats.geography = shape_format(name, value)?,
            "GEOMETRY_OUTPUT_FORMAT" => self.formats.geometry = shape_format(name, value)?,
            "TIME_INPUT_FORMAT" => self.inputs.time = InputFormats::parse_model(name, value)?,
            "TIME_OUTPUT_FORMAT" => self.formats.time = Some(model(name, value)?),
            "TIMESTAMP_INPUT_FORMAT" => self.inputs.timestamp = InputFormats::parse_model(name, value)?,
            "TIMESTAMP_LTZ_OUTPUT_FORMAT" => self.formats.timestamp_ltz = Some(model(name, value)?),
            "TIMESTAMP_NTZ_OUTPUT_FORMAT" => self.formats.timestamp_ntz = Some(model(name, value)?),
            "TIMESTAMP_OUTPUT_FORMAT" => self.apply_timestamp_format(&model(name, value)?),
            "TIMESTAMP_TZ_OUTPUT_FORMAT" => self.formats.timestamp_tz = Some(model(name, value)?),
            _ => return Err(unknown_parameter(name)),
        }
        self.rules.inputs = match self.inputs.has_models() {
            true => InputFormatsUse::OfSession,
            false => InputFormatsUse::Usual,
        };
        Ok(())
    }

    /// Takes one parameter back to what it is in a fresh session.
    pub fn reset(&mut self, name: &str, fresh: &Self) -> Result<(), Failure> {
        if !is_session_parameter(name) && !is_of_drivers(name) {
            return Err(unknown_parameter(name));
        }
        let mut given = std::mem::take(&mut self.given);
        given.remove(name);
        let scope = self.formats.scope;
        *self = fresh.clone();
        self.formats.scope = scope;
        given.iter().try_for_each(|(name, value)| self.set(name, value))
    }

    /// The general format serves the variants that have none of their own.
    fn apply_timestamp_format(&mut self, format: &Arc<FormatModel>) {
        let formats = &mut self.formats;
        for slot in [&mut formats.timestamp_ntz, &mut formats.timestamp_ltz, &mut formats.timestamp_tz] {
            slot.get_or_insert_with(|| format.clone());
        }
    }
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

fn timestamp_mapping(value: &str) -> Result<TimestampMapping, Failure> {
    TimestampMapping::parse(value).ok_or_else(|| {
        let way_out = "give TIMESTAMP_LTZ, TIMESTAMP_NTZ or TIMESTAMP_TZ";
        Failure::invalid_value("parameter TIMESTAMP_TYPE_MAPPING", value, way_out)
    })
}

fn flag<T>(name: &str, value: &str, when_true: T, when_false: T) -> Result<T, Failure> {
    match value.to_ascii_lowercase().as_str() {
        "true" | "1" => Ok(when_true),
        "false" | "0" => Ok(when_false),
        _ => Err(Failure::invalid_value(&format!("parameter {name}"), value, "give true or false")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fresh() -> SessionSettings {
        SessionSettings::new(Nulls::Null)
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
            ("NO_SUCH_OUTPUT_FORMAT", "1"),
            ("DATE_INPUT_FORMAT", "no parts"),
            ("TIMESTAMP_TYPE_MAPPING", "TIMESTAMP"),
            ("TWO_DIGIT_CENTURY_START", "1899"),
            ("JSON_INDENT", "17"),
            ("AUTOCOMMIT", "perhaps"),
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
    fn what_is_taken_back_is_as_in_a_fresh_session_and_the_rest_stays() {
        let mut settings = fresh();
        for (name, value) in [("JSON_INDENT", "0"), ("TIMEZONE", "Europe/Paris"), ("DATE_INPUT_FORMAT", "DD.MM.YYYY")] {
            assert_eq!(settings.set(name, value), Ok(()));
        }
        assert_eq!(settings.reset("TIMEZONE", &fresh()), Ok(()));
        assert_eq!(settings.timezone, DEFAULT_TIMEZONE);
        assert_eq!(settings.formats.json_indent, JsonIndent(0));
        assert_eq!(settings.inputs.date.as_deref(), Some("DD.MM.YYYY"));
        assert!(!settings.given.contains_key("TIMEZONE"));
        assert!(settings.reset("NO_SUCH_PARAMETER", &fresh()).is_err());
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
