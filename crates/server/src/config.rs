//! Every setting of the server: flag before environment before file before default.

mod byte_size;
#[cfg(test)]
mod config_test;
mod limits;
mod settings;

use std::collections::HashSet;
use std::net::SocketAddr;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use firn_catalog::network_policies::Network;
use firn_mcp::Writes;
use firn_spark::Endpoint;
use firn_statements::Limits;
use firn_storage::AllowedPlace;

use crate::analyst::certainty::Thresholds;
use crate::analyst::llm::endpoint::{AnalystMode, LlmSettings};
use crate::folders::is_within;

pub use byte_size::ByteSize;
pub use settings::{LogFormat, Settings};

const TOKEN_CHARACTERS_MIN: usize = 24;
const DIFFERENT_CHARACTERS_MIN: usize = 10;

/// How long clients may keep a connection waiting.
#[derive(Clone, Copy, Debug)]
pub struct ConnectionWaits {
    /// To send a request's headers, or to idle.
    pub header_read: Duration,
    /// To read an answer, for every 16 KiB of it.
    pub answer_read: Duration,
}

/// Settings that are whole and make sense together.
#[derive(Clone, Debug)]
pub struct Config {
    pub data_dir: PathBuf,
    pub data_lifetime: DataLifetime,
    pub listen: SocketAddr,
    pub account: String,
    pub admin_token: Option<String>,
    pub api: ApiSwitch,
    pub console: ConsoleSwitch,
    pub mcp: McpConfig,
    pub tls: Option<TlsFiles>,
    /// Without a slash at its end; `None` where the Host header of a request tells.
    pub public_url: Option<String>,
    pub log_format: LogFormat,
    pub log_level: String,
    /// `None` where the running server makes no backups.
    pub backup_dir: Option<PathBuf>,
    pub threads: Option<u32>,
    pub memory_limit_bytes: Option<u64>,
    /// Empty where no external stage may reach anything.
    pub external_stages: Vec<AllowedPlace>,
    /// The clusters that catalog integrations may name.
    pub spark_endpoints: Vec<Endpoint>,
    pub trusted_proxies: Vec<Network>,
    pub demo: Demo,
    pub waits: ConnectionWaits,
    pub body_read_wait: Duration,
    /// The longest that the answer to a failed login is held back.
    pub login_delay_max: Duration,
    pub metrics_token: Option<String>,
    pub limits: Limits,
    pub analyst: AnalystConfig,
}

/// What agents may do at `/mcp`.
#[derive(Clone, Debug)]
pub struct McpConfig {
    pub is_on: bool,
    pub writes: Writes,
    /// Of pages in browsers that may call tools.
    pub allowed_origins: Vec<String>,
}

/// Who answers questions.
#[derive(Clone, Debug)]
pub struct AnalystConfig {
    pub mode: AnalystMode,
    pub thresholds: Thresholds,
    /// There unless the mode is the built-in one.
    pub llm: Option<LlmSettings>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApiSwitch {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConsoleSwitch {
    On,
    Off,
}

/// What becomes of the data folder when the server ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataLifetime {
    Lasting,
    /// It is removed.
    Ephemeral,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demo {
    Load,
    Leave,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsFiles {
    pub certificate: PathBuf,
    pub key: PathBuf,
}

#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    #[error("the configuration file `{}` cannot be read: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("the configuration file `{}` is wrong: {source}", path.display())]
    Malformed { path: PathBuf, source: toml::de::Error },
    #[error("`{given}` is set but `{missing}` is not; TLS needs both, or neither for plain HTTP")]
    HalfOfTls { given: &'static str, missing: &'static str },
    #[error("`{name}` is {given}; give {} to {}", range.start(), range.end())]
    OutOfRange { name: &'static str, given: u64, range: RangeInclusive<u64> },
    #[error("`{name}` is {given}; give a number from 0 to 1")]
    NoShare { name: &'static str, given: f64 },
    #[error("`analyst_mode` needs a language model: set `{0}`")]
    LanguageModel(&'static str),
    #[error("{0}")]
    ExternalStages(String),
    #[error("`{0}` takes visible ASCII characters without spaces, one at least")]
    TokenCharacters(&'static str),
    #[error(
        "`{name}` is too easy to guess: {problem}; give {TOKEN_CHARACTERS_MIN} characters at least, \
         {DIFFERENT_CHARACTERS_MIN} different ones among them, and no repeated word: `openssl rand -hex 24` makes one"
    )]
    WeakToken { name: &'static str, problem: &'static str },
    #[error("`trusted_proxies` has `{0}`; it takes addresses and networks such as 10.0.0.0/8")]
    TrustedProxies(String),
    #[error("`mcp_allowed_origins` has `{0}`; it takes origins with their ports, such as https://app.example.com:443")]
    McpAllowedOrigins(String),
    #[error("`public_url` is `{0}`; it takes an address such as https://firn.example.com")]
    PublicUrl(String),
    #[error(
        "`backup_dir` is `{}`, which is inside of the data folder; give a folder outside of it, better on another disk",
        .0.display()
    )]
    BackupDir(PathBuf),
    #[error(
        "an ephemeral server has a temporary data folder: give `--ephemeral` or a data folder (`--data-dir`, FIRN_DATA_DIR, \
         or `data_dir` in the configuration file), not both; TMPDIR says where temporary folders lie"
    )]
    EphemeralDataDir,
    #[error("`spark_endpoints` has `{0}`; an address is sc://host:port, or sc://host:port/;use_ssl=true for TLS")]
    SparkEndpoint(String),
    #[error("`account` is `{0}`; a name takes letters, digits, `_` and `-`")]
    AccountName(String),
}

impl Config {
    /// `given` are the flags and the environment; `file` is the configuration file, if any.
    pub fn load(given: Settings, file: Option<&Path>) -> Result<Self, ConfigError> {
        Self::try_from(Settings::effective(given, file)?)
    }

    /// A server for tests: its data end with it, its port is a free one, and it does not wait for statements when it stops.
    pub fn ephemeral(given: Settings, file: Option<&Path>) -> Result<Self, ConfigError> {
        let given = Settings::given(given, file)?;
        if given.data_dir.is_some() {
            return Err(ConfigError::EphemeralDataDir);
        }
        let config = Self::try_from(given.or(Settings::ephemeral_defaults()))?;
        Ok(Self { data_lifetime: DataLifetime::Ephemeral, ..config })
    }
}

impl TryFrom<Settings> for Config {
    type Error = ConfigError;

    fn try_from(settings: Settings) -> Result<Self, ConfigError> {
        let settings = settings.or(Settings::defaults());
        check_ranges(&settings)?;
        if let Some(token) = settings.admin_token.as_deref() {
            check_token("admin_token", token)?;
        }
        if let Some(token) = settings.metrics_token.as_deref() {
            check_token("metrics_token", token)?;
        }
        let limits = settings.limits();
        let analyst = analyst_config(&settings)?;
        let account = settings.account.unwrap_or_default().to_ascii_uppercase();
        if account.is_empty() || !account.chars().all(|each| each.is_ascii_alphanumeric() || "_-".contains(each)) {
            return Err(ConfigError::AccountName(account));
        }
        let places =
            settings.external_stages.iter().flatten().map(|place| place.trim()).filter(|place| !place.is_empty());
        let external_stages = places.map(str::parse).collect::<Result<_, _>>().map_err(ConfigError::ExternalStages)?;
        let endpoints =
            settings.spark_endpoints.iter().flatten().map(|text| text.trim()).filter(|text| !text.is_empty());
        let spark_endpoint =
            |text: &str| Endpoint::parse(text).ok_or_else(|| ConfigError::SparkEndpoint(text.to_owned()));
        let spark_endpoints = endpoints.map(spark_endpoint).collect::<Result<_, _>>()?;
        let data_dir = settings.data_dir.unwrap_or_default();
        check_backup_dir(&data_dir, settings.backup_dir.as_deref())?;
        Ok(Self {
            data_dir,
            data_lifetime: DataLifetime::Lasting,
            listen: settings.listen.unwrap_or_else(settings::default_listen),
            account,
            admin_token: settings.admin_token,
            api: if settings.api_enabled == Some(false) { ApiSwitch::Off } else { ApiSwitch::On },
            console: if settings.console == Some(false) { ConsoleSwitch::Off } else { ConsoleSwitch::On },
            mcp: McpConfig {
                is_on: settings.mcp != Some(false),
                writes: if settings.mcp_allow_writes == Some(true) { Writes::OnRequest } else { Writes::Refused },
                allowed_origins: origins(settings.mcp_allowed_origins)?,
            },
            tls: tls_files(settings.tls_cert, settings.tls_key)?,
            public_url: settings.public_url.map(public_url).transpose()?,
            log_format: settings.log_format.unwrap_or_default(),
            log_level: settings.log_level.unwrap_or_default(),
            backup_dir: settings.backup_dir,
            threads: settings.threads,
            memory_limit_bytes: settings.memory_limit.map(|size| size.0),
            external_stages,
            spark_endpoints,
            trusted_proxies: networks(settings.trusted_proxies)?,
            demo: if settings.demo == Some(true) { Demo::Load } else { Demo::Leave },
            waits: ConnectionWaits {
                header_read: Duration::from_millis(settings.header_read_wait_ms.unwrap_or_default()),
                answer_read: Duration::from_millis(settings.answer_read_wait_ms.unwrap_or_default()),
            },
            login_delay_max: Duration::from_millis(settings.login_delay_ms_max.unwrap_or_default()),
            metrics_token: settings.metrics_token,
            body_read_wait: Duration::from_millis(settings.body_read_wait_ms.unwrap_or_default()),
            limits,
            analyst,
        })
    }
}

fn networks(given: Option<Vec<String>>) -> Result<Vec<Network>, ConfigError> {
    let texts = given.unwrap_or_default();
    let given = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    given.map(|text| Network::parse(text).ok_or_else(|| ConfigError::TrustedProxies(text.to_owned()))).collect()
}

fn origins(given: Option<Vec<String>>) -> Result<Vec<String>, ConfigError> {
    let texts = given.unwrap_or_default();
    let given = texts.iter().map(|text| text.trim()).filter(|text| !text.is_empty());
    given
        .map(|text| match is_origin(text) {
            true => Ok(text.to_owned()),
            false => Err(ConfigError::McpAllowedOrigins(text.to_owned())),
        })
        .collect()
}

/// With its port: without one, a page on any port of the host would be let in.
fn is_origin(text: &str) -> bool {
    let Some((scheme, authority)) = text.split_once("://") else { return false };
    let port = authority.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
    matches!(scheme, "http" | "https") && port.is_some() && !authority.contains(['/', '@', '?', '#', ' '])
}

fn public_url(given: String) -> Result<String, ConfigError> {
    let trimmed = given.trim().trim_end_matches('/');
    let authority = trimmed.strip_prefix("http://").or_else(|| trimmed.strip_prefix("https://"));
    match authority.is_some_and(|rest| !rest.is_empty() && !rest.contains(['@', '?', '#', ' ', '"'])) {
        true => Ok(trimmed.to_owned()),
        false => Err(ConfigError::PublicUrl(given)),
    }
}

/// A backup in the data folder would be lost with it.
fn check_backup_dir(data_dir: &Path, backup_dir: Option<&Path>) -> Result<(), ConfigError> {
    match backup_dir {
        Some(folder) if is_within(folder, data_dir) => Err(ConfigError::BackupDir(folder.to_owned())),
        _ => Ok(()),
    }
}

/// A token opens everything, and may be tried from anywhere.
fn check_token(name: &'static str, token: &str) -> Result<(), ConfigError> {
    if !is_visible(token) {
        return Err(ConfigError::TokenCharacters(name));
    }
    let weak = |problem| Err(ConfigError::WeakToken { name, problem });
    if token.len() < TOKEN_CHARACTERS_MIN {
        return weak("it is short");
    }
    if token.chars().collect::<HashSet<char>>().len() < DIFFERENT_CHARACTERS_MIN {
        return weak("it has few different characters");
    }
    let repeats =
        |length: usize| token.as_bytes().iter().zip(token.as_bytes().iter().skip(length)).all(|(a, b)| a == b);
    if (1..=token.len() / 2).any(repeats) {
        return weak("it is one text repeated");
    }
    Ok(())
}

fn is_visible(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|each| each.is_ascii_graphic())
}

/// Beyond these the server could not do its work.
fn check_ranges(settings: &Settings) -> Result<(), ConfigError> {
    const DAY_MS: u64 = 86_400_000;
    const CENTURY_S: u64 = 3_155_760_000;
    let checks = [
        ("threads", settings.threads.map(u64::from), 1..=1024),
        // What threads have of stack is enough for this depth.
        ("nesting_depth_max", settings.nesting_depth_max.map(|depth| depth as u64), 1..=250),
        ("statement_timeout_s_max", settings.statement_timeout_s_max, 1..=604_800),
        ("audit_retention_days", settings.audit_retention_days, 1..=36_500),
        ("result_retention_s", settings.result_retention_s, 0..=CENTURY_S),
        ("history_retention_s", settings.history_retention_s, 0..=CENTURY_S),
        ("sweep_interval_ms", settings.sweep_interval_ms, 1..=DAY_MS),
        ("header_read_wait_ms", settings.header_read_wait_ms, 1..=DAY_MS),
        ("answer_read_wait_ms", settings.answer_read_wait_ms, 1..=DAY_MS),
        ("login_delay_ms_max", settings.login_delay_ms_max, 0..=60_000),
        ("body_read_wait_ms", settings.body_read_wait_ms, 1..=DAY_MS),
        ("sync_wait_ms", settings.sync_wait_ms, 0..=DAY_MS),
        ("transfer_link_ms", settings.transfer_link_ms, 1..=DAY_MS),
        ("queue_wait_ms", settings.queue_wait_ms, 0..=DAY_MS),
        ("session_idle_s", settings.session_idle_s, 1..=CENTURY_S),
        ("session_idle_s_max", settings.session_idle_s_max, 1..=CENTURY_S),
        ("driver_session_idle_s_max", settings.driver_session_idle_s_max, 1..=CENTURY_S),
        ("driver_session_s_max", settings.driver_session_s_max, 1..=CENTURY_S),
        ("driver_token_s", settings.driver_token_s, 1..=CENTURY_S),
        ("transaction_idle_ms_max", settings.transaction_idle_ms_max, 1..=DAY_MS),
        ("drain_wait_ms", settings.drain_wait_ms, 0..=DAY_MS),
    ];
    for (name, given, range) in checks {
        if let Some(given) = given.filter(|given| !range.contains(given)) {
            return Err(ConfigError::OutOfRange { name, given, range });
        }
    }
    Ok(())
}

fn analyst_config(settings: &Settings) -> Result<AnalystConfig, ConfigError> {
    let mode = settings.analyst_mode.unwrap_or_default();
    let default = Thresholds::default();
    let thresholds = Thresholds {
        answered: share("analyst_confidence_min", settings.analyst_confidence_min, default.answered)?,
        sure: share("analyst_confidence_sure", settings.analyst_confidence_sure, default.sure)?,
    };
    if mode == AnalystMode::Builtin {
        return Ok(AnalystConfig { mode, thresholds, llm: None });
    }
    let url = settings.analyst_llm_url.clone().ok_or(ConfigError::LanguageModel("analyst_llm_url"))?;
    let model = settings.analyst_llm_model.clone().ok_or(ConfigError::LanguageModel("analyst_llm_model"))?;
    let llm = LlmSettings {
        api: settings.analyst_llm_api.unwrap_or_default(),
        url,
        model,
        key: settings.analyst_llm_key.clone(),
        wait: Duration::from_millis(settings.analyst_llm_wait_ms.unwrap_or_default()),
        repairs_max: settings.analyst_llm_repairs_max.unwrap_or_default(),
        reply_tokens_max: settings.analyst_llm_reply_tokens_max.unwrap_or_default(),
        daily_tokens_max: settings.analyst_llm_daily_tokens_max.unwrap_or_default(),
    };
    Ok(AnalystConfig { mode, thresholds, llm: Some(llm) })
}

fn share(name: &'static str, given: Option<f64>, default: f64) -> Result<f64, ConfigError> {
    let given = given.unwrap_or(default);
    if (0.0..=1.0).contains(&given) { Ok(given) } else { Err(ConfigError::NoShare { name, given }) }
}

fn tls_files(certificate: Option<PathBuf>, key: Option<PathBuf>) -> Result<Option<TlsFiles>, ConfigError> {
    match (certificate, key) {
        (Some(certificate), Some(key)) => Ok(Some(TlsFiles { certificate, key })),
        (None, None) => Ok(None),
        (Some(_), None) => Err(ConfigError::HalfOfTls { given: "tls_cert", missing: "tls_key" }),
        (None, Some(_)) => Err(ConfigError::HalfOfTls { given: "tls_key", missing: "tls_cert" }),
    }
}
