//! SYSTEM$LOG and SYSTEM$ADD_EVENT: write to the server's log.

use firn_sql::Failure;

use super::CallContext;
use crate::run_error::RunError;

const CHARACTERS_MAX: usize = 4_096;

/// In one line: what follows a line break would read like another entry of the log.
fn shortened(text: &str) -> String {
    let mut line = String::with_capacity(text.len().min(CHARACTERS_MAX));
    for character in text.chars().take(CHARACTERS_MAX) {
        match character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') {
            true => line.extend(character.escape_default()),
            false => line.push(character),
        }
    }
    line
}

impl CallContext<'_> {
    pub(super) fn log(&self, level: &str, message: &str) -> Result<Option<String>, RunError> {
        let user = self.state.caller.user.name.as_str();
        let message = shortened(message);
        let message = message.as_str();
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
        let (event, attributes) = (event.as_str(), attributes.as_str());
        tracing::info!(target: "sql", user, event, attributes, "event");
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::shortened;

    #[test]
    fn a_message_is_one_line() {
        assert_eq!(
            shortened("grün \"x\"\n2026 INFO y\u{1b}[0m\u{2028}z"),
            "grün \"x\"\\n2026 INFO y\\u{1b}[0m\\u{2028}z"
        );
        assert_eq!(shortened(&"ä".repeat(5_000)).chars().count(), 4_096);
    }
}
