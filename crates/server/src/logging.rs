//! The log, on standard error.

use tracing_subscriber::EnvFilter;
use tracing_subscriber::filter::LevelFilter;

use crate::config::LogFormat;

/// Libraries keep their level when firn's is raised; they would log headers, and bodies.
const QUIET: &str = "h2=info,hyper=info,hyper_util=info,rmcp=warn,rustls=info,ureq=info";

#[derive(Debug, thiserror::Error)]
pub enum LoggingError {
    #[error("`log_level` is `{given}`: {cause}; write a level such as info, or levels by module")]
    Level { given: String, cause: String },
    #[error("the log cannot be started: {0}")]
    Start(String),
}

pub fn start(format: LogFormat, level: &str) -> Result<(), LoggingError> {
    let wrong = |cause: String| LoggingError::Level { given: level.to_owned(), cause };
    if let Some(part) = level.split(',').map(str::trim).find(|part| is_no_level(part)) {
        return Err(wrong(format!("`{part}` is no level")));
    }
    let filter = EnvFilter::try_new(format!("{QUIET},{level}")).map_err(|error| wrong(error.to_string()))?;
    let builder = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(std::io::stderr)
        // Where the log cannot be written, that cannot be reported there either.
        .log_internal_errors(false);
    let started = match format {
        LogFormat::Text => builder.with_ansi(std::io::IsTerminal::is_terminal(&std::io::stderr())).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| LoggingError::Start(error.to_string()))
}

/// A single word would be read as a module name, which disables all other logging.
fn is_no_level(part: &str) -> bool {
    !part.contains(['=', '[', '{']) && part.parse::<LevelFilter>().is_err()
}

#[cfg(test)]
mod tests {
    use super::is_no_level;

    #[test]
    fn a_word_alone_is_a_level() {
        for level in ["info", "DEBUG", "off", "firn_statements=debug", "firn_server[request]=trace"] {
            assert!(!is_no_level(level), "{level}");
        }
        for wrong in ["shout", "firn_statements"] {
            assert!(is_no_level(wrong), "{wrong}");
        }
    }
}
