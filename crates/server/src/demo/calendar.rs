//! Days of the demo's calendar, counted from 1970-01-01.

use std::fmt;
use std::ops::Add;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Day(i32);

/// The first day with orders.
pub const FIRST_DAY: Day = Day::of(2022, 1, 1);
/// The last day anything happens on; what would happen later is still open.
pub const LAST_DAY: Day = Day::of(2026, 6, 30);

impl Day {
    /// Counts with years that begin in March, so that the leap day is the last of its year.
    pub const fn of(year: i32, month: i32, day: i32) -> Self {
        let shifted_year = if month > 2 { year } else { year - 1 };
        let shifted_month = (month + 9) % 12;
        let day_of_year = (153 * shifted_month + 2) / 5 + day - 1;
        Self(365 * shifted_year + shifted_year / 4 - shifted_year / 100 + shifted_year / 400 + day_of_year - 719_468)
    }

    pub fn parts(self) -> (i32, i32, i32) {
        let days = self.0 + 719_468;
        let century = (4 * days + 3) / 146_097;
        let day_of_century = days - 146_097 * century / 4;
        let year_of_century = (4 * day_of_century + 3) / 1_461;
        let day_of_year = day_of_century - 1_461 * year_of_century / 4;
        let shifted_month = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
        let month = (shifted_month + 2) % 12 + 1;
        let year = 100 * century + year_of_century + i32::from(month <= 2);
        (year, month, day)
    }

    pub fn month(self) -> usize {
        self.parts().1 as usize
    }

    /// Monday is 0.
    pub fn weekday(self) -> usize {
        (self.0 + 3).rem_euclid(7) as usize
    }

    pub fn years_since(self, earlier: Self) -> f64 {
        f64::from(self.0 - earlier.0) / 365.25
    }

    pub fn days_until(self, later: Self) -> i64 {
        i64::from(later.0 - self.0)
    }

    pub fn to(self, last: Self) -> impl Iterator<Item = Self> {
        (self.0..=last.0).map(Self)
    }
}

impl Add<i64> for Day {
    type Output = Self;

    fn add(self, days: i64) -> Self {
        Self(self.0 + days as i32)
    }
}

impl fmt::Display for Day {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (year, month, day) = self.parts();
        write!(formatter, "{year:04}-{month:02}-{day:02}")
    }
}

/// A moment of a day, without a time zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Moment {
    pub day: Day,
    pub second: i64,
}

impl Moment {
    pub fn after_minutes(self, minutes: i64) -> Self {
        let seconds = self.second + 60 * minutes;
        Self { day: self.day + seconds.div_euclid(86_400), second: seconds.rem_euclid(86_400) }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { day, second } = self;
        write!(formatter, "{day} {:02}:{:02}:{:02}", second / 3_600, second / 60 % 60, second % 60)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_print_and_come_back() {
        for (year, month, day, text, weekday) in [
            (1970, 1, 1, "1970-01-01", 3),
            (2000, 2, 29, "2000-02-29", 1),
            (2022, 1, 1, "2022-01-01", 5),
            (2024, 12, 31, "2024-12-31", 1),
            (2026, 6, 30, "2026-06-30", 1),
        ] {
            let counted = Day::of(year, month, day);
            assert_eq!(counted.parts(), (year, month, day));
            assert_eq!(counted.to_string(), text);
            assert_eq!(counted.weekday(), weekday, "{text}");
        }
    }

    #[test]
    fn a_moment_runs_over_midnight() {
        let moment = Moment { day: Day::of(2024, 2, 28), second: 86_000 };
        assert_eq!(moment.after_minutes(1_450).to_string(), "2024-03-01 00:03:20");
    }
}
