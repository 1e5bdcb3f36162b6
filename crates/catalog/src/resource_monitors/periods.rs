//! The periods by which usage is counted. They begin at midnight UTC.

use chrono::{DateTime, Datelike, Days, Months, NaiveDate, NaiveDateTime, NaiveTime, Utc};

use super::ResourceMonitor;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frequency {
    Daily,
    Weekly,
    Monthly,
    Yearly,
    /// Usage is never reset.
    Never,
}

impl Frequency {
    pub(crate) const EVERY: [Self; 5] = [Self::Monthly, Self::Daily, Self::Weekly, Self::Yearly, Self::Never];

    pub const fn word(self) -> &'static str {
        match self {
            Self::Daily => "DAILY",
            Self::Weekly => "WEEKLY",
            Self::Monthly => "MONTHLY",
            Self::Yearly => "YEARLY",
            Self::Never => "NEVER",
        }
    }

    pub(super) fn of_word(word: &str) -> Option<Self> {
        Self::EVERY.into_iter().find(|frequency| frequency.word() == word)
    }
}

impl ResourceMonitor {
    /// When the period began that the time is in. Days that a month does not have are its last.
    pub(crate) fn period_on_ms(&self, now_ms: i64) -> i64 {
        let today = day_of(now_ms);
        let first = day_of(self.start_ms);
        let begins = match self.frequency {
            None => return midnight(today.with_day(1).unwrap_or(today)),
            Some(Frequency::Never) => first,
            Some(Frequency::Daily) => today,
            Some(Frequency::Weekly) => {
                let days = today.weekday().days_since(first.weekday());
                today.checked_sub_days(Days::new(u64::from(days))).unwrap_or(today)
            }
            Some(Frequency::Monthly) => latest(first, today, 1),
            Some(Frequency::Yearly) => latest(first, today, 12),
        };
        midnight(begins).max(self.start_ms)
    }
}

/// The last day up to `today` that is a whole number of steps after the first.
fn latest(first: NaiveDate, today: NaiveDate, months_per_step: u32) -> NaiveDate {
    let months = (today.year() - first.year()) * 12 + today.month0().cast_signed() - first.month0().cast_signed();
    let steps = u32::try_from(months).unwrap_or(0) / months_per_step;
    let after = |steps: u32| first.checked_add_months(Months::new(steps * months_per_step)).unwrap_or(first);
    let found = after(steps);
    if found > today { after(steps.saturating_sub(1)) } else { found }
}

fn day_of(at_ms: i64) -> NaiveDate {
    DateTime::<Utc>::from_timestamp_millis(at_ms).unwrap_or_default().date_naive()
}

fn midnight(day: NaiveDate) -> i64 {
    day.and_time(NaiveTime::MIN).and_utc().timestamp_millis()
}

/// A time as text, in UTC if it has no offset. A date alone is that day at the time of now.
pub(super) fn instant_of_text(text: &str, now_ms: i64) -> Option<i64> {
    let text = text.trim().replacen('T', " ", 1);
    let with_offset = ["%Y-%m-%d %H:%M:%S%.f %z", "%Y-%m-%d %H:%M:%S%.f%z", "%Y-%m-%d %H:%M %z", "%Y-%m-%d %H:%M%z"];
    let utc = text.strip_suffix('Z').map(|text| format!("{text} +0000"));
    let given = utc.as_deref().unwrap_or(&text);
    if let Some(at) = with_offset.iter().find_map(|format| DateTime::parse_from_str(given, format).ok()) {
        return Some(at.timestamp_millis());
    }
    let without = ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"];
    if let Some(at) = without.iter().find_map(|format| NaiveDateTime::parse_from_str(&text, format).ok()) {
        return Some(at.and_utc().timestamp_millis());
    }
    let day = NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok()?;
    Some(midnight(day) + now_ms - midnight(day_of(now_ms)))
}

/// As errors show it.
pub(super) fn text_of_instant(at_ms: i64) -> String {
    let at = DateTime::<Utc>::from_timestamp_millis(at_ms).unwrap_or_default();
    at.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    fn ms(text: &str) -> i64 {
        instant_of_text(text, 0).unwrap()
    }

    #[test]
    fn periods_begin_at_midnight_on_the_day_of_the_start() {
        for (frequency, start, now, expected) in [
            (None, "2026-01-15 08:00", "2026-03-20 12:00", "2026-03-01 00:00"),
            (Some(Frequency::Never), "2026-01-15 08:00", "2027-03-20 12:00", "2026-01-15 08:00"),
            (Some(Frequency::Daily), "2026-01-15 08:00", "2026-01-15 12:00", "2026-01-15 08:00"),
            (Some(Frequency::Daily), "2026-01-15 08:00", "2026-01-16 00:01", "2026-01-16 00:00"),
            (Some(Frequency::Weekly), "2026-01-15 08:00", "2026-01-21 23:59", "2026-01-15 08:00"),
            (Some(Frequency::Weekly), "2026-01-15 08:00", "2026-01-22 00:00", "2026-01-22 00:00"),
            (Some(Frequency::Monthly), "2026-01-31 08:00", "2026-02-27 23:59", "2026-01-31 08:00"),
            (Some(Frequency::Monthly), "2026-01-31 08:00", "2026-02-28 01:00", "2026-02-28 00:00"),
            (Some(Frequency::Monthly), "2026-01-31 08:00", "2026-04-01 01:00", "2026-03-31 00:00"),
            (Some(Frequency::Yearly), "2024-02-29 08:00", "2025-03-01 01:00", "2025-02-28 00:00"),
            (Some(Frequency::Yearly), "2024-02-29 08:00", "2025-02-27 01:00", "2024-02-29 08:00"),
        ] {
            let monitor = ResourceMonitor {
                id: 1,
                name: String::new(),
                owner: String::new(),
                created_on_ms: 0,
                comment: None,
                quota: None,
                frequency,
                start_ms: ms(start),
                end_ms: None,
                notify_users: Vec::new(),
                triggers: Vec::new(),
            };
            assert_eq!(monitor.period_on_ms(ms(now)), ms(expected), "{frequency:?} from {start} at {now}");
        }
    }

    #[test]
    fn times_are_read_in_utc_unless_they_say_otherwise() {
        let noon = ms("2026-01-15 12:00");
        for text in
            ["2026-01-15T12:00:00Z", "2026-01-15 14:00:00 +0200", "2026-01-15 12:00:00.000", " 2026-01-15 12:00 "]
        {
            assert_eq!(ms(text), noon, "{text}");
        }
        assert_eq!(instant_of_text("2026-01-15", ms("2020-02-02 12:00")), Some(noon));
        for wrong in ["", "soon", "2026-13-01 00:00", "12:00"] {
            assert_eq!(instant_of_text(wrong, 0), None, "{wrong}");
        }
    }
}
