//! The clauses that may follow each other in a question about a measure. Each takes some words and adds to the frame.

use super::Reader;
use super::cues::Cue;
use super::frame::{Counting, During, Frame, Key};
use super::pieces::{Kind, Origin};
use crate::frame::leads_doers;
use crate::interpretation::query::{Comparison, Condition, Expr, Literal, Operand};
use crate::lexicon;
use crate::links::model_index::{ColumnId, ColumnKind, TableId};
use crate::links::person_roles::is_persons;
use crate::question::intent::{MORE, asks_for_more_than, asks_which_is_more};
use crate::question::lemma::is_past;
use crate::question::time::{TimeRange, unit};
use crate::question::words::WordKind;
use crate::sql_generation::own_time;

/// Words that a noun may have before it.
const DETERMINERS: &[&str] = &["the", "a", "an", "our", "all", "its", "their", "any", "of", "total"];

impl Reader<'_> {
    /// Every way to read on from a word.
    pub fn continued(&self, frame: &Frame, at: usize) -> Vec<(usize, Frame)> {
        let mut found = Vec::new();
        for piece in self.pieces.at(at) {
            let end = piece.end;
            let is_each = at > 0 && matches!(self.lattice.words[at - 1].lower.as_str(), "each" | "every");
            if !is_each {
                found.extend(self.measured(frame, piece).into_iter().map(|next| (end, next)));
            }
            if let (true, Kind::Table(table)) = (frame.shape.is_elapsed, &piece.kind) {
                found.extend(self.event_as_end(frame, *table).map(|next| (end, next)));
            }
            if let (true, Kind::Table(table) | Kind::Events(table)) = (awaits_part(frame), &piece.kind) {
                let mut next = frame.clone();
                next.shape.part_with = Some(*table);
                next.cost += piece.cost + 0.1;
                found.push((end, next));
            }
            if matches!(piece.kind, Kind::Events(table) if self.measures_own(table, end)) {
                found.push((end, Frame { cost: frame.cost + piece.cost, ..frame.clone() }));
            }
            if let Kind::Cue(cue) = piece.kind {
                found.extend(self.shaped(frame, at, end, cue));
            }
        }
        if self.is_word(at, MORE) && (asks_which_is_more(self.lattice.words) || asks_for_more_than(self.lattice.words))
        {
            found.push((at + 1, frame.clone()));
        }
        self.sides_by_comparison(frame, at, &mut found);
        self.groups(frame, at, &mut found);
        self.conditions(frame, at, &mut found);
        self.times(frame, at, &mut found);
        self.states(frame, at, &mut found);
        self.holdings(frame, at, &mut found);
        self.sides_by_holding(frame, at, &mut found);
        self.spans(frame, at, &mut found);
        self.days_in_order(frame, at, &mut found);
        self.numbered(frame, at, &mut found);
        self.targets(frame, at, &mut found);
        self.extreme_day(frame, at, &mut found);
        self.group_limits(frame, at, &mut found);
        found.extend(self.moving(frame, at));
        found.extend(self.percentile(frame, at));
        found
    }

    /// `shipped weight`: the verb tells the rows that have the fact anyway.
    fn measures_own(&self, table: TableId, at: usize) -> bool {
        let is_own = |column: ColumnId| self.index.columns[column].table == table;
        let mut pieces = self.pieces.at(at).iter();
        pieces.any(|piece| matches!(piece.kind, Kind::Fact(column) | Kind::Metric(column) if is_own(column)))
    }

    /// `from the collection to the test`: the day of the event.
    fn event_as_end(&self, frame: &Frame, table: TableId) -> Option<Frame> {
        // `to fix a finding`: the verb tells the day of what it is done to.
        if frame.ends.iter().any(|end| self.index.columns[*end].table == table) {
            return None;
        }
        let mut next = frame.clone();
        next.ends.push(own_time(self.index, table).filter(|_| self.index.is_event(table))?);
        next.cost += 0.1;
        Some(next)
    }

    /// The place behind the words that only lead a noun.
    pub fn skip(&self, at: usize) -> usize {
        let leads =
            |at: &usize| self.lattice.words.get(*at).is_some_and(|word| DETERMINERS.contains(&word.lower.as_str()));
        (at..self.lattice.words.len()).find(|at| !leads(at)).unwrap_or(self.lattice.words.len())
    }

    fn groups(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        for (end, _) in self.pieces.cue_ends(at, |cue| cue == Cue::One) {
            let one = Frame { awaits_average: true, ..frame.clone() };
            self.key_groups(&one, Cue::By, self.skip(end), found);
        }
        if leads_doers(self.lattice.words, at) {
            return;
        }
        for (end, cue) in self.pieces.cue_ends(at, |cue| matches!(cue, Cue::By | Cue::Per)) {
            let is_per = cue == Cue::By && self.lattice.words[end - 1].lower == "per";
            let cost = if is_per { 0.05 } else { 0.0 };
            let start = self.skip(end);
            let is_per = frame.is_per || is_per;
            let mut led = vec![(start, Frame { cost: frame.cost + cost, is_per, ..frame.clone() })];
            // `per delivered shipment`: the key is restricted.
            let restricted = self.condition_at(start).into_iter();
            led.extend(restricted.map(|(end, condition, more)| (end, with_condition(frame, condition, cost + more))));
            for (start, frame) in led {
                self.key_groups(&frame, cue, start, found);
            }
            // `per crane operator`: people who are called by a value of theirs.
            for (end, table, condition, more) in self.people_at(start).into_iter().filter(|_| cue == Cue::By) {
                let mut next = with_condition(frame, condition, cost + more);
                next.groups.push(Key::Rows(table));
                found.push((end, next));
            }
        }
    }

    /// People who are named by what they are: `crane operators`.
    pub(super) fn people_at(&self, at: usize) -> Vec<(usize, TableId, Condition, f32)> {
        let people = self.pieces.at(at).iter().filter_map(|piece| {
            let Kind::Value(column, value) = &piece.kind else { return None };
            let table = self.index.columns[*column].table;
            let noun = &self.lattice.words[piece.end - 1].lemma;
            let is_kind = is_persons(self.index, table) && !self.index.row_name(table).contains(column);
            let is_doer = ["er", "or", "ist", "ian", "ant", "man"].iter().any(|ending| noun.ends_with(ending));
            let is_person = is_kind && (is_doer || lexicon::relation(noun, "person").is_some());
            is_person.then(|| (piece.end, table, equals_any(*column, std::slice::from_ref(value)), piece.cost + 0.05))
        });
        people.collect()
    }

    fn key_groups(&self, frame: &Frame, cue: Cue, start: usize, found: &mut Vec<(usize, Frame)>) {
        for (end, key, cost) in self.keys_at(start) {
            let mut next = frame.clone();
            next.cost += cost;
            match cue {
                Cue::By if !matches!(key, Key::Fact(_)) => {
                    next.groups.push(key);
                    self.more_keys(next, end, found);
                }
                Cue::Per if !frame.measures.is_empty() && frame.per.is_none() && !self.lists_keys(end) => {
                    next.per = Some(key);
                    found.push((end, next));
                }
                _ => {}
            }
        }
    }

    /// `per hotel and month`: what goes on is grouped by.
    fn lists_keys(&self, at: usize) -> bool {
        let is_joined = self.lattice.words.get(at).is_some_and(|word| matches!(word.lower.as_str(), "and" | ","));
        let is_unit = |place: usize| self.lattice.words.get(place).is_some_and(|word| unit(&word.lower).is_some());
        is_joined && (is_unit(at + 1) || !self.keys_at(self.skip(at + 1)).is_empty())
    }

    /// `by department and gender`.
    pub(super) fn more_keys(&self, frame: Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        for (end, _) in self.pieces.cue_ends(at, |cue| cue == Cue::And) {
            for (end, key, cost) in self.keys_at(self.skip(end)) {
                if frame.groups.contains(&key) || matches!(key, Key::Fact(_)) {
                    continue;
                }
                let mut next = frame.clone();
                next.cost += cost;
                next.groups.push(key);
                self.more_keys(next, end, found);
            }
        }
        found.push((at, frame));
    }

    /// What can be grouped by or divided by at a word.
    pub fn keys_at(&self, at: usize) -> Vec<(usize, Key, f32)> {
        let mut found = Vec::new();
        for piece in self.pieces.at(at) {
            match piece.kind {
                Kind::Dimension(column) => found.push((piece.end, Key::Column(column), piece.cost)),
                Kind::Fact(column) => found.push((piece.end, Key::Fact(column), piece.cost)),
                Kind::Table(table) => {
                    found.push((piece.end, Key::Rows(table), piece.cost));
                    // `guest nationality` is the guest's.
                    let own = self.pieces.at(piece.end).iter().filter_map(|next| match next.kind {
                        Kind::Dimension(column) if self.index.columns[column].table == table => {
                            Some((next.end, Key::Column(column), piece.cost + next.cost))
                        }
                        _ => None,
                    });
                    found.extend(own);
                }
                _ => {}
            }
        }
        found.extend(self.referred_at(at).into_iter().map(|referred| (referred.end, referred.into(), referred.cost)));
        found
    }

    fn conditions(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        let mut starts = vec![(at, Sense::Plain)];
        for (end, cue) in self.pieces.cue_ends(at, |cue| matches!(cue, Cue::Preposition | Cue::Excluding | Cue::Only)) {
            let sense = if cue == Cue::Excluding { Sense::Denied } else { Sense::Plain };
            starts.push((self.skip(end), sense));
        }
        for (start, sense) in starts {
            if sense == Sense::Plain {
                self.conditions_in_role(frame, start, found);
            }
            if sense == Sense::Plain && !awaits_comparison(frame) {
                let compared = self.comparisons_at(frame, start).into_iter();
                found.extend(compared.map(|(end, condition, cost)| (end, with_condition(frame, condition, cost))));
            }
            // `by team lead`: rows are grouped, though `Team lead` is a value.
            let groups = start > at && self.is_word(at, &["by", "per"]) && !self.keys_at(start).is_empty();
            for (end, condition, cost) in self.condition_at(start).into_iter().filter(|_| !groups) {
                let behind = self.pieces.cue_ends(end, |cue| cue == Cue::Excluded);
                if let (Sense::Plain, [(end, _), ..]) = (sense, behind.as_slice()) {
                    found.push((*end, with_condition(frame, denied(condition.clone()), cost)));
                }
                let condition = if sense == Sense::Denied { denied(condition) } else { condition };
                let end = if self.is_word(end, &["only"]) { end + 1 } else { end };
                found.push((end, with_condition(frame, condition, cost)));
            }
        }
        self.sides_by_value(frame, at, found);
        self.sides_by_flag(frame, at, found);
    }

    /// A value with the noun that it may have beside it, or a filter.
    pub fn condition_at(&self, at: usize) -> Vec<(usize, Condition, f32)> {
        let mut found = Vec::new();
        for piece in self.pieces.at(at) {
            match &piece.kind {
                Kind::Value(column, value) => {
                    for (end, values, cost) in self.further_values(*column, piece.end, vec![value.clone()]) {
                        let condition = equals_any(*column, &values);
                        found.push((self.behind_noun(*column, end), condition.clone(), piece.cost + cost));
                        found.push((end, condition, piece.cost + cost));
                    }
                }
                Kind::Holds(column) => found.push((piece.end, Condition::Named(*column), piece.cost)),
                Kind::Undone(column) => {
                    let is_day = self.index.columns[*column].kind == ColumnKind::Time;
                    let is_denied = || Condition::Not(Box::new(Condition::Named(*column)));
                    let condition = if is_day { Condition::Missing(*column) } else { is_denied() };
                    found.push((piece.end, condition, piece.cost));
                }
                Kind::Table(_) | Kind::Dimension(_) => {
                    let own = self.pieces.at(piece.end).iter().filter_map(|next| match (&next.kind, &piece.kind) {
                        (Kind::Value(column, value), Kind::Dimension(named)) if column == named => {
                            Some((next.end, equals_any(*column, std::slice::from_ref(value)), piece.cost + next.cost))
                        }
                        (Kind::Value(column, value), Kind::Table(table))
                            if self.index.columns[*column].table == *table =>
                        {
                            Some((next.end, equals_any(*column, std::slice::from_ref(value)), piece.cost + next.cost))
                        }
                        _ => None,
                    });
                    found.extend(own);
                }
                _ => {}
            }
        }
        found
    }

    /// `Lund or Ystad`.
    fn further_values(&self, column: ColumnId, at: usize, values: Vec<String>) -> Vec<(usize, Vec<String>, f32)> {
        let mut found = Vec::new();
        let joins = self.is_word(at, &["or", "and", ","]) && self.other_side(at).is_none();
        if joins {
            for piece in self.pieces.at(at + 1) {
                if let Kind::Value(other, value) = &piece.kind
                    && *other == column
                {
                    let mut more = values.clone();
                    more.push(value.clone());
                    let further = self.further_values(column, piece.end, more);
                    found.extend(further.into_iter().map(|(end, values, cost)| (end, values, cost + piece.cost)));
                }
            }
        }
        found.push((at, values, 0.0));
        found
    }

    /// `the Hamburg warehouse`: the noun of a value's own table says nothing more.
    pub(super) fn behind_noun(&self, column: ColumnId, at: usize) -> usize {
        let table = self.index.columns[column].table;
        let own = self.pieces.at(at).iter().find(|piece| match piece.kind {
            Kind::Table(other) => other == table,
            Kind::Dimension(other) => other == column,
            _ => false,
        });
        own.map_or(at, |piece| piece.end)
    }

    fn times(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        for (end, during, cost) in self.period_at(at) {
            found.push((end, with_period(frame, during, cost)));
        }
        for (end, joined, ranges) in self.two_periods_at(at) {
            let is_growth = frame.shape.is_growth && frame.shape.over.is_none();
            if joined == Joined::Beside || is_growth || frame.shape.is_compared {
                let mut next = frame.clone();
                next.periods.extend(ranges.map(inside));
                next.shape.is_versus |= !next.shape.is_growth;
                next.cost += 0.1;
                found.push((end, next));
            } else if ranges[1].end <= ranges[0].start {
                // `in 2024 and 2023`: no time leads back, so that both are shown.
                let mut next = frame.clone();
                next.periods.extend(ranges.map(inside));
                next.shape.is_versus = true;
                next.cost += 0.15;
                found.push((end, next));
            } else if joined == Joined::Both && ranges[0].end < ranges[1].start {
                let both = During { also: Some(ranges[1]), ..inside(ranges[0]) };
                found.push((end, with_period(frame, both, 0.1)));
            } else if ranges[0].start < ranges[1].end {
                let whole = TimeRange::of_days(ranges[0].start, ranges[1].end);
                found.push((end, with_period(frame, inside(whole), 0.1)));
            }
        }
        for piece in self.pieces.at(at) {
            let Kind::Time(column) = piece.kind else { continue };
            if frame.shape.is_elapsed {
                let mut next = frame.clone();
                next.ends.push(column);
                next.cost += piece.cost;
                found.push((piece.end, next));
                continue;
            }
            for (end, during, cost) in self.period_at(piece.end) {
                let during = During { column: Some(column), ..during };
                found.push((end, with_period(frame, during, cost + piece.cost)));
            }
            if let [(end, _), ..] = self.pieces.cue_ends(piece.end, |cue| cue == Cue::Excluded).as_slice() {
                found.push((*end, with_condition(frame, Condition::Missing(column), piece.cost)));
            }
            // `open` is no verb of the past; `opened` without a period says something only where it may be missing.
            let word = &self.lattice.words[piece.end - 1];
            if piece.origin == Origin::Verb && !word.lower.ends_with("ed") && !is_past(&word.lower) {
                continue;
            }
            // `started and ended per quarter` asks for two numbers.
            if frame.time.is_some_and(|time| time != column) {
                continue;
            }
            let mut next = frame.clone();
            next.cost += piece.cost + 0.1;
            next.time = Some(column);
            if self.index.columns[column].has_gaps {
                next.conditions.push(Condition::Not(Box::new(Condition::Missing(column))));
            }
            found.push((piece.end, next));
        }
        self.by_day(frame, at, found);
        self.weekdays(frame, at, found);
    }

    /// A period with what leads it.
    pub(super) fn period_at(&self, at: usize) -> Vec<(usize, During, f32)> {
        let mut leads = vec![(at, Comparison::Equal)];
        for (end, cue) in
            self.pieces.cue_ends(at, |cue| matches!(cue, Cue::During | Cue::Bound(_) | Cue::Only | Cue::Preposition))
        {
            leads.push((self.skip(end), if let Cue::Bound(bound) = cue { bound } else { Comparison::Equal }));
        }
        let mut found = Vec::new();
        for (start, comparison) in leads {
            for piece in self.pieces.at(start) {
                if let Kind::Period(range) = piece.kind {
                    let is_year =
                        matches!(self.lattice.words[start].kind, WordKind::Number(_)) && piece.end == start + 1;
                    found.push((
                        piece.end,
                        During { range, comparison, column: None, is_year, also: None },
                        piece.cost,
                    ));
                }
            }
        }
        found
    }

    /// `from 2023 to 2024`, `2023 to 2024`, `between March and May 2024`, `2024 versus 2023`, `May 2024 and May 2025`.
    fn two_periods_at(&self, at: usize) -> Vec<(usize, Joined, [TimeRange; 2])> {
        let mut starts = vec![at];
        starts.extend(
            self.pieces
                .cue_ends(at, |cue| matches!(cue, Cue::From | Cue::During))
                .into_iter()
                .map(|(end, _)| self.skip(end)),
        );
        let words = self.lattice.words;
        let mut found = Vec::new();
        for (start, first) in
            starts.into_iter().flat_map(|start| self.pieces.at(start).iter().map(move |one| (start, one)))
        {
            let Kind::Period(from) = first.kind else { continue };
            let is_led = |at: &usize| matches!(words[*at].lower.as_str(), "from" | "between");
            let is_range = (start.saturating_sub(2)..start).any(|at| is_led(&at));
            for (end, cue) in self.pieces.cue_ends(first.end, |cue| matches!(cue, Cue::To | Cue::Versus)) {
                let joined = match cue {
                    Cue::Versus => Joined::Beside,
                    _ if words[first.end].lower == "and" && !is_range => Joined::Both,
                    _ => Joined::Through,
                };
                for second in self.pieces.at(self.skip(end)) {
                    if let Kind::Period(to) = second.kind {
                        found.push((second.end, joined, [from, to]));
                    }
                }
            }
        }
        found
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sense {
    Plain,
    Denied,
}

/// `share of orders that were`: the part follows.
fn awaits_part(frame: &Frame) -> bool {
    frame.shape.is_share
        && frame.shape.part_with.is_none()
        && frame.shape.part_from == Some(frame.conditions.len())
        && !frame.measures.is_empty()
}

/// `which customers have more than 3 orders`: the number is compared with what each of them has.
fn awaits_comparison(frame: &Frame) -> bool {
    frame.asked.is_some() && frame.shape.limit.is_none() && frame.shape.extreme.is_none()
}

pub(super) fn with_condition(frame: &Frame, condition: Condition, cost: f32) -> Frame {
    let mut next = frame.clone();
    next.conditions.push(condition);
    next.cost += cost;
    // `how many are open` counts no column.
    if next.counting == Counting::Different {
        next.cost += 0.05;
    }
    next
}

/// How two periods go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Joined {
    Beside,
    /// The one and what lies between them.
    Through,
    /// The one and the other, and nothing between them.
    Both,
}

fn inside(range: TimeRange) -> During {
    During { range, comparison: Comparison::Equal, column: None, is_year: false, also: None }
}

fn with_period(frame: &Frame, during: During, cost: f32) -> Frame {
    let mut next = frame.clone();
    next.periods.push(during);
    next.cost += cost;
    next
}

pub fn equals_any(column: ColumnId, values: &[String]) -> Condition {
    let equal = |value: &String| {
        let text = Operand::Literal(Literal::Text(value.clone()));
        Condition::Compare(Expr::Column(column), Comparison::Equal, text)
    };
    match values {
        [value] => equal(value),
        _ => Condition::Any(values.iter().map(equal).collect()),
    }
}

fn denied(condition: Condition) -> Condition {
    match condition {
        Condition::Compare(left, Comparison::Equal, right) => Condition::Compare(left, Comparison::NotEqual, right),
        other => Condition::Not(Box::new(other)),
    }
}
