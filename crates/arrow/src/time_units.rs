//! Instants and times as Arrow stores them: units of a scale, or seconds with nanoseconds. Digits beyond a scale are cut off
//! as in the cells of JSON.

use firn_values::cells::moment::Instant;

/// `ticks`, of which `per_second` make a second, as units of 10^-`scale` seconds. The engine's infinite instants stay at the
/// ends of the range.
#[must_use]
pub fn units(ticks: i64, per_second: i64, scale: usize) -> i64 {
    let wanted = 10_i64.pow(scale.min(9) as u32);
    match is_infinite(ticks) {
        true => ticks,
        false if wanted >= per_second => ticks.saturating_mul(wanted / per_second),
        false => ticks / (per_second / wanted),
    }
}

/// Seconds since the epoch, and the nanoseconds after them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochParts {
    pub epoch: i64,
    pub fraction: i32,
}

impl EpochParts {
    #[must_use]
    pub fn of_ticks(ticks: i64, per_second: i64) -> Self {
        if is_infinite(ticks) {
            return Self { epoch: ticks, fraction: 0 };
        }
        let instant = Instant::from_ticks(ticks, per_second);
        Self { epoch: instant.seconds, fraction: instant.nanosecond as i32 }
    }
}

/// An offset as it is stored.
#[must_use]
pub fn stored_zone(minutes_east: i16) -> i32 {
    i32::from(minutes_east) + 1440
}

pub fn is_infinite(value: i64) -> bool {
    value == i64::MAX || value == -i64::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_beyond_the_scale_are_cut_off() {
        for (ticks, per_second, scale, expected) in [
            (1_791_549_296_123_456, 1_000_000, 6, 1_791_549_296_123_456),
            (1_791_549_296_123_456, 1_000_000, 7, 17_915_492_961_234_560),
            (1_791_549_296_123_456, 1_000_000, 3, 1_791_549_296_123),
            (-1_500_000, 1_000_000, 0, -1),
            (-1, 1_000_000, 3, 0),
            (7, 1, 2, 700),
            (i64::MAX, 1_000_000, 3, i64::MAX),
            (-i64::MAX, 1_000_000, 7, -i64::MAX),
        ] {
            assert_eq!(units(ticks, per_second, scale), expected, "{ticks}/{per_second}");
        }
        let parts = EpochParts::of_ticks(-1, 1_000_000);
        assert_eq!(parts, EpochParts { epoch: -1, fraction: 999_999_000 });
    }
}
