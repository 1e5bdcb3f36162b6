//! Dates and times as people write them, in the one form the engine reads. Without a format the dialect
//! understands ISO dates with or without a time and an offset, `MM/DD/YYYY`, `DD-MON-YYYY`, and whole
//! numbers that count seconds (or, when large, smaller units) since 1970.

use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime};

struct Written {
    local: NaiveDateTime,
    offset_minutes: Option<i32>,
}

pub(super) fn date(text: &str) -> Result<String, String> {
    let written = read(text).ok_or_else(|| format!("firn:100040:Date '{}' is not recognized", bare(text)))?;
    Ok(written.local.format("%Y-%m-%d").to_string())
}

/// The local date and time as written, whatever the offset.
pub(super) fn timestamp(text: &str) -> Result<String, String> {
    let written = read(text).ok_or_else(|| unrecognized(text))?;
    Ok(written.local.format("%Y-%m-%d %H:%M:%S%.6f").to_string())
}

/// With its offset, if it is written with one.
pub(super) fn instant(text: &str) -> Result<String, String> {
    let written = read(text).ok_or_else(|| unrecognized(text))?;
    let local = written.local.format("%Y-%m-%d %H:%M:%S%.6f");
    Ok(match written.offset_minutes {
        Some(minutes) => {
            let sign = if minutes < 0 { '-' } else { '+' };
            format!("{local}{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
        }
        None => local.to_string(),
    })
}

pub(super) fn given_offset(text: &str) -> Option<String> {
    read(text)?.offset_minutes.map(|minutes| minutes.to_string())
}

fn unrecognized(text: &str) -> String {
    format!("firn:100035:Timestamp '{}' is not recognized", bare(text))
}

/// A semi-structured text comes with its quotes.
fn bare(text: &str) -> &str {
    text.trim().trim_matches('"').trim()
}

fn read(text: &str) -> Option<Written> {
    let text = bare(text);
    if text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()) {
        return read_epoch(text.parse().ok()?);
    }
    let (day, rest) = match text.find([' ', 'T']) {
        Some(place) => (&text[..place], text[place + 1..].trim()),
        None => (text, ""),
    };
    let day = read_day(day)?;
    if rest.is_empty() {
        return Some(Written { local: day.and_time(NaiveTime::MIN), offset_minutes: None });
    }
    let (time, zone) = match rest.find(['Z', '+', '-', ' ']) {
        Some(place) => (&rest[..place], rest[place..].trim()),
        None => (rest, ""),
    };
    let time =
        NaiveTime::parse_from_str(time, "%H:%M:%S%.f").or_else(|_| NaiveTime::parse_from_str(time, "%H:%M")).ok()?;
    let offset_minutes = if zone.is_empty() { None } else { Some(read_offset(zone)?) };
    Some(Written { local: day.and_time(time), offset_minutes })
}

fn read_epoch(amount: i64) -> Option<Written> {
    let microseconds = match amount.unsigned_abs() {
        0..31_536_000_000 => amount.checked_mul(1_000_000)?,
        31_536_000_000..31_536_000_000_000 => amount.checked_mul(1_000)?,
        31_536_000_000_000..31_536_000_000_000_000 => amount,
        _ => amount / 1_000,
    };
    let local = DateTime::from_timestamp_micros(microseconds)?.naive_utc();
    Some(Written { local, offset_minutes: Some(0) })
}

fn read_day(text: &str) -> Option<NaiveDate> {
    let form = if text.contains('/') {
        "%m/%d/%Y"
    } else if text.bytes().any(|byte| byte.is_ascii_alphabetic()) {
        "%d-%b-%Y"
    } else {
        "%Y-%m-%d"
    };
    NaiveDate::parse_from_str(text, form).ok()
}

/// `Z`, `+02`, `+0200` or `+02:00` in minutes.
fn read_offset(text: &str) -> Option<i32> {
    if text == "Z" {
        return Some(0);
    }
    let sign = match text.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits = text[1..].replace(':', "");
    let (hours, minutes) = match digits.len() {
        1 | 2 => (digits.parse::<i32>().ok()?, 0),
        4 => (digits[..2].parse().ok()?, digits[2..].parse::<i32>().ok()?),
        _ => return None,
    };
    (hours <= 14 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

#[cfg(test)]
mod tests {
    use super::{date, given_offset, instant, timestamp};

    #[test]
    fn written_instants_get_one_form() {
        for (text, expected) in [
            ("2020-01-02", "2020-01-02 00:00:00.000000"),
            ("2020-01-02 03:04", "2020-01-02 03:04:00.000000"),
            ("2020-01-02T03:04:05.6Z", "2020-01-02 03:04:05.600000+00:00"),
            ("2020-01-02 03:04:05 -0530", "2020-01-02 03:04:05.000000-05:30"),
            ("2020-01-02 03:04:05+02", "2020-01-02 03:04:05.000000+02:00"),
            ("5/6/2020", "2020-05-06 00:00:00.000000"),
            ("06-May-2020 10:00:00", "2020-05-06 10:00:00.000000"),
            ("1577836800", "2020-01-01 00:00:00.000000+00:00"),
            ("1577836800000", "2020-01-01 00:00:00.000000+00:00"),
            ("\"2020-01-02\"", "2020-01-02 00:00:00.000000"),
        ] {
            assert_eq!(instant(text).as_deref(), Ok(expected), "{text}");
        }
        assert_eq!(timestamp("2020-01-02 03:04:05 +02:00").as_deref(), Ok("2020-01-02 03:04:05.000000"));
        assert_eq!(date("2020-01-02 03:04:05").as_deref(), Ok("2020-01-02"));
        assert_eq!(given_offset("2020-01-02 03:04:05 -0130").as_deref(), Some("-90"));
        assert_eq!(given_offset("2020-01-02"), None);
    }

    #[test]
    fn what_is_no_instant_is_refused() {
        for text in [
            "",
            "x",
            "2020-13-01",
            "2020-01-02 25:00:00",
            "2020-01-02 03:04:05 Europe/Berlin",
            "2020-01-02 03:04:05+99",
        ] {
            assert!(instant(text).is_err(), "{text}");
        }
    }
}
