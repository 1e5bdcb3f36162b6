//! The engine's errors about numbers that do not fit their type or do not parse.

use firn_sql::Failure;

use super::report::{Report, without_paths};

/// A number that is out of range of its type, which the engine reports in several ways.
pub(super) fn too_large(message: &str) -> Option<Failure> {
    let (value, target) = if let Some(rest) = message.strip_prefix("Casting value \"") {
        rest.split_once("\" to type ").map(|(value, rest)| (value, rest.split(" failed").next().unwrap_or_default()))?
    } else if let Some(rest) = message.strip_prefix("Failed to cast decimal value ") {
        rest.split_once(" to type ")?
    } else if let Some(rest) = message.strip_prefix("Could not cast value ") {
        rest.split_once(" to ")?
    } else {
        return None;
    };
    let target = target.split_inclusive(')').next().unwrap_or(target);
    Some(unrepresentable(target, value))
}

/// `FIXED[SB2](3,1){nullable}`: with the bytes a number of that many digits takes.
fn unrepresentable(engine_type: &str, value: &str) -> Failure {
    let digits = engine_type.strip_prefix("DECIMAL(").and_then(|digits| digits.strip_suffix(')'));
    let Some((precision, scale)) = digits.and_then(|digits| digits.split_once(',')) else {
        return Failure::new(
            "100046",
            "22003",
            format!(
                "Number out of representable range: type FIXED[SB8](38,0){{nullable}}, value {value}; an INTEGER column holds 64 bits, declare it NUMBER(38,0)"
            ),
        );
    };
    let bytes = match precision.parse::<u8>().unwrap_or(38) {
        0..=2 => 1,
        3..=4 => 2,
        5..=9 => 4,
        10..=18 => 8,
        _ => 16,
    };
    Failure::new(
        "100046",
        "22003",
        format!(
            "Number out of representable range: type FIXED[SB{bytes}]({precision},{scale}){{nullable}}, value {value}"
        ),
    )
}

pub(super) fn out_of_range(report: &Report) -> Failure {
    let message = report.message.as_str();
    if message.starts_with("Overflow") && message.contains("INT64") {
        return Failure::new(
            "100046",
            "22003",
            "Number out of representable range: integers are computed in 64 bits; cast an operand to NUMBER(38,0)",
        );
    }
    if message.starts_with("Overflow") || report.exception == "Conversion" || message.contains("DECIMAL") {
        return Failure::new("100046", "22003", "Number out of representable range: type FIXED[SB16](38,0){nullable}");
    }
    let first = message.lines().next().unwrap_or_default();
    Failure::new("100046", "22003", format!("Invalid argument: {}", without_paths(first)))
}

pub(super) fn unrecognized(value: &str, target: &str) -> Failure {
    let is_number = value.trim().parse::<f64>().is_ok_and(f64::is_finite);
    match target.trim_matches('"') {
        "BOOL" => Failure::new("100037", "22018", format!("Boolean value '{value}' is not recognized")),
        "DATE" => Failure::new("100040", "22007", format!("Date '{value}' is not recognized")),
        _ if is_number => Failure::new("100039", "22003", format!("Numeric value '{value}' is out of range")),
        _ => Failure::new("100038", "22018", format!("Numeric value '{value}' is not recognized")),
    }
}
