//! TIMESTAMP_TZ: made of an instant and an offset, taken apart again, and written as text.
//!
//! It is stored as an interval, which is compared, grouped and sorted by its length alone, counting thirty days to the
//! month. So the instant is the length, and the months, with thirty days less for each, are the minutes its writer was
//! ahead of UTC: equal instants are equal whatever their offset.

use firn_values::cells::digits::{write_fraction, write_two_digits};
use firn_values::cells::moment::Instant;

use crate::columns::{Column, Interval, Values};
use crate::definition::{Answer, Cast, Definition, Kind};

const MICROSECONDS_PER_DAY: i64 = 86_400_000_000;
const DAYS_PER_MONTH: i64 = 30;

/// An instant in microseconds since the epoch, and the minutes its writer was ahead of UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZonedTimestamp {
    pub microseconds: i64,
    pub offset_minutes: i16,
}

impl ZonedTimestamp {
    #[inline]
    pub fn from_interval(stored: &Interval) -> Self {
        let days = i64::from(stored.days) + DAYS_PER_MONTH * i64::from(stored.months);
        Self {
            microseconds: stored.micros.saturating_add(days.saturating_mul(MICROSECONDS_PER_DAY)),
            offset_minutes: stored.months as i16,
        }
    }

    fn to_interval(self) -> Interval {
        let months = i32::from(self.offset_minutes);
        Interval { months, days: -(months * DAYS_PER_MONTH as i32), micros: self.microseconds }
    }

    /// `2020-01-01 10:00:00.000 +0200`; without an offset the zone is `Z`.
    pub fn to_text(self) -> String {
        let moment = Instant::from_ticks(self.microseconds, 1_000_000).at_offset(i32::from(self.offset_minutes) * 60);
        let mut out = Vec::with_capacity(32);
        moment.write_date(&mut out);
        out.push(b' ');
        let seconds = moment.second_of_day();
        for (number, mark) in [(seconds / 3600, b':'), (seconds / 60 % 60, b':'), (seconds % 60, b'.')] {
            write_two_digits(number, &mut out);
            out.push(mark);
        }
        write_fraction(moment.nanosecond(), 3, &mut out);
        out.push(b' ');
        let minutes = u32::from(self.offset_minutes.unsigned_abs());
        if minutes == 0 {
            out.push(b'Z');
        } else {
            out.push(if self.offset_minutes < 0 { b'-' } else { b'+' });
            write_two_digits(minutes / 60, &mut out);
            write_two_digits(minutes % 60, &mut out);
        }
        String::from_utf8_lossy(&out).into_owned()
    }
}

pub const DEFINITIONS: &[Definition] = &[
    Definition::new(c"firn_zoned", &[Kind::Timestamp, Kind::SmallInteger], Kind::TimestampTz, zoned),
    Definition::new(c"firn_utc", &[Kind::TimestampTz], Kind::Timestamp, instant),
    Definition::new(c"firn_offset", &[Kind::TimestampTz], Kind::SmallInteger, |columns, row| {
        Ok(read(columns, row).map_or(Answer::Null, |value| Answer::SmallInteger(value.offset_minutes)))
    }),
    Definition::new(c"firn_latest", &[Kind::TimestampTz], Kind::TimestampTz, |columns, row| {
        Ok(chosen(columns, row, Nulls::Win, |moments| moments.max_by_key(|moment| moment.microseconds)))
    })
    .with_rest(Kind::TimestampTz),
    Definition::new(c"firn_latest_known", &[Kind::TimestampTz], Kind::TimestampTz, |columns, row| {
        Ok(chosen(columns, row, Nulls::LeftOut, |moments| moments.max_by_key(|moment| moment.microseconds)))
    })
    .with_rest(Kind::TimestampTz),
    Definition::new(c"firn_earliest", &[Kind::TimestampTz], Kind::TimestampTz, |columns, row| {
        Ok(chosen(columns, row, Nulls::Win, |moments| moments.min_by_key(|moment| moment.microseconds)))
    })
    .with_rest(Kind::TimestampTz),
    Definition::new(c"firn_earliest_known", &[Kind::TimestampTz], Kind::TimestampTz, |columns, row| {
        Ok(chosen(columns, row, Nulls::LeftOut, |moments| moments.min_by_key(|moment| moment.microseconds)))
    })
    .with_rest(Kind::TimestampTz),
    Definition::new(c"firn_zoned_text", &[Kind::TimestampTz], Kind::Text, text),
];

/// The engine compares and groups intervals by way of INTERVAL itself.
pub const CASTS: &[Cast] = &[
    Cast { source: Kind::TimestampTz, target: Kind::Interval, implicit_cost: Some(1), run: stored },
    Cast { source: Kind::Interval, target: Kind::TimestampTz, implicit_cost: None, run: stored },
    Cast { source: Kind::TimestampTz, target: Kind::TimestampLtz, implicit_cost: Some(100), run: instant },
    Cast { source: Kind::TimestampTz, target: Kind::Text, implicit_cost: Some(200), run: text },
];

fn instant(columns: &[Column<'_>], row: usize) -> Result<Answer<'static>, String> {
    Ok(read(columns, row).map_or(Answer::Null, |value| Answer::Timestamp(value.microseconds)))
}

fn text(columns: &[Column<'_>], row: usize) -> Result<Answer<'static>, String> {
    Ok(read(columns, row).map_or(Answer::Null, |value| Answer::Text(value.to_text())))
}

fn stored(columns: &[Column<'_>], row: usize) -> Result<Answer<'static>, String> {
    Ok(match &columns[0].values {
        Values::TimestampTz(values) | Values::Interval(values) if !columns[0].is_null(row) => {
            Answer::Interval(values[row])
        }
        _ => Answer::Null,
    })
}

fn zoned(columns: &[Column<'_>], row: usize) -> Result<Answer<'static>, String> {
    let (Values::Timestamp { ticks, .. }, Values::Int16 { values: offsets, .. }) =
        (&columns[0].values, &columns[1].values)
    else {
        return Ok(Answer::Null);
    };
    if columns[0].is_null(row) || columns[1].is_null(row) {
        return Ok(Answer::Null);
    }
    let value = ZonedTimestamp { microseconds: ticks[row], offset_minutes: offsets[row] };
    Ok(Answer::Interval(value.to_interval()))
}

fn read(columns: &[Column<'_>], row: usize) -> Option<ZonedTimestamp> {
    moment(&columns[0], row)
}

fn moment(column: &Column<'_>, row: usize) -> Option<ZonedTimestamp> {
    let Values::TimestampTz(values) = &column.values else { return None };
    if column.is_null(row) { None } else { Some(ZonedTimestamp::from_interval(&values[row])) }
}

/// What a NULL among several moments means.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nulls {
    /// There is no answer.
    Win,
    LeftOut,
}

/// One of the moments of a row, chosen by the instant alone. Of equal instants either may be chosen.
fn chosen(
    columns: &[Column<'_>],
    row: usize,
    nulls: Nulls,
    choose: fn(std::vec::IntoIter<ZonedTimestamp>) -> Option<ZonedTimestamp>,
) -> Answer<'static> {
    let moments: Vec<_> = columns.iter().filter_map(|column| moment(column, row)).collect();
    if nulls == Nulls::Win && moments.len() < columns.len() {
        return Answer::Null;
    }
    choose(moments.into_iter()).map_or(Answer::Null, |moment| Answer::Interval(moment.to_interval()))
}

#[cfg(test)]
mod tests {
    use super::ZonedTimestamp;

    #[test]
    fn instants_and_offsets_survive_being_stored() {
        for (microseconds, offset_minutes, text) in [
            (0, 0, "1970-01-01 00:00:00.000 Z"),
            (1_577_865_600_123_456, 120, "2020-01-01 10:00:00.123 +0200"),
            (-1, -90, "1969-12-31 22:29:59.999 -0130"),
            (253_402_300_799_999_999, 840, "10000-01-01 13:59:59.999 +1400"),
        ] {
            let value = ZonedTimestamp { microseconds, offset_minutes };
            assert_eq!(ZonedTimestamp::from_interval(&value.to_interval()), value);
            assert_eq!(value.to_text(), text);
        }
    }
}
