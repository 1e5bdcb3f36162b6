//! What came of a set of questions: as text for people, as JSON, and as JUnit's XML for a build server.

use std::time::Duration;

use firn_server::analyst::same_rows::Verdict;
use serde_json::{Value, json};

/// One question and what came of it.
pub struct Answered {
    pub question: String,
    pub outcome: Outcome,
    /// Why it is no strict success, in words; empty where it is one.
    pub reason: String,
    pub sql: Option<String>,
    /// What the answer itself thinks of its SQL; absent without SQL.
    pub confidence: Option<f64>,
    pub time: Duration,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Outcome {
    Compared(Verdict),
    Suggestions,
    /// The question could not be asked, or its SQL not be run.
    Failed,
    /// The SQL that the set of questions expects cannot be run.
    Unanswerable,
}

impl Outcome {
    pub fn word(self) -> &'static str {
        match self {
            Self::Compared(Verdict::Same) => "strict",
            Self::Compared(Verdict::SameWithMore) => "relaxed",
            Self::Compared(Verdict::Different) => "wrong",
            Self::Suggestions => "suggestions",
            Self::Failed => "failed",
            Self::Unanswerable => "expected SQL fails",
        }
    }

    pub fn is_error(self) -> bool {
        matches!(self, Self::Failed | Self::Unanswerable)
    }

    pub fn is_strict(self) -> bool {
        self == Self::Compared(Verdict::Same)
    }
}

/// Percent of the questions that were answered strictly right.
pub fn strict_percent(answered: &[Answered]) -> f64 {
    percent(answered.iter().filter(|one| one.outcome.is_strict()).count(), answered.len())
}

fn percent(count: usize, all: usize) -> f64 {
    count as f64 * 100.0 / all.max(1) as f64
}

pub fn text(answered: &[Answered]) -> String {
    let count = |wanted: &dyn Fn(Outcome) -> bool| answered.iter().filter(|one| wanted(one.outcome)).count();
    let line = |name: &str, count: usize| format!("{name:<12} {count:>6}  {:>5.1} %\n", percent(count, answered.len()));
    let relaxed = |outcome| matches!(outcome, Outcome::Compared(Verdict::Same | Verdict::SameWithMore));
    let mut text = format!("{:<12} {:>6}\n", "questions", answered.len());
    text.push_str(&line("strict", count(&Outcome::is_strict)));
    text.push_str(&line("relaxed", count(&relaxed)));
    text.push_str(&line("suggestions", count(&|outcome| outcome == Outcome::Suggestions)));
    text.push_str(&line("failed", count(&Outcome::is_error)));
    let mut times: Vec<Duration> = answered.iter().map(|one| one.time).collect();
    times.sort_unstable();
    if let Some(median) = times.get(times.len() / 2) {
        text.push_str(&format!("{:<12} {:>6.1}  ms per question\n", "median", median.as_secs_f64() * 1_000.0));
    }
    text
}

/// How many answers were given, how many of them right, and how many were wrong though they were sure.
pub fn confidence(answered: &[Answered], sure: f64) -> String {
    let given: Vec<&Answered> = answered.iter().filter(|one| one.sql.is_some()).collect();
    let is_sure = |one: &&&Answered| one.confidence.is_some_and(|confidence| confidence >= sure);
    let surely: Vec<&&Answered> = given.iter().filter(is_sure).collect();
    let right = given.iter().filter(|one| one.outcome.is_strict()).count();
    let wrong_and_sure = surely.iter().filter(|one| !one.outcome.is_strict()).count();
    let line =
        |name: &str, count: usize, all: usize| format!("{name:<14} {count:>6}  {:>5.1} %\n", percent(count, all));
    let mut text = line("answered", given.len(), answered.len());
    text.push_str(&line("right", right, given.len()));
    text.push_str(&line("sure", surely.len(), answered.len()));
    text.push_str(&line("sure and right", surely.len() - wrong_and_sure, surely.len()));
    text.push_str(&line("wrong and sure", wrong_and_sure, answered.len()));
    text
}

pub fn json(answered: &[Answered]) -> Value {
    let question = |one: &Answered| {
        json!({"question": one.question, "outcome": one.outcome.word(), "reason": one.reason, "sql": one.sql,
            "confidence": one.confidence, "milliseconds": one.time.as_secs_f64() * 1_000.0})
    };
    let count = |word: &str| answered.iter().filter(|one| one.outcome.word() == word).count();
    json!({
        "questions": answered.len(),
        "strict": count("strict"),
        "relaxed": count("strict") + count("relaxed"),
        "suggestions": count("suggestions"),
        "failed": count("failed"),
        "strict_percent": strict_percent(answered),
        "answers": answered.iter().map(question).collect::<Vec<_>>(),
    })
}

pub fn junit(answered: &[Answered]) -> String {
    let failures = answered.iter().filter(|one| !one.outcome.is_strict() && !one.outcome.is_error()).count();
    let errors = answered.iter().filter(|one| one.outcome.is_error()).count();
    let seconds: f64 = answered.iter().map(|one| one.time.as_secs_f64()).sum();
    let mut xml = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"firn eval\" tests=\"{}\" \
         failures=\"{failures}\" errors=\"{errors}\" time=\"{seconds:.3}\">\n",
        answered.len()
    );
    for one in answered {
        let (name, time) = (escaped(&one.question), one.time.as_secs_f64());
        xml.push_str(&format!("<testcase classname=\"questions\" name=\"{name}\" time=\"{time:.3}\""));
        if one.outcome.is_strict() {
            xml.push_str("/>\n");
            continue;
        }
        let element = if one.outcome.is_error() { "error" } else { "failure" };
        let summary = escaped(one.reason.lines().next().unwrap_or_default());
        let (word, whole) = (one.outcome.word(), escaped(&one.reason));
        xml.push_str(&format!("><{element} type=\"{word}\" message=\"{summary}\">{whole}</{element}></testcase>\n"));
    }
    xml.push_str("</testsuite>\n</testsuites>\n");
    xml
}

/// Text as XML takes it; characters that XML does not have are left out.
fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' | '\t' => escaped.push(character),
            other if other.is_control() => {}
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered() -> Vec<Answered> {
        let one = |question: &str, outcome: Outcome, reason: &str, confidence: Option<f64>| Answered {
            question: question.to_owned(),
            outcome,
            reason: reason.to_owned(),
            sql: confidence.map(|_| "select 1".to_owned()),
            confidence,
            time: Duration::from_millis(10),
        };
        vec![
            one("How many?", Outcome::Compared(Verdict::Same), "", Some(0.9)),
            one("Which \"x\" < y?", Outcome::Compared(Verdict::Different), "1 row expected,\n2 found", Some(0.95)),
            one("Where?", Outcome::Compared(Verdict::Different), "other rows", Some(0.6)),
            one("Why?", Outcome::Suggestions, "not answered", None),
            one("When?", Outcome::Failed, "no server", None),
        ]
    }

    #[test]
    fn a_build_server_reads_the_outcome() {
        let xml = junit(&answered());
        assert!(xml.contains("tests=\"5\" failures=\"3\" errors=\"1\" time=\"0.050\""), "{xml}");
        assert!(xml.contains("<testcase classname=\"questions\" name=\"How many?\" time=\"0.010\"/>"), "{xml}");
        let expected = "name=\"Which &quot;x&quot; &lt; y?\" time=\"0.010\"><failure type=\"wrong\" message=\"1 row \
                        expected,\">1 row expected,\n2 found</failure></testcase>";
        assert!(xml.contains(expected), "{xml}");
        assert!(xml.contains("<error type=\"failed\" message=\"no server\">"), "{xml}");
    }

    #[test]
    fn programs_read_the_outcome() {
        let json = json(&answered());
        assert_eq!(
            (&json["questions"], &json["strict"], &json["strict_percent"]),
            (&json!(5), &json!(1), &json!(20.0))
        );
        assert_eq!(json["answers"][1]["outcome"], "wrong");
        assert_eq!(json["answers"][3]["confidence"], Value::Null);
    }

    #[test]
    fn sure_answers_are_counted_apart() {
        let expected = "answered            3   60.0 %\nright               1   33.3 %\nsure                2   40.0 %\n\
                        sure and right      1   50.0 %\nwrong and sure      1   20.0 %\n";
        assert_eq!(confidence(&answered(), 0.8), expected);
    }
}
