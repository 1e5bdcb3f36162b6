//! From chunks to a typed query: what is selected, on which conditions, grouped and ordered how.

mod aggregates;
mod answers;
mod comparisons;
mod context;
mod deadlines;
mod elapsed;
mod finish;
mod flags;
mod grouping;
mod lifetimes;
mod most_common;
mod negation;
mod numbers;
mod operator_phrases;
pub mod operators;
mod parser;
mod patterns;
mod periods;
mod quantifiers;
pub mod query;
mod ratios;
mod references;
mod rivals;
mod selection;
pub mod style;
mod style_judge;
mod superlatives;
mod time_phrases;
mod times;
mod units;
mod unknowns;
mod values;

pub use parser::{Background, Reading, read};
pub use periods::{Shown, range_condition, set_beside, stated_range};
pub use ratios::share_of;
pub use style_judge::style_score;
