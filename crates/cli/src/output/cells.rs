//! Cells of a result as people write them.

use std::borrow::Cow;

use chrono::{DateTime, Offset, TimeDelta, TimeZone};
use chrono_tz::Tz;
use firn_values::cells::shown::CellKind;

/// A cell of the wire; `kind` is the type of its column there, `zone` the session's. What is not of the wire's own form, as in
/// a session with formats of its own, stays as it is.
pub fn text<'a>(cell: &'a str, kind: &str, zone: Tz) -> Cow<'a, str> {
    match kind {
        "date" | "time" | "timestamp_ntz" | "timestamp_tz" => Cow::Owned(shown(cell, kind)),
        "timestamp_ltz" => match instant(cell) {
            Some(instant) => Cow::Owned(local(&zone.from_utc_datetime(&instant.naive_utc()))),
            None => Cow::Borrowed(cell),
        },
        _ => Cow::Borrowed(cell),
    }
}

/// A cell whose column says all there is to know of its zone.
pub fn shown(cell: &str, kind: &str) -> String {
    let mut text = Vec::with_capacity(cell.len() + 16);
    CellKind::of_wire_type(kind).write_shown(cell, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn local<Z: TimeZone>(instant: &DateTime<Z>) -> String {
    let text = instant.naive_local().format("%Y-%m-%d %H:%M:%S%.9f").to_string();
    format!("{} {}", text.trim_end_matches('0').trim_end_matches('.'), instant.offset().fix())
}

/// `1719842400.500000000` seconds since the epoch, or `-0.500000000` before it.
fn instant(cell: &str) -> Option<DateTime<chrono::Utc>> {
    let (sign, digits) = cell.strip_prefix('-').map_or((1, cell), |digits| (-1, digits));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let nanos: i64 = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    let since = TimeDelta::try_seconds(sign * whole.parse::<i64>().ok()?)? + TimeDelta::nanoseconds(sign * nanos);
    DateTime::UNIX_EPOCH.checked_add_signed(since)
}

/// The text without characters that would steer a terminal or break a line.
pub fn on_one_line(text: &str) -> Cow<'_, str> {
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '\n' => line.push_str("\\n"),
            '\r' => line.push_str("\\r"),
            '\t' => line.push_str("\\t"),
            steering if steers(steering) => line.push_str(&format!("\\u{{{:x}}}", u32::from(steering))),
            other => line.push(other),
        }
    }
    Cow::Owned(line)
}

/// The text without characters that would steer a terminal; its lines and tabs stay.
pub fn without_steering(text: &str) -> Cow<'_, str> {
    let steers = |character: char| steers(character) && !matches!(character, '\n' | '\t');
    if !text.chars().any(steers) {
        return Cow::Borrowed(text);
    }
    let shown = |character: char| match steers(character) {
        true => format!("\\u{{{:x}}}", u32::from(character)),
        false => character.to_string(),
    };
    Cow::Owned(text.chars().map(shown).collect())
}

/// Control characters, and those that change the direction of what follows.
pub fn steers(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{2028}' | '\u{2029}')
}

/// Whether cells of this type are JSON.
pub fn is_semi_structured(kind: &str) -> bool {
    matches!(kind, "variant" | "object" | "array" | "map" | "vector" | "geography" | "geometry")
}

/// JSON without the spaces between its tokens. Numbers keep all their digits.
pub fn compact_json(value: &str) -> String {
    let (mut compact, mut is_in_text, mut is_escaped) = (String::with_capacity(value.len()), false, false);
    for character in value.chars() {
        if is_in_text || !character.is_ascii_whitespace() {
            compact.push(character);
        }
        if character == '"' && !is_escaped {
            is_in_text = !is_in_text;
        }
        is_escaped = is_in_text && character == '\\' && !is_escaped;
    }
    compact
}

/// Whether columns of this type are read from the right.
pub fn is_numeric(kind: &str) -> bool {
    matches!(kind, "fixed" | "real" | "decfloat")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_are_shown_in_their_zone() {
        let check = |kind: &str, cell: &str, expected: &str| {
            assert_eq!(text(cell, kind, chrono_tz::Europe::Oslo), expected, "{kind} {cell}");
        };
        check("timestamp_tz", "1704412800.000000000 1560", "2024-01-05 02:00:00 +02:00");
        check("timestamp_tz", "1704412800.500000000 1110", "2024-01-04 18:30:00.5 -05:30");
        check("timestamp_ltz", "1704412800.000000000", "2024-01-05 01:00:00 +01:00");
        check("timestamp_ltz", "-0.500000000", "1970-01-01 00:59:59.5 +01:00");
        check("timestamp_ntz", "-7200.500000000", "1969-12-31 21:59:59.5");
        check("timestamp_ntz", "1704412800.000000000", "2024-01-05 00:00:00");
        check("date", "19727", "2024-01-05");
        check("timestamp_tz", "05.01.2024", "05.01.2024");
        check("text", "19727", "19727");
    }

    #[test]
    fn json_is_compact() {
        assert_eq!(compact_json("{\n  \"a b\": [ 1.50, \"c \\\" d\" ]\n}"), "{\"a b\":[1.50,\"c \\\" d\"]}");
        assert_eq!(compact_json("\"a \\\\\" "), "\"a \\\\\"");
    }

    #[test]
    fn nothing_steers_the_terminal() {
        assert_eq!(on_one_line("plain ü"), "plain ü");
        assert_eq!(on_one_line("a\nb\tc\u{1b}[31m"), "a\\nb\\tc\\u{1b}[31m");
        assert_eq!(on_one_line("\u{202e}x"), "\\u{202e}x");
        assert_eq!(without_steering("a\n\tb\u{9b}\u{7}"), "a\n\tb\\u{9b}\\u{7}");
    }
}
