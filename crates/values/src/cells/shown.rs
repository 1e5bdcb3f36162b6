//! Cells of the wire as people and other programs read them: days as dates, seconds as times.

use super::moment::{Instant, Moment};

/// How the cells of a column are written on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellKind {
    Date,
    Time,
    /// An instant without a zone.
    Timestamp,
    /// An instant, seconds in UTC.
    TimestampUtc,
    /// An instant, and minutes east of UTC plus 1440.
    TimestampOffset,
    Number,
    Float,
    Boolean,
    /// JSON as text.
    SemiStructured,
    Text,
}

/// The types whose cells an output format of the session makes texts of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextKinds(u8);

impl TextKinds {
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Self(bits)
    }

    #[must_use]
    pub const fn bits(self) -> u8 {
        self.0
    }

    #[must_use]
    pub fn with(self, kind: CellKind) -> Self {
        Self(self.0 | Self::bit(kind))
    }

    #[must_use]
    pub fn has(self, kind: CellKind) -> bool {
        self.0 & Self::bit(kind) != 0
    }

    const fn bit(kind: CellKind) -> u8 {
        match kind {
            CellKind::Date => 1,
            CellKind::Time => 2,
            CellKind::Timestamp => 4,
            CellKind::TimestampUtc => 8,
            CellKind::TimestampOffset => 16,
            _ => 0,
        }
    }
}

impl CellKind {
    /// By the name of the type in `rowType`.
    #[must_use]
    pub fn of_wire_type(name: &str) -> Self {
        match name {
            "date" => Self::Date,
            "time" => Self::Time,
            "timestamp_ntz" => Self::Timestamp,
            "timestamp_ltz" => Self::TimestampUtc,
            "timestamp_tz" => Self::TimestampOffset,
            "fixed" => Self::Number,
            "real" => Self::Float,
            "boolean" => Self::Boolean,
            "variant" | "object" | "array" | "map" | "vector" => Self::SemiStructured,
            _ => Self::Text,
        }
    }

    /// Appends a cell as it is read. One that is not of its kind, because an output format made a text of it, stays as it is.
    pub fn write_shown(self, cell: &str, out: &mut Vec<u8>) {
        let Some(moment) = self.moment_of(cell) else { return out.extend_from_slice(cell.as_bytes()) };
        match self {
            Self::Date => moment.write_date(out),
            Self::Time => moment.write_time(out),
            _ => {
                moment.write_date(out);
                out.push(b' ');
                moment.write_time(out);
            }
        }
        if let Some(offset) = moment.offset_minutes {
            out.push(b' ');
            write_offset(offset, out);
        }
    }

    fn moment_of(self, cell: &str) -> Option<Moment> {
        match self {
            Self::Date => Some(Moment { days: cell.parse().ok()?, nanosecond_of_day: 0, offset_minutes: None }),
            Self::Time | Self::Timestamp => Some(Instant::read_epoch(cell)?.without_zone()),
            Self::TimestampUtc => Some(Instant::read_epoch(cell)?.at_offset(0)),
            Self::TimestampOffset => {
                let (seconds, minutes) = cell.split_once(' ')?;
                let minutes: i32 = minutes.parse().ok()?;
                Some(Instant::read_epoch(seconds)?.at_offset((minutes - 1_440).checked_mul(60)?))
            }
            _ => None,
        }
    }
}

fn write_offset(minutes: i32, out: &mut Vec<u8>) {
    out.push(if minutes < 0 { b'-' } else { b'+' });
    let minutes = minutes.unsigned_abs();
    super::digits::write_padded(u64::from(minutes / 60), 2, out);
    out.push(b':');
    super::digits::write_two_digits(minutes % 60, out);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_are_written_for_people() {
        let check = |wire_type: &str, cell: &str, expected: &str| {
            let mut out = Vec::new();
            CellKind::of_wire_type(wire_type).write_shown(cell, &mut out);
            assert_eq!(String::from_utf8_lossy(&out), expected, "{wire_type} {cell}");
        };
        check("date", "19727", "2024-01-05");
        check("date", "-1", "1969-12-31");
        check("date", "2024-01-05", "2024-01-05");
        check("time", "3661.500000000", "01:01:01.5");
        check("timestamp_ntz", "1704412800.000000000", "2024-01-05 00:00:00");
        check("timestamp_ntz", "-0.250000000", "1969-12-31 23:59:59.75");
        check("timestamp_ntz", "1704412800", "2024-01-05 00:00:00");
        check("timestamp_ltz", "1704412800.000000000", "2024-01-05 00:00:00 +00:00");
        check("timestamp_tz", "1704412800.000000000 1440", "2024-01-05 00:00:00 +00:00");
        check("timestamp_tz", "1704412800.000000000 1110", "2024-01-04 18:30:00 -05:30");
        check("timestamp_tz", "nonsense", "nonsense");
        check("fixed", "12.50", "12.50");
        check("text", "19727", "19727");
    }
}
