//! What holds of the settings where nobody says otherwise.

use std::path::PathBuf;
use std::time::Duration;

use firn_statements::Limits;

use super::{LogFormat, Settings, default_listen};
use crate::analyst::certainty::Thresholds;
use crate::analyst::llm::endpoint::{AnalystMode, LlmApi};
use crate::config::ByteSize;
use crate::config::limits::DAY_S;

impl Settings {
    /// Everything that has a default; what stays `None` is optional.
    pub fn defaults() -> Self {
        let limits = Limits::default();
        Self {
            data_dir: Some(PathBuf::from("./firn-data")),
            listen: Some(default_listen()),
            account: Some("FIRN".to_owned()),
            admin_token: None,
            metrics_token: None,
            api_enabled: Some(true),
            console: Some(true),
            mcp: Some(true),
            mcp_allow_writes: Some(false),
            mcp_allowed_origins: None,
            demo: Some(false),
            tls_cert: None,
            tls_key: None,
            public_url: None,
            log_format: Some(LogFormat::Text),
            log_level: Some("info".to_owned()),
            backup_dir: None,
            threads: None,
            memory_limit: None,
            external_stages: None,
            spark_endpoints: None,
            trusted_proxies: None,
            header_read_wait_ms: Some(75_000),
            body_read_wait_ms: Some(60_000),
            answer_read_wait_ms: Some(60_000),
            login_delay_ms_max: Some(1_000),
            sync_wait_ms: Some(milliseconds(limits.sync_wait)),
            statement_timeout_s_max: Some(limits.statement_timeout_s_max),
            body_bytes_max: Some(ByteSize(limits.body_bytes_max as u64)),
            stage_file_bytes_max: Some(ByteSize(limits.stage_file_bytes_max)),
            transfer_link_ms: Some(milliseconds(limits.transfer_link)),
            stage_user_bytes_max: Some(ByteSize(limits.stage_user_bytes_max)),
            stages_bytes_max: Some(ByteSize(limits.stages_bytes_max)),
            external_stage_bytes_max: Some(ByteSize(limits.external_stage_bytes_max)),
            external_stage_wait_ms: Some(milliseconds(limits.external_stage_wait)),
            sql_bytes_max: Some(ByteSize(limits.sql_bytes_max as u64)),
            statements_per_request_max: Some(limits.statements_per_request_max),
            nesting_depth_max: Some(limits.nesting_depth_max),
            bindings_max: Some(limits.bindings_max),
            queue_length_max: Some(limits.queue_length_max),
            statements_without_warehouse_max: Some(limits.statements_without_warehouse_max),
            queue_wait_ms: Some(milliseconds(limits.queue_wait)),
            downloads_per_user_max: Some(limits.downloads_per_user_max),
            sessions_per_user_max: Some(limits.sessions_per_user_max),
            sessions_max: Some(limits.sessions_max),
            session_idle_s: Some(limits.session_idle.as_secs()),
            session_idle_s_max: Some(limits.session_idle_max.as_secs()),
            driver_sessions_per_user_max: Some(limits.driver_sessions_per_user_max),
            driver_sessions_max: Some(limits.driver_sessions_max),
            driver_session_idle_s_max: Some(limits.driver_session_idle_max.as_secs()),
            driver_session_s_max: Some(limits.driver_session_max.as_secs()),
            driver_token_s: Some(limits.driver_token_validity.as_secs()),
            transaction_idle_ms_max: Some(milliseconds(limits.transaction_idle_max)),
            requests_per_second_max: Some(limits.requests_per_second_max),
            result_bytes_max: Some(ByteSize(limits.result_bytes_max)),
            results_disk_bytes_max: Some(ByteSize(limits.results_disk_bytes_max)),
            results_user_bytes_max: Some(ByteSize(limits.results_user_bytes_max)),
            history_bytes_max: Some(ByteSize(limits.history_bytes_max)),
            history_user_bytes_max: Some(ByteSize(limits.history_user_bytes_max)),
            audit_retention_days: Some(limits.audit.retention.as_secs() / DAY_S),
            audit_bytes_max: Some(ByteSize(limits.audit.bytes_max)),
            result_retention_s: Some(limits.result_retention.as_secs()),
            history_retention_s: Some(limits.history_retention.as_secs()),
            sweep_interval_ms: Some(milliseconds(limits.sweep_interval)),
            drain_wait_ms: Some(milliseconds(limits.drain_wait)),
            analyst_mode: Some(AnalystMode::Builtin),
            analyst_confidence_min: Some(Thresholds::default().answered),
            analyst_confidence_sure: Some(Thresholds::default().sure),
            analyst_llm_api: Some(LlmApi::Openai),
            analyst_llm_url: None,
            analyst_llm_model: None,
            analyst_llm_key: None,
            analyst_llm_wait_ms: Some(60_000),
            analyst_llm_repairs_max: Some(2),
            analyst_llm_reply_tokens_max: Some(2_000),
            analyst_llm_daily_tokens_max: Some(0),
            analyst_answer_wait_ms: Some(milliseconds(limits.analyst.answer_wait)),
            analyst_look_wait_ms: Some(milliseconds(limits.analyst.look_wait)),
            analyst_text_characters_max: Some(limits.analyst.text_characters_max),
            analyst_messages_max: Some(limits.analyst.messages_max),
            analyst_models_max: Some(limits.analyst.models_max),
            analyst_values_max: Some(limits.analyst.values_max),
            analyst_cache_bytes_max: Some(ByteSize(limits.analyst.cache_bytes_max as u64)),
            analyst_checked_rows_max: Some(limits.analyst.checked_rows_max),
        }
    }
}

fn milliseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
