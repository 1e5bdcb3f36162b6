//! Window functions: the position of IGNORE NULLS, and the default frame.

use firn_sql::Failure;
use firn_sql::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArgumentClause, FunctionArguments,
    OrderByOptions, OrderBySort, WindowFrame, WindowFrameBound, WindowFrameUnits, WindowType,
};
use firn_sql::normalize_tokens::FROM_LAST;

use super::build::{call, call_name, case, cast, copied_arguments, null, number, plain_arguments};
use super::literal_values::{integer_of, text_of};

pub(super) fn rewrite(expr: &mut Expr) -> Result<(), Failure> {
    let Expr::Function(function) = expr else { return Ok(()) };
    if function.over.is_none() {
        return Ok(());
    }
    match call_name(function) {
        Some("FIRST_VALUE" | "LAST_VALUE" | "NTH_VALUE") => {
            check_place(function)?;
            whole_partition(function);
            from_last(function)?;
            nulls_inside(function);
        }
        Some("LEAD" | "LAG") => nulls_inside(function),
        Some("CONDITIONAL_TRUE_EVENT") => *expr = true_events(function)?,
        Some("CONDITIONAL_CHANGE_EVENT") => *expr = change_events(function)?,
        Some("RATIO_TO_REPORT") => *expr = ratio(function)?,
        _ => {}
    }
    Ok(())
}

/// The first row is the first one.
fn check_place(function: &Function) -> Result<(), Failure> {
    let place = plain_arguments(function).and_then(|arguments| integer_of(arguments.get(1)?));
    match place.filter(|place| *place < 1) {
        Some(place) => {
            Err(Failure::invalid_value("NTH_VALUE", &place.to_string(), "give the number of a row, from one"))
        }
        None => Ok(()),
    }
}

/// FIRST_VALUE, LAST_VALUE and NTH_VALUE default to a frame of the whole partition.
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

/// The nth value from the end is the nth one of the window in reverse order.
fn from_last(function: &mut Function) -> Result<(), Failure> {
    let FunctionArguments::List(list) = &mut function.args else { return Ok(()) };
    let is_mark = |argument: &FunctionArg| matches!(argument, FunctionArg::Unnamed(FunctionArgExpr::Expr(mark)) if text_of(mark) == Some(FROM_LAST));
    if list.args.len() != 3 || list.args.pop_if(|last| is_mark(last)).is_none() {
        return Ok(());
    }
    let Some(WindowType::WindowSpec(window)) = &mut function.over else {
        return Err(Failure::unsupported("FROM LAST over a named window"));
    };
    for order in &mut window.order_by {
        let ascending = order.options.sort != Some(OrderBySort::Desc);
        // NULLs are the greatest values.
        let nulls_first = order.options.nulls_first.unwrap_or(!ascending);
        order.options = OrderByOptions {
            sort: Some(if ascending { OrderBySort::Desc } else { OrderBySort::Asc }),
            nulls_first: Some(!nulls_first),
        };
    }
    if let Some(frame) = &mut window.window_frame {
        let end = frame.end_bound.take().unwrap_or(WindowFrameBound::CurrentRow);
        frame.end_bound = Some(turned(std::mem::replace(&mut frame.start_bound, WindowFrameBound::CurrentRow)));
        frame.start_bound = turned(end);
    }
    Ok(())
}

fn turned(bound: WindowFrameBound) -> WindowFrameBound {
    match bound {
        WindowFrameBound::CurrentRow => WindowFrameBound::CurrentRow,
        WindowFrameBound::Preceding(distance) => WindowFrameBound::Following(distance),
        WindowFrameBound::Following(distance) => WindowFrameBound::Preceding(distance),
    }
}

fn nulls_inside(function: &mut Function) {
    if let (Some(treatment), FunctionArguments::List(list)) = (function.null_treatment.take(), &mut function.args) {
        list.clauses.push(FunctionArgumentClause::IgnoreOrRespectNulls(treatment));
    }
}

/// How many rows so far met the condition.
fn true_events(function: &Function) -> Result<Expr, Failure> {
    let Some([condition]) = copied_arguments(function).and_then(|arguments| <[Expr; 1]>::try_from(arguments).ok())
    else {
        return Err(Failure::unsupported("CONDITIONAL_TRUE_EVENT without one condition"));
    };
    let sum = super::build::function("sum", vec![case(vec![(condition, number(1))], Some(number(0)))]);
    Ok(cast(so_far(sum, function), "BIGINT"))
}

/// How often the value changed so far.
fn change_events(function: &Function) -> Result<Expr, Failure> {
    let Some([value]) = copied_arguments(function).and_then(|arguments| <[Expr; 1]>::try_from(arguments).ok()) else {
        return Err(Failure::unsupported("CONDITIONAL_CHANGE_EVENT without one value"));
    };
    let changes = super::build::function("firn_changes", vec![cast(value, "VARCHAR")]);
    Ok(so_far(changes, function))
}

/// An aggregate over the window's rows up to the current one.
fn so_far(mut aggregate: Function, function: &Function) -> Expr {
    aggregate.over.clone_from(&function.over);
    if let Some(WindowType::WindowSpec(window)) = &mut aggregate.over {
        window.window_frame = Some(WindowFrame {
            units: WindowFrameUnits::Rows,
            start_bound: WindowFrameBound::Preceding(None),
            end_bound: Some(WindowFrameBound::CurrentRow),
        });
    }
    Expr::Function(aggregate)
}

/// The value by the sum of all values in the window; NULL when that is zero.
fn ratio(function: &Function) -> Result<Expr, Failure> {
    let Some([value]) = copied_arguments(function).and_then(|arguments| <[Expr; 1]>::try_from(arguments).ok()) else {
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
    use crate::dialect::testing::check;

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
