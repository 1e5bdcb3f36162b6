//! The names of date and time parts, each with one spelling.

use crate::functions::{Parameter, find};

/// Spellings of a part, the canonical one first.
const PARTS: [&[&str]; 23] = [
    &["year", "y", "yy", "yyy", "yyyy", "yr", "years", "yrs"],
    &["quarter", "q", "qtr", "qtrs", "quarters"],
    &["month", "mm", "mon", "mons", "months"],
    &["week", "w", "wk", "weeks", "weekofyear", "woy", "wy"],
    &["weekiso", "week_iso", "weekofyeariso", "weekofyear_iso"],
    &["day", "d", "dd", "days", "dayofmonth"],
    &["dayofweek", "weekday", "dow", "dw"],
    &["dayofweekiso", "weekday_iso", "dow_iso", "dw_iso", "dayofweek_iso"],
    &["dayofyear", "yearday", "doy", "dy"],
    &["yearofweek"],
    &["yearofweekiso"],
    &["hour", "h", "hh", "hr", "hours", "hrs"],
    &["minute", "m", "mi", "min", "minutes", "mins"],
    &["second", "s", "sec", "seconds", "secs"],
    &["millisecond", "ms", "msec", "milliseconds"],
    &["microsecond", "us", "usec", "microseconds"],
    &["nanosecond", "ns", "nsec", "nanosec", "nsecond", "nanoseconds", "nanosecs", "nseconds"],
    &["epoch_second", "epoch", "epoch_seconds"],
    &["epoch_millisecond", "epoch_milliseconds"],
    &["epoch_microsecond", "epoch_microseconds"],
    &["epoch_nanosecond", "epoch_nanoseconds"],
    &["timezone_hour", "tzh"],
    &["timezone_minute", "tzm"],
];

/// The one spelling of a part, in lower case.
pub fn canonical(name: &str) -> Option<&'static str> {
    let name = name.to_ascii_lowercase();
    PARTS.iter().find(|spellings| spellings.contains(&name.as_str())).map(|spellings| spellings[0])
}

/// Which argument of a function is a date part, if one is.
pub fn argument_of(function: &str) -> Option<usize> {
    find(function)?.parameters.iter().position(|parameter| *parameter == Parameter::DatePart)
}
