//! What occurs most often among rows.

use super::context::Want;
use super::parser::{Asked, Parser, Phase, Selected};
use super::query::{Comparison, Condition, Direction, Expr, Operand, Query};
use crate::links::model_index::TableId;

impl Parser<'_> {
    /// `the most common X`.
    pub(super) fn most_common_at(&mut self, at: usize, direction: Direction) {
        let limit = self.superlative_limit(at);
        let place = self.skip(at + 1, &["used", "occurring", "the", "among", "of", "occuring", "seen"]);
        if let Some(table) = self.stated_before(at, place) {
            self.order_by(Expr::CountRows(table), direction, limit);
            return;
        }
        if let Some(table) = self.table_at_place(place) {
            if self.is_head() {
                self.select(at, Asked::Rows(table));
                self.entity.get_or_insert(table);
            }
            self.used[place] = true;
            let child = self.referring_table(table).unwrap_or(table);
            self.order_by(Expr::CountRows(child), direction, limit);
            return;
        }
        if let Some((column, _)) = self.resolve(place, Want::Any) {
            self.used[place] = true;
            let table = self.index.columns[column].table;
            if self.phase == Phase::Select
                && (self.is_head() || self.selected.iter().all(|selected| matches!(selected.asked, Asked::Rows(_))))
            {
                self.select(place, Asked::Expr(Expr::Column(column)));
                self.order_by(Expr::CountRows(table), direction, limit);
                self.shape.common = Some(column);
                return;
            }
            let nested = Query {
                select: vec![Expr::Column(column)],
                order: vec![(Expr::CountRows(table), direction)],
                group: vec![Expr::Column(column)],
                limit: Some(limit.unwrap_or(1)),
                ..Query::default()
            };
            self.add_condition(Condition::Compare(
                Expr::Column(column),
                Comparison::Equal,
                Operand::Query(Box::new(nested)),
            ));
            return;
        }
        if let Some(table) = self.counted_table() {
            let table = self.referring_table(table).filter(|_| self.tables_named.len() == 1).unwrap_or(table);
            self.order_by(Expr::CountRows(table), direction, limit);
        }
    }

    /// `the position that is most common among players`: the rows of the column already asked for.
    fn stated_before(&self, at: usize, place: usize) -> Option<TableId> {
        let among = (at + 1..place).any(|between| self.text(between) == "among");
        match self.selected.as_slice() {
            [Selected { asked: Asked::Expr(Expr::Column(column)), .. }] if among => {
                let table = self.index.columns[*column].table;
                let rows = self.table_at_place(place).filter(|rows| *rows != table);
                Some(rows.unwrap_or(table))
            }
            _ => None,
        }
    }

    /// A table whose rows refer to this one: another table of the question, or a bridge.
    fn referring_table(&self, table: TableId) -> Option<TableId> {
        let children: Vec<TableId> =
            self.index.joins.iter().filter(|join| join.right == table).map(|join| join.left).collect();
        let named = self.tables_named.iter().map(|(_, named)| *named).find(|named| *named != table);
        let only = match children.as_slice() {
            [only] => Some(*only),
            _ => None,
        };
        named.or(only)
    }
}
