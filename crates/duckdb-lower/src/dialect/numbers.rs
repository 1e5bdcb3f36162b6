//! Exact numbers: quotients and averages of integers and decimals have the dialect's scale instead of being floating
//! point. Where the type of an operand is not known, the engine's own division is used.

use firn_binder::Type;
use firn_functions::quotients::{SCALE_MAX, function_name, quotient_scale};
use firn_sql::ast::{BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident};
use firn_sql::command::DataType;

use super::build::{call, call_name, case, cast, is_null, null, number, plain_arguments, plain_name};
use super::columns::Columns;
use super::decimal_scale::{DIGITS_MAX, whole_digits_of};
use super::deep_calls::evaluated_once;
use super::literal_values::integer_of;
use super::lowered_types::{Types, first_argument};

pub(super) struct Numbers {
    types: Types,
}

impl Numbers {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { types: Types::of(columns) }
    }

    pub(super) fn rewrite(&self, expr: &mut Expr) {
        let rewritten = match &*expr {
            Expr::BinaryOp { left, op: BinaryOperator::Divide, right } => self.quotient(left, right),
            Expr::BinaryOp { left, op: BinaryOperator::Multiply, right } => self.product(expr, left, right),
            Expr::BinaryOp { left, op: BinaryOperator::Modulo, right } => self.remainder(left, right),
            Expr::Function(function) => self.function(expr, function),
            _ => None,
        };
        if let Some(rewritten) = rewritten {
            *expr = rewritten;
        }
    }

    fn function(&self, expr: &Expr, function: &Function) -> Option<Expr> {
        match call_name(function)? {
            "AVG" => self.average(function),
            "SUM" => self.sum(function),
            "MOD" => match &plain_arguments(function)?[..] {
                [dividend, divisor] => self.remainder(dividend, divisor),
                _ => None,
            },
            "MEDIAN" => {
                let &[value] = &plain_arguments(function)?[..] else { return None };
                let scale = self.scale(expr)?;
                let mut median = function.clone();
                median.name = plain_name("median");
                set_arguments(&mut median, decimal(value.clone(), scale));
                Some(Expr::Function(median))
            }
            name @ ("DIV0" | "DIV0NULL") => {
                let &[dividend, divisor] = &plain_arguments(function)?[..] else { return None };
                let known = |operand: &Expr| if is_null(operand) { decimal(null(), 0) } else { operand.clone() };
                let (dividend, divisor) = (known(dividend), known(divisor));
                let scales = (self.exact(&dividend)?, self.exact(&divisor)?);
                Some(evaluated_once([dividend, divisor], |operands| quotient_or_zero(name, operands, scales)))
            }
            "RATIO_TO_REPORT" => {
                let &[value] = &plain_arguments(function)?[..] else { return None };
                let scale = self.exact(value)?;
                let mut sum = function.clone();
                sum.name = plain_name("sum");
                let divisor = call("nullif", vec![Expr::Function(sum), number(0)]);
                Some(divided((value.clone(), scale), (divisor, scale)))
            }
            name @ ("ROUND" | "TRUNC" | "TRUNCATE" | "CEIL" | "CEILING" | "FLOOR") => {
                let &[value, digits] = &plain_arguments(function)?[..] else { return None };
                if integer_of(digits).is_some() {
                    return None;
                }
                let scale = self.exact(value).filter(|scale| *scale <= SCALE_MAX)?;
                let engine_name = match name {
                    "ROUND" => "firn_round_any",
                    "TRUNC" | "TRUNCATE" => "firn_trunc_any",
                    "FLOOR" => "firn_floor",
                    _ => "firn_ceil",
                };
                Some(decimal(call(engine_name, vec![value.clone(), digits.clone()]), scale))
            }
            "PERCENTILE_CONT" => {
                let [order] = &function.within_group[..] else { return None };
                let scale = self.scale(expr)?;
                let mut percentile = function.clone();
                percentile.within_group[0].expr = decimal(order.expr.clone(), scale);
                Some(Expr::Function(percentile))
            }
            "VARIANCE" | "VARIANCE_POP" | "VARIANCE_SAMP" | "VAR_POP" | "VAR_SAMP" => {
                let scale = self.scale(expr)?;
                let mut variance = function.clone();
                let population = call_name(function)?.ends_with("POP");
                variance.name = plain_name(if population { "var_pop" } else { "var_samp" });
                Some(decimal(Expr::Function(variance), scale))
            }
            _ => None,
        }
    }

    fn quotient(&self, dividend: &Expr, divisor: &Expr) -> Option<Expr> {
        let (dividend_scale, divisor_scale) = (self.exact(dividend)?, self.exact(divisor)?);
        Some(divided((dividend.clone(), dividend_scale), (divisor.clone(), divisor_scale)))
    }

    /// Where the engine has no exact type for numbers of both scales.
    fn remainder(&self, dividend: &Expr, divisor: &Expr) -> Option<Expr> {
        let (one, other) = (self.scale(dividend)?, self.scale(divisor)?);
        let scale = one.max(other);
        let fits = |number: &Expr| whole_digits_of(number, self).is_some_and(|digits| digits + scale <= DIGITS_MAX);
        if one == other || scale > DIGITS_MAX || (fits(dividend) && fits(divisor)) {
            return None;
        }
        let operands = vec![decimal(dividend.clone(), one), decimal(divisor.clone(), other)];
        Some(decimal(call("firn_remainder", operands), scale))
    }

    /// A product with more digits after the point than the dialect keeps is rounded.
    fn product(&self, product: &Expr, left: &Expr, right: &Expr) -> Option<Expr> {
        let (one, other, scale) = (self.scale(left)?, self.scale(right)?, self.scale(product)?);
        if scale == one + other {
            return None;
        }
        if one + other > DIGITS_MAX {
            let operands = vec![decimal(left.clone(), one), decimal(right.clone(), other)];
            return Some(decimal(call("firn_product", operands), scale));
        }
        Some(decimal(product.clone(), scale))
    }

    /// The engine's decimals and its 128 bits hold sums of 39 digits, which an addition refuses. Numbers of few digits
    /// have no such sums.
    fn sum(&self, function: &Function) -> Option<Expr> {
        const SUM_GROWTH: u8 = 12;
        let Type::Of(DataType::Number { precision, scale }) = self.types.type_of(first_argument(function)?) else {
            return None;
        };
        (precision + SUM_GROWTH > DIGITS_MAX).then(|| {
            let mut sum = function.clone();
            sum.name = plain_name("sum");
            call("add", vec![Expr::Function(sum), decimal(number(0), scale)])
        })
    }

    /// The sum by the count, in the same window and over the same distinct values.
    fn average(&self, function: &Function) -> Option<Expr> {
        let scale = self.exact(first_argument(function)?)?;
        let mut sum = function.clone();
        sum.name = plain_name("sum");
        let mut count = function.clone();
        count.name = plain_name("count");
        Some(divided((Expr::Function(sum), scale), (Expr::Function(count), 0)))
    }

    /// The scale of an exact number that can be divided exactly.
    fn exact(&self, expr: &Expr) -> Option<u8> {
        self.scale(expr).filter(|scale| *scale <= DIGITS_MAX)
    }

    /// The scale of an exact number.
    pub(super) fn scale(&self, expr: &Expr) -> Option<u8> {
        match self.types.type_of(expr).data_type()? {
            DataType::Number { scale, .. } => Some(*scale),
            DataType::Integer => Some(0),
            _ => None,
        }
    }

    /// How many digits before the point a column's values have at most, where it is known: the engine's type of what
    /// is computed may have more.
    pub(super) fn whole_digits_of(&self, name: &[Ident]) -> Option<u8> {
        whole_digits(self.types.bound().stored_type(name)?)
    }
}

/// As the engine keeps them: its integers have 19.
fn whole_digits(data_type: &DataType) -> Option<u8> {
    match data_type {
        DataType::Number { precision, scale } => Some(precision - scale),
        DataType::Integer => Some(19),
        _ => None,
    }
}

pub(super) fn decimal(expr: Expr, scale: u8) -> Expr {
    cast(expr, &format!("DECIMAL(38,{scale})"))
}

/// The exact quotient of numbers of these scales.
fn divided((dividend, dividend_scale): (Expr, u8), (divisor, divisor_scale): (Expr, u8)) -> Expr {
    let operands = vec![decimal(dividend, dividend_scale), decimal(divisor, divisor_scale)];
    match dividend_scale.max(divisor_scale) {
        ..=SCALE_MAX => call(&function_name(dividend_scale, divisor_scale), operands),
        _ => decimal(call("firn_quotient", operands), quotient_scale(dividend_scale)),
    }
}

/// DIV0 or DIV0NULL of numbers of these scales.
fn quotient_or_zero(name: &str, [dividend, divisor]: [Expr; 2], (dividend_scale, divisor_scale): (u8, u8)) -> Expr {
    let tested = match name {
        "DIV0" => Expr::Nested(Box::new(divisor.clone())),
        _ => call("coalesce", vec![divisor.clone(), number(0)]),
    };
    let is_zero = Expr::BinaryOp { left: Box::new(tested), op: BinaryOperator::Eq, right: Box::new(number(0)) };
    let nothing = Expr::IsNull(Box::new(Expr::Nested(Box::new(dividend.clone()))));
    let zero = decimal(number(0), quotient_scale(dividend_scale));
    let quotient = divided((dividend, dividend_scale), (divisor, divisor_scale));
    case(vec![(nothing, null()), (is_zero, zero)], Some(quotient))
}

fn set_arguments(function: &mut Function, argument: Expr) {
    if let FunctionArguments::List(list) = &mut function.args {
        list.args = vec![FunctionArg::Unnamed(FunctionArgExpr::Expr(argument))];
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn exact_numbers_stay_exact() {
        check("SELECT 7 / 2", "SELECT firn_quotient_0_0(CAST(7 AS DECIMAL(38,0)), CAST(2 AS DECIMAL(38,0)))");
        check("SELECT 1.50 / 2", "SELECT firn_quotient_2_0(CAST(1.50 AS DECIMAL(38,2)), CAST(2 AS DECIMAL(38,0)))");
        check("SELECT a / b", "SELECT firn_divide(firn_as_number(a), firn_as_number(b))");
        check("SELECT 0.1234567 * 0.1234567", "SELECT CAST(0.1234567 * 0.1234567 AS DECIMAL(38,12))");
        check("SELECT 1e0 / 2", "SELECT 1e0 / 2");
        check(
            "SELECT AVG(x) FROM (SELECT 1.5 AS x) AS t",
            "SELECT firn_quotient_1_0(CAST(sum(x) AS DECIMAL(38,1)), CAST(count(x) AS DECIMAL(38,0))) FROM (SELECT 1.5 AS x) AS t",
        );
        check(
            "SELECT AVG(x) FROM (SELECT 1 AS x UNION ALL SELECT 1.5) AS t",
            "SELECT firn_quotient_1_0(CAST(sum(x) AS DECIMAL(38,1)), CAST(count(x) AS DECIMAL(38,0))) FROM (SELECT 1 AS x UNION ALL SELECT 1.5) AS t",
        );
        check(
            "SELECT MEDIAN(n) FROM (SELECT COUNT(*) AS n) AS t",
            "SELECT median(CAST(n AS DECIMAL(38,3))) FROM (SELECT COUNT(*) AS n) AS t",
        );
    }
}
