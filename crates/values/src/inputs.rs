//! How a session reads texts as dates, times and bytes where no format is given with them.

use firn_sql::Failure;

use crate::formats::{BinaryFormat, FormatModel};

/// A format of `None` means AUTO: all forms that the dialect knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputFormats {
    pub date: Option<String>,
    pub time: Option<String>,
    pub timestamp: Option<String>,
    pub binary: BinaryFormat,
    /// The first of the hundred years that years of two digits stand for.
    pub century_start: u16,
}

pub const DEFAULT_CENTURY_START: u16 = 1970;

impl Default for InputFormats {
    fn default() -> Self {
        Self {
            date: None,
            time: None,
            timestamp: None,
            binary: BinaryFormat::Hex,
            century_start: DEFAULT_CENTURY_START,
        }
    }
}

impl InputFormats {
    /// The text of a format, or `None` for AUTO.
    pub fn parse_model(name: &str, value: &str) -> Result<Option<String>, Failure> {
        if value.is_empty() || value.eq_ignore_ascii_case("AUTO") {
            return Ok(None);
        }
        FormatModel::parse(value)
            .map_err(|failure| Failure { message: format!("parameter {name}: {}", failure.message), ..failure })?;
        Ok(Some(value.to_owned()))
    }

    /// Whether any text is read otherwise than usual by its own form.
    pub fn has_models(&self) -> bool {
        [&self.date, &self.time, &self.timestamp].into_iter().any(Option::is_some)
    }
}
