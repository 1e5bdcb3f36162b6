//! Conditions as SQL text.

use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand, Query};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex};

use super::expressions::{Counting, column, comparable, expression};
use super::identifiers::{literal, text};
use super::layout::in_brackets;
use super::model_expressions::qualified;

pub struct Conditions<'a> {
    pub index: &'a ModelIndex,
    pub counting: &'a dyn Fn(usize) -> Counting,
    pub nested: &'a dyn Fn(&Query) -> String,
}

impl Conditions<'_> {
    pub fn joined(&self, conditions: &[Condition]) -> String {
        conditions.iter().map(|condition| self.condition(condition)).collect::<Vec<_>>().join(" AND ")
    }

    /// The conditions of a clause, one to a line.
    pub fn over_lines(&self, conditions: &[Condition]) -> String {
        conditions.iter().map(|condition| self.condition(condition)).collect::<Vec<_>>().join("\n  AND ")
    }

    fn condition(&self, condition: &Condition) -> String {
        let list = |conditions: &[Condition], with: &str| {
            let parts: Vec<String> = conditions.iter().map(|condition| self.condition(condition)).collect();
            format!("({})", parts.join(with))
        };
        match condition {
            Condition::Compare(left, comparison, right) => {
                let numeric = !matches!(right, Operand::Literal(Literal::Text(_)));
                let right = match (left, right) {
                    (Expr::Column(id), Operand::Literal(number @ Literal::Number(_))) if self.is_text(*id) => {
                        text(&literal(number))
                    }
                    _ => self.operand(right),
                };
                let left = if numeric {
                    comparable(self.index, left, self.counting)
                } else {
                    expression(self.index, left, self.counting)
                };
                format!("{left} {} {right}", sign(*comparison))
            }
            Condition::Between(left, low, high) => {
                let left = comparable(self.index, left, self.counting);
                format!("{left} BETWEEN {} AND {}", literal(low), literal(high))
            }
            Condition::Like(id, pattern) => format!("{} ILIKE {}", column(self.index, *id), text(pattern)),
            Condition::Missing(id) => format!("{} IS NULL", column(self.index, *id)),
            Condition::Named(id) => match self.index.columns[*id].kind {
                ColumnKind::Filter => {
                    let entry = &self.index.columns[*id];
                    format!("({})", qualified(self.index, entry.table, &entry.expression))
                }
                _ => column(self.index, *id),
            },
            Condition::In(id, query) => {
                format!("{} IN {}", column(self.index, *id), in_brackets(&(self.nested)(query)))
            }
            Condition::Any(conditions) => list(conditions, " OR "),
            Condition::All(conditions) => list(conditions, " AND "),
            Condition::Not(inner) => match inner.as_ref() {
                Condition::In(id, query) => {
                    format!("{} NOT IN {}", column(self.index, *id), in_brackets(&(self.nested)(query)))
                }
                Condition::Like(id, pattern) => format!("{} NOT ILIKE {}", column(self.index, *id), text(pattern)),
                Condition::Missing(id) => format!("{} IS NOT NULL", column(self.index, *id)),
                other => format!("NOT ({})", self.condition(other)),
            },
        }
    }

    /// A text that is no number in disguise: a number is compared with it as a text.
    fn is_text(&self, column: ColumnId) -> bool {
        let entry = &self.index.columns[column];
        entry.data == DataKind::Text && !entry.is_number_as_text
    }

    fn operand(&self, operand: &Operand) -> String {
        match operand {
            Operand::Literal(value) => literal(value),
            Operand::Expr(expr) => expression(self.index, expr, self.counting),
            Operand::Query(query) => in_brackets(&(self.nested)(query)),
            Operand::PercentOf(percent, query) => {
                format!("{percent} * {} / 100.0", in_brackets(&(self.nested)(query)))
            }
        }
    }
}

pub fn sign(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "=",
        Comparison::NotEqual => "<>",
        Comparison::Less => "<",
        Comparison::LessOrEqual => "<=",
        Comparison::Greater => ">",
        Comparison::GreaterOrEqual => ">=",
    }
}
