//! The common type of decimals of different scales. Where 38 digits are too few, the engine preserves the digits before
//! the point and drops some of the scale; the dialect preserves the scale. There the values are cast to the scale first.

use firn_sql::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Query, SetExpr, TableAlias,
    TableFactor, UnaryOperator, Value,
};
use firn_sql::command::DataType;
use firn_sql::functions::{Returns, Rule, find_in_any_case};
use firn_sql::{Failure, print};

use super::build::{call_name, is_null, null, only_part, quoted};
use super::lowered_types::first_argument;
use super::numbers::{Numbers, decimal};
use super::set_branches::columns_of;

pub(super) const DIGITS_MAX: u8 = 38;

/// The results of CASE and of the functions that choose among their arguments.
pub(super) fn align(expr: &mut Expr, numbers: &Numbers) {
    match expr {
        Expr::Case { conditions, else_result, .. } => {
            let results = conditions.iter_mut().map(|branch| &mut branch.result);
            align_values(results.chain(else_result.as_deref_mut()).collect(), numbers);
        }
        Expr::Function(function) => align_values(choices(function), numbers),
        _ => {}
    }
}

/// The columns of a set operation and of VALUES.
pub(super) fn align_query(query: &mut Query, numbers: &Numbers) {
    match &mut *query.body {
        body @ SetExpr::SetOperation { .. } => {
            columns_of(body).into_iter().for_each(|values| align_values(values, numbers));
        }
        SetExpr::Values(values) => {
            for place in 0..values.rows.first().map_or(0, |row| row.content.len()) {
                let column = values.rows.iter_mut().filter_map(|row| row.content.get_mut(place));
                align_values(column.collect(), numbers);
            }
        }
        _ => {}
    }
}

/// The columns that UNPIVOT puts into one.
pub(super) fn align_unpivot(factor: &mut TableFactor, numbers: &Numbers) -> Result<(), Failure> {
    let TableFactor::Unpivot { table, columns, .. } = factor else { return Ok(()) };
    let mut values: Vec<Expr> = columns.iter().map(|column| column.expr.clone()).collect();
    align_values(values.iter_mut().collect(), numbers);
    let replaced: Vec<String> = columns
        .iter()
        .zip(&values)
        .filter(|(column, value)| column.expr != **value)
        .map(|(column, value)| format!("{value} AS {}", column.expr))
        .collect();
    if replaced.is_empty() {
        return Ok(());
    }
    let mut query = print::read_query(&format!("SELECT * REPLACE ({}) FROM x", replaced.join(", ")))?;
    if let SetExpr::Select(select) = &mut *query.body
        && let Some(from) = select.from.first_mut()
    {
        std::mem::swap(&mut from.relation, &mut **table);
    }
    let alias = TableAlias { explicit: true, name: quoted("firn unpivot"), columns: Vec::new(), at: None };
    **table = TableFactor::Derived { lateral: false, subquery: Box::new(query), alias: Some(alias), sample: None };
    Ok(())
}

fn choices(function: &mut Function) -> Vec<&mut Expr> {
    let Some(name) = only_part(&function.name) else { return Vec::new() };
    let FunctionArguments::List(list) = &mut function.args else { return Vec::new() };
    let count = list.args.len();
    let is_chosen = |place: usize| match name {
        "COALESCE" | "NVL" | "IFNULL" | "GREATEST" | "LEAST" | "GREATEST_IGNORE_NULLS" | "LEAST_IGNORE_NULLS" => true,
        "IFF" | "NVL2" => place > 0,
        "LAG" | "LEAD" => place != 1,
        "DECODE" => place > 1 && (place.is_multiple_of(2) || place + 1 == count),
        _ => false,
    };
    let chosen = list.args.iter_mut().enumerate().filter(|(place, _)| is_chosen(*place));
    chosen
        .filter_map(|(_, argument)| match argument {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => Some(value),
            _ => None,
        })
        .collect()
}

fn align_values(values: Vec<&mut Expr>, numbers: &Numbers) {
    let values: Vec<&mut Expr> = values.into_iter().filter(|value| !is_null(value)).collect();
    let Some(scales) = values.iter().map(|value| numbers.scale(value)).collect::<Option<Vec<u8>>>() else { return };
    let Some(common) = scales.iter().copied().max().filter(|scale| *scale <= DIGITS_MAX) else { return };
    let is_short = |value: &Expr, scale: u8| {
        scale == common || whole_digits_of(value, numbers).is_some_and(|digits| digits + common <= DIGITS_MAX)
    };
    for (value, scale) in values.into_iter().zip(scales) {
        if !is_short(value, scale) {
            *value = decimal(std::mem::replace(value, null()), common);
        }
    }
}

/// An upper bound of an exact number's digits before the point, if its type is known.
pub(super) fn whole_digits_of(expr: &Expr, numbers: &Numbers) -> Option<u8> {
    match expr {
        Expr::Value(value) => match &value.value {
            Value::Number(digits, _) => u8::try_from(digits.split('.').next()?.len()).ok(),
            _ => None,
        },
        Expr::Identifier(name) => numbers.whole_digits_of(std::slice::from_ref(name)),
        Expr::CompoundIdentifier(parts) => numbers.whole_digits_of(parts),
        Expr::Cast { data_type, .. } => whole_digits_of_type(&data_type.to_string()),
        Expr::Nested(inside) | Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr: inside } => {
            whole_digits_of(inside, numbers)
        }
        Expr::BinaryOp { left, op, right } => {
            let (left, right) = (whole_digits_of(left, numbers)?, whole_digits_of(right, numbers)?);
            match op {
                BinaryOperator::Plus | BinaryOperator::Minus => left.max(right).checked_add(1),
                BinaryOperator::Multiply => left.checked_add(right),
                _ => None,
            }
        }
        Expr::Function(function) => match &call_name(function).and_then(find_in_any_case)?.returns {
            // The engine counts in its integers.
            Returns::Fixed(DataType::Number { precision: ..=18, scale: 0 }) => Some(19),
            Returns::Like(0) | Returns::By(Rule::Absolute) => whole_digits_of(first_argument(function)?, numbers),
            _ => None,
        },
        _ => None,
    }
}

/// Of `DECIMAL(18,5)`, the engine's name of an exact type.
fn whole_digits_of_type(engine_type: &str) -> Option<u8> {
    let (precision, scale) = engine_type.strip_prefix("DECIMAL(")?.strip_suffix(')')?.split_once(',')?;
    precision.trim().parse::<u8>().ok()?.checked_sub(scale.trim().parse().ok()?)
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn no_digit_behind_the_point_is_dropped() {
        check(
            "SELECT IFF(b, 1::NUMBER(38,0), 1.25)",
            "SELECT CASE WHEN b THEN CAST(CAST(1 AS DECIMAL(38,0)) AS DECIMAL(38,2)) ELSE 1.25 END",
        );
        check("SELECT IFF(b, 1, 1.25)", "SELECT CASE WHEN b THEN 1 ELSE 1.25 END");
        check(
            "SELECT 1.5 AS A UNION ALL SELECT SUM(2)",
            "SELECT 1.5 AS A UNION ALL SELECT CAST(SUM(2) AS DECIMAL(38,1))",
        );
    }
}
