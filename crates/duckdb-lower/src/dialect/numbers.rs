//! Exact numbers: quotients and averages of integers and decimals keep the dialect's scale instead of
//! becoming floating point. What an operand is follows from declared columns, literals and casts; where
//! it can't be told for certain, the engine's own division stands.

use std::rc::Rc;

use firn_binder::Bound;
use firn_functions::quotients::{GROWTH_MAX, SCALE_MAX, function_name, quotient_scale};
use firn_sql::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Ident, SelectItem, SetExpr,
    UnaryOperator, Value,
};
use firn_sql::command::DataType;
use firn_sql::declared_type;

use super::build::{call, call_name, case, cast, is_null, null, number, plain_arguments, plain_name};
use super::call_rewrites::integer_of;
use super::columns::Columns;
use super::decimal_scale::{DIGITS_MAX, whole_digits_of};

/// Medians and variances of numbers of a larger scale are FLOATs.
const MEDIAN_SCALE_MAX: u8 = 18;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Numeric {
    Exact { scale: u8 },
    Float,
}

impl Numeric {
    /// What holds values of both.
    fn beside(self, other: Self) -> Self {
        match (self, other) {
            (Self::Exact { scale: one }, Self::Exact { scale: other }) => Self::Exact { scale: one.max(other) },
            _ => Self::Float,
        }
    }
}

pub(super) struct Numbers {
    bound: Rc<Bound>,
}

impl Numbers {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { bound: columns.bound().clone() }
    }

    pub(super) fn rewrite(&self, expr: &mut Expr) {
        let rewritten = match expr {
            Expr::BinaryOp { left, op: BinaryOperator::Divide, right } => self.quotient(left, right),
            Expr::BinaryOp { left, op: BinaryOperator::Multiply, right } => self.product(left, right),
            Expr::BinaryOp { left, op: BinaryOperator::Modulo, right } => self.remainder(left, right),
            Expr::Function(function) => self.function(function),
            _ => None,
        };
        if let Some(rewritten) = rewritten {
            *expr = rewritten;
        }
    }

    fn function(&self, function: &Function) -> Option<Expr> {
        match call_name(function)? {
            "AVG" => self.average(function),
            "MOD" => match &plain_arguments(function)?[..] {
                [dividend, divisor] => self.remainder(dividend, divisor),
                _ => None,
            },
            "MEDIAN" => {
                let &[value] = &plain_arguments(function)?[..] else { return None };
                let scale = self.between(value)?;
                let mut median = function.clone();
                median.name = plain_name("median");
                set_arguments(&mut median, decimal(value.clone(), scale));
                Some(Expr::Function(median))
            }
            name @ ("DIV0" | "DIV0NULL") => {
                let &[dividend, divisor] = &plain_arguments(function)?[..] else { return None };
                let known = |operand: &Expr| if is_null(operand) { decimal(null(), 0) } else { operand.clone() };
                let (dividend, divisor) = (&known(dividend), &known(divisor));
                let quotient = self.quotient(dividend, divisor)?;
                let tested = match name {
                    "DIV0" => Expr::Nested(Box::new(divisor.clone())),
                    _ => call("coalesce", vec![divisor.clone(), number(0)]),
                };
                let is_zero =
                    Expr::BinaryOp { left: Box::new(tested), op: BinaryOperator::Eq, right: Box::new(number(0)) };
                let nothing = Expr::IsNull(Box::new(Expr::Nested(Box::new(dividend.clone()))));
                let zero = decimal(number(0), quotient_scale(self.exact(dividend)?));
                Some(case(vec![(nothing, null()), (is_zero, zero)], Some(quotient)))
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
                let scale = self.between(&order.expr)?;
                let mut percentile = function.clone();
                percentile.within_group[0].expr = decimal(order.expr.clone(), scale);
                Some(Expr::Function(percentile))
            }
            "VARIANCE" | "VARIANCE_POP" | "VARIANCE_SAMP" | "VAR_POP" | "VAR_SAMP" => {
                let scale = self.exact(first_argument(function)?).filter(|scale| *scale <= MEDIAN_SCALE_MAX)?;
                let mut variance = function.clone();
                let population = call_name(function)?.ends_with("POP");
                variance.name = plain_name(if population { "var_pop" } else { "var_samp" });
                Some(decimal(Expr::Function(variance), quotient_scale((2 * scale).min(GROWTH_MAX))))
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
    fn product(&self, left: &Expr, right: &Expr) -> Option<Expr> {
        let (Numeric::Exact { scale: one }, Numeric::Exact { scale: other }) = (self.infer(left)?, self.infer(right)?)
        else {
            return None;
        };
        let scale = product_scale(one, other);
        if scale == one + other {
            return None;
        }
        if one + other > DIGITS_MAX {
            let operands = vec![decimal(left.clone(), one), decimal(right.clone(), other)];
            return Some(decimal(call("firn_product", operands), scale));
        }
        let product = Expr::BinaryOp {
            left: Box::new(left.clone()),
            op: BinaryOperator::Multiply,
            right: Box::new(right.clone()),
        };
        Some(decimal(product, scale))
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

    /// The scale of what lies between two numbers; past 18 digits after the point that is a FLOAT.
    fn between(&self, expr: &Expr) -> Option<u8> {
        self.exact(expr).filter(|scale| *scale <= MEDIAN_SCALE_MAX).map(|scale| scale + 3)
    }

    /// The scale of an exact number that can be divided exactly.
    fn exact(&self, expr: &Expr) -> Option<u8> {
        match self.infer(expr)? {
            Numeric::Exact { scale } if scale <= DIGITS_MAX => Some(scale),
            _ => None,
        }
    }

    fn infer(&self, expr: &Expr) -> Option<Numeric> {
        match expr {
            Expr::Value(value) => match &value.value {
                Value::Number(digits, _) => Some(literal(digits)),
                _ => None,
            },
            Expr::Identifier(ident) => self.infer_name(std::slice::from_ref(ident)),
            Expr::CompoundIdentifier(parts) => self.infer_name(parts),
            Expr::Nested(inside) | Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr: inside } => {
                self.infer(inside)
            }
            Expr::BinaryOp { left, op, right } => self.infer_operation(left, op, right),
            Expr::Cast { data_type, .. } => cast_type(&data_type.to_string())
                .or_else(|| declared_type(data_type).ok().and_then(|data_type| of_type(&data_type))),
            Expr::Case { conditions, else_result, .. } => {
                let results = conditions.iter().map(|branch| &branch.result);
                self.infer_all(results.chain(else_result.as_deref()))
            }
            Expr::Subquery(query) => match &*query.body {
                SetExpr::Select(select) => match &select.projection[..] {
                    [SelectItem::UnnamedExpr(expr) | SelectItem::ExprWithAlias { expr, .. }] => self.infer(expr),
                    _ => None,
                },
                _ => None,
            },
            Expr::Function(function) => self.infer_call(expr, function),
            _ => None,
        }
    }

    fn infer_name(&self, name: &[Ident]) -> Option<Numeric> {
        of_type(self.bound.type_of_name(name)?.data_type()?)
    }

    fn infer_operation(&self, left: &Expr, op: &BinaryOperator, right: &Expr) -> Option<Numeric> {
        let (left, right) = (self.infer(left)?, self.infer(right)?);
        let (Numeric::Exact { scale: left }, Numeric::Exact { scale: right }) = (left, right) else {
            return Some(Numeric::Float);
        };
        let scale = match op {
            BinaryOperator::Plus | BinaryOperator::Minus | BinaryOperator::Modulo => left.max(right),
            BinaryOperator::Multiply => product_scale(left, right),
            BinaryOperator::Divide if left <= DIGITS_MAX && right <= DIGITS_MAX => quotient_scale(left),
            _ => return None,
        };
        Some(Numeric::Exact { scale })
    }

    /// What values that become one column are together; NULLs do not count.
    fn infer_all<'expr>(&self, exprs: impl Iterator<Item = &'expr Expr>) -> Option<Numeric> {
        let mut common = None;
        for expr in exprs.filter(|expr| !is_null(expr)) {
            let numeric = self.infer(expr)?;
            common = Some(common.map_or(numeric, |known: Numeric| known.beside(numeric)));
        }
        common
    }

    /// Calls have the types that the dialect gives them, also under the engine's names; what other passes put in
    /// is known by its name.
    fn infer_call(&self, expr: &Expr, function: &Function) -> Option<Numeric> {
        if let Some(node) = self.bound.node(expr) {
            return of_type(node.value.data_type.data_type()?);
        }
        match call_name(function)? {
            "firn_as_number" | "firn_as_float" | "sum" => self.infer(first_argument(function)?),
            "firn_integer" | "count" => Some(Numeric::Exact { scale: 0 }),
            "firn_number" | "firn_divide" => Some(Numeric::Float),
            name => {
                let scales = name.strip_prefix("firn_quotient_")?;
                let scale = scales.split('_').next()?.parse().ok()?;
                Some(Numeric::Exact { scale: quotient_scale(scale) })
            }
        }
    }

    /// How many digits before the point a column's values have at most, where it is known: the engine's type of what
    /// is computed may have more.
    pub(super) fn whole_digits_of(&self, name: &[Ident]) -> Option<u8> {
        whole_digits(self.bound.stored_type(name)?)
    }

    /// The scale of an exact number.
    pub(super) fn scale(&self, expr: &Expr) -> Option<u8> {
        match self.infer(expr)? {
            Numeric::Exact { scale } => Some(scale),
            Numeric::Float => None,
        }
    }
}

/// Both scales together, but not past twelve because of that.
fn product_scale(one: u8, other: u8) -> u8 {
    (one + other).min(one.max(other).max(GROWTH_MAX))
}

fn literal(digits: &str) -> Numeric {
    if digits.contains(['e', 'E']) {
        return Numeric::Float;
    }
    let scale = digits.split_once('.').map_or(0, |(_, fraction)| fraction.len());
    u8::try_from(scale).map_or(Numeric::Float, |scale| Numeric::Exact { scale })
}

/// The engine's types, which casts made by other passes carry.
fn cast_type(engine_type: &str) -> Option<Numeric> {
    match engine_type {
        "BIGINT" => Some(Numeric::Exact { scale: 0 }),
        "DOUBLE" => Some(Numeric::Float),
        _ => {
            let (_, scale) = engine_type.strip_prefix("DECIMAL(")?.strip_suffix(')')?.split_once(',')?;
            Some(Numeric::Exact { scale: scale.trim().parse().ok()? })
        }
    }
}

fn of_type(data_type: &DataType) -> Option<Numeric> {
    match data_type {
        DataType::Number { scale, .. } => Some(Numeric::Exact { scale: *scale }),
        DataType::Integer => Some(Numeric::Exact { scale: 0 }),
        DataType::Float => Some(Numeric::Float),
        _ => None,
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

fn first_argument(function: &Function) -> Option<&Expr> {
    let FunctionArguments::List(list) = &function.args else { return None };
    match list.args.first()? {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    }
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
        check("SELECT MEDIAN(COUNT(*))", "SELECT median(CAST(COUNT(*) AS DECIMAL(38,3)))");
    }
}
