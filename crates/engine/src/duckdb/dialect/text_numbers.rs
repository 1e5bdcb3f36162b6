//! Texts in arithmetic, which count as numbers: a literal as the number it spells, a column with five
//! digits after the point.

use std::collections::HashSet;

use firn_sql::ast::{BinaryOperator, Expr, Value};
use firn_sql::command::DataType;

use super::build::{cast, null};
use super::columns::Columns;

/// What a text that is no literal is read as.
const COLUMN_TYPE: &str = "DECIMAL(38,5)";

/// The names of a statement's columns that are texts wherever they come from.
pub(super) struct TextNumbers {
    names: HashSet<String>,
}

impl TextNumbers {
    pub(super) fn of(columns: &Columns) -> Self {
        let is_text = |data_type: &DataType| matches!(data_type, DataType::Varchar { .. });
        let mut names: HashSet<String> =
            columns.iter().filter(|(_, data_type)| is_text(data_type)).map(|(name, _)| name.clone()).collect();
        for (name, _) in columns.iter().filter(|(_, data_type)| !is_text(data_type)) {
            names.remove(name);
        }
        Self { names }
    }

    pub(super) fn rewrite(&self, expr: &mut Expr) {
        if let Expr::BinaryOp {
            left,
            op:
                BinaryOperator::Plus
                | BinaryOperator::Minus
                | BinaryOperator::Multiply
                | BinaryOperator::Divide
                | BinaryOperator::Modulo,
            right,
        } = expr
        {
            self.read(left);
            self.read(right);
        }
    }

    fn read(&self, operand: &mut Expr) {
        let is_text_column = match &*operand {
            Expr::Identifier(ident) => self.names.contains(&ident.value),
            Expr::CompoundIdentifier(parts) => parts.last().is_some_and(|last| self.names.contains(&last.value)),
            _ => false,
        };
        if is_text_column {
            *operand = cast(std::mem::replace(operand, null()), COLUMN_TYPE);
        } else if let Expr::Value(value) = operand
            && let Value::SingleQuotedString(text) = &value.value
            && is_plain_number(text.trim())
        {
            *operand = Expr::value(Value::Number(text.trim().to_owned(), false));
        }
    }
}

fn is_plain_number(text: &str) -> bool {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    let is_digits = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_digits(whole) && is_digits(fraction) && text.len() <= 38
}

#[cfg(test)]
mod tests {
    use crate::duckdb::dialect::testing::check;

    #[test]
    fn texts_that_spell_numbers_are_numbers() {
        check("SELECT '5' + a", "SELECT 5 + a");
        check("SELECT a * ' 1.5 '", "SELECT a * 1.5");
        check("SELECT d + 'x'", "SELECT d + 'x'");
        check("SELECT '5' || a", "SELECT '5' || firn_textual(a)");
    }
}
