//! The limits that the settings give, and the defaults for the others.

use std::time::Duration;

use firn_statements::{AnalystLimits, AuditLimits, Limits};

use super::{ByteSize, Settings};

pub(super) const DAY_S: u64 = 86_400;

impl Settings {
    pub(super) fn limits(&self) -> Limits {
        let default = Limits::default();
        Limits {
            sync_wait: duration_of_ms(self.sync_wait_ms, default.sync_wait),
            statement_timeout_s_max: self.statement_timeout_s_max.unwrap_or(default.statement_timeout_s_max),
            body_bytes_max: memory_size(self.body_bytes_max, default.body_bytes_max),
            stage_file_bytes_max: self.stage_file_bytes_max.map_or(default.stage_file_bytes_max, |size| size.0),
            transfer_link: duration_of_ms(self.transfer_link_ms, default.transfer_link),
            stage_user_bytes_max: self.stage_user_bytes_max.map_or(default.stage_user_bytes_max, |size| size.0),
            stages_bytes_max: self.stages_bytes_max.map_or(default.stages_bytes_max, |size| size.0),
            external_stage_bytes_max: self
                .external_stage_bytes_max
                .map_or(default.external_stage_bytes_max, |size| size.0),
            external_stage_wait: duration_of_ms(self.external_stage_wait_ms, default.external_stage_wait),
            sql_bytes_max: memory_size(self.sql_bytes_max, default.sql_bytes_max),
            statements_per_request_max: self.statements_per_request_max.unwrap_or(default.statements_per_request_max),
            nesting_depth_max: self.nesting_depth_max.unwrap_or(default.nesting_depth_max),
            bindings_max: self.bindings_max.unwrap_or(default.bindings_max),
            queue_length_max: self.queue_length_max.unwrap_or(default.queue_length_max),
            statements_without_warehouse_max: self
                .statements_without_warehouse_max
                .unwrap_or(default.statements_without_warehouse_max),
            queue_wait: duration_of_ms(self.queue_wait_ms, default.queue_wait),
            downloads_per_user_max: self.downloads_per_user_max.unwrap_or(default.downloads_per_user_max),
            requests_per_second_max: self.requests_per_second_max.unwrap_or(default.requests_per_second_max),
            sessions_per_user_max: self.sessions_per_user_max.unwrap_or(default.sessions_per_user_max),
            sessions_max: self.sessions_max.unwrap_or(default.sessions_max),
            session_idle: self.session_idle_s.map_or(default.session_idle, Duration::from_secs),
            session_idle_max: self.session_idle_s_max.map_or(default.session_idle_max, Duration::from_secs),
            driver_sessions_per_user_max: self
                .driver_sessions_per_user_max
                .unwrap_or(default.driver_sessions_per_user_max),
            driver_sessions_max: self.driver_sessions_max.unwrap_or(default.driver_sessions_max),
            driver_session_idle_max: self
                .driver_session_idle_s_max
                .map_or(default.driver_session_idle_max, Duration::from_secs),
            driver_session_max: self.driver_session_s_max.map_or(default.driver_session_max, Duration::from_secs),
            driver_token_validity: self.driver_token_s.map_or(default.driver_token_validity, Duration::from_secs),
            session_turn_wait: default.session_turn_wait,
            transaction_idle_max: duration_of_ms(self.transaction_idle_ms_max, default.transaction_idle_max),
            result_bytes_max: self.result_bytes_max.map_or(default.result_bytes_max, |size| size.0),
            results_disk_bytes_max: self.results_disk_bytes_max.map_or(default.results_disk_bytes_max, |size| size.0),
            history_bytes_max: self.history_bytes_max.map_or(default.history_bytes_max, |size| size.0),
            history_user_bytes_max: self.history_user_bytes_max.map_or(default.history_user_bytes_max, |size| size.0),
            results_user_bytes_max: self.results_user_bytes_max.map_or(default.results_user_bytes_max, |size| size.0),
            audit: AuditLimits {
                retention: self
                    .audit_retention_days
                    .map_or(default.audit.retention, |days| Duration::from_secs(days.saturating_mul(DAY_S))),
                bytes_max: self.audit_bytes_max.map_or(default.audit.bytes_max, |size| size.0),
            },
            result_retention: self.result_retention_s.map_or(default.result_retention, Duration::from_secs),
            history_retention: self.history_retention_s.map_or(default.history_retention, Duration::from_secs),
            sweep_interval: duration_of_ms(self.sweep_interval_ms, default.sweep_interval),
            drain_wait: duration_of_ms(self.drain_wait_ms, default.drain_wait),
            analyst: self.analyst_limits(&default.analyst),
        }
    }

    fn analyst_limits(&self, default: &AnalystLimits) -> AnalystLimits {
        AnalystLimits {
            answer_wait: duration_of_ms(self.analyst_answer_wait_ms, default.answer_wait),
            look_wait: duration_of_ms(self.analyst_look_wait_ms, default.look_wait),
            text_characters_max: self.analyst_text_characters_max.unwrap_or(default.text_characters_max),
            messages_max: self.analyst_messages_max.unwrap_or(default.messages_max),
            models_max: self.analyst_models_max.unwrap_or(default.models_max),
            values_max: self.analyst_values_max.unwrap_or(default.values_max),
            cache_bytes_max: memory_size(self.analyst_cache_bytes_max, default.cache_bytes_max),
            checked_rows_max: self.analyst_checked_rows_max.unwrap_or(default.checked_rows_max),
        }
    }
}

fn duration_of_ms(value: Option<u64>, default: Duration) -> Duration {
    value.map_or(default, Duration::from_millis)
}

fn memory_size(value: Option<ByteSize>, default: usize) -> usize {
    value.map_or(default, |size| usize::try_from(size.0).unwrap_or(usize::MAX))
}
