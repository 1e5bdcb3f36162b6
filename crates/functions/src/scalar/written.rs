//! How the dialect writes a value of a type as text, made from how the engine writes it.

use std::fmt::Write;

use super::native::Native;
use crate::definition::Kind;
use Kind::Text;

pub(super) const FUNCTIONS: &[Native] =
    &[Native::new(c"firn_written", &[Text, Text], Text, |row| Ok(as_type(row.text(0), row.text(1)).into()))];

/// `engine_text` is the engine's text of a value of `engine_type`.
pub(super) fn as_type(engine_type: &str, engine_text: &str) -> Option<String> {
    Some(match engine_type {
        "DOUBLE" | "FLOAT" => float(engine_text),
        "BLOB" => hexadecimal(engine_text),
        "TIMESTAMP" => with_milliseconds(engine_text),
        "TIMESTAMP WITH TIME ZONE" => with_zone(engine_text),
        _ => engine_text.to_owned(),
    })
}

fn float(text: &str) -> String {
    match text {
        "nan" | "-nan" => "NaN".to_owned(),
        "inf" | "-inf" => text.to_owned(),
        _ => text.strip_suffix(".0").unwrap_or(text).to_owned(),
    }
}

fn hexadecimal(text: &str) -> String {
    let mut out = String::with_capacity(text.len() * 2);
    for byte in bytes(text) {
        // Writing to a text cannot fail.
        let _ = write!(out, "{byte:02X}");
    }
    out
}

/// The bytes of the engine's text of them, which writes those that are no printable ASCII as `\xAB`.
pub(super) fn bytes(text: &str) -> Vec<u8> {
    let mut rest = text.as_bytes();
    let mut out = Vec::with_capacity(rest.len());
    while let Some((byte, after)) = rest.split_first() {
        rest = after;
        if *byte == b'\\' && after.len() >= 3 {
            let digits = std::str::from_utf8(&after[1..3]).unwrap_or_default();
            out.push(u8::from_str_radix(digits, 16).unwrap_or_default());
            rest = &after[3..];
        } else {
            out.push(*byte);
        }
    }
    out
}

fn with_milliseconds(text: &str) -> String {
    match text.split_once('.') {
        Some((seconds, fraction)) => format!("{seconds}.{fraction:0<3.3}"),
        None if text.contains(':') => format!("{text}.000"),
        None => text.to_owned(),
    }
}

/// `2020-01-02 03:04:05.6+05:30` becomes `2020-01-02 03:04:05.600 +0530`.
fn with_zone(text: &str) -> String {
    let Some(sign) = text.rfind(['+', '-']).filter(|place| *place > 10) else { return text.to_owned() };
    let (local, zone) = text.split_at(sign);
    let (hours, minutes) = zone[1..].split_once(':').unwrap_or((&zone[1..], "00"));
    let zone =
        if hours == "00" && minutes == "00" { "Z".to_owned() } else { format!("{}{hours}{minutes}", &zone[..1]) };
    format!("{} {zone}", with_milliseconds(local))
}

#[cfg(test)]
mod tests {
    use super::as_type;

    #[test]
    fn values_are_written_as_the_dialect_does() {
        for (engine_type, engine_text, expected) in [
            ("DOUBLE", "1.0", Some("1")),
            ("DOUBLE", "1.5", Some("1.5")),
            ("BLOB", r"a\xABz", Some("61AB7A")),
            ("TIMESTAMP", "2020-01-02 03:04:05", Some("2020-01-02 03:04:05.000")),
            ("TIMESTAMP", "2020-01-02 03:04:05.123456", Some("2020-01-02 03:04:05.123")),
            ("TIMESTAMP WITH TIME ZONE", "2020-01-02 03:04:05+00", Some("2020-01-02 03:04:05.000 Z")),
            ("TIMESTAMP WITH TIME ZONE", "2020-01-02 03:04:05.6-05:30", Some("2020-01-02 03:04:05.600 -0530")),
        ] {
            assert_eq!(as_type(engine_type, engine_text).as_deref(), expected, "{engine_text}");
        }
    }
}
