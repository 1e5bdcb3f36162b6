//! Aggregates of our own. A state may be merged with a later one, so an engine may compute pieces of a window or a group
//! apart.

pub mod changes;
pub mod distinct_counts;
pub mod vector_sums;

use std::ffi::CStr;

use crate::columns::Column;
use crate::definition::{Answer, Kind};

pub trait Aggregate: Clone + Default {
    const NAME: &'static CStr;
    const PARAMETERS: &'static [Kind];
    const RETURNS: Kind;

    /// Adds one row, also a NULL.
    fn add(&mut self, columns: &[Column<'_>], row: usize) -> Result<(), String>;

    /// Merges the state of later rows.
    fn merge(&mut self, later: &Self) -> Result<(), String>;

    fn answer(&self) -> Answer<'static>;
}
