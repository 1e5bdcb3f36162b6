//! Measures per something: averages over its rows, and quotients.

use super::Builder;
use crate::interpretation::query::{Expr, Function, Query};
use crate::links::model_index::{ColumnId, ColumnKind, TableId};
use crate::measures::frame::{Frame, Key, Measure};
use crate::semantic_model::DefaultAggregation;

impl Builder<'_> {
    /// `per X`: an average over the X where one is asked for, else a quotient for each of the groups.
    pub(super) fn divide(
        &self,
        frame: &Frame,
        per: Key,
        measures: &[Measure],
        measured: &mut Vec<Expr>,
        groups: &[Key],
        query: &mut Query,
    ) -> Option<()> {
        let ([measure], [expr]) = (measures, measured.as_mut_slice()) else { return None };
        let is_averaged = matches!(expr, Expr::Aggregate(Function::Average | Function::Median, _));
        match (per, measure.summary) {
            // The average of a fact over its own rows is the average per row.
            (Key::Rows(table), None) if is_averaged && table == measure.owner => {}
            // The average of what each household used is that of its sum.
            (Key::Rows(table), None) if self.is_average_of_sum(expr) => {
                if let Expr::Aggregate(function, _) = expr {
                    query.summary = Some(*function);
                    *function = Function::Sum;
                }
                self.by_rows(table, query);
            }
            (Key::Rows(table), Some(function)) => {
                query.summary = Some(function);
                self.by_rows(table, query);
            }
            (Key::Rows(table), None) if !is_averaged && !groups.is_empty() => {
                *expr = Expr::Ratio(Box::new(expr.clone()), Box::new(Expr::CountRows(table)));
            }
            // The average rent per square metre is all of the rent over all of the area.
            (Key::Fact(fact), None) if self.is_of_one_table(expr, fact) => {
                if let Expr::Aggregate(function, _) = expr {
                    *function = Function::Sum;
                }
                let divisor = Expr::Aggregate(Function::Sum, fact);
                *expr = Expr::Ratio(Box::new(expr.clone()), Box::new(divisor));
            }
            (Key::Fact(fact), None) if !is_averaged => {
                let divisor = Expr::Aggregate(Function::Sum, fact);
                *expr = Expr::Ratio(Box::new(expr.clone()), Box::new(divisor));
            }
            _ => return None,
        }
        let is_itself = matches!(expr, Expr::Ratio(first, second) if divides_itself(first, second));
        (frame.shape.is_plain() && !is_itself).then_some(())
    }

    fn by_rows(&self, table: TableId, query: &mut Query) {
        let label = self.index.label(table);
        let key = self.index.tables[table].key.iter().copied().filter(|key| !label.contains(key));
        query.group.extend(key.map(Expr::Column));
        query.select.extend(label.into_iter().map(Expr::Column));
    }

    /// Whether the average of a fact is to be divided by another fact of the same rows.
    fn is_of_one_table(&self, expr: &Expr, divisor: ColumnId) -> bool {
        let columns = &self.index.columns;
        let is_fact = |fact: ColumnId| columns[fact].kind == ColumnKind::Fact;
        matches!(expr, Expr::Aggregate(Function::Average | Function::Metric, fact)
            if is_fact(*fact) && columns[*fact].table == columns[divisor].table)
    }

    fn is_average_of_sum(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Aggregate(Function::Average | Function::Median, fact)
            if self.index.columns[*fact].aggregation == Some(DefaultAggregation::Sum))
    }
}

/// `what do we earn per kilo sold`, read as kilos per kilo.
fn divides_itself(first: &Expr, second: &Expr) -> bool {
    match (first, second) {
        (Expr::Aggregate(_, dividend), Expr::Aggregate(_, divisor)) => dividend == divisor,
        _ => first == second,
    }
}
