//! Seeded mutation of known inputs: texts of the suites are changed at random and handed to a target, which must neither
//! panic nor overflow its stack nor hang. Runs on stable Rust, as an ordinary test.
//!
//! `FIRN_SEED` repeats a run, `FIRN_ROUNDS` sets how many inputs each target gets. An input that broke a target is kept as
//! a file in `regressions/TARGET/` and tried first ever after.

pub mod campaign;
pub mod corpus;
pub mod mutation;
