//! Numbers, dates and truth values in the place of a text are taken for their text, in the dialect's form.

use firn_binder::Family;
use firn_sql::ast::{BinaryOperator, Expr, Function, FunctionArg, FunctionArgExpr, FunctionArguments, Value};
use firn_sql::functions::{FunctionClass, find};

use super::build::{call, call_name, null};
use super::columns::Columns;
use super::lowered_types::Types;

pub(super) struct Coercions {
    types: Types,
}

impl Coercions {
    pub(super) fn of(columns: &Columns) -> Self {
        Self { types: Types::of(columns) }
    }

    pub(super) fn rewrite(&self, expr: &mut Expr) {
        match expr {
            Expr::Function(function) => self.arguments(function),
            Expr::Trim { expr: value, .. }
            | Expr::Substring { expr: value, .. }
            | Expr::Like { expr: value, .. }
            | Expr::ILike { expr: value, .. }
            | Expr::RLike { expr: value, .. } => self.make_text(value),
            Expr::Position { expr: part, r#in: whole } => {
                self.make_text(part);
                self.make_text(whole);
            }
            Expr::BinaryOp { left, op: BinaryOperator::StringConcat, right } => {
                self.make_text(left);
                self.make_text(right);
            }
            _ => {}
        }
    }

    /// Aggregates convert to text after aggregation.
    fn arguments(&self, function: &mut Function) {
        let Some(entry) = call_name(function).and_then(find).filter(|entry| entry.class == FunctionClass::Scalar)
        else {
            return;
        };
        let FunctionArguments::List(list) = &mut function.args else { return };
        for (place, argument) in list.args.iter_mut().enumerate() {
            if entry.parameter(place).is_text()
                && let FunctionArg::Unnamed(FunctionArgExpr::Expr(value)) = argument
            {
                self.make_text(value);
            }
        }
    }

    fn make_text(&self, value: &mut Expr) {
        if !self.is_text(value) {
            let inside = std::mem::replace(value, null());
            *value = call("firn_textual", vec![inside]);
        }
    }

    /// Avoids casts of text to text: every call of an overloaded macro doubles the time that the engine takes to bind its
    /// arguments.
    fn is_text(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Value(value) => matches!(value.value, Value::SingleQuotedString(_) | Value::Null),
            Expr::Nested(inside) => self.is_text(inside),
            Expr::BinaryOp { op: BinaryOperator::StringConcat, .. } | Expr::Trim { .. } | Expr::Substring { .. } => {
                true
            }
            Expr::Identifier(_) | Expr::CompoundIdentifier(_) => self.types.type_of(expr).family() == Family::Text,
            Expr::Function(_) => matches!(self.types.type_of(expr).family(), Family::Text | Family::Binary),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn what_is_no_text_becomes_one_where_one_is_wanted() {
        check("SELECT UPPER(1), UPPER('a')", "SELECT firn_upper(firn_textual(1)), firn_upper('a')");
        check("SELECT a || 'b'", "SELECT firn_textual(a) || 'b'");
        check("SELECT a || b || c", "SELECT firn_textual(a) || firn_textual(b) || firn_textual(c)");
        check("SELECT UPPER(TRIM(a))", "SELECT firn_upper(TRIM(firn_textual(a)))");
        check(
            "WITH y AS (SELECT 1 AS a) SELECT a || 'b' FROM (SELECT 'x' AS a) AS t",
            "WITH y AS (SELECT 1 AS a) SELECT a || 'b' FROM (SELECT 'x' AS a) AS t",
        );
    }
}
