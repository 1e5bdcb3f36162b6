//! TIMESTAMP_TZ in comparisons: two of them are equal when they are the same instant, whatever the
//! offset they were written with. The engine would compare the offsets too.

use firn_sql::ast::{BinaryOperator, Expr};
use firn_sql::command::DataType;
use foldhash::HashSet;

use super::build::{call, call_name, null};
use super::columns::Columns;

const CALLS: &[&str] = &["firn_timestamp_tz", "firn_convert_timezone"];

/// The moment of a date, a time or a text in UTC, as a TIMESTAMP of the engine.
pub(super) const INSTANT: &str = "firn_instant";

/// The names of a statement's TIMESTAMP_TZ columns. A column of another type and the same name does no
/// harm: the comparison is by instants all the same.
pub(super) struct Instants {
    names: HashSet<String>,
}

impl Instants {
    pub(super) fn of(columns: &Columns) -> Self {
        let zoned = columns.iter().filter(|(_, data_type)| matches!(data_type, DataType::TimestampTz { .. }));
        Self { names: zoned.map(|(name, _)| name.clone()).collect() }
    }

    pub(super) fn rewrite(&self, expr: &mut Expr) {
        match expr {
            Expr::BinaryOp { left, op, right } if is_comparison(op) && (self.holds(left) || self.holds(right)) => {
                by_instant(left);
                by_instant(right);
            }
            Expr::Between { expr, low, high, .. } if self.holds(expr) => {
                by_instant(expr);
                by_instant(low);
                by_instant(high);
            }
            Expr::InList { expr, list, .. } if self.holds(expr) => {
                by_instant(expr);
                list.iter_mut().for_each(by_instant);
            }
            _ => {}
        }
    }

    fn holds(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Identifier(ident) => self.names.contains(&ident.value),
            Expr::CompoundIdentifier(parts) => parts.last().is_some_and(|last| self.names.contains(&last.value)),
            Expr::Nested(inside) => self.holds(inside),
            Expr::Function(function) => call_name(function).is_some_and(|name| CALLS.contains(&name)),
            _ => false,
        }
    }
}

pub(super) fn is_comparison(operator: &BinaryOperator) -> bool {
    matches!(
        operator,
        BinaryOperator::Eq
            | BinaryOperator::NotEq
            | BinaryOperator::Lt
            | BinaryOperator::LtEq
            | BinaryOperator::Gt
            | BinaryOperator::GtEq
    )
}

/// Leaves what is an instant already as it is.
pub(super) fn by_instant(expr: &mut Expr) {
    if is_instant(expr) {
        return;
    }
    *expr = call(INSTANT, vec![std::mem::replace(expr, null())]);
}

fn is_instant(expr: &Expr) -> bool {
    matches!(expr, Expr::Function(function) if call_name(function) == Some(INSTANT))
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn instants_are_compared_without_their_offsets() {
        check("SELECT a::TIMESTAMP_TZ = b", "SELECT firn_instant(firn_timestamp_tz(a)) = firn_instant(b)");
        check("SELECT a = b", "SELECT a = b");
    }
}
