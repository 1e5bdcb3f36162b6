//! In which format a driver reads the rows of a statement.

use firn_catalog::registry::ResultFormat;
use firn_statements::request::FormatWish;

use super::client_family::ClientFamily;

impl ClientFamily {
    /// What its statements ask for, unless its session says otherwise.
    pub fn result_format(self) -> FormatWish {
        if self.reads_arrow() { FormatWish::Arrow } else { FormatWish::Json }
    }

    pub fn reads_arrow(self) -> bool {
        self.format_parameter().is_some()
    }
}

/// As answers name it.
pub const fn word(format: ResultFormat) -> &'static str {
    match format {
        ResultFormat::Json => "json",
        ResultFormat::Arrow => "arrow",
    }
}
