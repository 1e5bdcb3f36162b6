//! Two readers of one question: where the language model's SQL and the interpreter's return the same rows, both are most
//! likely right; where they differ, the answer is doubtful.

use super::Question;
use crate::analyst::certainty::caveat;
use crate::analyst::interpret::Interpreted;
use crate::analyst::same_rows::{Order, Verdict, compare};

/// How probable the language model's answer is when nothing stands beside it; measured with a small model, like the share
/// where both returned the same rows. Where they did not, nothing was measured.
pub const ALONE: f64 = 0.62;
const AGREED: f64 = 0.94;
const DISAGREED: f64 = 0.5;
/// Results with more rows are compared by their first ones.
const ROWS_MAX: u64 = 1_000;

/// The answer to give. One that both readers give is written in the interpreter's words, whose SQL is known to be what they
/// say.
pub fn judged(question: &Question<'_>, builtin: Interpreted, proposed: Interpreted) -> Interpreted {
    let said = match (&builtin.sql, &proposed.sql) {
        (Some(own), Some(other)) => is_same(question, own, other),
        _ => None,
    };
    match said {
        Some(true) => {
            let confidence = builtin.confidence.max(AGREED);
            let text = without_caveat(&builtin.text).to_owned();
            Interpreted { text, confidence, model_names: proposed.model_names, unused: Vec::new(), ..builtin }
        }
        Some(false) => {
            let doubt = format!("The built-in interpreter reads the question otherwise: {}", restated(&builtin.text));
            with_doubt(question, Interpreted { confidence: DISAGREED, ..proposed }, &[doubt])
        }
        None => with_doubt(question, proposed, &[]),
    }
}

fn with_doubt(question: &Question<'_>, answer: Interpreted, doubts: &[String]) -> Interpreted {
    let certainty = question.thresholds.of(answer.confidence);
    let text = format!("{}{}", answer.text, caveat(certainty, &answer.unused, doubts));
    Interpreted { text, ..answer }
}

/// Whether both queries return the same rows; nothing where one of them cannot be run.
pub fn is_same(question: &Question<'_>, own: &str, other: &str) -> Option<bool> {
    let mut reader = question.evidence.reader.borrow_mut();
    let own = reader.rows(own, ROWS_MAX).ok()?;
    let other = reader.rows(other, ROWS_MAX).ok()?;
    let verdicts = [compare(&own, &other, Order::Any), compare(&other, &own, Order::Any)];
    Some(verdicts.iter().any(|verdict| *verdict != Verdict::Different))
}

/// The sentence of an interpretation, without what goes before and behind it.
fn restated(text: &str) -> &str {
    text.split("\n\n").nth(1).unwrap_or(text)
}

/// The opening and the sentence, without the doubts behind them.
fn without_caveat(text: &str) -> &str {
    match text.match_indices("\n\n").nth(1) {
        Some((end, _)) => &text[..end],
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interpretation_is_taken_apart() {
        let text = "This is our interpretation of your question:\n\nShow it.\n\nI am not sure of this reading: No.";
        assert_eq!(restated(text), "Show it.");
        assert_eq!(without_caveat(text), "This is our interpretation of your question:\n\nShow it.");
        assert_eq!(without_caveat("Show it."), "Show it.");
    }
}
