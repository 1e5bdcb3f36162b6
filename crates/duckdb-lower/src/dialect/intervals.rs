//! Intervals, which the dialect has only in sums with dates and times. The sum keeps the type of the
//! date, which the engine's own would not.

use firn_sql::Failure;
use firn_sql::ast::{BinaryOperator, Expr, Interval, Value};

use super::build::{null, number};
use super::date_parts::{Part, addition, instant};

const NANOSECONDS_IN_MICROSECOND: i64 = 1_000;

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::BinaryOp { left, op, right } = expr else { return Ok(()) };
    let sign = match op {
        BinaryOperator::Plus => 1,
        BinaryOperator::Minus => -1,
        _ => return Ok(()),
    };
    let (value, interval) = match (&**left, &**right) {
        (_, Expr::Interval(interval)) => (&mut **left, interval.clone()),
        (Expr::Interval(interval), _) if sign == 1 => {
            let interval = interval.clone();
            (&mut **right, interval)
        }
        _ => return Ok(()),
    };
    let mut sum = instant(std::mem::replace(value, null()));
    let parts = read(&interval)?;
    let is_alone = parts.len() == 1;
    for (amount, part) in parts {
        // Beside larger parts they are cut to microseconds, as instants are.
        if is_alone && part == Part::Nanosecond && amount % NANOSECONDS_IN_MICROSECOND != 0 {
            return Err(Failure::unsupported(
                "INTERVAL of nanoseconds that are no whole microseconds; give microseconds",
            ));
        }
        sum = addition(part, number(amount.saturating_mul(sign)), sum)?;
    }
    *expr = sum;
    Ok(())
}

/// `'1 year, 3 days'`, or `'90'` with the part after it.
fn read(interval: &Interval) -> Result<Vec<(i64, Part)>, Failure> {
    let invalid = || Failure::invalid_value("INTERVAL", &interval.value.to_string(), "write it as '1 year, 3 days'");
    let text = match &*interval.value {
        Expr::Value(value) => match &value.value {
            Value::SingleQuotedString(text) | Value::Number(text, _) => text.clone(),
            _ => return Err(invalid()),
        },
        _ => return Err(invalid()),
    };
    let text = match &interval.leading_field {
        Some(field) => format!("{text} {field}"),
        None => text,
    };
    text.split(',')
        .map(|piece| {
            let mut words = piece.split_whitespace();
            let amount = words.next().and_then(|amount| amount.parse::<i64>().ok()).ok_or_else(invalid)?;
            let part = words.next().map_or(Some(Part::Second), Part::named).ok_or_else(invalid)?;
            if words.next().is_some() { Err(invalid()) } else { Ok((amount, part)) }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn intervals_are_added_part_by_part() {
        check("SELECT d + INTERVAL '1 day'", "SELECT firn_add_days(d, 1, 1)");
        check("SELECT d - INTERVAL '90' DAY", "SELECT firn_add_days(d, -90, 1)");
        check("SELECT d - INTERVAL '3000 ns'", "SELECT firn_add_microseconds(d, firn_floor_divide(-3000, 1000), 1)");
        check(
            "SELECT d + INTERVAL '1999 nanoseconds'",
            "Unsupported feature 'INTERVAL of nanoseconds that are no whole microseconds; give microseconds'.",
        );
        check("SELECT INTERVAL '1 hour' + d", "SELECT firn_add_microseconds(d, 1, 3600000000)");
        check("SELECT d + INTERVAL '1 year, 3 days'", "SELECT firn_add_days(firn_add_months(d, 1, 12), 3, 1)");
    }
}
