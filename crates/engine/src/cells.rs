//! Writers of single values into a byte buffer. Nothing here allocates per value or goes through
//! `std::fmt`; everything here knows the wire and nothing of an engine.

pub(crate) mod binary;
pub(crate) mod digits;
pub(crate) mod json_layout;
pub(crate) mod json_text;
pub(crate) mod moment;
pub(crate) mod numbers;
