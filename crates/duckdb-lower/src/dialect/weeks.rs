//! Functions of weeks under the session parameters WEEK_START and WEEK_OF_YEAR_POLICY. With the defaults, which are the
//! engine's rules, this pass changes nothing.

use firn_sql::ast::{Expr, Value};
use firn_values::weeks::{FirstWeek, WeekRules};

use super::build::{call, call_name, copied_arguments, number, text};
use super::date_parts::wall;

pub(super) fn rewrite(expr: &mut Expr, rules: WeekRules) {
    if rules == WeekRules::default() {
        return;
    }
    let Expr::Function(function) = &*expr else { return };
    let (Some(name), Some(arguments)) = (call_name(function), copied_arguments(function)) else { return };
    if let Some(rewritten) = rewritten(name, arguments, rules) {
        *expr = rewritten;
    }
}

fn rewritten(name: &str, arguments: Vec<Expr>, rules: WeekRules) -> Option<Expr> {
    let start = || number(i64::from(rules.first_day()));
    let is_part = |place: usize, part: &str| {
        matches!(arguments.get(place), Some(Expr::Value(value))
            if matches!(&value.value, Value::SingleQuotedString(text) if text == part))
    };
    let last = || arguments.last().cloned().map(wall);
    Some(match (name, arguments.len()) {
        ("DAYOFWEEK", 1) => day_of_week(last()?, rules)?,
        ("DATE_PART", 2) if is_part(0, "dayofweek") => day_of_week(last()?, rules)?,
        ("WEEK" | "WEEKOFYEAR", 1) => week(last()?, rules),
        ("DATE_PART", 2) if is_part(0, "week") => week(last()?, rules),
        ("YEAROFWEEK", 1) => year_of_week(last()?, rules),
        ("DATE_PART", 2) if is_part(0, "yearofweek") => year_of_week(last()?, rules),
        ("DATE_TRUNC", 2) if is_part(0, "week") => call("firn_week_floor", vec![last()?, start()]),
        ("DATEDIFF" | "TIMEDIFF" | "TIMESTAMPDIFF", 3) if is_part(0, "week") => {
            let floor = |value: Expr| call("firn_week_floor", vec![wall(value), start()]);
            let days = call("date_diff", vec![text("day"), floor(arguments[1].clone()), floor(arguments[2].clone())]);
            call("firn_whole_weeks", vec![days])
        }
        ("LAST_DAY", 2) if is_part(1, "week") => call("firn_week_end", vec![wall(arguments[0].clone()), start()]),
        _ => return None,
    })
}

/// From 1, the day weeks begin on; with the start 0 as usual.
fn day_of_week(value: Expr, rules: WeekRules) -> Option<Expr> {
    match rules.given_start() {
        0 => None,
        start => Some(call("firn_day_of_week", vec![value, number(i64::from(start))])),
    }
}

fn week(value: Expr, rules: WeekRules) -> Expr {
    let name = match rules.first_week {
        FirstWeek::OfFourDays => "firn_week_of_four_days",
        FirstWeek::OfJanuaryFirst => "firn_week_of_january",
    };
    call(name, vec![value, number(i64::from(rules.first_day()))])
}

fn year_of_week(value: Expr, rules: WeekRules) -> Expr {
    match rules.first_week {
        FirstWeek::OfFourDays => call("firn_year_of_four_days", vec![value, number(i64::from(rules.first_day()))]),
        FirstWeek::OfJanuaryFirst => call("year", vec![value]),
    }
}
