//! Values straight from the engine's vectors: as cells of JSON, written once and without an allocation per cell, as text, or as
//! columns of Arrow.

pub(crate) mod arrow;
mod cell;
mod nested;
mod plain_text;

pub(crate) use cell::CellStyle;
pub(crate) use nested::text;
