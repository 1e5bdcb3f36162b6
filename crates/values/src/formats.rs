//! How cells are written: the contract's epoch encodings, or the text formats a request asked for.

mod model;
mod reading;

use std::sync::Arc;

use chrono_tz::{TZ_VARIANTS, Tz};
use firn_sql::Failure;

pub use model::FormatModel;

use crate::ShapeFormat;
use crate::cells::shown::{CellKind, TextKinds};

/// Settings of one result's encoding. A format of `None` means the contract's own encoding.
#[derive(Clone, Debug, Default)]
pub struct CellFormats {
    pub nulls: Nulls,
    pub date: Option<Arc<FormatModel>>,
    pub time: Option<Arc<FormatModel>>,
    pub timestamp_ntz: Option<Arc<FormatModel>>,
    pub timestamp_ltz: Option<Arc<FormatModel>>,
    pub timestamp_tz: Option<Arc<FormatModel>>,
    pub binary: BinaryFormat,
    pub geography: ShapeFormat,
    pub geometry: ShapeFormat,
    pub json_indent: JsonIndent,
    pub json_words: JsonWords,
    /// The session's time zone, in which TIMESTAMP_LTZ is shown as text; `None` means UTC.
    pub timezone: Option<Tz>,
    pub scope: FormatScope,
}

/// What the formats of dates, times and binary values are for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FormatScope {
    #[default]
    CellsAndTexts,
    /// What casts to text alone: the client formats the cells, which are in the contract's own encoding.
    Texts,
}

impl CellFormats {
    /// Whether any type's cells are not in the contract's own encoding.
    pub fn turns_cells_into_text(&self) -> bool {
        let models = [&self.date, &self.time, &self.timestamp_ntz, &self.timestamp_ltz, &self.timestamp_tz];
        models.into_iter().any(Option::is_some)
            || self.binary != BinaryFormat::Hex
            || [self.geography, self.geometry] != [ShapeFormat::GeoJson; 2]
    }

    /// The formats of cells, which need not be those of what casts to text.
    #[must_use]
    pub fn of_cells(&self) -> Self {
        match self.scope {
            FormatScope::CellsAndTexts => self.clone(),
            FormatScope::Texts => self.raw(),
        }
    }

    /// The formats of results whose clients write dates, times and bytes themselves.
    #[must_use]
    pub fn raw(&self) -> Self {
        Self {
            date: None,
            time: None,
            timestamp_ntz: None,
            timestamp_ltz: None,
            timestamp_tz: None,
            binary: BinaryFormat::Hex,
            ..self.clone()
        }
    }

    /// The types of dates and times whose cells are texts.
    pub fn text_kinds(&self) -> TextKinds {
        let kinds = [
            (CellKind::Date, &self.date),
            (CellKind::Time, &self.time),
            (CellKind::Timestamp, &self.timestamp_ntz),
            (CellKind::TimestampUtc, &self.timestamp_ltz),
            (CellKind::TimestampOffset, &self.timestamp_tz),
        ];
        let texts = kinds.into_iter().filter(|(_, model)| model.is_some());
        texts.fold(TextKinds::default(), |texts, (kind, _)| texts.with(kind))
    }

    /// Reads an IANA time zone name in any letter case, such as `Europe/Paris`.
    pub fn parse_timezone(name: &str) -> Result<Tz, Failure> {
        let name = name.trim();
        let any_case = || TZ_VARIANTS.iter().copied().find(|zone| zone.name().eq_ignore_ascii_case(name));
        name.parse()
            .ok()
            .or_else(any_case)
            .ok_or_else(|| Failure::invalid_value("parameter TIMEZONE", name, "give an IANA name such as Europe/Paris"))
    }
}

/// What semi-structured values may hold when they are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JsonWords {
    /// Also `undefined`, `NaN` and `Infinity`.
    #[default]
    All,
    /// What any reader of JSON takes; null stands for the others.
    Strict,
}

/// Spaces for each level of semi-structured values; none puts all on one line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JsonIndent(pub u8);

impl Default for JsonIndent {
    fn default() -> Self {
        Self(2)
    }
}

/// `nullable=false` asks for the word instead of JSON's null.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Nulls {
    #[default]
    Null,
    Word,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BinaryFormat {
    #[default]
    Hex,
    Base64,
    Utf8,
}

impl BinaryFormat {
    /// Of the parameter of this name.
    pub fn parse(parameter: &str, name: &str) -> Result<Self, Failure> {
        match name.trim().to_ascii_uppercase().as_str() {
            "HEX" => Ok(Self::Hex),
            "BASE64" => Ok(Self::Base64),
            "UTF8" | "UTF-8" => Ok(Self::Utf8),
            _ => Err(Failure::invalid_value(&format!("parameter {parameter}"), name, "give HEX, BASE64 or UTF8")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_zones_are_iana_names_in_any_case() {
        assert_eq!(CellFormats::parse_timezone("europe/paris"), Ok(Tz::Europe__Paris));
        assert_eq!(CellFormats::parse_timezone(" UTC "), Ok(Tz::UTC));
        assert!(CellFormats::parse_timezone("Mars/Olympus").is_err_and(|failure| failure.message.contains("TIMEZONE")));
    }

    #[test]
    fn binary_formats_are_three() {
        assert_eq!(BinaryFormat::parse("", "hex"), Ok(BinaryFormat::Hex));
        assert_eq!(BinaryFormat::parse("", "Base64"), Ok(BinaryFormat::Base64));
        assert_eq!(BinaryFormat::parse("", "utf-8"), Ok(BinaryFormat::Utf8));
        assert!(BinaryFormat::parse("", "octal").is_err());
    }
}
