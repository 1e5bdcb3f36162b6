//! Turns a question in plain English and a semantic model into SQL, or into what could be asked instead.
//!
//! The crate is pure: it reads no file, asks no engine and knows no HTTP. What it must know of the data it asks of the
//! caller through a trait.

pub mod evidence;
pub mod onboarding;
pub mod semantic_model;
pub mod verified_queries;
