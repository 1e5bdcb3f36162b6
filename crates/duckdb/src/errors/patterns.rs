//! The engine's errors about regular expressions.

use firn_sql::Failure;

use super::report::Report;

pub(super) fn pattern(report: &Report) -> Option<Failure> {
    const BEGINNINGS: [&str; 11] = [
        "missing ",
        "unexpected )",
        "invalid escape sequence",
        "invalid character class",
        "invalid perl operator",
        "no argument for repetition operator",
        "bad repetition operator",
        "trailing \\",
        "invalid repetition size",
        "invalid named capture group",
        "pattern too large",
    ];
    let message = &report.message;
    BEGINNINGS
        .iter()
        .any(|start| message.starts_with(start))
        .then(|| Failure::new("100048", "22023", format!("Invalid regular expression: {message}")))
}
