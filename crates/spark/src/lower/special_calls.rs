//! Functions whose rendering depends on the types of their arguments: choices, averages, rounding and conversions.

use firn_binder::Type;
use firn_sql::Failure;
use firn_sql::ast::Expr;
use firn_sql::command::DataType;

use super::calls::Call;
use super::expressions::bracketed;
use super::literals::{integer_of, text_of};
use super::{Lowering, Text, refused};
use crate::types::spark_type;

/// Digits before the point of what is summed for an average.
const AVERAGED_DIGITS: u8 = 34;
/// Spark's average has so many digits more after the point than what it is of.
const AVERAGE_GROWTH: u8 = 4;

impl Lowering<'_> {
    pub(super) fn special(&self, call: &Call<'_>) -> Result<Option<String>, Failure> {
        let values = &call.values;
        let sql = match (call.entry.name, &values[..]) {
            ("COUNT", _) => self.count(call)?,
            ("AVG", &[value]) => self.average(call, value)?,
            ("COALESCE" | "NVL" | "IFNULL", _) => format!("coalesce({})", self.choices(call, values)?),
            ("GREATEST" | "LEAST", _) => self.extreme(call, values)?,
            ("GREATEST_IGNORE_NULLS", _) => format!("greatest({})", self.choices(call, values)?),
            ("LEAST_IGNORE_NULLS", _) => format!("least({})", self.choices(call, values)?),
            ("IFF", &[condition, then, other]) => {
                let (then, other) = (self.choices(call, &[then])?, self.choices(call, &[other])?);
                format!("CASE WHEN {} THEN {then} ELSE {other} END", self.condition(condition)?)
            }
            ("NVL2", &[value, then, other]) => {
                let (then, other) = (self.choices(call, &[then])?, self.choices(call, &[other])?);
                format!(
                    "CASE WHEN {} IS NOT NULL THEN {then} ELSE {other} END",
                    bracketed(value, self.expression(value)?)
                )
            }
            ("DECODE", [value, rest @ ..]) => self.decode(call, value, rest)?,
            ("DIV0" | "DIV0NULL", &[dividend, divisor]) => self.division_or_zero(call, dividend, divisor)?,
            ("MOD", &[left, right]) => {
                format!("({} % {})", bracketed(left, self.number_of(left)?), bracketed(right, self.number_of(right)?))
            }
            ("CEIL" | "CEILING" | "FLOOR", &[value, digits]) => {
                let name = if call.entry.name == "FLOOR" { "floor" } else { "ceil" };
                format!("{name}({}, {})", self.number_of(value)?, self.int_of(digits)?)
            }
            ("TRUNC" | "TRUNCATE", [value, rest @ ..]) if !self.bound.type_of(value).family().is_temporal() => {
                self.truncated(value, rest)?
            }
            ("NTILE", &[count]) => format!("ntile({})", self.int_of(count)?),
            ("NTH_VALUE", &[value, place]) => {
                format!("nth_value({}, {})", self.expression(value)?, self.int_of(place)?)
            }
            ("LAG" | "LEAD", [value, offset, rest @ ..]) => {
                let name = call.entry.name.to_ascii_lowercase();
                let default = rest.first().map(|other| self.choices(call, &[other])).transpose()?;
                let default = default.map(|default| format!(", {default}")).unwrap_or_default();
                format!("{name}({}, {}{default})", self.expression(value)?, self.int_of(offset)?)
            }
            ("RLIKE" | "REGEXP" | "REGEXP_LIKE", &[value, pattern]) => {
                format!("({} RLIKE {})", bracketed(value, self.as_text(value)?), self.whole_pattern(pattern)?)
            }
            ("SPLIT_PART", &[value, separator, place]) if text_of(separator).is_some_and(|text| !text.is_empty()) => {
                let place = integer_of(place)
                    .filter(|place| *place != 0)
                    .map_or_else(|| self.int_of(place), |place| Ok(place.to_string()))?;
                format!("split_part({}, {}, {place})", self.as_text(value)?, self.as_text(separator)?)
            }
            ("RATIO_TO_REPORT" | "CONDITIONAL_TRUE_EVENT" | "CONDITIONAL_CHANGE_EVENT", _) => return Ok(None),
            _ => {
                return self.of_dates(call).and_then(|sql| match sql {
                    Some(sql) => Ok(Some(sql)),
                    None => self.conversion(call),
                });
            }
        };
        Ok(Some(sql))
    }

    fn choices(&self, call: &Call<'_>, values: &[&Expr]) -> Text {
        let to = self.bound.type_of(call.whole);
        let values = values.iter().map(|value| self.converted(value, &to)).collect::<Result<Vec<_>, _>>()?;
        Ok(values.join(", "))
    }

    fn count(&self, call: &Call<'_>) -> Text {
        if call.has_star() {
            return Ok("count(*)".to_owned());
        }
        let distinct = if call.is_distinct() { "DISTINCT " } else { "" };
        if call.is_distinct() {
            call.values.iter().try_for_each(|value| self.refuse_variant(value, "COUNT(DISTINCT …)"))?;
        }
        let values = call.values.iter().map(|value| self.expression(value)).collect::<Result<Vec<_>, _>>()?;
        Ok(format!("count({distinct}{})", values.join(", ")))
    }

    fn average(&self, call: &Call<'_>, value: &Expr) -> Text {
        let distinct = if call.is_distinct() { "DISTINCT " } else { "" };
        let sql = self.number_of(value)?;
        Ok(match self.bound.type_of(call.whole).data_type {
            Type::Of(DataType::Number { scale, .. }) => {
                let scale = scale.saturating_sub(AVERAGE_GROWTH);
                format!("avg({distinct}CAST({sql} AS DECIMAL({AVERAGED_DIGITS},{scale})))")
            }
            _ => format!("avg({distinct}{sql})"),
        })
    }

    /// NULL among the values makes the result NULL.
    fn extreme(&self, call: &Call<'_>, values: &[&Expr]) -> Text {
        values.iter().try_for_each(|value| self.refuse_variant(value, call.entry.name))?;
        let to = self.bound.type_of(call.whole);
        let shown = values.iter().map(|value| self.converted(value, &to)).collect::<Result<Vec<_>, _>>()?;
        let is_null: Vec<String> = values
            .iter()
            .zip(&shown)
            .map(|(value, sql)| format!("{} IS NULL", bracketed(value, format!("({sql})"))))
            .collect();
        let name = call.entry.name.to_ascii_lowercase();
        match &shown[..] {
            [only] => Ok(only.clone()),
            _ => Ok(format!("CASE WHEN {} THEN NULL ELSE {name}({}) END", is_null.join(" OR "), shown.join(", "))),
        }
    }

    /// A NULL that is searched for is found.
    fn decode(&self, call: &Call<'_>, value: &Expr, rest: &[&Expr]) -> Text {
        let to = self.bound.type_of(call.whole);
        let sought = self.expression(value)?;
        let mut sql = "CASE".to_owned();
        let (pairs, default) = rest.as_chunks::<2>();
        for [key, result] in pairs {
            let key = self.compared(value, key)?;
            sql.push_str(&format!(" WHEN ({sought}) <=> ({key}) THEN {}", self.converted(result, &to)?));
        }
        if let [default] = default {
            sql.push_str(&format!(" ELSE {}", self.converted(default, &to)?));
        }
        Ok(format!("{sql} END"))
    }

    fn division_or_zero(&self, call: &Call<'_>, dividend: &Expr, divisor: &Expr) -> Text {
        let shown = self.number_of(divisor)?;
        let divisor_or_null = format!("nullif({shown}, 0)");
        let dividend_is_there = format!("({}) IS NOT NULL", self.number_of(dividend)?);
        let is_zero = match call.entry.name {
            "DIV0NULL" => format!("(coalesce({shown}, 0) = 0 AND {dividend_is_there})"),
            _ => format!("(({shown}) = 0 AND {dividend_is_there})"),
        };
        let quotient = match self.bound.type_of(call.whole).data_type {
            Type::Of(ref result @ DataType::Number { scale, .. }) => {
                let result = spark_type(result).unwrap_or_default();
                let precision = (19 + scale).min(34);
                format!(
                    "CAST(CAST({} AS DECIMAL({precision},{scale})) / {divisor_or_null} AS {result})",
                    self.number_of(dividend)?
                )
            }
            _ => format!("CAST({} AS DOUBLE) / {divisor_or_null}", self.number_of(dividend)?),
        };
        Ok(format!("CASE WHEN {is_zero} THEN 0 ELSE {quotient} END"))
    }

    /// Towards zero.
    fn truncated(&self, value: &Expr, rest: &[&Expr]) -> Text {
        let digits = rest.first().map_or_else(|| Ok("0".to_owned()), |digits| self.int_of(digits))?;
        let sql = self.number_of(value)?;
        Ok(format!("CASE WHEN ({sql}) < 0 THEN ceil({sql}, {digits}) ELSE floor({sql}, {digits}) END"))
    }

    fn conversion(&self, call: &Call<'_>) -> Result<Option<String>, Failure> {
        let name = call.entry.name;
        let (tries, name) = match name.strip_prefix("TRY_") {
            Some(name) => (true, name),
            None => (false, name),
        };
        let to = match name {
            "TO_CHAR" | "TO_VARCHAR" => DataType::Varchar { length: None },
            "TO_DATE" | "DATE" => DataType::Date,
            "TO_DOUBLE" => DataType::Float,
            "TO_BOOLEAN" => DataType::Boolean,
            "TO_TIMESTAMP" | "TO_TIMESTAMP_NTZ" => DataType::TimestampNtz { scale: 9 },
            "TO_TIMESTAMP_LTZ" => DataType::TimestampLtz { scale: 9 },
            "TO_VARIANT" => DataType::Variant,
            "TO_NUMBER" | "TO_DECIMAL" | "TO_NUMERIC" => match self.bound.type_of(call.whole).data_type {
                Type::Of(data_type) => data_type,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let has_format =
            call.values.get(1).is_some_and(|format| text_of(format).is_some() || integer_of(format).is_none());
        match call.values.first() {
            Some(value) if !has_format => self.cast_to(tries, value, &to).map(Some),
            Some(_) => Err(refused(&format!("{} with a format", call.entry.name))),
            None => Ok(None),
        }
    }
}
