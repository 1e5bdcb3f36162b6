//! Format models such as `YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM`: parsed once, applied per cell.

use firn_sql::Failure;

use crate::cells::digits::{write_fraction, write_padded, write_two_digits};
use crate::cells::json_text::write_escaped;
use crate::cells::moment::Moment;

const MODEL_CHARACTERS_MAX: usize = 256;

/// A parsed format. Letters that are no element stand for themselves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatModel {
    text: String,
    pub(super) elements: Vec<Element>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Element {
    Literal(String),
    Year,
    YearOfCentury,
    Month,
    MonthAbbreviated,
    MonthInFull,
    Day,
    WeekdayAbbreviated,
    Hour24,
    Hour12,
    HalfOfDay,
    Minute,
    Second,
    Fraction(usize),
    OffsetHours,
    OffsetMinutes,
    OffsetPlain,
    OffsetWithColon,
}

/// In order of recognition: what begins like another but is longer comes first.
const ELEMENTS: [(&str, Element); 32] = [
    ("YYYY", Element::Year),
    ("UUUU", Element::Year),
    ("YY", Element::YearOfCentury),
    ("MMMM", Element::MonthInFull),
    ("MON", Element::MonthAbbreviated),
    ("MM", Element::Month),
    ("MI", Element::Minute),
    ("DD", Element::Day),
    ("DY", Element::WeekdayAbbreviated),
    ("HH24", Element::Hour24),
    ("HH12", Element::Hour12),
    ("HH", Element::Hour24),
    ("AM", Element::HalfOfDay),
    ("PM", Element::HalfOfDay),
    ("SS", Element::Second),
    ("FF0", Element::Fraction(0)),
    ("FF1", Element::Fraction(1)),
    ("FF2", Element::Fraction(2)),
    ("FF3", Element::Fraction(3)),
    ("FF4", Element::Fraction(4)),
    ("FF5", Element::Fraction(5)),
    ("FF6", Element::Fraction(6)),
    ("FF7", Element::Fraction(7)),
    ("FF8", Element::Fraction(8)),
    ("FF9", Element::Fraction(9)),
    ("FF", Element::Fraction(9)),
    ("TZHTZM", Element::OffsetPlain),
    ("TZH:TZM", Element::OffsetWithColon),
    ("TZISO", Element::OffsetWithColon),
    ("TZH", Element::OffsetHours),
    ("TZM", Element::OffsetMinutes),
    ("TZD", Element::OffsetPlain),
];

pub(super) const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
pub(super) const WEEKDAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

impl FormatModel {
    pub fn parse(text: &str) -> Result<Self, Failure> {
        if text.chars().count() > MODEL_CHARACTERS_MAX {
            return Err(refused(text, "it is too long"));
        }
        let mut elements = Vec::new();
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            if let Some(quoted) = rest.strip_prefix('"') {
                let (literal, after) = quoted.split_once('"').ok_or_else(|| refused(text, "close the double quote"))?;
                push_literal(&mut elements, literal);
                rest = after;
            } else if let Some((name, element)) = ELEMENTS.iter().find(|(name, _)| starts_with(rest, name)) {
                elements.push(element.clone());
                rest = &rest[name.len()..];
            } else {
                push_literal(&mut elements, &rest[..character.len_utf8()]);
                rest = &rest[character.len_utf8()..];
            }
        }
        if elements.iter().all(|element| matches!(element, Element::Literal(_))) {
            return Err(refused(text, "it names no part of a date or time; give a model such as YYYY-MM-DD"));
        }
        Ok(Self { text: text.to_owned(), elements })
    }

    /// The model as it was given.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Appends the moment's text, escaped for a JSON string.
    pub fn write(&self, moment: &Moment, out: &mut Vec<u8>) {
        self.write_with(moment, write_escaped, out);
    }

    /// The moment's text.
    pub fn text_of(&self, moment: &Moment) -> String {
        let mut out = Vec::new();
        self.write_with(moment, |text, out| out.extend_from_slice(text), &mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    fn write_with(&self, moment: &Moment, write_literal: impl Fn(&[u8], &mut Vec<u8>), out: &mut Vec<u8>) {
        let date = moment.civil_date();
        let second_of_day = moment.second_of_day();
        let hour = second_of_day / 3600;
        for element in &self.elements {
            match element {
                Element::Literal(text) => write_literal(text.as_bytes(), out),
                Element::Year => date.write_year(out),
                Element::YearOfCentury => write_two_digits(date.year.rem_euclid(100) as u32, out),
                Element::Month => write_two_digits(date.month, out),
                Element::MonthAbbreviated => out.extend_from_slice(&MONTHS[date.month as usize - 1].as_bytes()[..3]),
                Element::MonthInFull => out.extend_from_slice(MONTHS[date.month as usize - 1].as_bytes()),
                Element::Day => write_two_digits(date.day, out),
                Element::WeekdayAbbreviated => out.extend_from_slice(WEEKDAYS[moment.weekday()].as_bytes()),
                Element::Hour24 => write_two_digits(hour, out),
                Element::Hour12 => write_two_digits((hour + 11) % 12 + 1, out),
                Element::HalfOfDay => out.extend_from_slice(if hour < 12 { b"AM" } else { b"PM" }),
                Element::Minute => write_two_digits(second_of_day / 60 % 60, out),
                Element::Second => write_two_digits(second_of_day % 60, out),
                Element::Fraction(digits) => write_fraction(moment.nanosecond(), *digits, out),
                Element::OffsetHours | Element::OffsetMinutes | Element::OffsetPlain | Element::OffsetWithColon => {
                    write_offset(element, moment.offset_minutes, out);
                }
            }
        }
    }
}

/// A moment without an offset shows the sign of UTC where the hours of one would stand.
fn write_offset(element: &Element, offset_minutes: Option<i32>, out: &mut Vec<u8>) {
    let Some(offset) = offset_minutes else {
        if *element != Element::OffsetMinutes {
            out.push(b'Z');
        }
        return;
    };
    let (hours, minutes) = (offset.unsigned_abs() / 60, offset.unsigned_abs() % 60);
    if *element != Element::OffsetMinutes {
        out.push(if offset < 0 { b'-' } else { b'+' });
        write_padded(u64::from(hours), 2, out);
    }
    if *element == Element::OffsetWithColon {
        out.push(b':');
    }
    if *element != Element::OffsetHours {
        write_two_digits(minutes, out);
    }
}

fn starts_with(text: &str, name: &str) -> bool {
    text.as_bytes().get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
}

fn push_literal(elements: &mut Vec<Element>, text: &str) {
    match elements.last_mut() {
        Some(Element::Literal(literal)) => literal.push_str(text),
        _ => elements.push(Element::Literal(text.to_owned())),
    }
}

fn refused(text: &str, way_out: &str) -> Failure {
    let shown: String = text.chars().take(40).collect();
    Failure::invalid_value("output format", &shown, way_out)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test may panic")]

    use super::*;

    /// 2026-10-09 15:04:05.006007008, a Friday.
    fn afternoon(offset_minutes: Option<i32>) -> Moment {
        Moment { days: 20_735, nanosecond_of_day: (15 * 3600 + 4 * 60 + 5) * 1_000_000_000 + 6_007_008, offset_minutes }
    }

    fn check(model: &str, moment: &Moment, expected: &str) {
        let mut out = Vec::new();
        FormatModel::parse(model).unwrap().write(moment, &mut out);
        assert_eq!(String::from_utf8(out).unwrap(), expected, "{model}");
    }

    #[test]
    fn models_show_a_moment() {
        for (model, expected) in [
            ("YYYY-MM-DD", "2026-10-09"),
            ("DD/MM/YYYY", "09/10/2026"),
            ("yy.mm.dd", "26.10.09"),
            ("DY, DD MON YYYY", "Fri, 09 Oct 2026"),
            ("MMMM DD", "October 09"),
            ("HH24:MI:SS", "15:04:05"),
            ("HH12:MI AM", "03:04 PM"),
            ("HH:MI:SS.FF3", "15:04:05.006"),
            ("SS.FF", "05.006007008"),
            ("SSFF0", "05"),
            ("SS.FF7", "05.0060070"),
            ("YYYY-MM-DD\"T\"HH24:MI:SS", "2026-10-09T15:04:05"),
            ("YYYY-MM-DDTHH24:MI", "2026-10-09T15:04"),
            ("\"day\" DD", "day 09"),
            ("DD\\MM", "09\\\\10"),
            ("dd. été", "09. été"),
        ] {
            check(model, &afternoon(None), expected);
        }
    }

    #[test]
    fn offsets_follow_the_kind_of_moment() {
        for (model, offset, expected) in [
            ("HH24 TZHTZM", Some(330), "15 +0530"),
            ("HH24 TZH:TZM", Some(-210), "15 -03:30"),
            ("HH24TZH", Some(60), "15+01"),
            ("TZH TZM", Some(-90), "-01 30"),
            ("HH24 TZHTZM", Some(0), "15 +0000"),
            ("HH24 TZHTZM", None, "15 Z"),
            ("HH24 TZH:TZM", None, "15 Z"),
        ] {
            check(model, &afternoon(offset), expected);
        }
    }

    #[test]
    fn midnight_and_noon_are_twelve() {
        let at = |hour: i64| Moment { days: 0, nanosecond_of_day: hour * 3_600_000_000_000, offset_minutes: None };
        check("HH12 AM", &at(0), "12 AM");
        check("HH12 PM", &at(12), "12 PM");
        check("HH12 AM", &at(11), "11 AM");
        check("DY", &at(0), "Thu");
    }

    #[test]
    fn what_is_no_model_is_refused() {
        for text in ["", "\"YYYY", "???", "\"YYYY\"", &"Y".repeat(300)] {
            assert_eq!(FormatModel::parse(text).unwrap_err().code, "001007", "{text}");
        }
    }
}
