//! Results as Arrow IPC streams with the metadata that the drivers of the session protocol need: written from columns of
//! values, and read back as the contract's JSON rows. Streams of other writers are read by `foreign_reader.rs`.
//!
//! The crates of Arrow itself would take longer to compile than the engine's interface; of the format only uncompressed streams
//! of a dozen types are needed.

mod bitmap;
mod column;
mod field;
mod flat_table_reader;
mod flat_table_writer;
mod foreign_reader;
#[cfg(test)]
mod foreign_reader_test;
mod foreign_types;
mod json_cells;
mod json_rows;
mod message;
#[cfg(test)]
mod round_trip_test;
mod stream_reader;
mod stream_writer;
mod text_cells;
mod time_units;

pub use column::Column;
pub use field::{Field, Storage};
pub use foreign_reader::{ForeignBatch, ForeignColumn, ForeignReader};
pub use foreign_types::{ForeignField, ForeignType};
pub use json_rows::JsonRows;
pub use stream_writer::StreamWriter;
pub use text_cells::{NotOfType, append_text};
pub use time_units::{EpochParts, stored_zone, units};
