//! Cells of a result as people write them: dates as dates, times as times.

use chrono::{DateTime, NaiveDate, NaiveTime, TimeDelta};

/// A cell of the wire; `kind` is the type of its column there.
#[must_use]
pub fn shown(cell: &str, kind: &str) -> String {
    let shown = match kind {
        "date" => cell.parse().ok().and_then(day),
        "time" => seconds(cell).and_then(|(seconds, nanos)| {
            let time = NaiveTime::from_num_seconds_from_midnight_opt(u32::try_from(seconds).ok()?, nanos)?;
            Some(time.to_string())
        }),
        kind if kind.starts_with("timestamp") => {
            let instant = cell.split(' ').next().unwrap_or_default();
            seconds(instant)
                .and_then(|(seconds, nanos)| Some(DateTime::from_timestamp(seconds, nanos)?.naive_utc().to_string()))
        }
        _ => None,
    };
    shown.unwrap_or_else(|| cell.to_owned())
}

fn day(days: i32) -> Option<String> {
    let epoch = NaiveDate::from_ymd_opt(1970, 1, 1)?;
    Some(epoch.checked_add_signed(TimeDelta::try_days(i64::from(days))?)?.to_string())
}

/// `1719842400.500000000` as seconds and nanoseconds.
fn seconds(text: &str) -> Option<(i64, u32)> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let nanos = format!("{fraction:0<9}").get(..9)?.parse().ok()?;
    Some((whole.parse().ok()?, nanos))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_written_for_people() {
        let check = |kind: &str, cell: &str, expected: &str| assert_eq!(shown(cell, kind), expected, "{kind} {cell}");
        check("date", "19727", "2024-01-05");
        check("date", "-1", "1969-12-31");
        check("time", "3661.500000000", "01:01:01.500");
        check("timestamp_ntz", "1704412800.000000000", "2024-01-05 00:00:00");
        check("timestamp_tz", "1704412800.000000000 1440", "2024-01-05 00:00:00");
        check("fixed", "12.50", "12.50");
        check("text", "x", "x");
    }
}
