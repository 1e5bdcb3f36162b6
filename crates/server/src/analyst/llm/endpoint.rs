//! The endpoint of a language model: chat completions as many servers offer them, or Anthropic's messages.

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use chrono::{NaiveDate, Utc};
use serde_json::{Value, json};
use ureq::Agent;

/// The largest reply that is read.
const REPLY_BYTES_MAX: u64 = 1 << 20;
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// One message of the exchange.
pub struct Said {
    pub role: &'static str,
    pub text: String,
}

impl Said {
    pub fn user(text: String) -> Self {
        Self { role: "user", text }
    }

    pub fn assistant(text: String) -> Self {
        Self { role: "assistant", text }
    }
}

/// When the language model is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum AnalystMode {
    /// Never.
    #[default]
    Builtin,
    /// For every question that is neither verified nor about what can be asked.
    Llm,
    /// Where the built-in interpreter is not sure.
    Auto,
}

/// How the endpoint is spoken to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Deserialize, serde::Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum LlmApi {
    /// `POST <url>/chat/completions`.
    #[default]
    Openai,
    /// `POST <url>/v1/messages`.
    Anthropic,
}

#[derive(Clone)]
pub struct LlmSettings {
    pub api: LlmApi,
    pub url: String,
    pub model: String,
    pub key: Option<String>,
    pub wait: Duration,
    pub repairs_max: u32,
    pub reply_tokens_max: u32,
    /// All tokens of a day; zero means no limit.
    pub daily_tokens_max: u64,
}

/// The key is nobody's to read.
impl std::fmt::Debug for LlmSettings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("LlmSettings")
            .field("url", &self.url)
            .field("model", &self.model)
            .finish_non_exhaustive()
    }
}

pub struct Endpoint {
    settings: LlmSettings,
    agent: Agent,
    used: Mutex<Used>,
}

/// Tokens of one day.
#[derive(Default)]
struct Used {
    day: NaiveDate,
    tokens: u64,
}

impl Endpoint {
    pub fn new(settings: LlmSettings) -> Self {
        let agent = Agent::config_builder().http_status_as_error(false).max_redirects(0).build().into();
        Self { settings, agent, used: Mutex::default() }
    }

    pub fn model(&self) -> &str {
        &self.settings.model
    }

    pub fn repairs_max(&self) -> u32 {
        self.settings.repairs_max
    }

    /// The model's reply; the error is for the caller to read and names no secret.
    pub fn complete(&self, system: &str, messages: &[Said], time_left: Duration) -> Result<String, String> {
        self.check_budget()?;
        let settings = &self.settings;
        let base = settings.url.trim_end_matches('/');
        let said = messages.iter().map(|said| json!({"role": said.role, "content": said.text}));
        let (url, body) = match settings.api {
            LlmApi::Openai => {
                let all: Vec<Value> =
                    std::iter::once(json!({"role": "system", "content": system})).chain(said).collect();
                let body = json!({"model": settings.model, "messages": all, "temperature": 0,
                    "max_tokens": settings.reply_tokens_max});
                (format!("{base}/chat/completions"), body)
            }
            LlmApi::Anthropic => {
                let all: Vec<Value> = said.collect();
                let body = json!({"model": settings.model, "system": system, "messages": all, "temperature": 0,
                    "max_tokens": settings.reply_tokens_max});
                (format!("{base}/v1/messages"), body)
            }
        };
        let answer = self.post(&url, &body, settings.wait.min(time_left))?;
        self.note_use(&answer);
        let text = match settings.api {
            LlmApi::Openai => answer["choices"][0]["message"]["content"].as_str().map(str::to_owned),
            LlmApi::Anthropic => answer["content"]
                .as_array()
                .map(|blocks| blocks.iter().filter_map(|block| block["text"].as_str()).collect::<Vec<_>>().join("\n")),
        };
        text.ok_or_else(|| "its reply has no text".to_owned())
    }

    fn post(&self, url: &str, body: &Value, wait: Duration) -> Result<Value, String> {
        let mut request = self.agent.post(url).config().timeout_global(Some(wait)).build();
        if let Some(key) = &self.settings.key {
            request = match self.settings.api {
                LlmApi::Openai => request.header("Authorization", format!("Bearer {key}")),
                LlmApi::Anthropic => request.header("x-api-key", key),
            };
        }
        if self.settings.api == LlmApi::Anthropic {
            request = request.header("anthropic-version", ANTHROPIC_VERSION);
        }
        let mut answer = request.send_json(body).map_err(|error| match error {
            ureq::Error::Timeout(_) => format!("no reply within {} ms", wait.as_millis()),
            _ => "it cannot be reached".to_owned(),
        })?;
        if !answer.status().is_success() {
            return Err(format!("it answered with status {}", answer.status().as_u16()));
        }
        let read = answer.body_mut().with_config().limit(REPLY_BYTES_MAX).read_json();
        read.map_err(|error| match error {
            ureq::Error::Timeout(_) => format!("no reply within {} ms", wait.as_millis()),
            _ => "its reply is not JSON".to_owned(),
        })
    }

    fn check_budget(&self) -> Result<(), String> {
        let mut used = self.used.lock().unwrap_or_else(PoisonError::into_inner);
        let today = Utc::now().date_naive();
        if used.day != today {
            *used = Used { day: today, tokens: 0 };
        }
        let most = self.settings.daily_tokens_max;
        if most > 0 && used.tokens >= most { Err("the day's tokens are used up".to_owned()) } else { Ok(()) }
    }

    fn note_use(&self, answer: &Value) {
        let usage = &answer["usage"];
        let count = |name: &str| usage[name].as_u64().unwrap_or(0);
        let tokens = match self.settings.api {
            LlmApi::Openai => count("total_tokens"),
            LlmApi::Anthropic => count("input_tokens") + count("output_tokens"),
        };
        self.used.lock().unwrap_or_else(PoisonError::into_inner).tokens += tokens;
    }
}
