//! Rows by the time between two of their days: `reported within 30 days of the policy start`, `cancelled less than 3 days
//! before arrival`.

use super::Reader;
use super::cues::Cue;
use super::elapsed::spanned;
use super::frame::Frame;
use super::pieces::Kind;
use crate::frame::parts_of_name;
use crate::interpretation::query::{Comparison, Condition, Expr, Lapse, Literal, Operand};
use crate::links::model_index::{ColumnId, ColumnKind, TableId};
use crate::sql_generation::join_paths::leads_to_one;
use crate::sql_generation::{own_time, time_of_rows};

/// What a span costs beside its parts.
const SPAN_COST: f32 = 0.1;

/// Verbs that tell how long something lasts.
const TAKING: &[&str] = &["took", "take", "takes", "taken", "taking", "lasted", "last", "lasts", "lasting"];
/// Phrases between a day and the one that it is compared with.
const DAY_ORDERS: &[(&str, Comparison)] = &[
    ("after", Comparison::Greater),
    ("later than", Comparison::Greater),
    ("past", Comparison::Greater),
    ("before", Comparison::Less),
    ("earlier than", Comparison::Less),
    ("ahead of", Comparison::Less),
    ("on", Comparison::Equal),
];

/// Which day comes first: the one stated before, or the one that follows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Order {
    Before,
    Behind,
}

impl Reader<'_> {
    /// The frames in which rows are compared by the time between the day stated before and one that follows.
    pub fn spans(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        let Some(owner) = frame.measures.last().map(|measure| measure.owner) else { return };
        for (start, comparison) in self.span_bounds_at(at) {
            for (end, number) in self.numbers_at(start) {
                found.extend(self.since_begin(frame, owner, end, comparison, number));
                let Some((end, unit, order)) = self.unit_and_order(end) else { continue };
                for (end, day, cost) in self.days_at(self.skip(end)) {
                    // A day that no word tells of may not be the one that is meant.
                    let implied = if frame.time.is_some() { 0.0 } else { 2.0 * SPAN_COST };
                    let Some(stated) = frame.time.or_else(|| time_of_rows(self.index, owner)) else { continue };
                    if stated == day || !self.is_reached(owner, stated) || !self.is_reached(owner, day) {
                        continue;
                    }
                    let (first, last) = if order == Order::Before { (stated, day) } else { (day, stated) };
                    let mut next = frame.clone();
                    next.time = None;
                    next.conditions.extend(between(Expr::Span(unit, first, last), comparison, number));
                    next.cost += cost + implied + SPAN_COST;
                    found.push((end, next));
                }
            }
        }
    }

    /// `took longer than 5 days`, `fixed within 3 days`: from the day of the rows to the one that a verb names, or to that of
    /// their end.
    fn since_begin(
        &self,
        frame: &Frame,
        owner: TableId,
        at: usize,
        comparison: Comparison,
        number: f64,
    ) -> Option<(usize, Frame)> {
        let unit = Lapse::named(&self.lattice.words.get(at)?.lemma)?;
        let said = self.lattice.words[..at].iter().any(|word| TAKING.contains(&word.lower.as_str()));
        let measured = spanned(self.index, owner).filter(|_| said && frame.time.is_none());
        let begin = measured.map(|(begin, _)| begin).or_else(|| own_time(self.index, owner))?;
        let end = measured.map(|(_, end)| end).or(frame.time.filter(|time| *time != begin));
        let end = end.or_else(|| self.end_of(owner).filter(|_| said))?;
        let is_own = |day: ColumnId| self.index.columns[day].table == owner;
        if end == begin || !is_own(begin) || !is_own(end) || self.unit_and_order(at).is_some() {
            return None;
        }
        let mut next = frame.clone();
        next.time = None;
        next.conditions.extend(between(Expr::Span(unit, begin, end), comparison, number));
        next.cost += SPAN_COST;
        Some((at + 1, next))
    }

    /// The only day of a table's rows that some of them lack: that of their end.
    fn end_of(&self, table: TableId) -> Option<ColumnId> {
        let is_end = |column: &ColumnId| {
            self.index.columns[*column].has_gaps && self.index.columns[*column].kind == ColumnKind::Time
        };
        let mut ends = self.index.tables[table].columns.iter().copied().filter(is_end);
        ends.next().filter(|_| ends.next().is_none())
    }

    /// `payments after the due date`: one day is compared with another.
    pub fn days_in_order(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        let Some(owner) = frame.measures.last().map(|measure| measure.owner) else { return };
        let spelled = |phrase: &str| {
            let mut words = phrase.split(' ').enumerate();
            words.all(|(offset, word)| self.is_word(at + offset, &[word]))
        };
        for (phrase, comparison) in DAY_ORDERS.iter().filter(|(phrase, _)| spelled(phrase)) {
            for (end, day, cost) in self.days_at(self.skip(at + phrase.split(' ').count())) {
                // The day of the rows is only meant beside one of what they belong to.
                let is_of_another = self.index.columns[day].table != owner;
                let own = frame.time.or_else(|| time_of_rows(self.index, owner).filter(|_| is_of_another));
                let Some(own) = own.filter(|own| *own != day && self.is_reached(owner, *own)) else { continue };
                if self.is_reached(owner, day) {
                    let mut next = frame.clone();
                    next.time = None;
                    let other = Operand::Expr(Expr::Column(day));
                    next.conditions.push(Condition::Compare(Expr::Column(own), *comparison, other));
                    next.cost += cost + SPAN_COST;
                    found.push((end, next));
                }
            }
        }
    }

    fn is_reached(&self, owner: TableId, day: ColumnId) -> bool {
        leads_to_one(self.index, owner, self.index.columns[day].table)
    }

    /// `within`, `less than`, `more than`, or nothing: `30 days after`.
    fn span_bounds_at(&self, at: usize) -> Vec<(usize, Comparison)> {
        let compared = self.pieces.cue_ends(at, |cue| matches!(cue, Cue::Compare(_))).into_iter();
        let mut found: Vec<(usize, Comparison)> = compared
            .filter_map(|(end, cue)| match cue {
                Cue::Compare(comparison) => Some((self.skip(end), comparison)),
                _ => None,
            })
            .collect();
        if self.is_word(at, &["within"]) {
            found.push((self.skip(at + 1), Comparison::LessOrEqual));
        }
        found
    }

    /// `days before`, `weeks after`, `days of`.
    fn unit_and_order(&self, at: usize) -> Option<(usize, Lapse, Order)> {
        let unit = Lapse::named(&self.lattice.words.get(at)?.lemma)?;
        let order = match self.lattice.words.get(at + 1)?.lower.as_str() {
            "before" | "until" => Order::Before,
            "after" | "of" | "from" | "since" | "following" => Order::Behind,
            _ => return None,
        };
        Some((at + 2, unit, order))
    }

    /// The columns of time that are named at a word, by themselves or behind their table: `policy start`.
    fn days_at(&self, at: usize) -> Vec<(usize, ColumnId, f32)> {
        let mut found = Vec::new();
        for piece in self.pieces.at(at) {
            match piece.kind {
                Kind::Time(column) => found.push((piece.end, column, piece.cost)),
                Kind::Table(table) => {
                    let named = self.day_of(table, piece.end).map(|column| (piece.end + 1, column, piece.cost));
                    let own = time_of_rows(self.index, table).filter(|_| self.index.is_event(table));
                    found.extend(named.or_else(|| own.map(|column| (piece.end, column, piece.cost + SPAN_COST))));
                }
                _ => {}
            }
        }
        found
    }

    /// The only column of time of a table that has a word in its name.
    fn day_of(&self, table: TableId, at: usize) -> Option<ColumnId> {
        let word = self.lattice.words.get(at)?;
        let is_named = |column: &ColumnId| {
            let entry = &self.index.columns[*column];
            entry.kind == ColumnKind::Time && parts_of_name(&entry.name).any(|part| part == word.lower)
        };
        let mut named = self.index.tables[table].columns.iter().copied().filter(is_named);
        named.next().filter(|_| named.next().is_none())
    }
}

/// The comparison of a span; one that is short is not one in the other direction.
fn between(span: Expr, comparison: Comparison, number: f64) -> Vec<Condition> {
    let compare = |comparison: Comparison, number: f64| {
        Condition::Compare(span.clone(), comparison, Operand::Literal(Literal::Number(number)))
    };
    match comparison {
        Comparison::Less | Comparison::LessOrEqual => {
            vec![compare(Comparison::GreaterOrEqual, 0.0), compare(comparison, number)]
        }
        _ => vec![compare(comparison, number)],
    }
}
