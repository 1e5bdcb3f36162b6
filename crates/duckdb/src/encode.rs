//! Cells straight from the engine's vectors: as JSON, written once and without an allocation per cell, or as text.

mod cell;
mod nested;
mod plain_text;

pub(crate) use cell::CellStyle;
pub(crate) use nested::text;
