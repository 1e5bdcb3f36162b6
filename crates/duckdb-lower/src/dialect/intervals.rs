//! Intervals, which the dialect has only in sums with dates and times. The sum keeps the type of the
//! date, which the engine's own would not.

use firn_sql::Failure;
use firn_sql::ast::{BinaryOperator, Expr, Interval, Value};

use super::build::{null, number};
use super::date_parts::{Part, addition, instant};

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
    for (amount, part) in read(&interval)? {
        sum = addition(part, number(amount * sign), sum)?;
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
        check("SELECT INTERVAL '1 hour' + d", "SELECT firn_add_microseconds(d, 1, 3600000000)");
        check("SELECT d + INTERVAL '1 year, 3 days'", "SELECT firn_add_days(firn_add_months(d, 1, 12), 3, 1)");
    }
}
