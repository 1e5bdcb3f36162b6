//! The probability that the first reading of a question is right: a logistic regression over the features of that reading
//! and how far it leads the others, fitted on databases held out whole.

use std::sync::LazyLock;

use super::{FEATURES, Features};

/// `name weight`, one a line, as the fit writes them.
const WEIGHTS: &str = include_str!("confidence.txt");
/// Probabilities nearer to 0 or 1 count as this near.
const PROBABILITY_MIN: f64 = 0.0001;

struct Table {
    bias: f64,
    features: Vec<f64>,
    probability: f64,
    odds: f64,
    margin: f64,
    entropy: f64,
    score: f64,
    readings: f64,
}

impl Table {
    fn read(text: &str) -> Self {
        let of = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            line.and_then(|weight| weight.trim().parse::<f64>().ok()).unwrap_or_default()
        };
        Self {
            bias: of("bias"),
            features: FEATURES.iter().map(|name| of(name)).collect(),
            probability: of("j_probability"),
            odds: of("j_odds"),
            margin: of("j_margin"),
            entropy: of("j_entropy"),
            score: of("j_score"),
            readings: of("j_readings"),
        }
    }
}

/// The probability that the first reading is right; `scores` are the judge's of all readings, that of the first one first.
/// Where another reading has a higher score, the first one is the less probable.
#[must_use]
pub fn confidence(first: &Features, scores: &[f32]) -> f32 {
    static TABLE: LazyLock<Table> = LazyLock::new(|| Table::read(WEIGHTS));
    let table = &*TABLE;
    let best = f64::from(scores.first().copied().unwrap_or_default());
    let highest = f64::from(scores.iter().copied().fold(f32::MIN, f32::max));
    let weights: Vec<f64> = scores.iter().map(|score| (f64::from(*score) - highest).exp()).collect();
    let sum: f64 = weights.iter().sum();
    let probabilities: Vec<f64> = weights.iter().map(|weight| weight / sum.max(f64::MIN_POSITIVE)).collect();
    let probability = probabilities.first().copied().unwrap_or(1.0);
    let bounded = probability.clamp(PROBABILITY_MIN, 1.0 - PROBABILITY_MIN);
    let rival = probabilities.iter().skip(1).copied().fold(f64::NAN, f64::max);
    let margin = if rival.is_nan() { 0.0 } else { probability - rival };
    let entropy: f64 = -probabilities.iter().filter(|one| **one > 0.0).map(|one| one * one.ln()).sum::<f64>();
    let of_features: f64 =
        first.values.iter().zip(&table.features).map(|(value, weight)| f64::from(*value) * weight).sum();
    let sum = table.bias
        + of_features
        + table.probability * probability
        + table.odds * (bounded / (1.0 - bounded)).ln()
        + table.margin * margin
        + table.entropy * entropy
        + table.score * best
        + table.readings * (scores.len().max(1) as f64).ln();
    (1.0 / (1.0 + (-sum).exp())) as f32
}

#[cfg(test)]
mod tests {
    use super::confidence;
    use crate::judge::{FEATURES, Features};

    #[test]
    fn a_lead_over_other_readings_makes_an_answer_more_probable() {
        let plain = Features { values: vec![0.0; FEATURES.len()] };
        let leading = confidence(&plain, &[2.0, -3.0, -3.0]);
        let tied = confidence(&plain, &[2.0, 2.0, 2.0]);
        let behind = confidence(&plain, &[2.0, 5.0, 5.0]);
        assert!(leading > tied && tied > behind, "{leading} {tied} {behind}");
    }
}
