//! Dates and times as people write them, in the one form the engine reads. Without a format the dialect
//! understands ISO dates with or without a time and an offset, `MM/DD/YYYY`, `DD-MON-YYYY`, and whole
//! numbers that count seconds (or, when large, smaller units) since 1970.

use std::sync::LazyLock;

use chrono::{DateTime, Datelike, NaiveDate, NaiveDateTime, NaiveTime, Timelike};
use firn_values::cells::moment::Moment;
use firn_values::formats::FormatModel;
use firn_values::inputs::DEFAULT_CENTURY_START;

use super::native::{Evaluated, Native};
use crate::definition::{Answer, Kind};
use Kind::Text;

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_canonical_date", &[Text], Text, |row| part(row.text(0), "date")),
    Native::new(c"firn_canonical_time", &[Text], Text, |row| part(row.text(0), "time")),
    Native::new(c"firn_canonical_timestamp", &[Text], Text, |row| part(row.text(0), "timestamp")),
    Native::new(c"firn_canonical_instant", &[Text], Text, |row| part(row.text(0), "instant")),
    Native::new(c"firn_given_offset", &[Text], Text, |row| part(row.text(0), "offset")),
];

/// Forms that are tried after the frequent ones.
static FURTHER_FORMS: LazyLock<Vec<FormatModel>> = LazyLock::new(|| {
    let models = [
        "YYYY-MM-DD HH24",
        "YYYY-MM-DD\"T\"HH24",
        "YYYY-MM-DD HH24:MI TZH:TZM",
        "YYYY-MM-DD\"T\"HH24:MITZH:TZM",
        "DY, DD MON YYYY HH24:MI:SS TZHTZM",
        "DY, DD MON YYYY HH24:MI:SS.FF TZHTZM",
        "DY, DD MON YYYY HH12:MI:SS AM TZHTZM",
        "DY, DD MON YYYY HH12:MI:SS AM",
        "DY, DD MON YYYY HH24:MI:SS",
        "DY MON DD HH24:MI:SS TZHTZM YYYY",
    ];
    models.iter().filter_map(|model| FormatModel::parse(model).ok()).collect()
});

struct Written {
    local: NaiveDateTime,
    offset_minutes: Option<i32>,
}

/// What a text is by itself, in the engine's form: its `date`, `time`, `timestamp` (the local date and time as
/// written), `instant` (with the offset, if it has one) or `offset` (in minutes, NULL if it has none).
pub(super) fn part(text: &str, part: &str) -> Evaluated {
    let read = if part == "time" { read_time(text) } else { read(text) };
    read.map(|written| written.part(part)).ok_or_else(|| match part {
        "date" => format!("firn:100040:Date '{}' is not recognized", bare(text)),
        "time" => format!("firn:100108:Time '{}' is not recognized", bare(text)),
        _ => format!("firn:100035:Timestamp '{}' is not recognized", bare(text)),
    })
}

pub(super) fn part_of(moment: &Moment, part: &str) -> Answer<'static> {
    Written::of(moment).map_or(Answer::Null, |written| written.part(part))
}

pub(super) fn read_moment(text: &str) -> Option<Moment> {
    let Written { local, offset_minutes } = read(text)?;
    let days = i64::from(local.date().num_days_from_ce()) - 719_163;
    let seconds = i64::from(local.time().num_seconds_from_midnight());
    Some(Moment {
        days,
        nanosecond_of_day: seconds * 1_000_000_000 + i64::from(local.time().nanosecond()),
        offset_minutes,
    })
}

impl Written {
    fn of(moment: &Moment) -> Option<Self> {
        let date = NaiveDate::from_num_days_from_ce_opt(i32::try_from(moment.days + 719_163).ok()?)?;
        let seconds = u32::try_from(moment.nanosecond_of_day / 1_000_000_000).ok()?;
        let time = NaiveTime::from_num_seconds_from_midnight_opt(seconds, moment.nanosecond())?;
        Some(Self { local: date.and_time(time), offset_minutes: moment.offset_minutes })
    }

    fn part(&self, part: &str) -> Answer<'static> {
        Answer::Text(match part {
            "date" => self.local.format("%Y-%m-%d").to_string(),
            "time" => self.local.format("%H:%M:%S%.6f").to_string(),
            "instant" => self.instant(),
            "offset" => return self.offset_minutes.map(|minutes| minutes.to_string()).into(),
            _ => self.local.format("%Y-%m-%d %H:%M:%S%.6f").to_string(),
        })
    }

    fn instant(&self) -> String {
        let local = self.local.format("%Y-%m-%d %H:%M:%S%.6f");
        match self.offset_minutes {
            Some(minutes) => {
                let sign = if minutes < 0 { '-' } else { '+' };
                format!("{local}{sign}{:02}:{:02}", minutes.abs() / 60, minutes.abs() % 60)
            }
            None => local.to_string(),
        }
    }
}

/// A semi-structured text comes with its quotes.
fn bare(text: &str) -> &str {
    text.trim().trim_matches('"').trim()
}

fn read(text: &str) -> Option<Written> {
    let text = bare(text);
    read_frequent(text).or_else(|| {
        let moment = FURTHER_FORMS.iter().find_map(|model| model.read(text, DEFAULT_CENTURY_START.into()))?;
        Written::of(&moment)
    })
}

/// A time of day, whose offset says nothing, or the time of a timestamp.
fn read_time(text: &str) -> Option<Written> {
    let text = bare(text);
    let midnight = NaiveDate::from_ymd_opt(1970, 1, 1)?;
    if let Some(time) = read_clock(text).or_else(|| read_clock_with_offset(text)) {
        return Some(Written { local: midnight.and_time(time), offset_minutes: None });
    }
    for form in ["%I:%M:%S%.f %p", "%I:%M %p", "%I:%M:%S%.f%p", "%I:%M%p"] {
        if let Ok(time) = NaiveTime::parse_from_str(text, form) {
            return Some(Written { local: midnight.and_time(time), offset_minutes: None });
        }
    }
    read(text)
}

fn read_clock(text: &str) -> Option<NaiveTime> {
    NaiveTime::parse_from_str(text, "%H:%M:%S%.f").or_else(|_| NaiveTime::parse_from_str(text, "%H:%M")).ok()
}

/// `20:57:01+07:00`.
fn read_clock_with_offset(text: &str) -> Option<NaiveTime> {
    let (time, zone) = text.split_at(text.find(['Z', '+', '-'])?);
    read_offset(zone)?;
    read_clock(time.trim_end())
}

fn read_frequent(text: &str) -> Option<Written> {
    if text.trim_start_matches('-').bytes().all(|byte| byte.is_ascii_digit()) {
        return read_epoch(text.parse().ok()?);
    }
    let (day, rest) = match text
        .find(' ')
        .or_else(|| text.find('T').filter(|place| *place > 0 && text.as_bytes()[place - 1].is_ascii_digit()))
    {
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
    let time = read_clock(time)?;
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
        "%d-%B-%Y"
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
    use super::{Answer, part};

    fn check(text: &str, wanted: &str, expected: Option<&str>) {
        let actual = match part(text, wanted) {
            Ok(Answer::Text(text)) => Some(text),
            _ => None,
        };
        assert_eq!(actual.as_deref(), expected, "{wanted} of {text}");
    }

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
            ("03-April-2013", "2013-04-03 00:00:00.000000"),
            ("1577836800", "2020-01-01 00:00:00.000000+00:00"),
            ("1577836800000", "2020-01-01 00:00:00.000000+00:00"),
            ("\"2020-01-02\"", "2020-01-02 00:00:00.000000"),
        ] {
            check(text, "instant", Some(expected));
        }
        check("2020-01-02 03:04:05 +02:00", "timestamp", Some("2020-01-02 03:04:05.000000"));
        check("2020-01-02 03:04:05", "date", Some("2020-01-02"));
        check("2020-01-02 03:04:05 -0130", "offset", Some("-90"));
        check("2020-01-02", "offset", None);
        check("2020-01-02 03", "timestamp", Some("2020-01-02 03:00:00.000000"));
        check("Thu, 21 Dec 2000 16:01:07 +0200", "instant", Some("2000-12-21 16:01:07.000000+02:00"));
        check("Mon Jul 08 18:09:51 +0000 2013", "instant", Some("2013-07-08 18:09:51.000000+00:00"));
        check("13:30", "time", Some("13:30:00.000000"));
        check("1:30 pm", "time", Some("13:30:00.000000"));
        check("20:57:01+07:00", "time", Some("20:57:01.000000"));
        check("20:57:01.5 -0700", "time", Some("20:57:01.500000"));
        check("20:57:01+99", "time", None);
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
            check(text, "instant", None);
        }
    }
}
