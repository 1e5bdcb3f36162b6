//! Reading a date or time by a format model: the other direction of `FormatModel::write`.

use super::FormatModel;
use super::model::{Element, MONTHS, WEEKDAYS};
use crate::cells::moment::Moment;
use crate::inputs::DEFAULT_CENTURY_START;

const NANOSECONDS_PER_SECOND: i64 = 1_000_000_000;

impl FormatModel {
    /// The moment that `text` is by this model; parts the model does not have are those of 1970-01-01 00:00, and
    /// years of two digits are of the hundred years from `century_start` on.
    pub fn read(&self, text: &str, century_start: i64) -> Option<Moment> {
        let mut parts = Parts { century_start, ..Parts::default() };
        let mut rest = text.trim();
        for (place, element) in self.elements.iter().enumerate() {
            let before_digits = self.elements.get(place + 1).is_some_and(Element::begins_with_digits);
            rest = parts.take(element, rest, before_digits)?;
        }
        if rest.is_empty() { parts.moment() } else { None }
    }
}

impl Element {
    fn begins_with_digits(&self) -> bool {
        matches!(
            self,
            Self::Year
                | Self::YearOfCentury
                | Self::Month
                | Self::Day
                | Self::Hour24
                | Self::Hour12
                | Self::Minute
                | Self::Second
                | Self::Fraction(_)
        )
    }
}

struct Parts {
    century_start: i64,
    year: i64,
    month: i64,
    day: i64,
    hour: i64,
    hour_of_half: Option<i64>,
    afternoon: bool,
    minute: i64,
    second: i64,
    nanosecond: i64,
    offset_minutes: Option<i32>,
}

impl Default for Parts {
    fn default() -> Self {
        Self {
            century_start: i64::from(DEFAULT_CENTURY_START),
            year: 1970,
            month: 1,
            day: 1,
            hour: 0,
            hour_of_half: None,
            afternoon: false,
            minute: 0,
            second: 0,
            nanosecond: 0,
            offset_minutes: None,
        }
    }
}

impl Parts {
    /// Reads one element from the start of `text` and returns what follows it. An element that is followed by
    /// digits takes as many digits as it is wide, no fewer.
    fn take<'text>(&mut self, element: &Element, text: &'text str, before_digits: bool) -> Option<&'text str> {
        let number = |width: usize| digits(text, if before_digits { width } else { 1 }, width);
        Some(match element {
            Element::Literal(literal) => strip_literal(text, literal)?,
            Element::Year => store(&mut self.year, number(4))?,
            Element::YearOfCentury => {
                let (year, rest) = number(2)?;
                self.year = self.century_start + (year - self.century_start).rem_euclid(100);
                rest
            }
            Element::Month => store(&mut self.month, number(2))?,
            Element::MonthAbbreviated | Element::MonthInFull => {
                let (month, rest) = named(text, &MONTHS)?;
                self.month = month as i64 + 1;
                rest
            }
            Element::Day => store(&mut self.day, number(2))?,
            Element::WeekdayAbbreviated => named(text, &WEEKDAYS)?.1,
            Element::Hour24 => store(&mut self.hour, number(2))?,
            Element::Hour12 => {
                let (hour, rest) = number(2)?;
                self.hour_of_half = Some(hour).filter(|hour| (1..=12).contains(hour));
                self.hour_of_half.map(|_| rest)?
            }
            Element::HalfOfDay => {
                let (half, rest) = named(text, &["AM", "PM"])?;
                self.afternoon = half == 1;
                rest
            }
            Element::Minute => store(&mut self.minute, number(2))?,
            Element::Second => store(&mut self.second, number(2))?,
            Element::Fraction(width) => {
                let (fraction, rest) = digits(text, 0, *width)?;
                let read = text.len() - rest.len();
                self.nanosecond = fraction * 10_i64.pow(9_u32.saturating_sub(read as u32));
                rest
            }
            Element::OffsetHours | Element::OffsetPlain | Element::OffsetWithColon => {
                self.take_offset(element, text)?
            }
            Element::OffsetMinutes => {
                let (minutes, rest) = digits(text, 2, 2)?;
                let hours = self.offset_minutes.unwrap_or(0);
                self.offset_minutes = Some(if hours < 0 { hours - minutes as i32 } else { hours + minutes as i32 });
                rest
            }
        })
    }

    fn take_offset<'text>(&mut self, element: &Element, text: &'text str) -> Option<&'text str> {
        if let Some(rest) = text.strip_prefix(['Z', 'z']) {
            self.offset_minutes = Some(0);
            return Some(rest);
        }
        let sign = match text.as_bytes().first()? {
            b'+' => 1,
            b'-' => -1,
            _ => return None,
        };
        let (hours, mut rest) = digits(&text[1..], 1, 2)?;
        let mut minutes = 0;
        if *element != Element::OffsetHours {
            let after_colon = rest.strip_prefix(':').unwrap_or(rest);
            if let Some((value, after)) = digits(after_colon, 2, 2) {
                (minutes, rest) = (value, after);
            }
        }
        self.offset_minutes = Some(sign * (hours * 60 + minutes) as i32).filter(|offset| offset.abs() <= 14 * 60);
        self.offset_minutes.map(|_| rest)
    }

    fn moment(&self) -> Option<Moment> {
        let hour = match self.hour_of_half {
            Some(hour) => hour % 12 + if self.afternoon { 12 } else { 0 },
            None => self.hour,
        };
        if hour > 23 || self.minute > 59 || self.second > 59 {
            return None;
        }
        let date = chrono::NaiveDate::from_ymd_opt(self.year as i32, self.month as u32, self.day as u32)?;
        let days = i64::from(date.to_epoch_days());
        let second_of_day = hour * 3600 + self.minute * 60 + self.second;
        let nanosecond_of_day = second_of_day * NANOSECONDS_PER_SECOND + self.nanosecond;
        Some(Moment { days, nanosecond_of_day, offset_minutes: self.offset_minutes })
    }
}

fn store<'text>(slot: &mut i64, read: Option<(i64, &'text str)>) -> Option<&'text str> {
    let (value, rest) = read?;
    *slot = value;
    Some(rest)
}

/// Between `min` and `max` digits and what follows them.
fn digits(text: &str, min: usize, max: usize) -> Option<(i64, &str)> {
    let count = text.bytes().take(max).take_while(u8::is_ascii_digit).count();
    if count < min {
        return None;
    }
    let value = if count == 0 { 0 } else { text[..count].parse().ok()? };
    Some((value, &text[count..]))
}

/// Which of the names, in full or by its first three letters, the text begins with.
fn named<'text>(text: &'text str, names: &[&str]) -> Option<(usize, &'text str)> {
    let begins_with = |name: &str| text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    let whole = names.iter().position(|name| begins_with(name)).map(|place| (place, names[place].len()));
    let (place, length) = whole.or_else(|| {
        let short = names.iter().position(|name| name.len() > 3 && begins_with(&name[..3]))?;
        Some((short, 3))
    })?;
    Some((place, &text[length..]))
}

/// Blanks in a model stand for one or more in the text.
fn strip_literal<'text>(text: &'text str, literal: &str) -> Option<&'text str> {
    let mut rest = text;
    for character in literal.chars() {
        if character == ' ' {
            rest = rest.strip_prefix(' ')?.trim_start_matches(' ');
        } else {
            let first = rest.chars().next()?;
            if !first.eq_ignore_ascii_case(&character) {
                return None;
            }
            rest = &rest[first.len_utf8()..];
        }
    }
    Some(rest)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    #[test]
    fn what_a_model_writes_it_reads() {
        let shown = FormatModel::parse("YYYY-MM-DD HH24:MI:SS.FF9 TZH:TZM").unwrap();
        for (model, text, expected) in [
            ("YYYY-MM-DD", "2024-05-09", Some("2024-05-09 00:00:00.000000000 Z")),
            ("MM/DD/YYYY", "5/9/2024", Some("2024-05-09 00:00:00.000000000 Z")),
            ("YYYYMMDD", "20240509", Some("2024-05-09 00:00:00.000000000 Z")),
            ("DD-MON-YYYY", "09-may-2024", Some("2024-05-09 00:00:00.000000000 Z")),
            ("MMMM DD, YYYY", "September 09, 2024", Some("2024-09-09 00:00:00.000000000 Z")),
            ("DY DD MON YY", "Thu 09 May 24", Some("2024-05-09 00:00:00.000000000 Z")),
            ("YY", "70", Some("1970-01-01 00:00:00.000000000 Z")),
            ("HH12:MI:SS AM", "12:30:00 am", Some("1970-01-01 00:30:00.000000000 Z")),
            ("HH12:MI PM", "1:30 PM", Some("1970-01-01 13:30:00.000000000 Z")),
            ("YYYY-MM-DD\"T\"HH24:MI:SS.FF", "2024-05-09T23:59:59.5", Some("2024-05-09 23:59:59.500000000 Z")),
            ("YYYY-MM-DD HH24:MI:SS TZHTZM", "2024-05-09 01:02:03 -0530", Some("2024-05-09 01:02:03.000000000 -05:30")),
            ("YYYY-MM-DD HH24 TZH:TZM", "2024-05-09 01 +03:00", Some("2024-05-09 01:00:00.000000000 +03:00")),
            ("YYYY-MM-DD", "2024-13-09", None),
            ("YYYY-MM-DD", "2024-05-09 10", None),
            ("YYYYMMDD", "2024509", None),
            ("HH12", "13", None),
        ] {
            let read = FormatModel::parse(model).unwrap().read(text, 1970).map(|moment| shown.text_of(&moment));
            assert_eq!(read.as_deref(), expected, "{text} by {model}");
        }
    }
}
