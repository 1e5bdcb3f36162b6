//! Values that cannot be converted to the type that is wanted.

use firn_sql::Failure;

use super::arguments::dialect_types;
use super::numbers::{out_of_range, too_large, unrecognized};
use super::report::{Report, compilation};

pub(super) fn conversion(report: &Report) -> Option<Failure> {
    let message = report.message.as_str();
    if report.exception == "Out of Range" || message.contains(" is undefined outside ") {
        return Some(out_of_range(report));
    }
    if let Some(parts) = report.after("Date out of range: ") {
        return Some(Failure::new("100040", "22007", format!("Date '{parts}' is not recognized")));
    }
    if message.contains("could not convert blob to UTF8 string") {
        return Some(Failure::new("100144", "22000", "Invalid UTF8 detected in string"));
    }
    if let Some(rest) = report.after("Could not convert string ") {
        let (value, target) = rest.rsplit_once(" to ")?;
        return Some(unrecognized(value.trim_matches(['\'', '"']), target));
    }
    if let Some(value) = report.after("Failed to cast value to numerical: ") {
        return Some(unrecognized(value.trim_matches('"'), "INT64"));
    }
    if let Some(failure) = instant(report) {
        return Some(failure);
    }
    if let Some(failure) = too_large(message) {
        return Some(failure);
    }
    if message.contains("value is out of range for the destination type") || message.starts_with("Could not cast value")
    {
        return Some(out_of_range(report));
    }
    if let Some((_, target)) = message.split_once(" can't be cast to the destination type ") {
        return Some(not_of_type(target, "VARCHAR"));
    }
    if let Some(types) = report.after("Unimplemented type for cast (") {
        let (from, to) = types.strip_suffix(')').unwrap_or(types).split_once(" -> ")?;
        return Some(not_of_type(to, from));
    }
    if let Some(zone) = report.after("Unknown TimeZone '") {
        return Some(Failure::new(
            "100065",
            "22023",
            format!("Unknown timezone: '{}'", zone.split('\'').next().unwrap_or_default()),
        ));
    }
    if message.starts_with("Malformed JSON") {
        let input = message.split_once("Input: \"").map_or("", |(_, input)| input.trim_end_matches('"'));
        return Some(Failure::new("100069", "22P02", format!("Error parsing JSON: {input}")));
    }
    if message.starts_with("Invalid input for hex digit") {
        return Some(Failure::new("100115", "22000", "The following string is not a legal hex-encoded value"));
    }
    None
}

fn not_of_type(wanted: &str, given: &str) -> Failure {
    let (wanted, given) = (dialect_types(wanted), dialect_types(given));
    let text = format!("Expression type does not match column data type, expecting {wanted} but got {given}");
    compilation("002023", "22000", &text)
}

/// A text that is no date, time or timestamp.
fn instant(report: &Report) -> Option<Failure> {
    const COMPLAINTS: &[(&str, &str, &str)] = &[
        ("timestamp field", "100035", "Timestamp"),
        ("date field", "100040", "Date"),
        ("time field", "100108", "Time"),
    ];
    let message = report.message.strip_prefix("invalid ").unwrap_or(&report.message);
    let (_, code, kind) = COMPLAINTS.iter().find(|(start, ..)| message.starts_with(start))?;
    Some(Failure::new(code, "22007", format!("{kind} '{}' is not recognized", report.quoted('"')?)))
}
