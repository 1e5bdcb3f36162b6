//! Dates, times and instants: their calendar, their epoch encodings and their plain texts.

use super::digits::{write_fraction, write_padded, write_two_digits};
use super::numbers::write_integer;

const NANOSECONDS_PER_SECOND: i64 = 1_000_000_000;

/// A point in time as it is shown: the local day and time of day, and how far from UTC that is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moment {
    /// Days since 1970-01-01.
    pub days: i64,
    pub nanosecond_of_day: i64,
    pub offset_minutes: Option<i32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CivilDate {
    pub year: i64,
    pub month: u32,
    pub day: u32,
}

/// Seconds since the epoch, and the nanoseconds after them, never negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instant {
    pub seconds: i64,
    pub nanosecond: u32,
}

impl Instant {
    /// `ticks` since the epoch, of which `per_second` make a second.
    #[inline]
    pub fn from_ticks(ticks: i64, per_second: i64) -> Self {
        let fraction = ticks.rem_euclid(per_second);
        let nanosecond = fraction * (NANOSECONDS_PER_SECOND / per_second);
        Self { seconds: ticks.div_euclid(per_second), nanosecond: nanosecond as u32 }
    }

    /// Appends one decimal number with `scale` digits after the point: a quarter of a second before
    /// the epoch is `-0.250000000`.
    #[inline]
    pub fn write_epoch(self, scale: usize, out: &mut Vec<u8>) {
        if self.seconds < 0 && self.nanosecond > 0 {
            out.push(b'-');
            write_integer(-(self.seconds + 1), out);
            return write_point_and_fraction(1_000_000_000 - self.nanosecond, scale, out);
        }
        write_integer(self.seconds, out);
        write_point_and_fraction(self.nanosecond, scale, out);
    }

    /// Reads what `write_epoch` writes.
    #[must_use]
    pub fn read_epoch(text: &str) -> Option<Self> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        if !fraction.bytes().all(|byte| byte.is_ascii_digit()) || fraction.len() > 9 {
            return None;
        }
        let seconds: i64 = whole.parse().ok()?;
        let digits = fraction.bytes().fold(0, |value, byte| value * 10 + u32::from(byte - b'0'));
        let nanosecond = digits * 10_u32.pow(9 - fraction.len() as u32);
        Some(match whole.starts_with('-') && nanosecond > 0 {
            true => Self { seconds: seconds.checked_sub(1)?, nanosecond: 1_000_000_000 - nanosecond },
            false => Self { seconds, nanosecond },
        })
    }

    /// The moment it is at an offset east of UTC.
    #[inline]
    pub fn at_offset(self, offset_seconds: i32) -> Moment {
        let local = self.seconds + i64::from(offset_seconds);
        Moment { offset_minutes: Some(offset_seconds / 60), ..Self { seconds: local, ..self }.without_zone() }
    }

    #[inline]
    pub fn without_zone(self) -> Moment {
        Moment {
            days: self.seconds.div_euclid(86_400),
            nanosecond_of_day: self.seconds.rem_euclid(86_400) * NANOSECONDS_PER_SECOND + i64::from(self.nanosecond),
            offset_minutes: None,
        }
    }
}

fn write_point_and_fraction(nanosecond: u32, scale: usize, out: &mut Vec<u8>) {
    if scale > 0 {
        out.push(b'.');
        write_fraction(nanosecond, scale, out);
    }
}

impl Moment {
    #[inline]
    pub fn second_of_day(&self) -> u32 {
        (self.nanosecond_of_day / NANOSECONDS_PER_SECOND) as u32
    }

    #[inline]
    pub fn nanosecond(&self) -> u32 {
        (self.nanosecond_of_day % NANOSECONDS_PER_SECOND) as u32
    }

    /// From Monday, 0, to Sunday, 6. The epoch was a Thursday.
    #[inline]
    pub fn weekday(&self) -> usize {
        (self.days + 3).rem_euclid(7) as usize
    }

    /// The proleptic Gregorian date. Years are counted from March, so that a leap day ends one, and
    /// grouped by the 400 years after which the calendar repeats.
    pub fn civil_date(&self) -> CivilDate {
        const DAYS_PER_ERA: i64 = 146_097;
        const DAYS_FROM_MARCH_OF_YEAR_0_TO_EPOCH: i64 = 719_468;
        let days = self.days + DAYS_FROM_MARCH_OF_YEAR_0_TO_EPOCH;
        let (era, day_of_era) = (days.div_euclid(DAYS_PER_ERA), days.rem_euclid(DAYS_PER_ERA));
        let leap_days_before = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
        let year_of_era = (day_of_era - leap_days_before) / 365;
        let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
        let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
        CivilDate { year: era * 400 + year_of_era + i64::from(month <= 2), month: month as u32, day: day as u32 }
    }

    /// Appends `2026-10-09`.
    pub fn write_date(&self, out: &mut Vec<u8>) {
        let date = self.civil_date();
        date.write_year(out);
        out.push(b'-');
        write_two_digits(date.month, out);
        out.push(b'-');
        write_two_digits(date.day, out);
    }

    /// Appends `15:04:05`, with a fraction only where there is one.
    pub fn write_time(&self, out: &mut Vec<u8>) {
        let seconds = self.second_of_day();
        write_two_digits(seconds / 3600, out);
        out.push(b':');
        write_two_digits(seconds / 60 % 60, out);
        out.push(b':');
        write_two_digits(seconds % 60, out);
        if self.nanosecond() > 0 {
            out.push(b'.');
            write_fraction(self.nanosecond(), 9, out);
            while out.last() == Some(&b'0') {
                out.pop();
            }
        }
    }
}

impl CivilDate {
    /// Appends at least four digits, and a minus before the year 0.
    pub fn write_year(&self, out: &mut Vec<u8>) {
        if self.year < 0 {
            out.push(b'-');
        }
        write_padded(self.year.unsigned_abs(), 4, out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }

    #[test]
    fn instants_are_seconds_and_a_fraction() {
        for (ticks, per_second, scale, expected) in [
            (0, 1_000_000, 9, "0.000000000"),
            (1_791_549_296_123_456, 1_000_000, 9, "1791549296.123456000"),
            (1_791_549_296_123_456, 1_000_000, 3, "1791549296.123"),
            (1_791_549_296_123_456, 1_000_000, 0, "1791549296"),
            (-1, 1_000_000, 9, "-0.000001000"),
            (-1_500_000, 1_000_000, 9, "-1.500000000"),
            (-2_000_000, 1_000_000, 9, "-2.000000000"),
            (-2_208_988_800, 1, 9, "-2208988800.000000000"),
            (1_500, 1_000, 9, "1.500000000"),
            (1_000_000_001, 1_000_000_000, 9, "1.000000001"),
        ] {
            let written = text(|out| Instant::from_ticks(ticks, per_second).write_epoch(scale, out));
            assert_eq!(written, expected, "{ticks}/{per_second}");
        }
    }

    #[test]
    fn days_are_dates_of_the_gregorian_calendar() {
        for (days, expected) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (20_735, "2026-10-09"),
            (-25_567, "1900-01-01"),
            (11_016, "2000-02-29"),
            (11_017, "2000-03-01"),
            (-719_528, "0000-01-01"),
            (-719_529, "-0001-12-31"),
            (2_932_896, "9999-12-31"),
        ] {
            let moment = Moment { days, nanosecond_of_day: 0, offset_minutes: None };
            assert_eq!(text(|out| moment.write_date(out)), expected, "{days}");
        }
    }

    #[test]
    fn a_moment_is_local_to_its_offset() {
        let moment = Instant::from_ticks(-1_000, 1_000).at_offset(-3600);
        assert_eq!(text(|out| moment.write_date(out)), "1969-12-31");
        assert_eq!(text(|out| moment.write_time(out)), "22:59:59");
    }
}
