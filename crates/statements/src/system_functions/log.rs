//! SYSTEM$LOG and SYSTEM$ADD_EVENT: write to the server's log.

use firn_sql::Failure;

use super::CallContext;
use crate::run_error::RunError;

const CHARACTERS_MAX: usize = 4_096;

fn shortened(text: &str) -> &str {
    text.char_indices().nth(CHARACTERS_MAX).map_or(text, |(end, _)| &text[..end])
}

impl CallContext<'_> {
    pub(super) fn log(&self, level: &str, message: &str) -> Result<Option<String>, RunError> {
        let user = self.state.caller.user.name.as_str();
        let message = shortened(message);
        match level.to_ascii_uppercase().as_str() {
            "TRACE" => tracing::trace!(target: "sql", user, message),
            "DEBUG" => tracing::debug!(target: "sql", user, message),
            "INFO" => tracing::info!(target: "sql", user, message),
            "WARN" => tracing::warn!(target: "sql", user, message),
            "ERROR" | "FATAL" => tracing::error!(target: "sql", user, message),
            other => {
                let way_out = "use trace, debug, info, warn, error or fatal";
                return Err(Failure::invalid_value("level", other, way_out).into());
            }
        }
        Ok(None)
    }

    pub(super) fn event(&self, name: &str, attributes: Option<&str>) -> Result<Option<String>, RunError> {
        let user = self.state.caller.user.name.as_str();
        let (event, attributes) = (shortened(name), shortened(attributes.unwrap_or("{}")));
        tracing::info!(target: "sql", user, event, attributes, "event");
        Ok(None)
    }
}
