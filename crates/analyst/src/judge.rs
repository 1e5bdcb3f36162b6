//! One judge for all readings of a question: a weighted sum of named features, whose softmax over the readings is a
//! probability. The weights are fitted (`bench/analyst`) on lists of readings with whole databases held out.

mod agreement;
mod ambiguity;
mod aspects;
mod confidence;
mod cues;
mod expectations;
mod features;
mod locality;
mod relations;
mod rivals;
mod roles;
#[cfg(test)]
mod tests;

use std::sync::LazyLock;

pub use agreement::Preferred;
pub use aspects::{ASPECTS, Aspects};
pub use confidence::confidence;
pub use cues::Cues;
pub use expectations::Expectations;
pub use features::{FEATURES, Feature, Features, features};
pub use rivals::compare_readings;

/// `name weight`, one a line, as the fit writes them.
const WEIGHTS: &str = include_str!("judge/weights.txt");

/// How good a reading is compared with other readings of the same question.
#[must_use]
pub fn score(features: &Features) -> f32 {
    static TABLE: LazyLock<Vec<f32>> = LazyLock::new(|| weights(WEIGHTS));
    features.values.iter().zip(TABLE.iter()).map(|(value, weight)| value * weight).sum()
}

/// The weights in the order of the features; what the table does not name has none.
#[must_use]
pub fn weights(table: &str) -> Vec<f32> {
    let weight_of = |name: &str| {
        let line = table.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.and_then(|weight| weight.trim().parse::<f32>().ok()).unwrap_or_default()
    };
    FEATURES.iter().map(|name| weight_of(name)).collect()
}
