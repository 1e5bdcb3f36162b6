//! Functions of dates and times: they count boundaries, and leave dates what they are.

use firn_binder::Family;
use firn_sql::Failure;
use firn_sql::ast::Expr;

use super::calls::Call;
use super::literals::text_of;
use super::{Lowering, Text, refused};

impl Lowering<'_> {
    pub(super) fn of_dates(&self, call: &Call<'_>) -> Result<Option<String>, Failure> {
        let sql = match (call.entry.name, &call.values[..]) {
            ("DATEADD" | "TIMEADD" | "TIMESTAMPADD", &[part, amount, value]) => {
                self.date_add(call, part, amount, value)?
            }
            ("DATEDIFF" | "TIMEDIFF" | "TIMESTAMPDIFF", &[part, from, to]) => self.date_diff(part, from, to)?,
            ("DATE_TRUNC", &[part, value]) => self.date_trunc(part, value)?,
            ("DATE_PART", &[part, value]) => self.date_part(part, value)?,
            ("LAST_DAY", &[value]) => format!("last_day({})", self.instant_of(value)?),
            ("LAST_DAY", &[value, part]) if text_of(part) == Some("month") => {
                format!("last_day({})", self.instant_of(value)?)
            }
            ("DAYOFWEEK", &[value]) if self.starts_on_sunday() => {
                format!("(dayofweek({}) - 1)", self.instant_of(value)?)
            }
            ("DATE_FROM_PARTS" | "DATEFROMPARTS", &[year, month, day]) => {
                format!(
                    "date_add(add_months(make_date({}, 1, 1), {} - 1), {} - 1)",
                    self.int_of(year)?,
                    self.int_of(month)?,
                    self.int_of(day)?
                )
            }
            ("MONTHS_BETWEEN", &[left, right]) => {
                format!("months_between({}, {})", self.instant_of(left)?, self.instant_of(right)?)
            }
            _ => return Ok(None),
        };
        Ok(Some(sql))
    }

    fn starts_on_sunday(&self) -> bool {
        self.context.weeks == firn_engine::WeekRules::default()
    }

    fn date_add(&self, call: &Call<'_>, part: &Expr, amount: &Expr, value: &Expr) -> Text {
        let part = part_of(part)?;
        let amount = self.int_of(amount)?;
        let from = self.bound.type_of(value).family();
        let value = self.instant_of(value)?;
        let to = self.bound.type_of(call.whole).family();
        if from == Family::Time {
            return Err(refused("DATEADD of a TIME"));
        }
        let (amount, unit) = match part {
            "quarter" => (format!("(3 * {amount})"), "month"),
            "year" | "month" | "week" | "day" | "hour" | "minute" | "second" | "millisecond" | "microsecond" => {
                (amount, part)
            }
            other => return Err(refused(&format!("DATEADD of {other}"))),
        };
        Ok(match (to, unit) {
            (Family::Date, "day") => format!("date_add({value}, {amount})"),
            (Family::Date, "week") => format!("date_add({value}, 7 * {amount})"),
            (Family::Date, "month") => format!("add_months({value}, {amount})"),
            (Family::Date, "year") => format!("add_months({value}, 12 * {amount})"),
            _ => {
                let value = if from == Family::Date { format!("CAST({value} AS TIMESTAMP_NTZ)") } else { value };
                format!("timestampadd({}, {amount}, {value})", unit.to_ascii_uppercase())
            }
        })
    }

    /// Counts the boundaries between two instants.
    fn date_diff(&self, part: &Expr, from: &Expr, to: &Expr) -> Text {
        let part = part_of(part)?;
        let (from, to) = (self.instant_of(from)?, self.instant_of(to)?);
        Ok(match part {
            "year" => format!("(year({to}) - year({from}))"),
            "quarter" => format!("((year({to}) * 4 + quarter({to})) - (year({from}) * 4 + quarter({from})))"),
            "month" => format!("((year({to}) * 12 + month({to})) - (year({from}) * 12 + month({from})))"),
            "week" if self.starts_on_sunday() => {
                format!("CAST(datediff(date_trunc('WEEK', {to}), date_trunc('WEEK', {from})) / 7 AS INT)")
            }
            "day" => format!("datediff({to}, {from})"),
            "hour" | "minute" | "second" => {
                let unit = part.to_ascii_uppercase();
                format!("timestampdiff({unit}, date_trunc('{unit}', {from}), date_trunc('{unit}', {to}))")
            }
            "millisecond" | "microsecond" => format!("timestampdiff({}, {from}, {to})", part.to_ascii_uppercase()),
            other => return Err(refused(&format!("DATEDIFF of {other}"))),
        })
    }

    /// A date stays one.
    fn date_trunc(&self, part: &Expr, value: &Expr) -> Text {
        let part = part_of(part)?;
        let is_known = matches!(part, "year" | "quarter" | "month" | "week" | "day" | "hour" | "minute" | "second");
        if !is_known || (part == "week" && !self.starts_on_sunday()) {
            return Err(refused(&format!("DATE_TRUNC to {part}")));
        }
        let is_date = self.bound.type_of(value).family() == Family::Date;
        let value = self.instant_of(value)?;
        let unit = part.to_ascii_uppercase();
        Ok(match (is_date, part) {
            (true, "year" | "quarter" | "month" | "week") => format!("trunc({value}, '{unit}')"),
            (true, "day") => value,
            (true, _) => return Err(refused(&format!("DATE_TRUNC of a DATE to {part}"))),
            _ => format!("date_trunc('{unit}', {value})"),
        })
    }

    fn date_part(&self, part: &Expr, value: &Expr) -> Text {
        let part = part_of(part)?;
        let value = self.instant_of(value)?;
        Ok(match part {
            "year" | "quarter" | "month" | "day" | "hour" | "minute" | "second" | "dayofyear" => {
                format!("{part}({value})")
            }
            "weekiso" => format!("weekofyear({value})"),
            "week" if self.starts_on_sunday() => format!("weekofyear({value})"),
            "dayofweek" if self.starts_on_sunday() => format!("(dayofweek({value}) - 1)"),
            "dayofweekiso" => format!("(weekday({value}) + 1)"),
            "epoch_second" => format!("CAST(floor(unix_micros(CAST({value} AS TIMESTAMP)) / 1000000) AS BIGINT)"),
            other => return Err(refused(&format!("DATE_PART of {other}"))),
        })
    }
}

/// The canonical name of a date part.
fn part_of(part: &Expr) -> Result<&'static str, Failure> {
    let named = match part {
        Expr::Identifier(name) => Some(name.value.as_str()),
        other => text_of(other),
    };
    named.and_then(firn_sql::date_parts::canonical).ok_or_else(|| refused("date part of this form"))
}
