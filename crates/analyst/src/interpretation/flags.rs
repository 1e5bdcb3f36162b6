//! Columns of yes and no as conditions: `FDA approved medicines`, `models that do not have wifi`.

use super::context::Want;
use super::parser::{LINKING_WORDS, Parser, Phase};
use super::query::{Comparison, Condition, Expr, Literal, Operand};
use crate::links::mentions::Mention;
use crate::links::model_index::{ColumnId, ColumnKind, DataKind};

/// What a column of yes and no is asked to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Said {
    Yes,
    No,
}

impl Parser<'_> {
    /// A column of yes and no where rows are restricted, without a value behind it, or in front of the rows it tells of.
    pub(super) fn flag_at(&self, at: usize) -> Option<ColumnId> {
        let (column, _) = self.resolve(at, Want::Any)?;
        let entry = &self.index.columns[column];
        entry.flag.as_ref()?;
        let behind = at + 1..(self.skip(at + 1, LINKING_WORDS) + 3).min(self.chunks.len());
        let is_value = |mention: &Mention| mention.values.iter().any(|(of, _, _)| *of == column);
        let valued = behind.into_iter().any(|place| self.mention(place).is_some_and(is_value));
        let before_rows = self.tables_named.iter().any(|(place, table)| *place == at + 1 && *table == entry.table);
        let restricts = before_rows || (self.phase == Phase::Filter && self.filters_begun());
        let stated = self.conditions.iter().any(|(_, condition)| {
            let mut columns = Vec::new();
            condition.columns(&mut columns);
            columns.contains(&column)
        });
        (restricts && !valued && !stated && !self.is_by(at)).then_some(column)
    }

    pub(super) fn flag_condition(&self, column: ColumnId, said: Said) -> Option<Condition> {
        let flag = self.index.columns[column].flag.as_ref()?;
        let value = match said {
            Said::Yes => flag.yes.clone(),
            Said::No => flag.no.clone(),
        };
        let literal = Operand::Literal(Literal::Text(value));
        Some(Condition::Compare(Expr::Column(column), Comparison::Equal, literal))
    }

    /// What has no value, is nothing, or says no.
    pub(super) fn lacking(&self, column: ColumnId) -> Condition {
        let missing = Condition::Missing(column);
        let entry = &self.index.columns[column];
        if entry.kind == ColumnKind::Fact && entry.data == DataKind::Number {
            let none = Operand::Literal(Literal::Number(0.0));
            return Condition::Any(vec![Condition::Compare(Expr::Column(column), Comparison::Equal, none), missing]);
        }
        let no = || self.index.values.quoted("no").into_iter().find(|hit| hit.column == column && hit.score >= 0.95);
        let said = |value| Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(value));
        let flag = self.flag_condition(column, Said::No);
        flag.or_else(|| no().map(|hit| said(Literal::Text(hit.value)))).unwrap_or(missing)
    }
}
