//! Functions that take a date part: DATEADD, DATEDIFF, DATE_TRUNC, DATE_PART, EXTRACT and LAST_DAY, with
//! every spelling the dialect has for a part. A part may be a word or a text.

use firn_sql::Failure;
use firn_sql::ast::{BinaryOperator, Expr, Value};

use super::build::{call, call_name, cast, copied_arguments, literal_shown, null, number, text};
use super::constant_texts::is_constant;
use super::literal_values::integer_of;

const TRUNCATION: &str = "firn_date_trunc";

const NAMES: [&str; 11] = [
    "DATEADD",
    "TIMEADD",
    "TIMESTAMPADD",
    "DATEDIFF",
    "TIMEDIFF",
    "TIMESTAMPDIFF",
    "DATE_TRUNC",
    "TRUNC",
    "DATE_PART",
    "LAST_DAY",
    "TIME_SLICE",
];

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    if let Expr::BinaryOp { left, op: BinaryOperator::Eq | BinaryOperator::NotEq, right } = expr {
        hide_truncation(left, right);
        hide_truncation(right, left);
        return Ok(());
    }
    let Expr::Function(function) = expr else { return Ok(()) };
    let Some(name) = call_name(function).filter(|name| NAMES.contains(name)) else { return Ok(()) };
    let Some(arguments) = copied_arguments(function) else { return Ok(()) };
    if let Some(rewritten) = rewrite_call(name, arguments)? {
        *expr = rewritten;
    }
    Ok(())
}

/// The engine compares what is truncated with a constant that is not as if no time were NULL, unless it does not see that
/// it is truncated.
fn hide_truncation(value: &mut Expr, other: &Expr) {
    let inside = match value {
        Expr::Nested(inside) => &mut **inside,
        value => value,
    };
    let is_truncated = matches!(&*inside, Expr::Function(function) if call_name(function) == Some(TRUNCATION));
    if is_truncated && is_constant(other) {
        *inside = call("greatest", vec![std::mem::replace(inside, null())]);
    }
}

fn rewrite_call(name: &str, arguments: Vec<Expr>) -> Result<Option<Expr>, Failure> {
    let mut arguments = arguments.into_iter();
    let mut next = || arguments.next();
    let rewritten = match name {
        "DATEADD" | "TIMEADD" | "TIMESTAMPADD" => match (next(), next(), next()) {
            (Some(part), Some(amount), Some(value)) => match part_of(&part)? {
                Part::Nanosecond => {
                    let microseconds = call("firn_whole_microseconds", vec![amount]);
                    addition(Part::Microsecond, microseconds, instant(value))?
                }
                part => addition(part, amount, instant(value))?,
            },
            _ => return Err(argument_count(name)),
        },
        "DATEDIFF" | "TIMEDIFF" | "TIMESTAMPDIFF" => match (next(), next(), next()) {
            (Some(part), Some(from), Some(to)) => difference(part_of(&part)?, from, to)?,
            _ => return Err(argument_count(name)),
        },
        "DATE_TRUNC" | "TRUNC" => match (next(), next()) {
            (Some(first), Some(second)) => match truncation(name, first, second)? {
                Some(rewritten) => rewritten,
                None => return Ok(None),
            },
            _ => return Ok(None),
        },
        "DATE_PART" => match (next(), next()) {
            (Some(part), Some(value)) => extraction(part_of(&part)?, value),
            _ => return Err(argument_count(name)),
        },
        "LAST_DAY" => match (next(), next()) {
            (Some(value), None) => call("firn_last_day", vec![text("month"), wall(value)]),
            (Some(value), Some(part)) => match part_of(&part)? {
                part @ (Part::Year | Part::Quarter | Part::Month | Part::Week | Part::WeekIso) => {
                    call("firn_last_day", vec![text(part.truncation()?), wall(value)])
                }
                other => return Err(other.not_here(name)),
            },
            _ => return Err(argument_count(name)),
        },
        "TIME_SLICE" => match (next(), next(), next(), next()) {
            (Some(value), Some(length), Some(part), bound) => slice(value, length, part_of(&part)?, bound)?,
            _ => return Err(argument_count(name)),
        },
        _ => return Ok(None),
    };
    Ok(Some(rewritten))
}

/// The start or the end of the slice of time that a value is in; slices are counted from 1970, those of weeks from
/// the Monday of its first day.
fn slice(value: Expr, length: Expr, part: Part, bound: Option<Expr>) -> Result<Expr, Failure> {
    const DAY: i64 = 86_400_000_000;
    let bound = match bound.as_ref().map(|bound| text_literal(bound).unwrap_or_default().to_ascii_uppercase()) {
        None => 0,
        Some(word) if word == "START" => 0,
        Some(word) if word == "END" => 1,
        Some(word) => return Err(Failure::invalid_value("TIME_SLICE", &word, "use START or END")),
    };
    let (months, microseconds) = match part {
        Part::Year => (12, 0),
        Part::Quarter => (3, 0),
        Part::Month => (1, 0),
        Part::Week => (0, 7 * DAY),
        Part::Day => (0, DAY),
        Part::Hour => (0, 3_600_000_000),
        Part::Minute => (0, 60_000_000),
        Part::Second => (0, 1_000_000),
        other => return Err(other.not_here("TIME_SLICE")),
    };
    if integer_of(&length).is_some_and(|length| length < 1) {
        return Err(Failure::invalid_value(
            "the length of TIME_SLICE",
            &length.to_string(),
            "give a number above zero",
        ));
    }
    let times = |factor: i64| Expr::BinaryOp {
        left: Box::new(cast(length.clone(), "BIGINT")),
        op: BinaryOperator::Multiply,
        right: Box::new(number(factor)),
    };
    let base = if part == Part::Week { -3 * DAY } else { 0 };
    Ok(if months > 0 {
        call("firn_slice_months", vec![instant(value), times(months), number(bound)])
    } else {
        call("firn_slice_microseconds", vec![instant(value), times(microseconds), number(bound), number(base)])
    })
}

fn argument_count(name: &str) -> Failure {
    Failure::new("000938", "22023", format!("SQL compilation error:\nnot enough arguments for function [{name}]"))
}

/// A text in the place of a date or time is read as a timestamp.
pub(super) fn instant(value: Expr) -> Expr {
    match &value {
        Expr::Value(literal) if matches!(literal.value, Value::SingleQuotedString(_)) => cast(value, "TIMESTAMP"),
        _ => value,
    }
}

/// The local date and time: of a TIMESTAMP_TZ at its own offset, independent of the session's time zone.
pub(super) fn wall(value: Expr) -> Expr {
    of_zoned("firn_wall", value)
}

/// A zoned timestamp as what `function` makes of it; any other value as it is.
fn of_zoned(function: &str, value: Expr) -> Expr {
    match value {
        Expr::Value(_) => instant(value),
        other => call(function, vec![other]),
    }
}

/// `value` moved by `amount` parts.
pub(super) fn addition(part: Part, amount: Expr, value: Expr) -> Result<Expr, Failure> {
    let (name, factor) = match part {
        Part::Year => ("firn_add_months", 12),
        Part::Quarter => ("firn_add_months", 3),
        Part::Month => ("firn_add_months", 1),
        Part::Week => ("firn_add_days", 7),
        Part::Day => ("firn_add_days", 1),
        Part::Hour => ("firn_add_microseconds", 3_600_000_000),
        Part::Minute => ("firn_add_microseconds", 60_000_000),
        Part::Second => ("firn_add_microseconds", 1_000_000),
        Part::Millisecond => ("firn_add_microseconds", 1_000),
        Part::Microsecond => ("firn_add_microseconds", 1),
        Part::Nanosecond => {
            let microseconds = call("firn_floor_divide", vec![amount, number(1_000)]);
            return Ok(call("firn_add_microseconds", vec![value, microseconds, number(1)]));
        }
        other => return Err(other.not_here("DATEADD")),
    };
    Ok(call(name, vec![value, amount, number(factor)]))
}

/// Days and more are counted by the calendar, smaller parts by the clock.
fn difference(part: Part, from: Expr, to: Expr) -> Result<Expr, Failure> {
    let function = if part.is_within_day() { "firn_moment" } else { "firn_wall" };
    let (from, to) = (of_zoned(function, from), of_zoned(function, to));
    Ok(match part {
        Part::Week => call("firn_weeks_between", vec![from, to]),
        Part::Nanosecond => Expr::BinaryOp {
            left: Box::new(call("date_diff", vec![text("microsecond"), from, to])),
            op: BinaryOperator::Multiply,
            right: Box::new(number(1000)),
        },
        part => call("date_diff", vec![text(part.truncation().map_err(|_| part.not_here("DATEDIFF"))?), from, to]),
    })
}

/// `DATE_TRUNC` takes its part first or second; `TRUNC` is about dates only when its second argument
/// is a part in quotes.
fn truncation(name: &str, first: Expr, second: Expr) -> Result<Option<Expr>, Failure> {
    let (part, value) = if name == "TRUNC" {
        match text_literal(&second).and_then(Part::named) {
            Some(part) => (part, first),
            None => return Ok(None),
        }
    } else if let Some(part) = text_literal(&first).and_then(Part::named) {
        (part, second)
    } else {
        (part_of(&second)?, first)
    };
    Ok(Some(call(TRUNCATION, vec![text(part.truncation()?), instant(value)])))
}

fn extraction(part: Part, value: Expr) -> Expr {
    match part {
        Part::EpochSecond => call("firn_epoch", vec![instant(value), number(1_000_000)]),
        Part::EpochMillisecond => call("firn_epoch", vec![instant(value), number(1_000)]),
        Part::EpochMicrosecond => call("firn_epoch", vec![instant(value), number(1)]),
        Part::EpochNanosecond => Expr::BinaryOp {
            left: Box::new(call("firn_epoch", vec![instant(value), number(1)])),
            op: BinaryOperator::Multiply,
            right: Box::new(number(1000)),
        },
        Part::TimezoneHour | Part::TimezoneMinute => call(part.extractor(), vec![value]),
        part => call(part.extractor(), vec![wall(value)]),
    }
}

fn part_of(expr: &Expr) -> Result<Part, Failure> {
    let name = word(expr).ok_or_else(|| unknown_part(&literal_shown(expr)))?;
    part_named(&name)
}

fn part_named(name: &str) -> Result<Part, Failure> {
    Part::named(name).ok_or_else(|| unknown_part(name))
}

fn unknown_part(name: &str) -> Failure {
    Failure::new("001042", "22023", format!("SQL compilation error:\n'{name}' is not a valid date/time component."))
}

fn word(expr: &Expr) -> Option<String> {
    match expr {
        Expr::Identifier(ident) => Some(ident.value.clone()),
        other => text_literal(other).map(str::to_owned),
    }
}

fn text_literal(expr: &Expr) -> Option<&str> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) => Some(text),
            _ => None,
        },
        _ => None,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Year,
    Quarter,
    Month,
    Week,
    Day,
    Hour,
    Minute,
    Second,
    Millisecond,
    Microsecond,
    Nanosecond,
    DayOfWeek,
    DayOfWeekIso,
    DayOfYear,
    WeekIso,
    YearOfWeek,
    EpochSecond,
    EpochMillisecond,
    EpochMicrosecond,
    EpochNanosecond,
    TimezoneHour,
    TimezoneMinute,
}

impl Part {
    pub(super) fn named(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "year" | "y" | "yy" | "yyy" | "yyyy" | "yr" | "years" | "yrs" => Self::Year,
            "quarter" | "q" | "qtr" | "qtrs" | "quarters" => Self::Quarter,
            "month" | "mm" | "mon" | "mons" | "months" => Self::Month,
            "week" | "w" | "wk" | "weekofyear" | "woy" | "wy" | "weeks" => Self::Week,
            "day" | "d" | "dd" | "days" | "dayofmonth" => Self::Day,
            "hour" | "h" | "hh" | "hr" | "hours" | "hrs" => Self::Hour,
            "minute" | "m" | "mi" | "min" | "minutes" | "mins" => Self::Minute,
            "second" | "s" | "sec" | "seconds" | "secs" => Self::Second,
            "millisecond" | "ms" | "msec" | "milliseconds" => Self::Millisecond,
            "microsecond" | "us" | "usec" | "microseconds" => Self::Microsecond,
            "nanosecond" | "ns" | "nsec" | "nanosec" | "nsecond" | "nanoseconds" | "nanosecs" | "nseconds" => {
                Self::Nanosecond
            }
            "dayofweek" | "weekday" | "dow" | "dw" => Self::DayOfWeek,
            "dayofweekiso" | "weekday_iso" | "dow_iso" | "dw_iso" | "dayofweek_iso" => Self::DayOfWeekIso,
            "dayofyear" | "yearday" | "doy" | "dy" => Self::DayOfYear,
            "weekiso" | "week_iso" | "weekofyeariso" | "weekofyear_iso" => Self::WeekIso,
            "yearofweek" | "yearofweekiso" => Self::YearOfWeek,
            "epoch_second" | "epoch" | "epoch_seconds" => Self::EpochSecond,
            "epoch_millisecond" | "epoch_milliseconds" => Self::EpochMillisecond,
            "epoch_microsecond" | "epoch_microseconds" => Self::EpochMicrosecond,
            "epoch_nanosecond" | "epoch_nanoseconds" => Self::EpochNanosecond,
            "timezone_hour" | "tzh" => Self::TimezoneHour,
            "timezone_minute" | "tzm" => Self::TimezoneMinute,
            _ => return None,
        })
    }

    fn is_within_day(self) -> bool {
        matches!(
            self,
            Self::Hour | Self::Minute | Self::Second | Self::Millisecond | Self::Microsecond | Self::Nanosecond
        )
    }

    /// The engine's word for the part where values are cut or counted by it.
    fn truncation(self) -> Result<&'static str, Failure> {
        Ok(match self {
            Self::Year => "year",
            Self::Quarter => "quarter",
            Self::Month => "month",
            Self::Week | Self::WeekIso => "week",
            Self::Day => "day",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::Second => "second",
            Self::Millisecond => "millisecond",
            Self::Microsecond | Self::Nanosecond => "microsecond",
            other => return Err(other.not_here("DATE_TRUNC")),
        })
    }

    /// The engine's function that reads the part from a value.
    fn extractor(self) -> &'static str {
        match self {
            Self::Year => "year",
            Self::Quarter => "quarter",
            Self::Month => "month",
            Self::Week | Self::WeekIso => "weekofyear",
            Self::Day => "day",
            Self::Hour => "hour",
            Self::Minute => "minute",
            Self::DayOfWeek => "dayofweek",
            Self::DayOfWeekIso => "isodow",
            Self::DayOfYear => "dayofyear",
            Self::YearOfWeek => "isoyear",
            Self::Millisecond | Self::Microsecond | Self::Nanosecond => "firn_nanosecond",
            Self::Second
            | Self::EpochSecond
            | Self::EpochMillisecond
            | Self::EpochMicrosecond
            | Self::EpochNanosecond => "second",
            Self::TimezoneHour => "firn_timezone_hour",
            Self::TimezoneMinute => "firn_timezone_minute",
        }
    }

    fn not_here(self, function: &str) -> Failure {
        Failure::new(
            "001042",
            "22023",
            format!("SQL compilation error:\n'{self:?}' is not a valid date/time component for {function}."),
        )
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn parts_are_understood_in_every_spelling() {
        check("SELECT DATEADD(dd, 3, d)", "SELECT firn_add_days(d, 3, 1)");
        check("SELECT DATEADD('YEAR', 3, d)", "SELECT firn_add_months(d, 3, 12)");
        check(
            "SELECT DATEADD(hour, -1, '2020-01-01')",
            "SELECT firn_add_microseconds(CAST('2020-01-01' AS TIMESTAMP), -1, 3600000000)",
        );
        check(
            "SELECT DATEADD(ns, n, d)",
            "SELECT firn_add_microseconds(d, firn_whole_microseconds(firn_as_number(n)), 1)",
        );
        check("SELECT DATEDIFF(month, a, b)", "SELECT date_diff('month', firn_wall(a), firn_wall(b))");
        check("SELECT DATEDIFF(hour, a, b)", "SELECT date_diff('hour', firn_moment(a), firn_moment(b))");
        check("SELECT DATEDIFF(week, a, b)", "SELECT firn_weeks_between(firn_wall(a), firn_wall(b))");
        check("SELECT DATE_TRUNC('mon', d)", "SELECT firn_date_trunc('month', d)");
        check("SELECT DATE_TRUNC(d, 'mon')", "SELECT firn_date_trunc('month', d)");
        check("SELECT TRUNC(d, 'month')", "SELECT firn_date_trunc('month', d)");
        check("SELECT DATE_PART('year', d)", "SELECT year(firn_wall(d))");
        check("SELECT DATE_PART('dow', d)", "SELECT dayofweek(firn_wall(d))");
        check("SELECT DATE_PART('epoch_second', d)", "SELECT firn_epoch(d, 1000000)");
        check("SELECT LAST_DAY(d)", "SELECT firn_last_day('month', firn_wall(d))");
        check(
            "SELECT DATEADD(fortnight, 1, d)",
            "SQL compilation error:\n'fortnight' is not a valid date/time component.",
        );
    }
}
