//! NULLs among texts, which are cast to VARCHAR.

use firn_sql::ast::{Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments};
use firn_sql::command::DataType;
use firn_sql::declared_type;

use super::build::{call_name, is_null, null};
use super::kinds::dialect_cast;

/// A text that is NULL: the engine takes a mere NULL for a number or for bytes.
pub(super) fn text_of_null() -> Expr {
    dialect_cast(null(), &DataType::Varchar { length: None })
}

/// Whether this is NULL, alone or as a text: joined with another, the engine takes either for a number.
pub(super) fn is_null_text(expr: &Expr) -> bool {
    match expr {
        Expr::Nested(inside) => is_null_text(inside),
        Expr::Cast { expr: inside, data_type, .. } => {
            is_null(inside) && matches!(declared_type(data_type), Ok(DataType::Varchar { .. }))
        }
        _ => is_null(expr),
    }
}

/// Whether a call joins texts of which one is NULL, and so is NULL.
pub(super) fn joins_null(function: &Function) -> bool {
    let FunctionArguments::List(list) = &function.args else { return false };
    let is_null = |argument: &FunctionArg| matches!(argument, FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) if is_null_text(value));
    list.args.iter().any(is_null)
        && call_name(function).is_some_and(|name| matches!(name, "CONCAT" | "CONCAT_WS" | "INSERT"))
}
