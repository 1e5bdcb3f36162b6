//! Dates and timestamps in the form that nearly all files have them in, read without any look at formats:
//! `2020-01-31` and `2020-01-31 23:59:59`. What is written in another way answers NULL.

use chrono::{Datelike, NaiveDate};

use crate::columns::{Column, Values};
use crate::definition::{Answer, Definition, Kind};

pub static FUNCTIONS: [Definition; 2] = [
    Definition::new(c"firn_plain_date", &[Kind::Text], Kind::Date, date),
    Definition::new(c"firn_plain_timestamp", &[Kind::Text], Kind::Timestamp, timestamp),
];

/// 1970-01-01, counted from the first day of the first year.
const EPOCH_DAY: i32 = 719_163;

const DATE_LENGTH: usize = 10;
const TIMESTAMP_LENGTH: usize = 19;

fn date(columns: &[Column<'_>], row: usize) -> Result<Answer<'static>, String> {
    let days = text(columns, row).filter(|text| text.len() == DATE_LENGTH).and_then(days);
    Ok(days.map_or(Answer::Null, Answer::Date))
}

fn timestamp(columns: &[Column<'_>], row: usize) -> Result<Answer<'static>, String> {
    Ok(text(columns, row).and_then(microseconds).map_or(Answer::Null, Answer::Timestamp))
}

fn text<'row>(columns: &'row [Column<'row>], row: usize) -> Option<&'row [u8]> {
    match &columns[0].values {
        Values::Text(texts) if !columns[0].is_null(row) => Some(texts[row].get()),
        _ => None,
    }
}

/// Days since the epoch of the date that a text begins with.
fn days(text: &[u8]) -> Option<i32> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, ..] = *text else { return None };
    let year = number(y1, y2)? * 100 + number(y3, y4)?;
    let date = NaiveDate::from_ymd_opt(i32::from(year), u32::from(number(m1, m2)?), u32::from(number(d1, d2)?))?;
    // The dialect has no year 0.
    (year > 0).then(|| date.num_days_from_ce() - EPOCH_DAY)
}

fn microseconds(text: &[u8]) -> Option<i64> {
    if text.len() != TIMESTAMP_LENGTH {
        return None;
    }
    let days = days(text)?;
    let [b' ', h1, h2, b':', m1, m2, b':', s1, s2] = text[DATE_LENGTH..] else { return None };
    let (hour, minute, second) = (number(h1, h2)?, number(m1, m2)?, number(s1, s2)?);
    let is_time = hour < 24 && minute < 60 && second < 60;
    let seconds = (i64::from(hour) * 60 + i64::from(minute)) * 60 + i64::from(second);
    is_time.then(|| (i64::from(days) * 86_400 + seconds) * 1_000_000)
}

fn number(tens: u8, ones: u8) -> Option<u16> {
    let both = tens.is_ascii_digit() && ones.is_ascii_digit();
    both.then(|| u16::from(tens - b'0') * 10 + u16::from(ones - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_forms_are_read_and_no_others() {
        assert_eq!(days(b"1970-01-01"), Some(0));
        assert_eq!(days(b"2024-02-29"), Some(19_782));
        assert_eq!(days(b"1969-12-31"), Some(-1));
        for other in
            ["2023-02-29", "2020-13-01", "2020-00-01", "0000-01-01", "2020/01/01", "20-01-2020", "2020-1-001", ""]
        {
            assert_eq!(days(other.as_bytes()), None, "{other}");
        }
        assert_eq!(microseconds(b"1970-01-02 00:00:01"), Some(86_401_000_000));
        assert_eq!(microseconds(b"1969-12-31 23:59:59"), Some(-1_000_000));
        for other in
            ["2020-01-01 24:00:00", "2020-01-01 00:60:00", "2020-01-01T00:00:00", "2020-01-01 00:00:00.1", "2020-01-01"]
        {
            assert_eq!(microseconds(other.as_bytes()), None, "{other}");
        }
    }
}
