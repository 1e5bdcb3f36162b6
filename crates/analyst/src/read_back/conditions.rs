//! WHERE and HAVING.

use firn_sql::ast::{BinaryOperator, DataType, Expr as Ast, UnaryOperator, Value};

use super::expressions::{Scope, number_of, text_of};
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand};
use crate::links::model_index::{ColumnKind, DataKind};

impl Scope<'_> {
    /// The conditions that must all hold.
    pub(super) fn conditions(&self, tree: &Ast) -> Option<Vec<Condition>> {
        match tree {
            Ast::Nested(inner) => self.conditions(inner),
            Ast::BinaryOp { left, op: BinaryOperator::And, right } => {
                let mut all = self.conditions(left)?;
                all.extend(self.conditions(right)?);
                Some(all)
            }
            _ => Some(vec![self.condition(tree)?]),
        }
    }

    fn condition(&self, tree: &Ast) -> Option<Condition> {
        let negate = |condition: Condition, negated: bool| match negated {
            true => Condition::Not(Box::new(condition)),
            false => condition,
        };
        match tree {
            Ast::Nested(inner) => self.condition(inner),
            Ast::BinaryOp { op: BinaryOperator::And, .. } => Some(Condition::All(self.conditions(tree)?)),
            Ast::BinaryOp { left, op: BinaryOperator::Or, right } => {
                let mut any = Vec::new();
                for side in [left, right] {
                    match self.condition(side)? {
                        Condition::Any(more) => any.extend(more),
                        one => any.push(one),
                    }
                }
                Some(Condition::Any(any))
            }
            Ast::BinaryOp { left, op, right } => self.compared(left, op, right),
            Ast::UnaryOp { op: UnaryOperator::Not, expr } => Some(negate(self.condition(expr)?, true)),
            Ast::IsNull(expr) => Some(Condition::Missing(self.column(expr)?)),
            Ast::IsNotNull(expr) => Some(negate(Condition::Missing(self.column(expr)?), true)),
            Ast::Between { expr, negated, low, high } => {
                let expr = self.expression(expr)?;
                let (low, high) = (self.literal(&expr, low)?, self.literal(&expr, high)?);
                Some(negate(Condition::Between(expr, low, high), *negated))
            }
            Ast::InList { expr, list, negated } => {
                let expr = self.expression(expr)?;
                let equal = |value: &Ast| {
                    let value = Operand::Literal(self.literal(&expr, value)?);
                    Some(Condition::Compare(expr.clone(), Comparison::Equal, value))
                };
                let any = list.iter().map(equal).collect::<Option<Vec<_>>>()?;
                Some(negate(Condition::Any(any), *negated))
            }
            Ast::InSubquery { expr, subquery, negated } => {
                let inner = super::query(self.index, subquery)?;
                Some(negate(Condition::In(self.column(expr)?, Box::new(inner)), *negated))
            }
            // A pattern of a reading ignores case, which LIKE does not.
            Ast::ILike { negated, any: false, expr, pattern, escape_char: None } => {
                Some(negate(Condition::Like(self.column(expr)?, text_of(pattern)?), *negated))
            }
            Ast::Identifier(_) | Ast::CompoundIdentifier(_) => {
                let column = self.column(tree)?;
                self.index.holds_or_not(column).then_some(Condition::Named(column))
            }
            _ => None,
        }
    }

    fn compared(&self, left: &Ast, op: &BinaryOperator, right: &Ast) -> Option<Condition> {
        let comparison = match op {
            BinaryOperator::Eq => Comparison::Equal,
            BinaryOperator::NotEq => Comparison::NotEqual,
            BinaryOperator::Lt => Comparison::Less,
            BinaryOperator::LtEq => Comparison::LessOrEqual,
            BinaryOperator::Gt => Comparison::Greater,
            BinaryOperator::GtEq => Comparison::GreaterOrEqual,
            _ => return None,
        };
        let Some(expr) = self.expression(left) else {
            // A value before a column.
            let expr = self.expression(right)?;
            let literal = Operand::Literal(self.literal(&expr, left)?);
            return Some(Condition::Compare(expr, mirrored(comparison), literal));
        };
        if let (Expr::Column(column), Some(truth)) = (&expr, truth_of(right))
            && self.index.columns[*column].data == DataKind::Boolean
        {
            let named = Condition::Named(*column);
            return match (comparison, truth) {
                (Comparison::Equal, true) | (Comparison::NotEqual, false) => Some(named),
                (Comparison::Equal, false) | (Comparison::NotEqual, true) => Some(Condition::Not(Box::new(named))),
                _ => None,
            };
        }
        let operand = match right {
            Ast::Subquery(inner) => Operand::Query(Box::new(super::query(self.index, inner)?)),
            _ => match self.literal(&expr, right) {
                Some(literal) => Operand::Literal(literal),
                None => Operand::Expr(self.expression(right)?),
            },
        };
        Some(Condition::Compare(expr, comparison, operand))
    }

    /// A constant; a text beside a date is a date.
    fn literal(&self, beside: &Expr, tree: &Ast) -> Option<Literal> {
        let is_time = match beside {
            Expr::Column(column) => {
                let entry = &self.index.columns[*column];
                entry.kind == ColumnKind::Time || entry.data == DataKind::Date
            }
            Expr::Truncated(..) => true,
            _ => false,
        };
        match tree {
            Ast::Nested(inner) => self.literal(beside, inner),
            Ast::TypedString(typed) if is_day(&typed.data_type) => {
                Some(Literal::Date(typed.value.value.clone().into_string()?))
            }
            Ast::Cast { expr, data_type, .. } if is_day(data_type) => Some(Literal::Date(text_of(expr)?)),
            _ => match (number_of(tree), text_of(tree)) {
                (Some(number), _) => Some(Literal::Number(number)),
                (None, Some(text)) if is_time => Some(Literal::Date(text)),
                (None, Some(text)) => Some(Literal::Text(text)),
                (None, None) => None,
            },
        }
    }
}

fn is_day(data_type: &DataType) -> bool {
    matches!(data_type, DataType::Date | DataType::Timestamp(..) | DataType::TimestampNtz(..))
}

fn truth_of(tree: &Ast) -> Option<bool> {
    match tree {
        Ast::Value(value) => match value.value {
            Value::Boolean(truth) => Some(truth),
            _ => None,
        },
        _ => None,
    }
}

fn mirrored(comparison: Comparison) -> Comparison {
    match comparison {
        Comparison::Less => Comparison::Greater,
        Comparison::LessOrEqual => Comparison::GreaterOrEqual,
        Comparison::Greater => Comparison::Less,
        Comparison::GreaterOrEqual => Comparison::LessOrEqual,
        same => same,
    }
}
