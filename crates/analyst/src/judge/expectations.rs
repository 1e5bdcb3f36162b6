//! Which look of a query the words of a question let expect: for each aspect a probability of each of its values, by a
//! softmax over the weights of the question's cues. It is fitted on reference queries (`bench/analyst`).

use std::collections::HashMap;
use std::sync::LazyLock;

use super::aspects::{ASPECTS, Aspects};
use super::cues::Cues;
use super::features::{Feature, Features};

/// `=`, an aspect and its values, separated by tabs; below that cues with a weight in hundredths for each value.
const WEIGHTS: &str = include_str!("expectations.txt");
/// Less probable values count as this.
const LOG_PROBABILITY_MIN: f32 = -6.0;
const WHOLE: f32 = 100.0;
const FEATURES: [Feature; ASPECTS.len()] = [
    Feature::ExpectedShown,
    Feature::ExpectedPlain,
    Feature::ExpectedMeasures,
    Feature::ExpectedGroups,
    Feature::ExpectedOrder,
    Feature::ExpectedConditions,
    Feature::ExpectedJoins,
    Feature::ExpectedKinds,
    Feature::ExpectedRepeats,
    Feature::ExpectedSets,
];

/// The weights of one aspect. The last value stands for all that have no name.
struct Weights<'a> {
    aspect: &'a str,
    values: Vec<&'a str>,
    of_cue: HashMap<&'a str, Vec<f32>>,
}

/// The log probabilities of the values of each aspect for one question.
#[derive(Debug)]
pub struct Expectations {
    aspects: Vec<Vec<(&'static str, f32)>>,
}

impl Expectations {
    #[must_use]
    pub fn of(cues: &Cues) -> Self {
        static TABLE: LazyLock<Vec<Weights<'static>>> = LazyLock::new(|| read(WEIGHTS));
        let expected = |aspect: &&str| {
            let weights = TABLE.iter().find(|weights| weights.aspect == *aspect);
            weights.map(|weights| expected(weights, cues)).unwrap_or_default()
        };
        Self { aspects: ASPECTS.iter().map(expected).collect() }
    }

    /// Says for each aspect of a reading how well it was to be expected.
    pub fn judge(&self, aspects: &Aspects, features: &mut Features) {
        for ((expected, value), feature) in self.aspects.iter().zip(&aspects.values).zip(FEATURES) {
            let own = expected.iter().find(|(known, _)| known == value).or(expected.last());
            features.set(feature, own.map_or(0.0, |(_, log)| log.max(LOG_PROBABILITY_MIN)));
        }
    }
}

fn expected(weights: &Weights<'static>, cues: &Cues) -> Vec<(&'static str, f32)> {
    let mut sums = vec![0.0; weights.values.len()];
    for own in cues.names.iter().filter_map(|cue| weights.of_cue.get(cue.as_str())) {
        for (sum, weight) in sums.iter_mut().zip(own) {
            *sum += weight;
        }
    }
    let highest = sums.iter().copied().fold(f32::MIN, f32::max);
    let total: f32 = sums.iter().map(|sum| (sum - highest).exp()).sum();
    let log_total = highest + total.ln();
    weights.values.iter().copied().zip(sums.into_iter().map(|sum| sum - log_total)).collect()
}

fn read(text: &str) -> Vec<Weights<'_>> {
    let mut found: Vec<Weights<'_>> = Vec::new();
    for line in text.lines() {
        let mut parts = line.split('\t');
        let Some(name) = parts.next() else { continue };
        if name == "=" {
            let aspect = parts.next().unwrap_or_default();
            found.push(Weights { aspect, values: parts.collect(), of_cue: HashMap::new() });
        } else if let Some(weights) = found.last_mut() {
            let hundredths = parts.map(|part| part.parse::<f32>().unwrap_or_default() / WHOLE);
            weights.of_cue.insert(name, hundredths.collect());
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{expected, read};
    use crate::judge::Cues;

    const TABLE: &str =
        "=\tshown\t1\t2\tother\nany\t100\t0\t-100\n, and\t-200\t200\t0\n=\torder\tnone\tother\nany\t50\t0\n";

    fn most(cues: &[&str]) -> &'static str {
        let table = read(TABLE);
        let cues = Cues::named(cues);
        let found = expected(&table[0], &cues);
        let total: f32 = found.iter().map(|(_, log)| log.exp()).sum();
        assert!((total - 1.0).abs() < 1e-5, "{total}");
        found.into_iter().max_by(|left, right| left.1.total_cmp(&right.1)).map_or("", |(value, _)| value)
    }

    #[test]
    fn cues_make_a_value_more_probable() {
        assert_eq!(most(&["any"]), "1");
        assert_eq!(most(&["any", ", and", "unknown"]), "2");
    }

    #[test]
    fn a_table_holds_several_aspects() {
        let table = read(TABLE);
        assert_eq!(table.iter().map(|weights| weights.aspect).collect::<Vec<_>>(), ["shown", "order"]);
        assert_eq!(table[1].values, ["none", "other"]);
    }
}
