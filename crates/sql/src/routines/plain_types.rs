//! The type of an argument, as far as the expression and the columns in it determine it.

use crate::ast::{BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value};
use crate::functions::{Returns, Rule, find};
use crate::reader::declared_type;

use super::column_types::ColumnTypes;
use super::type_word;

/// The name of an expression's type; `None` where it is not known.
pub(super) fn type_of(expr: &Expr, columns: &ColumnTypes) -> Option<&'static str> {
    match expr {
        Expr::Identifier(name) => columns.of_column(std::slice::from_ref(name)),
        Expr::CompoundIdentifier(path) => columns.of_column(path),
        Expr::Nested(inside) | Expr::UnaryOp { expr: inside, .. } => type_of(inside, columns),
        Expr::Cast { data_type, .. } => declared_type(data_type).ok().map(|data_type| type_word(&data_type)),
        Expr::Value(value) => match &value.value {
            Value::Number(..) => Some("NUMBER"),
            Value::SingleQuotedString(_) => Some("VARCHAR"),
            Value::Boolean(_) => Some("BOOLEAN"),
            _ => None,
        },
        Expr::BinaryOp { left, op, right } => of_operation(left, op, right, columns),
        Expr::IsNull(_)
        | Expr::IsNotNull(_)
        | Expr::IsDistinctFrom(..)
        | Expr::IsNotDistinctFrom(..)
        | Expr::InList { .. }
        | Expr::Between { .. }
        | Expr::Like { .. } => Some("BOOLEAN"),
        Expr::Function(function) => of_function(function, columns),
        _ => None,
    }
}

fn of_operation(left: &Expr, op: &BinaryOperator, right: &Expr, columns: &ColumnTypes) -> Option<&'static str> {
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
        _ => match (type_of(left, columns)?, type_of(right, columns)?) {
            ("NUMBER", "NUMBER") => Some("NUMBER"),
            ("NUMBER" | "FLOAT", "NUMBER" | "FLOAT") => Some("FLOAT"),
            _ => None,
        },
    }
}

fn of_function(function: &Function, columns: &ColumnTypes) -> Option<&'static str> {
    let name = function.name.to_string();
    let argument = |place: usize| match &function.args {
        FunctionArguments::List(list) => match list.args.get(place)? {
            FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) => type_of(value, columns),
            _ => None,
        },
        _ => None,
    };
    match &find(&name)?.returns {
        Returns::Fixed(data_type) => Some(type_word(data_type)),
        Returns::Like(place) | Returns::Common(place) => argument(*place),
        Returns::By(Rule::Absolute | Rule::Shifted | Rule::ZeroIfNull) => argument(0),
        Returns::By(Rule::Digest | Rule::SameText) => Some("VARCHAR"),
        Returns::By(Rule::DateDifference | Rule::DatePart | Rule::ToNumber) => Some("NUMBER"),
        Returns::By(Rule::Concatenation | Rule::PartOfText | Rule::TextOrBinary) => match argument(0) {
            Some("BINARY") => Some("BINARY"),
            _ => Some("VARCHAR"),
        },
        _ => None,
    }
}
