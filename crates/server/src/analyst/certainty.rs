//! How sure an answer is, and what is said where it is not.

/// From which confidence on a reading is answered, and from which on nothing is said of doubt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Thresholds {
    pub answered: f64,
    pub sure: f64,
}

impl Default for Thresholds {
    fn default() -> Self {
        Self { answered: 0.5, sure: 0.885 }
    }
}

/// What a confidence leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certainty {
    Sure,
    /// Answered, and the text says that it may be wrong.
    Doubtful,
    /// Not answered.
    TooLow,
}

impl Thresholds {
    pub fn of(self, confidence: f64) -> Certainty {
        match confidence {
            low if low < self.answered => Certainty::TooLow,
            doubtful if doubtful < self.sure => Certainty::Doubtful,
            _ => Certainty::Sure,
        }
    }
}

/// The sentences behind an interpretation that name what was not used and what else speaks against it; empty where
/// nothing does.
pub fn caveat(certainty: Certainty, unused: &[String], doubts: &[String]) -> String {
    let unused = (!unused.is_empty()).then(|| format!("I did not use {}.", listed(unused)));
    let mut reasons: Vec<String> = unused.into_iter().chain(doubts.iter().map(|doubt| sentence(doubt))).collect();
    if certainty == Certainty::Doubtful {
        if reasons.is_empty() {
            reasons.push("Another one may be meant.".to_owned());
        }
        reasons.insert(0, "I am not sure of this reading:".to_owned());
    }
    match reasons.is_empty() {
        true => String::new(),
        false => format!("\n\n{}", reasons.join(" ")),
    }
}

/// A confidence as it is reported: a few digits say all there is to say.
pub fn rounded(confidence: f64) -> f64 {
    (confidence.clamp(0.0, 1.0) * 1000.0).round() / 1000.0
}

fn sentence(text: &str) -> String {
    let text = text.trim();
    if text.ends_with(['.', '!', '?']) { text.to_owned() } else { format!("{text}.") }
}

/// `‘a’`, `‘a’ and ‘b’`, `‘a’, ‘b’ and ‘c’`.
fn listed(words: &[String]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("‘{word}’")).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_confidence_is_sure_doubtful_or_too_low() {
        let thresholds = Thresholds::default();
        let cases =
            [(1.0, Certainty::Sure), (0.885, Certainty::Sure), (0.88, Certainty::Doubtful), (0.5, Certainty::Doubtful)];
        for (confidence, expected) in cases {
            assert_eq!(thresholds.of(confidence), expected, "{confidence}");
        }
        assert_eq!(thresholds.of(0.49), Certainty::TooLow);
    }

    #[test]
    fn what_was_not_used_is_named() {
        let words = |texts: &[&str]| texts.iter().map(ToString::to_string).collect::<Vec<_>>();
        let check = |certainty, unused: &[&str], doubts: &[&str], expected: &str| {
            assert_eq!(caveat(certainty, &words(unused), &words(doubts)), expected);
        };
        check(Certainty::Sure, &[], &[], "");
        check(Certainty::Sure, &["dollars"], &[], "\n\nI did not use ‘dollars’.");
        check(Certainty::Doubtful, &[], &[], "\n\nI am not sure of this reading: Another one may be meant.");
        check(
            Certainty::Doubtful,
            &["strongest", "big", "dollars"],
            &["Amount may also be the fee"],
            "\n\nI am not sure of this reading: I did not use ‘strongest’, ‘big’ and ‘dollars’. Amount may also be the fee.",
        );
    }

    #[test]
    fn a_confidence_is_reported_in_a_few_digits() {
        assert_eq!([rounded(0.899_999_97), rounded(1.2), rounded(0.0)], [0.9, 1.0, 0.0]);
    }
}
