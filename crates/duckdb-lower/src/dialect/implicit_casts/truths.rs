//! Texts where a truth value is wanted: conditions, operands of AND, OR and NOT, and arguments of that type. The engine
//! knows fewer words for them than the dialect.

use std::ops::ControlFlow;

use firn_sql::Failure;
use firn_sql::ast::{BinaryOperator, Expr, Select};
use firn_sql::command::DataType;

use super::{ImplicitCasts, read_as};
use crate::dialect::join_aliases::join_conditions_mut;
use crate::dialect::kinds::Kind;
use crate::dialect::type_checks;

pub(super) fn is_logical(op: &BinaryOperator) -> bool {
    matches!(op, BinaryOperator::And | BinaryOperator::Or | BinaryOperator::Xor)
}

impl ImplicitCasts<'_> {
    pub(super) fn truth(&self, value: &mut Expr) {
        if self.kinds.kind(value) == Some(Kind::Text) {
            read_as(value, &DataType::Boolean);
        }
    }

    pub(super) fn conditions_of_select(&self, select: &mut Select) -> ControlFlow<Failure> {
        let conditions = [&mut select.selection, &mut select.having, &mut select.qualify];
        self.conditions(conditions.into_iter().flatten())?;
        select.from.iter_mut().flat_map(join_conditions_mut).for_each(|condition| self.truth(condition));
        ControlFlow::Continue(())
    }

    pub(super) fn conditions<'expr>(&self, conditions: impl Iterator<Item = &'expr mut Expr>) -> ControlFlow<Failure> {
        for condition in conditions {
            if let Err(failure) = type_checks::condition(&self.kinds, self.columns, condition) {
                return ControlFlow::Break(failure);
            }
            self.truth(condition);
        }
        ControlFlow::Continue(())
    }
}
