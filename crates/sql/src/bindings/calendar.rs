//! Dates and times of day as text, from counts since the epoch.

/// `2026-01-02` for days since 1970-01-01; `None` outside of the years 1 to 9999.
pub fn date(days: i64) -> Option<String> {
    let (year, month, day) = civil_date(days)?;
    (1..=9_999).contains(&year).then(|| format!("{year:04}-{month:02}-{day:02}"))
}

/// As `date`, of any year: the one before year 1 is `0000`, and the one before that `-0001`.
pub(crate) fn date_of_any_year(days: i64) -> Option<String> {
    let (year, month, day) = civil_date(days)?;
    let sign = if year < 0 { "-" } else { "" };
    Some(format!("{sign}{:04}-{month:02}-{day:02}", year.abs()))
}

fn civil_date(days: i64) -> Option<(i64, i64, i64)> {
    // The civil calendar repeats every 400 years; years begin in March, so that leap days come last.
    const DAYS_TO_MARCH_OF_YEAR_ZERO: i64 = 719_468;
    const DAYS_IN_ERA: i64 = 146_097;
    let shifted = days.checked_add(DAYS_TO_MARCH_OF_YEAR_ZERO)?;
    let (era, day_of_era) = (shifted.div_euclid(DAYS_IN_ERA), shifted.rem_euclid(DAYS_IN_ERA));
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    let year = era * 400 + year_of_era + i64::from(month <= 2);
    Some((year, month, day))
}

/// `03:04:05.123456` for nanoseconds since midnight, to the microsecond; no fraction when it is zero.
pub(crate) fn time(nanoseconds: i64) -> String {
    let (seconds, microseconds) = (nanoseconds / 1_000_000_000, nanoseconds % 1_000_000_000 / 1_000);
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3_600, seconds / 60 % 60, seconds % 60);
    if microseconds == 0 { clock } else { format!("{clock}.{microseconds:06}") }
}

/// `2026-01-02 03:04:05.123456` for nanoseconds since the epoch.
pub(crate) fn timestamp(nanoseconds: i128) -> Option<String> {
    moment(nanoseconds, date)
}

pub(crate) fn timestamp_of_any_year(nanoseconds: i128) -> Option<String> {
    moment(nanoseconds, date_of_any_year)
}

fn moment(nanoseconds: i128, date: fn(i64) -> Option<String>) -> Option<String> {
    const NANOSECONDS_IN_DAY: i128 = 86_400_000_000_000;
    let days = i64::try_from(nanoseconds.div_euclid(NANOSECONDS_IN_DAY)).ok()?;
    let of_day = i64::try_from(nanoseconds.rem_euclid(NANOSECONDS_IN_DAY)).ok()?;
    Some(format!("{} {}", date(days)?, time(of_day)))
}
