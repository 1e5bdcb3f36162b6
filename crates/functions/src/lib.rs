//! Scalar and aggregate functions as plain Rust over columns of values. An engine registers them under their names; nothing
//! here knows how.

pub mod aggregates;
pub mod columns;
pub mod definition;
pub mod fraction_texts;
pub mod geospatial;
pub mod plain_instants;
pub mod quotients;
pub mod remainders;
pub mod scalar;
pub mod variant;
pub mod zoned_timestamps;
