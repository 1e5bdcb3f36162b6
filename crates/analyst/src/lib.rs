//! Turns a question in plain English and a semantic model into SQL, or into what could be asked instead.
//!
//! The crate is pure: it reads no file, asks no engine and knows no HTTP. What it must know of the data it asks of the
//! caller through a trait.

pub mod accounting;
pub mod asked_words;
pub mod chart;
pub mod conversation;
pub mod evidence;
pub mod frame;
pub mod instructions;
pub mod interpretation;
pub mod interpreter;
pub mod join_ways;
pub mod judge;
pub mod lattice;
pub mod lexicon;
pub mod links;
pub mod measures;
pub mod onboarding;
pub mod past_queries;
pub mod question;
pub mod read_back;
pub mod restatement;
pub mod semantic_model;
pub mod semantic_view;
pub mod sql_generation;
pub mod suggestions;
pub mod verified_queries;
