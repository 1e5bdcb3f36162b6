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

    /// The engine's variables that the macros read; `None` where the usual holds.
    pub(crate) fn variables(&self) -> [(&'static str, Option<String>); 5] {
        let binary = match self.binary {
            BinaryFormat::Hex => None,
            BinaryFormat::Base64 => Some("BASE64".to_owned()),
            BinaryFormat::Utf8 => Some("UTF-8".to_owned()),
        };
        let century = (self.century_start != DEFAULT_CENTURY_START).then(|| self.century_start.to_string());
        [
            ("firn_date_input", self.date.clone()),
            ("firn_time_input", self.time.clone()),
            ("firn_timestamp_input", self.timestamp.clone()),
            ("firn_binary_input", binary),
            ("firn_century_start", century),
        ]
    }
}
