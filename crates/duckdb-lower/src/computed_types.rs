//! The declared type of a computed value: how many digits an exact number has by the dialect's rules, and how long a
//! text of known pieces can be. Where it can't be told, the engine's type stands.

use firn_functions::quotients::{GROWTH_MAX, quotient_scale};
use firn_sql::ast::{
    BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, UnaryOperator, Value,
};
use firn_sql::command::DataType;
use firn_sql::declared_type;

use super::dialect::text_of;

const PRECISION_MAX: u8 = 38;
/// What a sum may have more digits than what is summed.
const SUM_GROWTH: u8 = 12;

/// Functions whose answer has this many digits, none of them after the point; in alphabetical order.
const WHOLE_NUMBERS: &[(&str, u8)] = &[
    ("ARRAY_SIZE", 9),
    ("COUNT", 18),
    ("COUNT_IF", 18),
    ("DAY", 2),
    ("DAYOFMONTH", 2),
    ("DAYOFWEEK", 2),
    ("DAYOFWEEKISO", 2),
    ("DAYOFYEAR", 3),
    ("DENSE_RANK", 18),
    ("HASH", 19),
    ("HOUR", 2),
    ("LEN", 18),
    ("LENGTH", 18),
    ("MINUTE", 2),
    ("MONTH", 2),
    ("QUARTER", 2),
    ("RANDOM", 19),
    ("RANK", 18),
    ("ROW_NUMBER", 18),
    ("SECOND", 2),
    ("WEEK", 2),
    ("WEEKISO", 2),
    ("WEEKOFYEAR", 2),
    ("YEAR", 4),
    ("YEAROFWEEK", 4),
    ("YEAROFWEEKISO", 4),
];

/// How many digits DATEDIFF tells of; a difference in smaller parts than these may have more.
const DIFFERENCE: u8 = 9;
const LARGE_PARTS: &[&str] = &["day", "hour", "month", "quarter", "week", "year"];

const LIKE_THEIR_FIRST: &[&str] =
    &["ANY_VALUE", "FIRST_VALUE", "LAG", "LAST_VALUE", "LEAD", "MAX", "MIN", "MODE", "NTH_VALUE", "NULLIF"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Digits {
    before_point: u8,
    scale: u8,
}

impl Digits {
    fn of(data_type: &DataType) -> Option<Self> {
        match data_type {
            DataType::Number { precision, scale } => Some(Self { before_point: precision - scale, scale: *scale }),
            DataType::Integer => Some(Self { before_point: PRECISION_MAX, scale: 0 }),
            _ => None,
        }
    }

    fn data_type(self) -> DataType {
        let precision = (self.before_point + self.scale).min(PRECISION_MAX);
        DataType::Number { precision, scale: self.scale.min(precision) }
    }
}

/// `column` tells the type of a name.
pub fn of_expr(expr: &Expr, column: &dyn Fn(&Expr) -> Option<DataType>) -> Option<DataType> {
    match expr {
        Expr::Value(value) => of_literal(&value.value),
        Expr::Identifier(_) | Expr::CompoundIdentifier(_) => column(expr),
        Expr::Nested(inside) => of_expr(inside, column),
        Expr::UnaryOp { op: UnaryOperator::Minus | UnaryOperator::Plus, expr } => {
            of_expr(expr, column).filter(|data_type| Digits::of(data_type).is_some())
        }
        Expr::BinaryOp { left, op, right } => {
            let (left, right) = (of_expr(left, column)?, of_expr(right, column)?);
            of_operation(&left, op, &right)
        }
        Expr::Cast { data_type, .. } => declared_type(data_type).ok(),
        Expr::Case { conditions, else_result, .. } => {
            let results = conditions.iter().map(|branch| &branch.result);
            of_all(results.chain(else_result.as_deref()), column)
        }
        Expr::Function(function) => of_call(function, column),
        _ => None,
    }
}

fn of_literal(value: &Value) -> Option<DataType> {
    match value {
        Value::Number(digits, _) => {
            let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
            let is_digits = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
            if whole.is_empty() || !is_digits(whole) || !is_digits(fraction) {
                return None;
            }
            let before_point = u8::try_from(whole.trim_start_matches('0').len().max(1)).ok()?;
            let scale = u8::try_from(fraction.len()).ok()?;
            (before_point.checked_add(scale)? <= PRECISION_MAX).then(|| Digits { before_point, scale }.data_type())
        }
        Value::SingleQuotedString(text) => {
            let length = u64::try_from(text.chars().count()).ok().filter(|length| *length > 0);
            Some(DataType::Varchar { length })
        }
        _ => None,
    }
}

fn of_operation(left: &DataType, op: &BinaryOperator, right: &DataType) -> Option<DataType> {
    if let (DataType::Varchar { length: Some(left) }, DataType::Varchar { length: Some(right) }) = (left, right) {
        return (*op == BinaryOperator::StringConcat).then_some(DataType::Varchar { length: Some(left + right) });
    }
    let (left, right) = (Digits::of(left)?, Digits::of(right)?);
    let digits = match op {
        BinaryOperator::Plus | BinaryOperator::Minus => {
            Digits { before_point: left.before_point.max(right.before_point) + 1, scale: left.scale.max(right.scale) }
        }
        BinaryOperator::Multiply => Digits {
            before_point: left.before_point + right.before_point,
            scale: (left.scale + right.scale).min(left.scale.max(right.scale).max(GROWTH_MAX)),
        },
        BinaryOperator::Divide => {
            Digits { before_point: left.before_point + right.scale, scale: quotient_scale(left.scale) }
        }
        _ => return None,
    };
    Some(digits.data_type())
}

/// What values that become one column are together; NULLs do not count.
fn of_all<'expr>(
    exprs: impl Iterator<Item = &'expr Expr>,
    column: &dyn Fn(&Expr) -> Option<DataType>,
) -> Option<DataType> {
    let mut common = None;
    for expr in exprs.filter(|expr| !is_null(expr)) {
        let data_type = of_expr(expr, column)?;
        common = Some(match common {
            None => data_type,
            Some(known) => together(&known, &data_type)?,
        });
    }
    common
}

/// What holds values of both types.
pub fn together(one: &DataType, other: &DataType) -> Option<DataType> {
    match (one, other) {
        (DataType::Varchar { length: Some(one) }, DataType::Varchar { length: Some(other) }) => {
            Some(DataType::Varchar { length: Some(*one.max(other)) })
        }
        (DataType::Varchar { .. }, DataType::Varchar { .. }) => Some(DataType::Varchar { length: None }),
        _ => {
            let (one, other) = (Digits::of(one)?, Digits::of(other)?);
            let before_point = one.before_point.max(other.before_point);
            Some(Digits { before_point, scale: one.scale.max(other.scale) }.data_type())
        }
    }
}

pub fn is_null(expr: &Expr) -> bool {
    matches!(expr, Expr::Value(value) if value.value == Value::Null)
}

fn of_call(function: &Function, column: &dyn Fn(&Expr) -> Option<DataType>) -> Option<DataType> {
    let name = function.name.to_string();
    if let Ok(found) = WHOLE_NUMBERS.binary_search_by(|(known, _)| (*known).cmp(name.as_str())) {
        return Some(DataType::Number { precision: WHOLE_NUMBERS[found].1, scale: 0 });
    }
    let arguments = arguments(function)?;
    match name.as_str() {
        "COALESCE" | "IFNULL" | "NVL" | "GREATEST" | "LEAST" => of_all(arguments.into_iter(), column),
        "IFF" | "NVL2" => of_all(arguments.into_iter().skip(1), column),
        "SUM" => {
            let Digits { before_point, scale } = Digits::of(&of_expr(arguments.first()?, column)?)?;
            Some(Digits { before_point: before_point + SUM_GROWTH, scale }.data_type())
        }
        "DATEDIFF" | "TIMEDIFF" | "TIMESTAMPDIFF" => {
            let is_large = text_of(arguments.first()?).is_some_and(|part| LARGE_PARTS.contains(&part));
            is_large.then_some(DataType::Number { precision: DIFFERENCE, scale: 0 })
        }
        "DATE_PART" => {
            let part = text_of(arguments.first()?)?.to_ascii_uppercase();
            let found = WHOLE_NUMBERS.binary_search_by(|(known, _)| (*known).cmp(part.as_str())).ok()?;
            Some(DataType::Number { precision: WHOLE_NUMBERS[found].1, scale: 0 })
        }
        "ABS" => of_expr(arguments.first()?, column).filter(|data_type| Digits::of(data_type).is_some()),
        name if LIKE_THEIR_FIRST.contains(&name) => of_expr(arguments.first()?, column),
        _ => None,
    }
}

/// The arguments that are plain expressions, if all are.
pub(super) fn arguments(function: &Function) -> Option<Vec<&Expr>> {
    let FunctionArguments::List(list) = &function.args else { return None };
    let plain = list.args.iter().map(|argument| match argument {
        FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
        _ => None,
    });
    plain.collect()
}

#[cfg(test)]
mod tests {
    use sqlparser::dialect::SnowflakeDialect;
    use sqlparser::parser::Parser;

    use super::{WHOLE_NUMBERS, of_expr};

    fn check(sql: &str, expected: Option<&str>) {
        let parsed = Parser::new(&SnowflakeDialect).try_with_sql(sql).and_then(|mut parser| parser.parse_expr());
        let expr = parsed.unwrap_or_else(|error| panic!("{sql}: {error}"));
        let found = of_expr(&expr, &|_| None).map(|data_type| data_type.full_name());
        assert_eq!(found.as_deref(), expected, "{sql}");
    }

    #[test]
    fn digits_and_lengths_follow_from_the_parts() {
        assert!(WHOLE_NUMBERS.is_sorted_by(|(left, _), (right, _)| left < right));
        check("5", Some("NUMBER(1,0)"));
        check("-1.50", Some("NUMBER(3,2)"));
        check("0.5", Some("NUMBER(2,1)"));
        check("1e2", None);
        check("1 + 1.5", Some("NUMBER(3,1)"));
        check("3.14 * 2", Some("NUMBER(4,2)"));
        check("1 / 100000000", Some("NUMBER(7,6)"));
        check("SUM(1.5)", Some("NUMBER(14,1)"));
        check("COALESCE(NULL, 12.3, 0)", Some("NUMBER(3,1)"));
        check("CASE WHEN TRUE THEN 1 ELSE 1000 END", Some("NUMBER(4,0)"));
        check("'ab' || 'cde'", Some("VARCHAR(5)"));
        check("IFF(TRUE, 'a', 1)", None);
        check("a + 1", None);
    }
}
