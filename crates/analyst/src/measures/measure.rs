//! What can be measured: metrics, facts under a function, rows that are counted.

use super::Reader;
use super::clauses::equals_any;
use super::frame::{Counting, Frame, Measure};
use super::pieces::{Kind, Origin, Piece};
use crate::interpretation::query::{Condition, Expr, Function};
use crate::lexicon::{self, PartOfSpeech};
use crate::links::amounts::amount_of;
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, ModelIndex, TableId};
use crate::question::lemma::is_past;
use crate::question::words::Word;
use crate::semantic_model::DefaultAggregation;
use crate::sql_generation::composed_metric;

/// A name that costs more is only like the word.
const RESEMBLING_COST: f32 = 0.2;
/// A table that is only named is measured less surely than one that is counted.
const NOUN_COST: f32 = 0.15;
/// What the rows sum up to, where only they are named: `generation`.
const MASS_COST: f32 = 0.12;
/// What a row amounts to, where only the row is named: `average payout`.
pub const AMOUNT_COST: f32 = 0.15;
/// An event named after the day it happened: `arrivals`.
const EVENT_COST: f32 = 0.3;

impl Reader<'_> {
    /// The frames in which a piece is measured.
    pub fn measured(&self, frame: &Frame, piece: &Piece) -> Vec<Frame> {
        let mut found = Vec::new();
        if piece.origin == Origin::Verb && frame.measures.iter().any(|measure| !measure.is_noun) {
            // `how many units did we sell`: the verb says nothing more.
            let is_measure = matches!(piece.kind, Kind::Metric(_) | Kind::Fact(_));
            // `billing tickets`: a value restricts.
            let is_value = self.pieces.at(piece.start).iter().any(|other| matches!(other.kind, Kind::Value(..)));
            return if is_measure && !is_value {
                vec![Frame { cost: frame.cost + piece.cost, ..frame.clone() }]
            } else {
                found
            };
        }
        match &piece.kind {
            Kind::Metric(column) => found.extend(self.metric(frame, *column)),
            Kind::Fact(column) => found.extend(self.fact(frame, *column)),
            Kind::Table(table) if !self.is_participle(piece) => {
                found.extend(self.rows(frame, *table));
                found.extend(self.average_number(frame, *table));
                found.extend(self.amount(frame, *table));
                found.extend(self.mass(frame, *table, piece));
            }
            Kind::Dimension(column)
                if frame.counting != Counting::Nothing && self.index.columns[*column].data != DataKind::Boolean =>
            {
                let expr = Expr::Aggregate(Function::CountDistinct, *column);
                let mut next = with_measure(frame, expr, self.index.columns[*column].table);
                next.cost += if frame.counting == Counting::Different { 0.0 } else { 0.1 };
                found.push(next);
            }
            Kind::Time(column) if self.is_event(piece) => found.push(self.events(frame, *column)),
            // `deposits`, `no-shows`: rows named by what they are.
            Kind::Value(column, value) if self.is_event(piece) && self.is_of_events(*column) => {
                let mut next = frame.clone();
                next.conditions.push(equals_any(*column, std::slice::from_ref(value)));
                next.cost += EVENT_COST;
                found.extend(self.rows(&next, self.index.columns[*column].table));
            }
            Kind::Holds(column) if self.names_rows(*column, piece) => {
                let mut next = frame.clone();
                next.conditions.push(Condition::Named(*column));
                found.extend(self.rows(&next, self.index.columns[*column].table));
            }
            Kind::Holds(column) => {
                // `current salary` as the name of a filter names the fact as well.
                let table = self.index.columns[*column].table;
                let inside = (piece.start + 1..piece.end).flat_map(|at| self.pieces.at(at));
                let facts = inside.filter(|inner| inner.end == piece.end).filter_map(|inner| match inner.kind {
                    Kind::Fact(fact) if self.index.columns[fact].table == table => Some(fact),
                    _ => None,
                });
                let mut next = frame.clone();
                next.conditions.push(Condition::Named(*column));
                found.extend(facts.filter_map(|fact| self.fact(&next, fact)));
            }
            _ => {}
        }
        // `salary cost`: two names side by side are no two measures.
        let is_named = matches!(piece.kind, Kind::Metric(_) | Kind::Fact(_));
        if is_named && frame.measured_to == piece.start && frame.measures.last().is_some_and(|last| !last.is_noun) {
            return Vec::new();
        }
        let is_listed =
            matches!(piece.kind, Kind::Table(_)) && piece.start > 0 && self.is_word(piece.start - 1, &["and"]);
        for next in &mut found {
            let is_noun = next.measures.last().is_some_and(|last| last.is_noun);
            next.listed_nouns += usize::from(is_listed && is_noun && next.measures.len() > 1);
            next.cost += piece.cost;
            next.measured_to = piece.end;
            let is_measure = matches!(piece.kind, Kind::Metric(_) | Kind::Fact(_));
            match (piece.origin, next.measures.last_mut()) {
                (Origin::Verb, Some(measure)) if is_measure => measure.is_verb = true,
                // `in which month did we sell the most portions`.
                (Origin::Name, Some(_)) if is_measure => next.measures.retain(|measure| !measure.is_verb),
                _ => {}
            }
        }
        found
    }

    fn metric(&self, frame: &Frame, column: ColumnId) -> Option<Frame> {
        let owner = self.index.columns[column].table;
        if counts_rows(self.index, column) {
            let mut next = self.rows(&Frame { counting: Counting::Rows, ..frame.clone() }, owner)?;
            next.cost -= 0.01;
            return Some(next);
        }
        let summary = match frame.function {
            None | Some(Function::Sum) => None,
            // The metric is an average already.
            Some(Function::Average) if is_average(self.index, column) => None,
            Some(function @ (Function::Average | Function::Median)) => Some(function),
            Some(_) => return None,
        };
        let expr = composed_metric(self.index, column).unwrap_or(Expr::Aggregate(Function::Metric, column));
        let mut next = with_measure(frame, expr, owner);
        set_summary(&mut next, summary);
        Some(next)
    }

    fn fact(&self, frame: &Frame, column: ColumnId) -> Option<Frame> {
        let entry = &self.index.columns[column];
        let function = match (frame.function, frame.counting) {
            (None, Counting::Rows) => Function::Sum,
            (Some(function), Counting::Nothing) => function,
            (None, Counting::Nothing) if entry.aggregation.is_some() => Function::Metric,
            (None, Counting::Nothing) => Function::Sum,
            _ => return None,
        };
        Some(with_measure(frame, Expr::Aggregate(function, column), entry.table))
    }

    pub(super) fn rows(&self, frame: &Frame, table: TableId) -> Option<Frame> {
        let summary = match (frame.function, frame.counting) {
            (None | Some(Function::Sum), _) => None,
            (Some(function @ (Function::Average | Function::Median)), Counting::Rows) => Some(function),
            // The function waits for a fact: `the average of tickets' resolution time`.
            (Some(_), Counting::Nothing) => None,
            _ => return None,
        };
        let mut next = with_measure(frame, Expr::CountRows(table), table);
        if frame.counting == Counting::Nothing {
            next.function = frame.function;
            if let Some(measure) = next.measures.last_mut() {
                measure.is_noun = true;
            }
            next.cost += NOUN_COST;
        }
        set_summary(&mut next, summary);
        Some(next)
    }

    /// `average findings per job`: of how many each has.
    fn average_number(&self, frame: &Frame, table: TableId) -> Option<Frame> {
        let is_average = matches!(frame.function, Some(Function::Average | Function::Median));
        let counting = (is_average && frame.counting == Counting::Nothing).then_some(Counting::Rows)?;
        let mut next = self.rows(&Frame { counting, ..frame.clone() }, table)?;
        next.cost += NOUN_COST;
        Some(next)
    }

    /// `generation by month`: a noun that is not of many tells how much, where the rows have one sum.
    fn mass(&self, frame: &Frame, table: TableId, piece: &Piece) -> Option<Frame> {
        let last = &self.lattice.words[piece.end - 1];
        // `the largest fine` is one of them.
        let is_one = frame.shape.extreme.is_some() || frame.shape.is_amount;
        let before = piece.start.checked_sub(1).map_or("", |before| self.lattice.words[before].lower.as_str());
        let is_counted = matches!(before, "a" | "an" | "one" | "each" | "every") || frame.shape.is_elapsed;
        let is_mass = last.lower == last.lemma && frame.counting == Counting::Nothing && !is_one && !is_counted;
        let is_sum = |column: &ColumnId| self.index.columns[*column].aggregation == Some(DefaultAggregation::Sum);
        let mut sums = self.index.tables[table].columns.iter().copied().filter(is_sum);
        let sum = sums.next().filter(|_| sums.next().is_none() && is_mass && self.index.is_event(table))?;
        let function = frame.function.unwrap_or(Function::Metric);
        let mut next = with_measure(frame, Expr::Aggregate(function, sum), table);
        next.cost += MASS_COST;
        Some(next)
    }

    /// `average payout`, `median fine`: of what the rows amount to.
    fn amount(&self, frame: &Frame, table: TableId) -> Option<Frame> {
        let function = frame.function.filter(|function| *function != Function::Sum)?;
        let is_measured = frame.counting == Counting::Nothing && !frame.shape.is_elapsed;
        let amount = amount_of(self.index, table).filter(|_| is_measured)?;
        let mut next = with_measure(frame, Expr::Aggregate(function, amount), table);
        next.cost += AMOUNT_COST;
        Some(next)
    }

    fn events(&self, frame: &Frame, column: ColumnId) -> Frame {
        let table = self.index.columns[column].table;
        let mut next = with_measure(frame, Expr::CountRows(table), table);
        if let Some(measure) = next.measures.last_mut() {
            measure.is_noun = frame.counting == Counting::Nothing;
            measure.time = Some(column);
        }
        if self.index.columns[column].has_gaps {
            next.conditions.push(Condition::Not(Box::new(Condition::Missing(column))));
        }
        next.cost += EVENT_COST;
        next
    }

    /// `arrivals`, `hires`: a noun of many, not a participle.
    fn is_event(&self, piece: &Piece) -> bool {
        let last = &self.lattice.words[piece.end - 1];
        last.lower != last.lemma && last.lower.ends_with('s')
    }

    /// Whether a column belongs to things that happen, which have no name of their own.
    fn is_of_events(&self, column: ColumnId) -> bool {
        let table = self.index.columns[column].table;
        self.index.label(table) == self.index.tables[table].key
    }

    /// `billed` is no bill.
    fn is_participle(&self, piece: &Piece) -> bool {
        let last = &self.lattice.words[piece.end - 1];
        let is_done = last.lower != last.lemma
            && !last.lower.ends_with('s')
            && (last.lower.ends_with("ed") || is_past(&last.lower));
        // `teaches` is no teacher.
        let is_verb = lexicon::parts_of_speech(&last.lower).main() == Some(PartOfSpeech::Verb);
        is_done || is_verb && piece.cost > RESEMBLING_COST
    }

    /// `open tickets` as the name of a filter names the rows as well.
    fn names_rows(&self, column: ColumnId, piece: &Piece) -> bool {
        let entry = &self.index.columns[column];
        let own = &self.index.tables[entry.table].words;
        let is_noun = |word: &Word| own.last().is_some_and(|noun| word.lemma == *noun);
        let is_many = self.is_event(piece) && piece.end > piece.start + 1;
        entry.kind == ColumnKind::Filter && (is_many || self.lattice.words[piece.start..piece.end].iter().any(is_noun))
    }
}

/// The frame with one more measure; what waited for a measure is done.
pub fn with_measure(frame: &Frame, expr: Expr, owner: TableId) -> Frame {
    let mut next = frame.clone();
    next.measures.push(Measure { expr, owner, is_noun: false, is_verb: false, time: None, summary: None });
    next.function = None;
    next.counting = Counting::Nothing;
    next
}

fn set_summary(frame: &mut Frame, summary: Option<Function>) {
    if let Some(measure) = frame.measures.last_mut() {
        measure.summary = summary;
    }
}

fn is_average(index: &ModelIndex, metric: ColumnId) -> bool {
    index.columns[metric].expression.trim_start().to_ascii_uppercase().starts_with("AVG(")
}

/// Whether a metric is the number of a table's rows.
fn counts_rows(index: &ModelIndex, column: ColumnId) -> bool {
    let entry = &index.columns[column];
    let text: String = entry.expression.chars().filter(|character| !character.is_whitespace()).collect();
    let argument = text.to_ascii_uppercase();
    let Some(argument) = argument.strip_prefix("COUNT(").and_then(|rest| rest.strip_suffix(')')) else { return false };
    let is_key = |key: &ColumnId| {
        let key = &index.columns[*key];
        key.name.eq_ignore_ascii_case(argument) || key.expression.eq_ignore_ascii_case(argument)
    };
    argument == "*" || index.tables[entry.table].key.iter().any(is_key)
}
