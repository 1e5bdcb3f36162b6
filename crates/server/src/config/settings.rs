//! The settings as they may be given. One field is one key of the file, one `FIRN_…` variable and
//! one flag; `None` means that this source does not say.

mod defaults;

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::{ByteSize, ConfigError};
use crate::analyst::llm::endpoint::{AnalystMode, LlmApi};
use crate::ephemeral;

/// Declares the settings, and how those of one source give way to those of another.
macro_rules! settings {
    ($(#[$about:meta])* pub struct $name:ident { $($(#[$given:meta])* pub $field:ident: Option<$kind:ty>,)* }) => {
        $(#[$about])*
        pub struct $name {
            $($(#[$given])* pub $field: Option<$kind>,)*
        }

        impl $name {
            /// `self` where it says something, else `other`.
            pub fn or(self, other: Self) -> Self {
                Self { $($field: self.$field.or(other.$field),)* }
            }
        }
    };
}

settings! {
#[derive(Clone, Debug, Default, Deserialize, Serialize, clap::Args)]
#[serde(deny_unknown_fields)]
pub struct Settings {
    /// Folder that holds all data of the server [default: ./firn-data]
    #[arg(long, env = "FIRN_DATA_DIR", value_name = "DIR")]
    pub data_dir: Option<PathBuf>,

    /// Address and port to serve on; port 0 takes a free one [default: 127.0.0.1:8090]
    #[arg(long, env = "FIRN_LISTEN", value_name = "ADDR")]
    pub listen: Option<SocketAddr>,

    /// Name of the account, as it stands in key-pair tokens [default: FIRN]
    #[arg(long, env = "FIRN_ACCOUNT", value_name = "NAME")]
    pub account: Option<String>,

    /// Access token that user ADMIN gets at this start [default: at the first start one is generated and shown once]
    #[arg(long, env = "FIRN_ADMIN_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub admin_token: Option<String>,

    /// Token that /metrics asks for [default: none, anybody may read it]
    #[arg(long, env = "FIRN_METRICS_TOKEN", value_name = "TOKEN", hide_env_values = true)]
    pub metrics_token: Option<String>,

    /// Whether the statement API answers; switched off, it answers 403 [default: true]
    #[arg(long, env = "FIRN_API_ENABLED", value_name = "BOOL")]
    pub api_enabled: Option<bool>,

    /// Whether the console is served at `/` [default: true]
    #[arg(long, env = "FIRN_CONSOLE", value_name = "BOOL")]
    pub console: Option<bool>,

    /// Whether agents find tools at `/mcp` [default: true]
    #[arg(long, env = "FIRN_MCP", value_name = "BOOL")]
    pub mcp: Option<bool>,

    /// Whether a tool at `/mcp` may change something where its call says so [default: false]
    #[arg(long, env = "FIRN_MCP_ALLOW_WRITES", value_name = "BOOL")]
    pub mcp_allow_writes: Option<bool>,

    /// Origins of pages in browsers that may use `/mcp`, with commas between: https://app.example.com:443 [default: none]
    #[arg(long, env = "FIRN_MCP_ALLOWED_ORIGINS", value_name = "ORIGINS", value_delimiter = ',')]
    pub mcp_allowed_origins: Option<Vec<String>>,

    /// Also serve the demo database DEMO [default: false]
    #[arg(long, env = "FIRN_DEMO", value_name = "BOOL", num_args = 0..=1, default_missing_value = "true", require_equals = true)]
    pub demo: Option<bool>,

    /// PEM file with the certificate chain; serves HTTPS together with `tls_key`
    #[arg(long, env = "FIRN_TLS_CERT", value_name = "FILE")]
    pub tls_cert: Option<PathBuf>,

    /// PEM file with the private key
    #[arg(long, env = "FIRN_TLS_KEY", value_name = "FILE")]
    pub tls_key: Option<PathBuf>,

    /// Address by which clients reach the server where a proxy changes the Host header: https://firn.example.com [default: that header]
    #[arg(long, env = "FIRN_PUBLIC_URL", value_name = "URL")]
    pub public_url: Option<String>,

    /// How the log is written [default: text]
    #[arg(long, env = "FIRN_LOG_FORMAT", value_name = "FORMAT")]
    pub log_format: Option<LogFormat>,

    /// What is logged: a level, or levels by module such as `info,firn_statements=debug` [default: info]
    #[arg(long, env = "FIRN_LOG_LEVEL", value_name = "LEVEL")]
    pub log_level: Option<String>,

    /// Folder that `firn backup` of a running server writes to, outside of the data folder [default: none, no backups]
    #[arg(long, env = "FIRN_BACKUP_DIR", value_name = "DIR")]
    pub backup_dir: Option<PathBuf>,

    /// Threads the engine works with [default: one per core]
    #[arg(long, env = "FIRN_THREADS", value_name = "N")]
    pub threads: Option<u32>,

    /// Memory the engine may use before it spills to disk, such as 4GB [default: four fifths of the machine's]
    #[arg(long, env = "FIRN_MEMORY_LIMIT", value_name = "SIZE")]
    pub memory_limit: Option<ByteSize>,

    /// Storage that external stages may reach, with commas between: https://host[:port]/bucket[/folder/], `*` for every bucket
    #[arg(long, env = "FIRN_EXTERNAL_STAGES", value_name = "PLACES", value_delimiter = ',')]
    pub external_stages: Option<Vec<String>>,

    /// Spark Connect servers that catalog integrations may name, with commas between: sc://host:port, or sc://host:port/;use_ssl=true
    #[arg(long, env = "FIRN_SPARK_ENDPOINTS", value_name = "ENDPOINTS", value_delimiter = ',')]
    pub spark_endpoints: Option<Vec<String>>,

    /// Proxies whose X-Forwarded-For names the client, with commas between: addresses or networks such as 10.0.0.0/8
    #[arg(long, env = "FIRN_TRUSTED_PROXIES", value_name = "NETWORKS", value_delimiter = ',')]
    pub trusted_proxies: Option<Vec<String>>,

    /// How long a connection may idle, or take to send a request's headers [default: 75000]
    #[arg(long, env = "FIRN_HEADER_READ_WAIT_MS", value_name = "MS", help_heading = "Limits")]
    pub header_read_wait_ms: Option<u64>,

    /// How long a client may take to send a request's body [default: 60000]
    #[arg(long, env = "FIRN_BODY_READ_WAIT_MS", value_name = "MS", help_heading = "Limits")]
    pub body_read_wait_ms: Option<u64>,

    /// How long a client may take to read 16 KiB of an answer [default: 60000]
    #[arg(long, env = "FIRN_ANSWER_READ_WAIT_MS", value_name = "MS", help_heading = "Limits")]
    pub answer_read_wait_ms: Option<u64>,

    /// The longest that answers to repeated failed logins are held back; 0 holds none back [default: 1000]
    #[arg(long, env = "FIRN_LOGIN_DELAY_MS_MAX", value_name = "MS", help_heading = "Limits")]
    pub login_delay_ms_max: Option<u64>,

    /// How long a request waits for its statement before it is answered with the handle [default: 45000]
    #[arg(long, env = "FIRN_SYNC_WAIT_MS", value_name = "MS", help_heading = "Limits")]
    pub sync_wait_ms: Option<u64>,

    /// The longest any statement may run [default: 604800]
    #[arg(long, env = "FIRN_STATEMENT_TIMEOUT_S_MAX", value_name = "S", help_heading = "Limits")]
    pub statement_timeout_s_max: Option<u64>,

    /// Largest request body, after decompression [default: 16MiB]
    #[arg(long, env = "FIRN_BODY_BYTES_MAX", value_name = "SIZE", help_heading = "Limits")]
    pub body_bytes_max: Option<ByteSize>,

    /// Largest file that a stage takes [default: 5GiB]
    #[arg(long, env = "FIRN_STAGE_FILE_BYTES_MAX", value_name = "SIZE", help_heading = "Limits")]
    pub stage_file_bytes_max: Option<ByteSize>,

    /// How long a driver may use the addresses that a PUT or GET has given it [default: 3600000]
    #[arg(long, env = "FIRN_TRANSFER_LINK_MS", value_name = "MS", help_heading = "Limits")]
    pub transfer_link_ms: Option<u64>,

    /// The files of one user's own stage together [default: 20GiB]
    #[arg(long, env = "FIRN_STAGE_USER_BYTES_MAX", value_name = "SIZE", help_heading = "Limits")]
    pub stage_user_bytes_max: Option<ByteSize>,

    /// The files of all stages together [default: 200GiB]
    #[arg(long, env = "FIRN_STAGES_BYTES_MAX", value_name = "SIZE", help_heading = "Limits")]
    pub stages_bytes_max: Option<ByteSize>,

    /// All files together that a statement fetches from one location of an external stage [default: 50GiB]
    #[arg(long, env = "FIRN_EXTERNAL_STAGE_BYTES_MAX", value_name = "SIZE", help_heading = "Limits")]
    pub external_stage_bytes_max: Option<ByteSize>,

    /// How long the storage of an external stage may be silent [default: 30000]
    #[arg(long, env = "FIRN_EXTERNAL_STAGE_WAIT_MS", value_name = "MS", help_heading = "Limits")]
    pub external_stage_wait_ms: Option<u64>,

    /// Longest SQL text of one request [default: 1MiB]
    #[arg(long, env = "FIRN_SQL_BYTES_MAX", value_name = "SIZE", help_heading = "Limits")]
    pub sql_bytes_max: Option<ByteSize>,

    /// Most statements in one request [default: 1000]
    #[arg(long, env = "FIRN_STATEMENTS_PER_REQUEST_MAX", value_name = "N", help_heading = "Limits")]
    pub statements_per_request_max: Option<usize>,

    /// Deepest nesting of a statement's expressions and queries [default: 100]
    #[arg(long, env = "FIRN_NESTING_DEPTH_MAX", value_name = "N", help_heading = "Limits")]
    pub nesting_depth_max: Option<usize>,

    /// Most values bound in one request [default: 100000]
    #[arg(long, env = "FIRN_BINDINGS_MAX", value_name = "N", help_heading = "Limits")]
    pub bindings_max: Option<usize>,

    /// Most statements that wait for a warehouse; past it a request is answered 429 [default: 1000]
    #[arg(long, env = "FIRN_QUEUE_LENGTH_MAX", value_name = "N", help_heading = "Limits")]
    pub queue_length_max: Option<usize>,

    /// Most concurrent statements that no warehouse runs [default: 16]
    #[arg(long, env = "FIRN_STATEMENTS_WITHOUT_WAREHOUSE_MAX", value_name = "N", help_heading = "Limits")]
    pub statements_without_warehouse_max: Option<usize>,

    /// How long a statement waits for a warehouse [default: 300000]
    #[arg(long, env = "FIRN_QUEUE_WAIT_MS", value_name = "MS", help_heading = "Limits")]
    pub queue_wait_ms: Option<u64>,

    /// Whole results that a user may download at the same time; past it a request is answered 429 [default: 8]
    #[arg(long, env = "FIRN_DOWNLOADS_PER_USER_MAX", value_name = "N", help_heading = "Limits")]
    pub downloads_per_user_max: Option<usize>,

    /// Kept sessions that a user may have open; past it a request for another is answered 429 [default: 16]
    #[arg(long, env = "FIRN_SESSIONS_PER_USER_MAX", value_name = "N", help_heading = "Limits")]
    pub sessions_per_user_max: Option<usize>,

    /// Kept sessions of all users together [default: 256]
    #[arg(long, env = "FIRN_SESSIONS_MAX", value_name = "N", help_heading = "Limits")]
    pub sessions_max: Option<usize>,

    /// How long a kept session stays without a request, where its opener says nothing [default: 1800]
    #[arg(long, env = "FIRN_SESSION_IDLE_S", value_name = "S", help_heading = "Limits")]
    pub session_idle_s: Option<u64>,

    /// How long an opener may have it stay [default: 14400]
    #[arg(long, env = "FIRN_SESSION_IDLE_S_MAX", value_name = "S", help_heading = "Limits")]
    pub session_idle_s_max: Option<u64>,

    /// Sessions that the drivers of one user may have open; past it a login is refused [default: 5000]
    #[arg(long, env = "FIRN_DRIVER_SESSIONS_PER_USER_MAX", value_name = "N", help_heading = "Limits")]
    pub driver_sessions_per_user_max: Option<usize>,

    /// Sessions of drivers of all users together [default: 10000]
    #[arg(long, env = "FIRN_DRIVER_SESSIONS_MAX", value_name = "N", help_heading = "Limits")]
    pub driver_sessions_max: Option<usize>,

    /// How long the session of a driver stays without a sign of it [default: 14400]
    #[arg(long, env = "FIRN_DRIVER_SESSION_IDLE_S_MAX", value_name = "S", help_heading = "Limits")]
    pub driver_session_idle_s_max: Option<u64>,

    /// How long the session of a driver stays at all [default: 604800]
    #[arg(long, env = "FIRN_DRIVER_SESSION_S_MAX", value_name = "S", help_heading = "Limits")]
    pub driver_session_s_max: Option<u64>,

    /// How long the token of a driver's session is good until the driver renews it [default: 3600]
    #[arg(long, env = "FIRN_DRIVER_TOKEN_S", value_name = "S", help_heading = "Limits")]
    pub driver_token_s: Option<u64>,

    /// How long the open transaction of a session stays without a statement before it is rolled back [default: 300000]
    #[arg(long, env = "FIRN_TRANSACTION_IDLE_MS_MAX", value_name = "MS", help_heading = "Limits")]
    pub transaction_idle_ms_max: Option<u64>,

    /// Requests a user may make per second; 0 means no limit [default: 0]
    #[arg(long, env = "FIRN_REQUESTS_PER_SECOND_MAX", value_name = "N", help_heading = "Limits")]
    pub requests_per_second_max: Option<u32>,

    /// Largest result; a larger one is truncated and reported with code 391908 [default: 10GiB]
    #[arg(long, env = "FIRN_RESULT_BYTES_MAX", value_name = "SIZE", help_heading = "Limits")]
    pub result_bytes_max: Option<ByteSize>,

    /// All stored results together; the oldest are removed first [default: 50GiB]
    #[arg(long, env = "FIRN_RESULTS_DISK_BYTES_MAX", value_name = "SIZE", help_heading = "Limits")]
    pub results_disk_bytes_max: Option<ByteSize>,

    /// The stored results of one user together; that user's oldest are removed first [default: 20GiB]
    #[arg(long, env = "FIRN_RESULTS_USER_BYTES_MAX", value_name = "SIZE", help_heading = "Limits")]
    pub results_user_bytes_max: Option<ByteSize>,

    /// Texts and small results of all statements that ended; past it the oldest are forgotten [default: 4GiB]
    #[arg(long, env = "FIRN_HISTORY_BYTES_MAX", value_name = "SIZE", help_heading = "Limits")]
    pub history_bytes_max: Option<ByteSize>,

    /// Those of one user's; past it that user's oldest are forgotten [default: 1GiB]
    #[arg(long, env = "FIRN_HISTORY_USER_BYTES_MAX", value_name = "SIZE", help_heading = "Limits")]
    pub history_user_bytes_max: Option<ByteSize>,

    /// How many days the audit trail is stored, whatever becomes of results [default: 365]
    #[arg(long, env = "FIRN_AUDIT_RETENTION_DAYS", value_name = "DAYS", help_heading = "Limits")]
    pub audit_retention_days: Option<u64>,

    /// The texts of the audit trail together; the oldest records are removed first [default: 10GiB]
    #[arg(long, env = "FIRN_AUDIT_BYTES_MAX", value_name = "SIZE", help_heading = "Limits")]
    pub audit_bytes_max: Option<ByteSize>,

    /// How long a result is stored [default: 86400]
    #[arg(long, env = "FIRN_RESULT_RETENTION_S", value_name = "S", help_heading = "Limits")]
    pub result_retention_s: Option<u64>,

    /// How long a statement stays in the history, at least as long as its result [default: 1209600]
    #[arg(long, env = "FIRN_HISTORY_RETENTION_S", value_name = "S", help_heading = "Limits")]
    pub history_retention_s: Option<u64>,

    /// How often expired results are removed [default: 60000]
    #[arg(long, env = "FIRN_SWEEP_INTERVAL_MS", value_name = "MS", help_heading = "Limits")]
    pub sweep_interval_ms: Option<u64>,

    /// How long stopping waits for running statements before it interrupts them [default: 10000]
    #[arg(long, env = "FIRN_DRAIN_WAIT_MS", value_name = "MS", help_heading = "Limits")]
    pub drain_wait_ms: Option<u64>,

    /// What answers questions: builtin, llm, or auto, which asks the language model where the interpreter is not sure [default: builtin]
    #[arg(long, env = "FIRN_ANALYST_MODE", value_name = "MODE", help_heading = "Analyst")]
    pub analyst_mode: Option<AnalystMode>,

    /// Readings that are less probable are not answered; suggestions are given instead; 0 to 1 [default: 0.5]
    #[arg(long, env = "FIRN_ANALYST_CONFIDENCE_MIN", value_name = "SHARE", help_heading = "Analyst")]
    pub analyst_confidence_min: Option<f64>,

    /// Answers that are less probable say that they are not sure; 0 to 1 [default: 0.885]
    #[arg(long, env = "FIRN_ANALYST_CONFIDENCE_SURE", value_name = "SHARE", help_heading = "Analyst")]
    pub analyst_confidence_sure: Option<f64>,

    /// How the language model is spoken to: openai (chat completions) or anthropic (messages) [default: openai]
    #[arg(long, env = "FIRN_ANALYST_LLM_API", value_name = "API", help_heading = "Analyst")]
    pub analyst_llm_api: Option<LlmApi>,

    /// Where the language model is, such as http://127.0.0.1:8080/v1
    #[arg(long, env = "FIRN_ANALYST_LLM_URL", value_name = "URL", help_heading = "Analyst")]
    pub analyst_llm_url: Option<String>,

    /// Name of the language model
    #[arg(long, env = "FIRN_ANALYST_LLM_MODEL", value_name = "NAME", help_heading = "Analyst")]
    pub analyst_llm_model: Option<String>,

    /// Key of the language model's endpoint
    #[arg(long, env = "FIRN_ANALYST_LLM_KEY", value_name = "KEY", hide_env_values = true, help_heading = "Analyst")]
    pub analyst_llm_key: Option<String>,

    /// How long the language model may take for one reply [default: 60000]
    #[arg(long, env = "FIRN_ANALYST_LLM_WAIT_MS", value_name = "MS", help_heading = "Analyst")]
    pub analyst_llm_wait_ms: Option<u64>,

    /// How often its SQL is sent back with the error [default: 2]
    #[arg(long, env = "FIRN_ANALYST_LLM_REPAIRS_MAX", value_name = "N", help_heading = "Analyst")]
    pub analyst_llm_repairs_max: Option<u32>,

    /// Longest reply, in tokens [default: 2000]
    #[arg(long, env = "FIRN_ANALYST_LLM_REPLY_TOKENS_MAX", value_name = "N", help_heading = "Analyst")]
    pub analyst_llm_reply_tokens_max: Option<u32>,

    /// All tokens of a day; past them the interpreter answers; 0 means no limit [default: 0]
    #[arg(long, env = "FIRN_ANALYST_LLM_DAILY_TOKENS_MAX", value_name = "N", help_heading = "Analyst")]
    pub analyst_llm_daily_tokens_max: Option<u64>,

    /// How long a question may take [default: 90000]
    #[arg(long, env = "FIRN_ANALYST_ANSWER_WAIT_MS", value_name = "MS", help_heading = "Analyst")]
    pub analyst_answer_wait_ms: Option<u64>,

    /// What of it may go into looking at the data [default: 10000]
    #[arg(long, env = "FIRN_ANALYST_LOOK_WAIT_MS", value_name = "MS", help_heading = "Analyst")]
    pub analyst_look_wait_ms: Option<u64>,

    /// Longest text of a message or of feedback, in characters [default: 10000]
    #[arg(long, env = "FIRN_ANALYST_TEXT_CHARACTERS_MAX", value_name = "N", help_heading = "Analyst")]
    pub analyst_text_characters_max: Option<usize>,

    /// Most messages of a conversation, and most blocks of a message [default: 200]
    #[arg(long, env = "FIRN_ANALYST_MESSAGES_MAX", value_name = "N", help_heading = "Analyst")]
    pub analyst_messages_max: Option<usize>,

    /// Most semantic models of one question [default: 50]
    #[arg(long, env = "FIRN_ANALYST_MODELS_MAX", value_name = "N", help_heading = "Analyst")]
    pub analyst_models_max: Option<usize>,

    /// Most different values of a column that words of a question are matched with [default: 2000]
    #[arg(long, env = "FIRN_ANALYST_VALUES_MAX", value_name = "N", help_heading = "Analyst")]
    pub analyst_values_max: Option<u64>,

    /// Size of the cache of data for later questions [default: 64MiB]
    #[arg(long, env = "FIRN_ANALYST_CACHE_BYTES_MAX", value_name = "SIZE", help_heading = "Analyst")]
    pub analyst_cache_bytes_max: Option<ByteSize>,

    /// Tables with more rows are not searched for keys that repeat [default: 20000000]
    #[arg(long, env = "FIRN_ANALYST_CHECKED_ROWS_MAX", value_name = "N", help_heading = "Analyst")]
    pub analyst_checked_rows_max: Option<u64>,
}
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LogFormat {
    #[default]
    Text,
    Json,
}

pub(super) fn default_listen() -> SocketAddr {
    SocketAddr::from((Ipv4Addr::LOCALHOST, 8090))
}

impl Settings {
    /// What holds in the end: `given` (flags and environment), then the file, then the defaults.
    pub fn effective(given: Self, file: Option<&Path>) -> Result<Self, ConfigError> {
        Ok(Self::given(given, file)?.or(Self::defaults()))
    }

    /// The same without the defaults. An empty token in the environment, as a container's template leaves it, is none.
    pub(super) fn given(given: Self, file: Option<&Path>) -> Result<Self, ConfigError> {
        let from_file = file.map(Self::from_file).transpose()?.unwrap_or_default();
        let said = |token: &Option<String>| token.clone().filter(|token| !token.is_empty());
        let (admin_token, metrics_token) = (said(&given.admin_token), said(&given.metrics_token));
        let given = Self { admin_token, metrics_token, ..given };
        Ok(given.or(from_file))
    }

    /// What differs from the defaults where the data end with the server.
    pub(super) fn ephemeral_defaults() -> Self {
        Self {
            data_dir: Some(ephemeral::folder_name()),
            listen: Some(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))),
            drain_wait_ms: Some(0),
            ..Self::default()
        }
    }

    fn from_file(path: &Path) -> Result<Self, ConfigError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| ConfigError::Unreadable { path: path.to_owned(), source })?;
        toml::from_str(&text).map_err(|source| ConfigError::Malformed { path: path.to_owned(), source })
    }

    /// The settings as a configuration file would say them, without the secret.
    pub fn to_toml(&self) -> Result<String, toml::ser::Error> {
        let hidden = |secret: &Option<String>| secret.as_ref().map(|_| "(set)".to_owned());
        let (admin_token, analyst_llm_key) = (hidden(&self.admin_token), hidden(&self.analyst_llm_key));
        let shown = Self { admin_token, analyst_llm_key, metrics_token: hidden(&self.metrics_token), ..self.clone() };
        toml::to_string(&shown)
    }
}
