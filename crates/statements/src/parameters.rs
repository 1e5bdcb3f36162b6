//! The session parameters a request may set: the contract's thirteen, and PROFILE.

/// Values as given, by parameter. Parsing what they mean happens when the session is made.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionParameters {
    pub binary_output_format: Option<String>,
    pub client_result_chunk_size: Option<String>,
    pub date_output_format: Option<String>,
    pub multi_statement_count: Option<String>,
    pub profile: Option<String>,
    pub query_tag: Option<String>,
    pub rows_per_resultset: Option<String>,
    pub time_output_format: Option<String>,
    pub timestamp_ltz_output_format: Option<String>,
    pub timestamp_ntz_output_format: Option<String>,
    pub timestamp_output_format: Option<String>,
    pub timestamp_tz_output_format: Option<String>,
    pub timezone: Option<String>,
    pub use_cached_result: Option<String>,
}

impl SessionParameters {
    /// Sets one parameter by its name in either letter case; `false` when it is none of them.
    pub fn set(&mut self, name: &str, value: String) -> bool {
        let slot = match name.to_ascii_lowercase().as_str() {
            "binary_output_format" => &mut self.binary_output_format,
            "client_result_chunk_size" => &mut self.client_result_chunk_size,
            "date_output_format" => &mut self.date_output_format,
            "multi_statement_count" => &mut self.multi_statement_count,
            "profile" => &mut self.profile,
            "query_tag" => &mut self.query_tag,
            "rows_per_resultset" => &mut self.rows_per_resultset,
            "time_output_format" => &mut self.time_output_format,
            "timestamp_ltz_output_format" => &mut self.timestamp_ltz_output_format,
            "timestamp_ntz_output_format" => &mut self.timestamp_ntz_output_format,
            "timestamp_output_format" => &mut self.timestamp_output_format,
            "timestamp_tz_output_format" => &mut self.timestamp_tz_output_format,
            "timezone" => &mut self.timezone,
            "use_cached_result" => &mut self.use_cached_result,
            _ => return false,
        };
        *slot = Some(value);
        true
    }
}

impl SessionParameters {
    /// The parameters that were given, with their names in upper case. The general timestamp format
    /// comes after the particular ones, which it must not override.
    pub fn given(&self) -> impl Iterator<Item = (&'static str, &str)> {
        [
            ("BINARY_OUTPUT_FORMAT", &self.binary_output_format),
            ("CLIENT_RESULT_CHUNK_SIZE", &self.client_result_chunk_size),
            ("DATE_OUTPUT_FORMAT", &self.date_output_format),
            ("MULTI_STATEMENT_COUNT", &self.multi_statement_count),
            ("PROFILE", &self.profile),
            ("QUERY_TAG", &self.query_tag),
            ("ROWS_PER_RESULTSET", &self.rows_per_resultset),
            ("TIME_OUTPUT_FORMAT", &self.time_output_format),
            ("TIMESTAMP_LTZ_OUTPUT_FORMAT", &self.timestamp_ltz_output_format),
            ("TIMESTAMP_NTZ_OUTPUT_FORMAT", &self.timestamp_ntz_output_format),
            ("TIMESTAMP_TZ_OUTPUT_FORMAT", &self.timestamp_tz_output_format),
            ("TIMESTAMP_OUTPUT_FORMAT", &self.timestamp_output_format),
            ("TIMEZONE", &self.timezone),
            ("USE_CACHED_RESULT", &self.use_cached_result),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value.as_deref()?)))
    }
}
