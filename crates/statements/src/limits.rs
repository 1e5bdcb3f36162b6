//! Every limit of the server in one place.

use std::time::Duration;

use firn_sql::ParseLimits;

#[derive(Clone, Debug)]
pub struct Limits {
    /// How long a request waits for its statement before it is answered with the handle.
    pub sync_wait: Duration,
    /// The most a statement may run, whatever it asks for.
    pub statement_timeout_s_max: u64,
    pub body_bytes_max: usize,
    /// The largest file that a stage takes.
    pub stage_file_bytes_max: u64,
    /// How long a driver's permission for the files of a PUT or GET is good.
    pub transfer_link: Duration,
    /// All files together that a statement fetches from one location of an external stage.
    pub external_stage_bytes_max: u64,
    /// How long the storage of an external stage may be silent.
    pub external_stage_wait: Duration,
    pub sql_bytes_max: usize,
    pub statements_per_request_max: usize,
    pub nesting_depth_max: usize,
    pub bindings_max: usize,
    pub queue_length_max: usize,
    pub queue_wait: Duration,
    /// Concurrent statements that no warehouse runs.
    pub statements_without_warehouse_max: usize,
    /// Whole results that a user may download at the same time.
    pub downloads_per_user_max: usize,
    /// Requests a user may make per second; zero means no limit.
    pub requests_per_second_max: u32,
    /// Sessions that a user keeps open, and that all do.
    pub sessions_per_user_max: usize,
    pub sessions_max: usize,
    /// How long one stays without a request, where its opener says nothing, and at most.
    pub session_idle: Duration,
    pub session_idle_max: Duration,
    /// Those of drivers.
    pub driver_sessions_per_user_max: usize,
    pub driver_sessions_max: usize,
    /// How long the session of a driver stays without a sign of it.
    pub driver_session_idle_max: Duration,
    /// How long it stays at all.
    pub driver_session_max: Duration,
    /// How long a token of a driver's session is good until it is renewed.
    pub driver_token_validity: Duration,
    /// How long a statement of a driver waits for those before it in its session.
    pub session_turn_wait: Duration,
    /// After so long without a statement, the transaction of a session is rolled back.
    pub transaction_idle_max: Duration,
    /// A result larger than this is truncated and reported with code 391908.
    pub result_bytes_max: u64,
    /// All results together on disk; the oldest go first.
    pub results_disk_bytes_max: u64,
    /// The results of one user together on disk; that user's oldest go first.
    pub results_user_bytes_max: u64,
    /// Texts and small results of all ended statements together; the oldest are forgotten first.
    pub history_bytes_max: u64,
    /// Those of one user; that user's oldest are forgotten first.
    pub history_user_bytes_max: u64,
    /// The files of one user's own stage.
    pub stage_user_bytes_max: u64,
    /// The files of all stages.
    pub stages_bytes_max: u64,
    pub result_retention: Duration,
    /// How long ended statements stay in the history; not shorter than their results.
    pub history_retention: Duration,
    pub sweep_interval: Duration,
    /// How long stopping waits for running statements.
    pub drain_wait: Duration,
    pub audit: AuditLimits,
    pub analyst: AnalystLimits,
}

/// The limits of the audit trail.
#[derive(Clone, Debug)]
pub struct AuditLimits {
    /// How long records stay, whatever becomes of results.
    pub retention: Duration,
    /// The characters of all records together; past it, the oldest go.
    pub bytes_max: u64,
}

impl Default for AuditLimits {
    fn default() -> Self {
        Self { retention: Duration::from_secs(365 * 86_400), bytes_max: 10 << 30 }
    }
}

/// The limits of questions in plain English.
#[derive(Clone, Debug)]
pub struct AnalystLimits {
    /// How long a question may take.
    pub answer_wait: Duration,
    /// What of it may go into looking at the data.
    pub look_wait: Duration,
    /// The longest text of a message or of feedback.
    pub text_characters_max: usize,
    /// Messages of a conversation, and blocks of a message.
    pub messages_max: usize,
    /// Semantic models of one question.
    pub models_max: usize,
    /// Different values of a column that words are matched with.
    pub values_max: u64,
    /// The size of the cache of data; past it, the cache is cleared.
    pub cache_bytes_max: usize,
    /// Tables with more rows are not searched for keys that repeat.
    pub checked_rows_max: u64,
}

impl Default for AnalystLimits {
    fn default() -> Self {
        Self {
            answer_wait: Duration::from_secs(90),
            look_wait: Duration::from_secs(10),
            text_characters_max: 10_000,
            messages_max: 200,
            models_max: 50,
            values_max: 2_000,
            cache_bytes_max: 64 << 20,
            checked_rows_max: 20_000_000,
        }
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            sync_wait: Duration::from_secs(45),
            statement_timeout_s_max: 604_800,
            body_bytes_max: 16 << 20,
            stage_file_bytes_max: 5 << 30,
            transfer_link: Duration::from_secs(3_600),
            external_stage_bytes_max: 50 << 30,
            external_stage_wait: Duration::from_secs(30),
            sql_bytes_max: 1 << 20,
            statements_per_request_max: 1_000,
            nesting_depth_max: 100,
            bindings_max: 100_000,
            queue_length_max: 1_000,
            queue_wait: Duration::from_secs(300),
            statements_without_warehouse_max: 16,
            downloads_per_user_max: 8,
            requests_per_second_max: 0,
            sessions_per_user_max: 16,
            sessions_max: 256,
            session_idle: Duration::from_secs(1_800),
            session_idle_max: Duration::from_secs(4 * 3_600),
            driver_sessions_per_user_max: 5_000,
            driver_sessions_max: 10_000,
            driver_session_idle_max: Duration::from_secs(4 * 3_600),
            driver_session_max: Duration::from_secs(7 * 86_400),
            driver_token_validity: Duration::from_secs(3_600),
            session_turn_wait: Duration::from_secs(3_600),
            transaction_idle_max: Duration::from_secs(300),
            result_bytes_max: 10 << 30,
            results_disk_bytes_max: 50 << 30,
            results_user_bytes_max: 20 << 30,
            history_bytes_max: 4 << 30,
            history_user_bytes_max: 1 << 30,
            stage_user_bytes_max: 20 << 30,
            stages_bytes_max: 200 << 30,
            result_retention: Duration::from_secs(24 * 3_600),
            history_retention: Duration::from_secs(14 * 86_400),
            sweep_interval: Duration::from_secs(60),
            drain_wait: Duration::from_secs(10),
            audit: AuditLimits::default(),
            analyst: AnalystLimits::default(),
        }
    }
}

pub(crate) fn parse_limits(limits: &Limits) -> ParseLimits {
    ParseLimits {
        text_bytes_max: limits.sql_bytes_max,
        statements_max: limits.statements_per_request_max,
        nesting_depth_max: limits.nesting_depth_max,
    }
}

/// The shorter of the two, where zero means no limit of the warehouse's.
pub(crate) fn within(timeout_s: u64, warehouse_timeout_s: u32) -> u64 {
    match warehouse_timeout_s {
        0 => timeout_s,
        seconds => timeout_s.min(u64::from(seconds)),
    }
}
