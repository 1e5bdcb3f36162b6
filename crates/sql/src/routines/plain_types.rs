//! What type an argument is, where its own text tells.

use crate::ast::{BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value};
use crate::reader::declared_type;

use super::type_word;

/// Functions and the type of their values, in alphabetical order.
const OF_FUNCTIONS: [(&str, &str); 54] = [
    ("ARRAY_AGG", "ARRAY"),
    ("ARRAY_CONSTRUCT", "ARRAY"),
    ("ARRAY_SIZE", "NUMBER"),
    ("CHARINDEX", "NUMBER"),
    ("CONCAT", "VARCHAR"),
    ("CONCAT_WS", "VARCHAR"),
    ("CONTAINS", "BOOLEAN"),
    ("COUNT", "NUMBER"),
    ("CURRENT_DATE", "DATE"),
    ("DATEDIFF", "NUMBER"),
    ("DATE_FROM_PARTS", "DATE"),
    ("DATE_PART", "NUMBER"),
    ("DAY", "NUMBER"),
    ("DAYNAME", "VARCHAR"),
    ("ENDSWITH", "BOOLEAN"),
    ("EQUAL_NULL", "BOOLEAN"),
    ("EXP", "FLOAT"),
    ("HOUR", "NUMBER"),
    ("INITCAP", "VARCHAR"),
    ("LAST_DAY", "DATE"),
    ("LEFT", "VARCHAR"),
    ("LENGTH", "NUMBER"),
    ("LISTAGG", "VARCHAR"),
    ("LN", "FLOAT"),
    ("LOWER", "VARCHAR"),
    ("LPAD", "VARCHAR"),
    ("LTRIM", "VARCHAR"),
    ("MD5", "VARCHAR"),
    ("MINUTE", "NUMBER"),
    ("MONTH", "NUMBER"),
    ("MONTHNAME", "VARCHAR"),
    ("OBJECT_CONSTRUCT", "OBJECT"),
    ("PARSE_JSON", "VARIANT"),
    ("QUARTER", "NUMBER"),
    ("REGEXP_REPLACE", "VARCHAR"),
    ("REGEXP_SUBSTR", "VARCHAR"),
    ("REPLACE", "VARCHAR"),
    ("RIGHT", "VARCHAR"),
    ("ROW_NUMBER", "NUMBER"),
    ("RPAD", "VARCHAR"),
    ("RTRIM", "VARCHAR"),
    ("SPLIT_PART", "VARCHAR"),
    ("SQRT", "FLOAT"),
    ("STARTSWITH", "BOOLEAN"),
    ("SUBSTR", "VARCHAR"),
    ("SUBSTRING", "VARCHAR"),
    ("TO_CHAR", "VARCHAR"),
    ("TO_DATE", "DATE"),
    ("TO_NUMBER", "NUMBER"),
    ("TO_VARCHAR", "VARCHAR"),
    ("TRIM", "VARCHAR"),
    ("UPPER", "VARCHAR"),
    ("UUID_STRING", "VARCHAR"),
    ("YEAR", "NUMBER"),
];

/// Functions whose value is of the type of their first argument.
const LIKE_THEIR_FIRST: [&str; 10] =
    ["ABS", "COALESCE", "IFNULL", "LAG", "LEAD", "MAX", "MIN", "NULLIF", "NVL", "ZEROIFNULL"];

/// The word for the type of an expression; `None` where only its columns could tell.
pub(super) fn type_of(expr: &Expr) -> Option<&'static str> {
    match expr {
        Expr::Nested(inside) | Expr::UnaryOp { expr: inside, .. } => type_of(inside),
        Expr::Cast { data_type, .. } => declared_type(data_type).ok().map(|data_type| type_word(&data_type)),
        Expr::Value(value) => match &value.value {
            Value::Number(..) => Some("NUMBER"),
            Value::SingleQuotedString(_) => Some("VARCHAR"),
            Value::Boolean(_) => Some("BOOLEAN"),
            _ => None,
        },
        Expr::BinaryOp { left, op, right } => of_operation(left, op, right),
        Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::InList { .. }
        | Expr::Between { .. }
        | Expr::Like { .. } => Some("BOOLEAN"),
        Expr::Function(function) => of_function(function),
        _ => None,
    }
}

fn of_operation(left: &Expr, op: &BinaryOperator, right: &Expr) -> Option<&'static str> {
    match op {
        BinaryOperator::StringConcat => Some("VARCHAR"),
        BinaryOperator::And
        | BinaryOperator::Or
        | BinaryOperator::Eq
        | BinaryOperator::NotEq
        | BinaryOperator::Lt
        | BinaryOperator::LtEq
        | BinaryOperator::Gt
        | BinaryOperator::GtEq => Some("BOOLEAN"),
        _ => match (type_of(left)?, type_of(right)?) {
            ("NUMBER", "NUMBER") => Some("NUMBER"),
            ("NUMBER" | "FLOAT", "NUMBER" | "FLOAT") => Some("FLOAT"),
            _ => None,
        },
    }
}

fn of_function(function: &Function) -> Option<&'static str> {
    let name = function.name.to_string();
    let argument = |place: usize| match &function.args {
        FunctionArguments::List(list) => match list.args.get(place)? {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => type_of(value),
            _ => None,
        },
        _ => None,
    };
    if LIKE_THEIR_FIRST.contains(&name.as_str()) {
        return argument(0);
    }
    if matches!(name.as_str(), "IFF" | "NVL2") {
        return argument(1);
    }
    let place = OF_FUNCTIONS.binary_search_by(|(known, _)| (*known).cmp(name.as_str())).ok()?;
    Some(OF_FUNCTIONS[place].1)
}

#[cfg(test)]
mod tests {
    use super::OF_FUNCTIONS;

    #[test]
    fn the_table_is_sorted() {
        assert!(OF_FUNCTIONS.is_sorted());
    }
}
