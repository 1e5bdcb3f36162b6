//! File formats: their options by name, with the dialect's defaults. An option that is unknown, or known
//! and not offered, is refused by name.

mod encodings;
mod options;
mod properties;

pub use encodings::Encoding;
pub use properties::{FormatProperty, described};

use crate::Failure;
use crate::command::{Property, PropertyValue};
use options::Options;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileFormat {
    Csv(CsvFormat),
    Json(JsonFormat),
    Parquet(ParquetFormat),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormatType {
    Csv,
    Json,
    Parquet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// By the file's name.
    Auto,
    None,
    Gzip,
    Zstd,
    Bzip2,
    /// With the frame of zlib.
    Deflate,
    RawDeflate,
    /// Inside Parquet files only.
    Snappy,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvFormat {
    pub compression: Compression,
    pub record_delimiter: RecordDelimiter,
    /// `None`: the whole line is one field.
    pub field_delimiter: Option<String>,
    pub file_extension: Option<String>,
    pub parse_header: bool,
    pub skip_header: u64,
    pub skip_blank_lines: bool,
    /// `None` is AUTO.
    pub date_format: Option<String>,
    pub time_format: Option<String>,
    pub timestamp_format: Option<String>,
    pub binary_format: BinaryText,
    pub escape: Option<char>,
    pub escape_unenclosed: Option<char>,
    pub trim_space: bool,
    pub enclosed_by: Option<char>,
    pub null_if: Vec<String>,
    pub error_on_column_count_mismatch: bool,
    pub replace_invalid_characters: bool,
    pub empty_field_as_null: bool,
    pub skip_byte_order_mark: bool,
    pub encoding: Encoding,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RecordDelimiter {
    /// `\n`, `\r\n` or `\r`, whichever comes.
    NewLine,
    Text(String),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BinaryText {
    Hex,
    Base64,
    Utf8,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonFormat {
    pub compression: Compression,
    pub file_extension: Option<String>,
    pub date_format: Option<String>,
    pub time_format: Option<String>,
    pub timestamp_format: Option<String>,
    pub binary_format: BinaryText,
    pub trim_space: bool,
    pub null_if: Vec<String>,
    pub strip_outer_array: bool,
    pub strip_null_values: bool,
    pub replace_invalid_characters: bool,
    pub skip_byte_order_mark: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParquetFormat {
    pub compression: Compression,
    pub binary_as_text: bool,
    pub null_if: Vec<String>,
    /// The texts of Parquet files are UTF-8, and one that is not is an error in either case.
    pub replace_invalid_characters: bool,
}

impl FileFormat {
    /// The format that options describe; without TYPE it is CSV.
    pub fn of(given: &[Property]) -> Result<Self, Failure> {
        let mut options = Options::new(given)?;
        let format = match type_of(given)? {
            FormatType::Csv => Self::Csv(csv(&mut options)?),
            FormatType::Json => Self::Json(json(&mut options)?),
            FormatType::Parquet => Self::Parquet(parquet(&mut options)?),
        };
        options.finish()?;
        Ok(format)
    }

    pub fn format_type(&self) -> FormatType {
        match self {
            Self::Csv(_) => FormatType::Csv,
            Self::Json(_) => FormatType::Json,
            Self::Parquet(_) => FormatType::Parquet,
        }
    }

    pub fn compression(&self) -> Compression {
        match self {
            Self::Csv(csv) => csv.compression,
            Self::Json(json) => json.compression,
            Self::Parquet(parquet) => parquet.compression,
        }
    }
}

impl FormatType {
    pub fn name(self) -> &'static str {
        match self {
            Self::Csv => "CSV",
            Self::Json => "JSON",
            Self::Parquet => "PARQUET",
        }
    }
}

/// The type named among options. Types that are known and not offered are refused by name.
pub fn type_of(given: &[Property]) -> Result<FormatType, Failure> {
    let named = given.iter().find(|property| property.name == "TYPE");
    let Some(Property { value: PropertyValue::Text(name), .. }) = named else { return Ok(FormatType::Csv) };
    match name.to_ascii_uppercase().as_str() {
        "CSV" => Ok(FormatType::Csv),
        "JSON" => Ok(FormatType::Json),
        "PARQUET" => Ok(FormatType::Parquet),
        known @ ("AVRO" | "ORC" | "XML" | "CUSTOM") => {
            Err(Failure::unsupported(&format!("FILE_FORMAT TYPE = {known}")))
        }
        _ => Err(Failure::invalid_value("TYPE", name, "CSV, JSON and PARQUET are offered")),
    }
}

fn csv(options: &mut Options<'_>) -> Result<CsvFormat, Failure> {
    let format = CsvFormat {
        compression: options.compression(&[Compression::Snappy])?,
        record_delimiter: options.record_delimiter()?,
        field_delimiter: options.delimiter("FIELD_DELIMITER", ",")?,
        file_extension: options.text("FILE_EXTENSION")?,
        parse_header: options.flag("PARSE_HEADER", false)?,
        skip_header: options.count("SKIP_HEADER")?,
        skip_blank_lines: options.flag("SKIP_BLANK_LINES", false)?,
        date_format: options.model("DATE_FORMAT")?,
        time_format: options.model("TIME_FORMAT")?,
        timestamp_format: options.model("TIMESTAMP_FORMAT")?,
        binary_format: options.binary_format()?,
        escape: options.character("ESCAPE", None)?,
        escape_unenclosed: options.character("ESCAPE_UNENCLOSED_FIELD", Some('\\'))?,
        trim_space: options.flag("TRIM_SPACE", false)?,
        enclosed_by: options.quote()?,
        null_if: options.texts("NULL_IF", &["\\N"])?,
        error_on_column_count_mismatch: options.flag("ERROR_ON_COLUMN_COUNT_MISMATCH", true)?,
        replace_invalid_characters: options.flag("REPLACE_INVALID_CHARACTERS", false)?,
        empty_field_as_null: options.flag("EMPTY_FIELD_AS_NULL", true)?,
        skip_byte_order_mark: options.flag("SKIP_BYTE_ORDER_MARK", true)?,
        encoding: options.encoding()?,
    };
    options.only("MULTI_LINE", true)?;
    options.only("VALIDATE_UTF8", true)?;
    if format.parse_header && format.skip_header > 0 {
        return Err(Failure::invalid_value("SKIP_HEADER", "", "PARSE_HEADER = TRUE reads the first line itself"));
    }
    Ok(format)
}

fn json(options: &mut Options<'_>) -> Result<JsonFormat, Failure> {
    let format = JsonFormat {
        compression: options.compression(&[Compression::Snappy])?,
        file_extension: options.text("FILE_EXTENSION")?,
        date_format: options.model("DATE_FORMAT")?,
        time_format: options.model("TIME_FORMAT")?,
        timestamp_format: options.model("TIMESTAMP_FORMAT")?,
        binary_format: options.binary_format()?,
        trim_space: options.flag("TRIM_SPACE", false)?,
        null_if: options.texts("NULL_IF", &[])?,
        strip_outer_array: options.flag("STRIP_OUTER_ARRAY", false)?,
        strip_null_values: options.flag("STRIP_NULL_VALUES", false)?,
        replace_invalid_characters: options.flag("REPLACE_INVALID_CHARACTERS", false)?
            || options.flag("IGNORE_UTF8_ERRORS", false)?,
        skip_byte_order_mark: options.flag("SKIP_BYTE_ORDER_MARK", true)?,
    };
    options.only("MULTI_LINE", true)?;
    options.only("ENABLE_OCTAL", false)?;
    options.only("ALLOW_DUPLICATE", false)?;
    Ok(format)
}

fn parquet(options: &mut Options<'_>) -> Result<ParquetFormat, Failure> {
    let snappy = options.flag("SNAPPY_COMPRESSION", true)?;
    let refused = [Compression::Bzip2, Compression::Deflate, Compression::RawDeflate];
    let compression = match options.compression(&refused)? {
        Compression::Auto if !snappy => Compression::None,
        Compression::Auto => Compression::Snappy,
        chosen => chosen,
    };
    let format = ParquetFormat {
        compression,
        binary_as_text: options.flag("BINARY_AS_TEXT", true)?,
        null_if: options.texts("NULL_IF", &[])?,
        replace_invalid_characters: options.flag("REPLACE_INVALID_CHARACTERS", false)?,
    };
    options.only("TRIM_SPACE", false)?;
    options.flag("USE_LOGICAL_TYPE", true)?;
    options.flag("USE_VECTORIZED_SCANNER", true)?;
    Ok(format)
}

#[cfg(test)]
mod tests;
