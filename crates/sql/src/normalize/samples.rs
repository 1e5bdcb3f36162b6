//! SAMPLE and TABLESAMPLE in canonical form: after the alias, with an explicit method and unit.

use super::refusals::refuse;
use crate::Failure;
use crate::ast::{
    Expr, TableSampleKind, TableSampleMethod, TableSampleModifier, TableSampleSeedModifier, TableSampleUnit, Value,
};

pub(super) fn admit(sample: &mut Option<TableSampleKind>) -> Result<(), Failure> {
    let Some(TableSampleKind::BeforeTableAlias(mut given) | TableSampleKind::AfterTableAlias(mut given)) =
        sample.take()
    else {
        return Ok(());
    };
    refuse(given.bucket.is_some() || given.offset.is_some(), "SAMPLE of buckets")?;
    let Some(quantity) = &mut given.quantity else { return Err(Failure::unsupported("SAMPLE without a number")) };
    let by_block = matches!(given.name, Some(TableSampleMethod::System | TableSampleMethod::Block));
    let unit = quantity.unit.unwrap_or(TableSampleUnit::Percent);
    refuse(by_block && unit == TableSampleUnit::Rows, "SAMPLE SYSTEM of a number of rows")?;
    check_range(&quantity.value, unit)?;
    quantity.unit = Some(unit);
    quantity.parenthesized = true;
    given.modifier = TableSampleModifier::TableSample;
    given.name = match (unit, by_block) {
        (TableSampleUnit::Rows, _) => None,
        (TableSampleUnit::Percent, true) => Some(TableSampleMethod::System),
        (TableSampleUnit::Percent, false) => Some(TableSampleMethod::Bernoulli),
    };
    if let Some(seed) = &mut given.seed {
        seed.modifier = TableSampleSeedModifier::Repeatable;
    }
    *sample = Some(TableSampleKind::AfterTableAlias(given));
    Ok(())
}

fn check_range(value: &Expr, unit: TableSampleUnit) -> Result<(), Failure> {
    const ROWS_MAX: f64 = 1_000_000.0;
    let Expr::Value(literal) = value else { return Ok(()) };
    let Value::Number(digits, _) = &literal.value else { return Ok(()) };
    let number: f64 = digits.parse().unwrap_or(f64::NAN);
    let (most, way_out) = match unit {
        TableSampleUnit::Percent => (100.0, "give a percentage between 0 and 100"),
        TableSampleUnit::Rows => (ROWS_MAX, "give a number of rows up to 1000000"),
    };
    if (0.0..=most).contains(&number) { Ok(()) } else { Err(Failure::invalid_value("SAMPLE", digits, way_out)) }
}
