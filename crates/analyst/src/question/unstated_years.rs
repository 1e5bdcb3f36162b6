//! Years of quarters, halves and months that a question states by another word, or leaves to be understood.

use chrono::{Datelike, NaiveDate};

use super::time::{YEARS, is_month, month_number};
use super::words::{Word, words};

/// Puts the year behind every part of a year: `the first half of last year` becomes that of 2024, and `the second quarter` is
/// the last one that has begun, where the question has no year at all.
pub fn state_years(asked: &mut Vec<Word>, today: NaiveDate) {
    let has_year = asked.iter().any(|word| word.number().is_some_and(|number| YEARS.contains(&number)));
    let mut at = 0;
    while at < asked.len() {
        let Some(part) = part_at(asked, at) else {
            at += 1;
            continue;
        };
        let end = at + part.length;
        if let Some((year, length)) = relative_year(asked, end, today) {
            asked.splice(end..end + length, words(&year.to_string()));
        } else if let (false, Some(year)) = (has_year, year_ahead(asked, at, today)) {
            asked.splice(end..end, words(&year.to_string()));
        } else if let (false, Some(month)) = (has_year, part.first_month) {
            let is_ahead = month > today.month();
            let year = today.year() - i32::from(is_ahead);
            asked.splice(end..end, words(&year.to_string()));
        }
        at = end;
    }
}

/// `ships expected in July`: the month to come, where the question looks ahead.
fn year_ahead(asked: &[Word], at: usize, today: NaiveDate) -> Option<i32> {
    let looks_ahead =
        |word: &Word| matches!(word.lower.as_str(), "expected" | "scheduled" | "upcoming" | "will" | "coming");
    let is_ahead = month_number(&asked[at]).is_some_and(|month| month > today.month());
    let has_day = at.checked_sub(1).is_some_and(|before| asked[before].number().is_some());
    (is_ahead && !has_day && asked.iter().any(looks_ahead)).then_some(today.year())
}

/// A part of a year that is named.
struct Part {
    length: usize,
    /// The month in which it begins, where the part has no year of its own to be understood.
    first_month: Option<u32>,
}

fn part_at(asked: &[Word], at: usize) -> Option<Part> {
    let lower = asked[at].lower.as_str();
    if matches!(lower, "q1" | "q2" | "q3" | "q4" | "h1" | "h2") || is_month(&asked[at]) && asked[at].capitalised() {
        return Some(Part { length: 1, first_month: None });
    }
    let ordinal = match lower {
        "first" | "1st" => 1,
        "second" | "2nd" => 2,
        "third" | "3rd" => 3,
        "fourth" | "4th" => 4,
        _ => return None,
    };
    let is_led = at.checked_sub(1).is_some_and(|before| matches!(asked[before].lower.as_str(), "the" | "in" | "for"));
    let months = match asked.get(at + 1)?.lower.as_str() {
        "quarter" => 3,
        "half" if ordinal <= 2 => 6,
        _ => return None,
    };
    Some(Part { length: 2, first_month: is_led.then_some((ordinal - 1) * months + 1) })
}

/// `of last year`, `this year`: the year, and how many words it takes.
fn relative_year(asked: &[Word], at: usize, today: NaiveDate) -> Option<(i32, usize)> {
    let of = usize::from(asked.get(at)?.lower == "of");
    let steps = match asked.get(at + of)?.lower.as_str() {
        "this" | "current" => 0,
        "last" | "previous" => -1,
        "next" => 1,
        _ => return None,
    };
    (asked.get(at + of + 1)?.lower == "year").then_some((today.year() + steps, of + 2))
}

#[cfg(test)]
mod tests {
    use chrono::NaiveDate;

    use super::state_years;
    use crate::question::words::words;

    fn check(text: &str, expected: &str) {
        let today = NaiveDate::from_ymd_opt(2024, 5, 15).unwrap_or_default();
        let mut asked = words(text);
        state_years(&mut asked, today);
        let said: Vec<&str> = asked.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(said.join(" "), expected);
    }

    #[test]
    fn parts_of_a_year_get_theirs() {
        check("sales in the second quarter", "sales in the second quarter 2024");
        check("sales in the third quarter", "sales in the third quarter 2023");
        check("sales in the first half of last year", "sales in the first half 2023");
        check("sales in May last year", "sales in May 2023");
        check("Q1 this year", "Q1 2024");
        check("ships expected in July", "ships expected in July 2024");
        check("ships in July", "ships in July");
    }

    #[test]
    fn stated_years_stay() {
        check("the first and the second quarter of 2022", "the first and the second quarter of 2022");
        check("growth in the first half of 2023", "growth in the first half of 2023");
        check("the last year", "the last year");
    }
}
