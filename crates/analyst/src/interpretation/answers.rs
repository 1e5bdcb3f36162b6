//! Last touches on what is asked for: ties, rows that are stated once, values that are there or missing.

use super::parser::{Asked, DETERMINERS, Parser};
use super::query::{Comparison, Condition, Direction, Expr, Function, Operand, Query};
use crate::links::mentions::ChunkKind;
use crate::links::model_index::{ColumnId, ColumnKind, TableId};
use crate::links::phrase_match::is_function_word;

impl Parser<'_> {
    /// `which suppliers have the highest rating` asks for all of them that have it.
    pub(super) fn with_ties(&self, query: &mut Query) {
        let ([(Expr::Column(column), direction)], Some(1)) = (query.order.as_slice(), query.limit) else { return };
        let (column, direction) = (*column, *direction);
        let plain = query.select.iter().all(|expr| matches!(expr, Expr::Column(_)));
        if self.shape.row_of_group
            || !plain
            || !self.asks_for_many()
            || !query.group.is_empty()
            || !query.having.is_empty()
            || self.top
        {
            return;
        }
        let function = if direction == Direction::Descending { Function::Maximum } else { Function::Minimum };
        let extreme = Query {
            select: vec![Expr::Aggregate(function, column)],
            conditions: query.conditions.clone(),
            ..Query::default()
        };
        let same = Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Query(Box::new(extreme)));
        query.conditions.push(same);
        query.order.clear();
        query.limit = None;
    }

    /// Whether the first thing asked for is in the plural.
    fn asks_for_many(&self) -> bool {
        let Some(first) = self.selected.first() else { return false };
        let word = &self.words[self.chunks[first.at].end - 1];
        matches!(first.asked, Asked::Rows(_)) && word.lower != word.lemma && word.lower.ends_with('s')
    }

    /// `orders that have a promotion`: a column that nothing was compared with must be there.
    pub(super) fn note_presence(&mut self) {
        let Some((at, column)) = self.pending else { return };
        let article = at.checked_sub(1).is_some_and(|before| matches!(self.text(before), "a" | "an" | "any"));
        let owned = at
            .checked_sub(2)
            .is_some_and(|before| matches!(self.text(before), "have" | "has" | "with" | "having" | "had"));
        let ends = matches!(self.text(at + 1), "" | "?" | "." | ",");
        let plain = matches!(self.index.columns[column].kind, ColumnKind::Dimension | ColumnKind::Time);
        if article && owned && ends && plain && !self.used[at] {
            self.pending = None;
            self.add_condition(Condition::Not(Box::new(Condition::Missing(column))));
        }
    }

    /// `the reason is missing`: the column named last has no value.
    pub(super) fn missing_at(&mut self, at: usize) -> bool {
        if !matches!(self.text(at), "missing" | "unknown" | "empty" | "blank" | "null" | "unspecified") {
            return false;
        }
        let waiting = self.pending.take().map(|(_, column)| column);
        let asked = self.selected.last().and_then(|selected| match selected.asked {
            Asked::Expr(Expr::Column(column)) if selected.at + 4 > at => Some(column),
            _ => None,
        });
        let Some(column) = waiting.or(asked) else { return false };
        if waiting.is_none() {
            self.selected.pop();
        }
        let negated = at > 0 && self.operator(at - 1) == Some(super::operators::Operator::Not);
        let missing = Condition::Missing(column);
        self.add_condition(if negated { Condition::Not(Box::new(missing)) } else { missing });
        true
    }

    /// Rows that a condition elsewhere would show many times are shown once.
    pub(super) fn rows_once(&self, query: &mut Query) {
        let Some(owner) = self.shown_rows(query) else { return };
        let order = query.order.iter().map(|(expr, _)| expr);
        if order.clone().any(Expr::is_aggregate) || !query.having.is_empty() || query.distinct {
            return;
        }
        let apart = |columns: &[ColumnId]| {
            let tables: Vec<TableId> = columns.iter().map(|column| self.index.columns[*column].table).collect();
            !tables.is_empty() && tables.iter().all(|table| *table != owner && self.multiplies(owner, *table))
        };
        let mut changed = false;
        for condition in &mut query.conditions {
            let mut columns = Vec::new();
            condition.columns(&mut columns);
            if apart(&columns) {
                self.among_rows(owner, condition);
                changed = true;
            }
        }
        if changed {
            query.joined.retain(|table| *table == owner || !self.multiplies(owner, *table));
        }
    }

    /// The table whose rows are shown by name, where nothing else is.
    fn shown_rows(&self, query: &Query) -> Option<TableId> {
        let [super::parser::Selected { asked: Asked::Rows(table), .. }] = self.selected.as_slice() else { return None };
        let own = query.select.iter().all(|expr| match expr {
            Expr::Column(column) => self.index.columns[*column].table == *table,
            _ => false,
        });
        own.then_some(*table)
    }

    /// `the weather in our shops`: what is asked for links to nothing, only where it is does.
    pub(super) fn asks_for_unknown(&self) -> bool {
        let [super::parser::Selected { asked: Asked::Rows(_), at, .. }] = self.selected.as_slice() else {
            return self.selected.is_empty() && self.unknown_before(self.first_mention());
        };
        self.unknown_before(*at)
    }

    fn first_mention(&self) -> usize {
        (0..self.chunks.len()).find(|&at| self.mention(at).is_some()).unwrap_or_default()
    }

    /// A word without meaning, then a preposition, then what is known.
    fn unknown_before(&self, at: usize) -> bool {
        let place = (0..at).rev().find(|&place| !DETERMINERS.contains(&self.text(place)) || self.text(place) == "of");
        let Some(place) =
            place.filter(|&place| matches!(self.text(place), "in" | "of" | "about" | "for" | "at" | "on"))
        else {
            return false;
        };
        let Some(before) = place.checked_sub(1) else { return false };
        let text = self.text(before);
        self.chunks[before].kind == ChunkKind::Word && !is_function_word(text) && text.chars().all(char::is_alphabetic)
    }

    /// `which categories are there` asks for the different ones.
    pub(super) fn lists_values(&self, query: &Query) -> bool {
        let [Expr::Column(column)] = query.select.as_slice() else { return false };
        let are_there = self.words.windows(2).any(|pair| pair[0].lower == "are" && pair[1].lower == "there");
        let opens = self.words.first().is_some_and(|word| matches!(word.lower.as_str(), "which" | "what"));
        let repeats = !self.index.columns[*column].unique && query.limit.is_none();
        repeats && ((opens && are_there) || self.names_kinds(*column, query))
    }

    /// `show all colours`, `what ranks do we have`: the kinds that there are, not what each row has.
    fn names_kinds(&self, column: ColumnId, query: &Query) -> bool {
        let [super::parser::Selected { asked: Asked::Expr(_), at, .. }] = self.selected.as_slice() else {
            return false;
        };
        let plain = query.conditions.is_empty() && query.order.is_empty() && query.combined.is_none();
        let word = &self.words[self.chunks[*at].end - 1];
        let many = word.lower != word.lemma;
        let opens = matches!(
            self.before(*at),
            "show" | "list" | "find" | "what" | "which" | "are" | "give" | "return" | "me" | "display"
        );
        let of_rows = matches!(self.text(at + 1), "of" | "for" | "'s" | "from" | "in" | "and" | "," | "on" | "at");
        let names_rows = self.index.label(self.index.columns[column].table).contains(&column);
        plain && many && opens && !of_rows && !names_rows
    }

    /// All columns of rows that are counted are what they are grouped by.
    pub(super) fn spell_out_everything(&self, query: &mut Query) {
        let ordered = query.order.iter().any(|(expr, _)| expr.is_aggregate());
        if query.having.is_empty() && !ordered {
            return;
        }
        let is_shown =
            |column: &ColumnId| !matches!(self.index.columns[*column].kind, ColumnKind::Metric | ColumnKind::Filter);
        let spelled = std::mem::take(&mut query.select).into_iter().flat_map(|expr| match expr {
            Expr::Everything(table) => {
                let columns = self.index.tables[table].columns.iter().copied().filter(is_shown);
                columns.map(Expr::Column).collect()
            }
            other => vec![other],
        });
        query.select = spelled.collect();
    }

    /// The row with the most of a fact that the model sums up is a group.
    pub(super) fn sum_ordered_facts(&self, query: &mut Query) {
        let plain = query.select.iter().all(|expr| matches!(expr, Expr::Column(column) if !self.index.is_key(*column) && !self.index.columns[*column].unique));
        let shown = |column: &ColumnId| query.select.contains(&Expr::Aggregate(Function::Metric, *column));
        let stated: Vec<ColumnId> = query
            .order
            .iter()
            .filter_map(|(expr, _)| match expr {
                Expr::Column(column) if shown(column) => Some(*column),
                _ => None,
            })
            .collect();
        for (expr, _) in &mut query.order {
            if let Expr::Column(column) = expr
                && stated.contains(column)
            {
                *expr = Expr::Aggregate(Function::Metric, *column);
            }
        }
        if query.limit.is_none() || !plain || self.shape.is_one_row {
            return;
        }
        for (expr, _) in &mut query.order {
            if let Expr::Column(column) = expr
                && self.index.columns[*column].aggregation.is_some()
            {
                *expr = Expr::Aggregate(Function::Metric, *column);
            }
        }
    }
}
