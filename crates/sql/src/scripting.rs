//! Texts inside of blocks, as statements: checked before the block runs, and parsed with the values of its variables.

mod check;
pub mod substitution;

pub use check::check;
