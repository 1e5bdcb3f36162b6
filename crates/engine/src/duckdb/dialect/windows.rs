//! Window functions: where IGNORE NULLS stands, and the frame that is meant when none is given.

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, Expr, Function, FunctionArgumentClause, FunctionArguments, WindowFrame, WindowFrameBound,
    WindowFrameUnits, WindowType,
};

use super::build::{call, call_name, case, cast, null, number, plain_arguments};

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::Function(function) = expr else { return Ok(()) };
    if function.over.is_none() {
        return Ok(());
    }
    match call_name(function).as_deref() {
        Some("FIRST_VALUE" | "LAST_VALUE" | "NTH_VALUE") => {
            whole_partition(function);
            nulls_inside(function);
        }
        Some("LEAD" | "LAG") => nulls_inside(function),
        Some("CONDITIONAL_TRUE_EVENT") => *expr = true_events(function)?,
        Some("RATIO_TO_REPORT") => *expr = ratio(function)?,
        _ => {}
    }
    Ok(())
}

/// The functions of a value's place see all rows of the partition unless a frame says otherwise.
fn whole_partition(function: &mut Function) {
    if let Some(WindowType::WindowSpec(window)) = &mut function.over
        && window.window_frame.is_none()
        && !window.order_by.is_empty()
    {
        window.window_frame = Some(WindowFrame {
            units: WindowFrameUnits::Rows,
            start_bound: WindowFrameBound::Preceding(None),
            end_bound: Some(WindowFrameBound::Following(None)),
        });
    }
}

fn nulls_inside(function: &mut Function) {
    if let (Some(treatment), FunctionArguments::List(list)) = (function.null_treatment.take(), &mut function.args) {
        list.clauses.push(FunctionArgumentClause::IgnoreOrRespectNulls(treatment));
    }
}

/// How many rows so far met the condition.
fn true_events(function: &Function) -> Result<Expr, Failure> {
    let Some([condition]) = plain_arguments(function).and_then(|arguments| <[Expr; 1]>::try_from(arguments).ok())
    else {
        return Err(Failure::unsupported("CONDITIONAL_TRUE_EVENT without one condition"));
    };
    let mut sum = super::build::function("sum", vec![case(vec![(condition, number(1))], Some(number(0)))]);
    sum.over.clone_from(&function.over);
    if let Some(WindowType::WindowSpec(window)) = &mut sum.over {
        window.window_frame = Some(WindowFrame {
            units: WindowFrameUnits::Rows,
            start_bound: WindowFrameBound::Preceding(None),
            end_bound: Some(WindowFrameBound::CurrentRow),
        });
    }
    Ok(cast(Expr::Function(sum), "BIGINT"))
}

/// The value by the sum of all values in the window; NULL when that is zero.
fn ratio(function: &Function) -> Result<Expr, Failure> {
    let Some([value]) = plain_arguments(function).and_then(|arguments| <[Expr; 1]>::try_from(arguments).ok()) else {
        return Err(Failure::unsupported("RATIO_TO_REPORT without one value"));
    };
    let mut sum = super::build::function("sum", vec![value.clone()]);
    sum.over.clone_from(&function.over);
    let sum = call("nullif", vec![Expr::Function(sum), number(0)]);
    let quotient = Expr::BinaryOp {
        left: Box::new(Expr::Nested(Box::new(value))),
        op: BinaryOperator::Divide,
        right: Box::new(sum.clone()),
    };
    Ok(case(vec![(Expr::IsNull(Box::new(sum)), null())], Some(quotient)))
}

#[cfg(test)]
mod tests {
    use crate::duckdb::dialect::testing::check;

    #[test]
    fn windows_are_what_the_dialect_means() {
        check(
            "SELECT FIRST_VALUE(a) IGNORE NULLS OVER (ORDER BY b)",
            "SELECT FIRST_VALUE(a IGNORE NULLS) OVER (ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING)",
        );
        check(
            "SELECT LAST_VALUE(a) OVER (ORDER BY b ROWS 1 PRECEDING)",
            "SELECT LAST_VALUE(a) OVER (ORDER BY b ROWS 1 PRECEDING)",
        );
        check(
            "SELECT CONDITIONAL_TRUE_EVENT(a) OVER (ORDER BY b)",
            "SELECT CAST(sum(CASE WHEN a THEN 1 ELSE 0 END) OVER (ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS BIGINT)",
        );
    }
}
