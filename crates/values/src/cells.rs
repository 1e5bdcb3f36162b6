//! Writers of single values into a byte buffer. Nothing here allocates per value or goes through
//! `std::fmt`; it depends on the wire format and on no engine.

pub mod binary;
pub mod digits;
pub mod json_layout;
pub mod json_text;
pub mod moment;
pub mod numbers;
pub mod shown;
