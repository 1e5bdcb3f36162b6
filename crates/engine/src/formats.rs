//! How cells are written: the contract's epoch encodings, or the text formats a request asked for.

use std::sync::Arc;

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

/// A parsed format such as `YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM`; parsed once, applied per cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatModel {}
