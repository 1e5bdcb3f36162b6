//! What the cues of a question do to the frame.

use super::Reader;
use super::cues::Cue;
use super::frame::{Counting, Frame, Key, Measure, Quotient, Running, Shape};
use super::measure::{AMOUNT_COST, with_measure};
use super::pieces::Kind;
use crate::frame::leads_doers;
use crate::interpretation::query::{ClockPart, Direction, Expr, Function, Lapse};
use crate::links::amounts::amount_of;
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex};
use crate::question::time::{grain_of, unit, unit as unit_of_time};
use crate::question::units::{is_currency, is_unit};
use crate::question::words::Word;
use crate::semantic_model::DefaultAggregation;

/// A verb that only says that something happened may be left out, at a price.
const HAPPENED_COST: f32 = 0.08;
/// What a verb costs that no name of the model stands for.
const UNKNOWN_COST: f32 = 0.3;
/// A question with more such words is not read.
const PASSED_OVER_MAX: usize = 2;

impl Reader<'_> {
    /// The frames behind a cue; none where it cannot stand.
    pub fn shaped(&self, frame: &Frame, at: usize, end: usize, cue: Cue) -> Vec<(usize, Frame)> {
        match cue {
            Cue::Which => self.which(frame, at, end),
            Cue::Top(direction) => self.top(frame, end, direction),
            Cue::Extreme(direction) if frame.asked.is_none() => self.extreme_row(frame, end, direction),
            Cue::Busiest(direction) => self.busiest(frame, at, end, direction),
            Cue::Selling(direction) => self.selling(frame, end, direction),
            Cue::Having | Cue::Lacking | Cue::WithAndWithout | Cue::One => Vec::new(),
            Cue::OrWithout => Vec::from_iter(set_beside_rest(frame).map(|next| (end, next))),
            Cue::MovingAverage(_) => Vec::new(),
            // `revenue versus cost`: two measures side by side.
            Cue::Against if !frame.measures.is_empty() && self.is_measure_at(end) => vec![(end, frame.clone())],
            Cue::Compare(comparison) => self.compared(frame, end, comparison),
            Cue::Preposition
            | Cue::By
            | Cue::Per
            | Cue::During
            | Cue::Bound(_)
            | Cue::From
            | Cue::To
            | Cue::OnDays(_) => {
                // `top 5 customers by revenue` names the measure behind `by`.
                let is_ranked = frame.asked.is_some() && frame.shape.limit.is_some();
                // `compare Oslo and Bergen by revenue`.
                let is_compared = frame.shape.is_compared && !frame.groups.is_empty() && frame.measures.is_empty();
                let leads_measure = cue == Cue::By && (is_ranked || is_compared);
                let is_led =
                    !matches!(self.lattice.words[at].lower.as_str(), "by" | "to" | "via" | "through" | "using");
                let is_begun = !frame.measures.is_empty() || frame.shape.extreme.is_some();
                let is_led = is_led || leads_doers(self.lattice.words, at);
                if let Some(led) = self.in_unit(frame, at, end) {
                    return vec![led];
                }
                let leads_noun = cue == Cue::Preposition && is_led && is_begun && self.is_noun_at(end);
                if leads_measure || leads_noun { vec![(end, frame.clone())] } else { Vec::new() }
            }
            // `by month and branch`.
            Cue::Grain(_) => {
                let mut found = Vec::new();
                if let Some(next) = self.changed(frame, at, cue) {
                    self.more_keys(next, end, &mut found);
                }
                found
            }
            _ => self.changed(frame, at, cue).map(|next| vec![(end, next)]).unwrap_or_default(),
        }
    }

    /// `in tonnes`: the unit tells what is measured, and says nothing more of what is measured already.
    fn in_unit(&self, frame: &Frame, at: usize, end: usize) -> Option<(usize, Frame)> {
        let unit = self
            .lattice
            .words
            .get(end)
            .filter(|word| is_unit(&word.lower) && !is_currency(&word.lower) && !is_percent(word))?;
        let is_led = self.is_word(at, &["in"]) && end == at + 1;
        let is_fact = |kind: &Kind| matches!(kind, Kind::Fact(_));
        let is_known = self.pieces.at(end).iter().any(|piece| is_fact(&piece.kind));
        if !is_led || grain_of(&unit.lower).is_some() || unit_of_time(&unit.lemma).is_some() {
            return None;
        }
        let is_measured = frame.measures.iter().any(|measure| !measure.is_noun);
        (is_known || is_measured).then(|| (end + usize::from(is_measured), frame.clone()))
    }

    fn names_value(&self, at: usize) -> bool {
        let lower = &self.lattice.words[at].lower;
        grain_of(lower).is_some() && self.index.values.is_exact(lower)
    }

    fn changed(&self, frame: &Frame, at: usize, cue: Cue) -> Option<Frame> {
        let mut next = frame.clone();
        let is_measured = !frame.measures.is_empty();
        match cue {
            Cue::Filler => {}
            Cue::Happened => next.cost += HAPPENED_COST,
            Cue::HowMuch => next.shape.is_amount = true,
            Cue::And if is_measured => {
                next.cost += 0.03;
                // `orders per month and average order value`: both are shown.
                if let Some(measure) = next.measures.last_mut().filter(|_| !frame.groups.is_empty()) {
                    measure.is_noun = false;
                }
            }
            Cue::Count if frame.counting == Counting::Nothing => next.counting = Counting::Rows,
            Cue::CountAndTotal if frame.counting == Counting::Nothing && !is_measured => {
                next.counting = Counting::Rows;
                next.shape.with_amount = true;
            }
            Cue::Distinct => next.counting = Counting::Different,
            Cue::Aggregate(function) if frame.function.is_none() => next.function = Some(function),
            // `annual subscriptions` have a value of that name.
            Cue::Grain(_) if self.names_value(at) => return None,
            Cue::Grain(unit) => next.groups.push(Key::Unit(unit)),
            Cue::Weekday => next.groups.push(Key::Clock(ClockPart::WeekdayName)),
            Cue::Hour => next.groups.push(Key::Clock(ClockPart::Hour)),
            Cue::Share => next.shape.is_share = true,
            Cue::OfAll if is_measured => next.shape.is_share = true,
            // `win rate of disputes`: the part stands before.
            Cue::Rate if !is_measured && frame.conditions.len() == 1 && !frame.shape.is_share => {
                next.shape.is_share = true;
                next.shape.part_from = Some(0);
            }
            Cue::InPercent => next.shape.in_percent = true,
            Cue::Are if frame.shape.is_share && frame.shape.part_from.is_none() => {
                next.shape.part_from = Some(frame.conditions.len());
                // Rather than as a filler, which leaves the part unstated.
                next.cost -= 0.1;
            }
            Cue::Growth => next.shape.is_growth = true,
            Cue::Over(unit) => next.shape.over = Some(unit),
            Cue::Increase(unit) => next.shape.increase = Some(unit),
            Cue::Versus if !frame.periods.is_empty() => next.shape.is_versus = true,
            Cue::LastYear if !frame.periods.is_empty() => next.shape.last_year = true,
            Cue::RunningTotal => next.shape.running = Some(Running::Alone),
            Cue::WithRunningTotal => next.shape.running = Some(Running::Beside),
            Cue::Sorted(direction) => next.shape.sorted = Some(direction),
            Cue::Most(direction) if frame.asked.is_some() => next.shape.extreme = Some(direction),
            Cue::Extreme(direction) if frame.asked.is_some() => {
                next.shape.extreme = Some(direction);
                next.shape.is_amount = true;
            }
            Cue::SoldMost(direction) if frame.asked.is_some() && !is_measured => {
                next.shape.is_sold = true;
                next.shape.extreme = Some(direction);
            }
            Cue::Has if frame.asked.is_some() => {}
            Cue::AndHowMany if frame.asked.is_some() => next.shape.shows_measure = true,
            Cue::DividedBy if is_measured => next.shape.quotient = Some(Quotient::Plain),
            Cue::PercentOf if is_measured => next.shape.quotient = Some(Quotient::Percent),
            // A column of that name goes before what is computed.
            Cue::Age if !self.is_fact_at(at) => next.shape.is_age = true,
            Cue::HowOld(function) if at == 0 => {
                next.shape.is_age = true;
                next.function = Some(function);
            }
            Cue::OnAverage if frame.shape.is_age => {}
            Cue::HowLong if frame.measures.is_empty() && frame.conditions.is_empty() => next.shape.is_elapsed = true,
            Cue::HowLongIn(lapse) if frame.measures.is_empty() && frame.conditions.is_empty() => {
                next.shape.is_elapsed = true;
                next.shape.lapse = Some(lapse);
            }
            Cue::HowLate(lapse)
                if frame.counting == Counting::Nothing && frame.measures.iter().all(|measure| measure.is_noun) =>
            {
                next.shape.is_elapsed = true;
                next.shape.is_late = true;
                next.shape.lapse = Some(lapse).filter(|lapse| *lapse != Lapse::DAYS);
            }
            Cue::InLapse(lapse) if frame.shape.is_elapsed && frame.shape.lapse.is_none() => {
                next.shape.lapse = Some(lapse);
            }
            Cue::OnAverage if self.averages_last(&mut next) => {}
            Cue::OnAverage if frame.function.is_none() => next.function = Some(Function::Average),
            Cue::InDays | Cue::Link if frame.shape.is_elapsed => {}
            Cue::Money => next.shape.money = true,
            Cue::Relative if is_measured => {}
            Cue::SideBySide if !is_measured => next.shape.is_compared = true,
            Cue::WithRest if frame.shape.limit.is_some() => next.shape.with_rest = true,
            Cue::Unknown if frame.passed_over.len() < PASSED_OVER_MAX => {
                next.passed_over.push(at);
                next.cost += UNKNOWN_COST;
            }
            _ => return None,
        }
        if cue != Cue::Filler {
            next.cost += 0.02;
        }
        Some(next)
    }

    /// `how many nights does a stay last on average`: what was summed up is averaged.
    fn averages_last(&self, frame: &mut Frame) -> bool {
        // `attempts per shipment on average`: each shipment has a number of them.
        if let ([measure], [Key::Rows(table)]) = (frame.measures.as_mut_slice(), frame.groups.as_slice())
            && matches!(measure.expr, Expr::CountRows(_))
        {
            measure.is_noun = false;
            frame.awaits_average = false;
            measure.summary = Some(Function::Average);
            frame.per = Some(Key::Rows(*table));
            frame.groups.clear();
            return true;
        }
        let mut real = frame.measures.iter_mut().filter(|measure| !measure.is_noun);
        match (real.next(), real.next()) {
            (Some(Measure { expr: Expr::Aggregate(function, fact), .. }), None)
                if is_summed(self.index, *function, *fact) =>
            {
                *function = Function::Average;
                true
            }
            _ => false,
        }
    }

    fn is_measure_at(&self, at: usize) -> bool {
        let names = |kind: &Kind| matches!(kind, Kind::Fact(_) | Kind::Metric(_));
        self.pieces.at(self.skip(at)).iter().any(|piece| names(&piece.kind))
    }

    fn is_fact_at(&self, at: usize) -> bool {
        let names = |kind: &Kind| matches!(kind, Kind::Fact(_) | Kind::Metric(_) | Kind::Dimension(_));
        self.pieces.at(at).iter().any(|piece| names(&piece.kind))
    }

    /// `for arrivals`, `in completed appointments`: rows are named behind a preposition.
    fn is_noun_at(&self, at: usize) -> bool {
        let names =
            |piece: &super::pieces::Piece| matches!(piece.kind, Kind::Table(_) | Kind::Time(_) | Kind::Holds(_));
        self.pieces.at(self.skip(at)).iter().any(names)
    }

    fn which(&self, frame: &Frame, at: usize, end: usize) -> Vec<(usize, Frame)> {
        if at != 0 && frame.groups.is_empty() || frame.asked.is_some() {
            return Vec::new();
        }
        let asking = Frame { is_which: true, ..frame.clone() };
        let mut found = self.asked_at(&asking, end);
        // `which three products`.
        for (behind, count) in self.numbers_at(end) {
            if (1.0..1000.0).contains(&count) && count.fract() == 0.0 {
                let shape = Shape { asked_count: Some(count as u64), ..asking.shape.clone() };
                found.extend(self.asked_at(&Frame { shape, ..asking.clone() }, behind));
            }
        }
        found
    }

    /// `best selling product`, `the 3 best selling products`: what is sold of them is measured.
    fn selling(&self, frame: &Frame, end: usize, direction: Direction) -> Vec<(usize, Frame)> {
        if frame.asked.is_some() || !frame.measures.is_empty() {
            return Vec::new();
        }
        let mut next = frame.clone();
        next.shape.is_sold = true;
        next.shape.extreme = Some(direction);
        self.asked_at(&next, end)
    }

    fn asked_at(&self, frame: &Frame, at: usize) -> Vec<(usize, Frame)> {
        let start = self.skip(at);
        let units = self.unit_at(start).map(|key| (start + 1, key, 0.1));
        let keys = self.keys_at(start).into_iter().filter(|(_, key, _)| !matches!(key, Key::Fact(_))).chain(units);
        let people = self.people_at(start).into_iter().map(|(end, table, condition, cost)| {
            let mut next = frame.clone();
            let last = &self.lattice.words[end - 1];
            next.asks_for_many = last.lower != last.lemma;
            next.asked = Some(Key::Rows(table));
            next.conditions.push(condition);
            next.cost += cost;
            (end, next)
        });
        keys.map(|(end, key, cost)| {
            let mut next = frame.clone();
            let last = &self.lattice.words[end - 1];
            next.asks_for_many = last.lower != last.lemma;
            next.asked = Some(key);
            next.cost += cost;
            (end, next)
        })
        .chain(people)
        .collect()
    }

    /// `which month`, `the busiest weekday`.
    fn unit_at(&self, at: usize) -> Option<Key> {
        let word = self.lattice.words.get(at)?;
        match word.lemma.as_str() {
            "weekday" => Some(Key::Clock(ClockPart::WeekdayName)),
            "hour" => Some(Key::Clock(ClockPart::Hour)),
            lemma => unit(lemma).map(Key::Unit),
        }
    }

    /// `busiest weekday for appointments`: the one with the most of what follows.
    fn busiest(&self, frame: &Frame, at: usize, end: usize, direction: Direction) -> Vec<(usize, Frame)> {
        if frame.asked.is_some() || !frame.measures.is_empty() {
            return Vec::new();
        }
        let mut next = frame.clone();
        // `the best branch` does not say by what.
        next.shape.is_busy = self.is_word(at, &["busiest", "quietest"]) || self.is_word(end - 1, &["active"]);
        next.shape.extreme = Some(direction);
        let mut found = self.asked_at(&next, end);
        // `the busiest delivery month`: what is counted stands before the unit of time.
        for piece in self.pieces.at(end) {
            let Kind::Table(table) = piece.kind else { continue };
            let mut counted = with_measure(&next, Expr::CountRows(table), table);
            counted.cost += piece.cost;
            let asked = self.unit_at(piece.end).map(|key| Frame { asked: Some(key), ..counted });
            found.extend(asked.map(|asked| (piece.end + 1, asked)));
        }
        found
    }

    /// `the largest single order`: the most that a row amounts to.
    fn extreme_row(&self, frame: &Frame, end: usize, direction: Direction) -> Vec<(usize, Frame)> {
        // `the biggest order` is an order; `the largest single payout` is an amount.
        if self.lattice.words.get(end).is_none_or(|word| word.lower != "single") {
            return Vec::new();
        }
        let function = match direction {
            Direction::Descending => Function::Maximum,
            Direction::Ascending => Function::Minimum,
        };
        let pieces = self.pieces.at(end + 1).iter();
        let found = pieces.filter_map(|piece| {
            let Kind::Table(table) = piece.kind else { return None };
            let last = &self.lattice.words[piece.end - 1];
            let amount =
                amount_of(self.index, table).filter(|_| last.lower == last.lemma && frame.function.is_none())?;
            let mut next = with_measure(frame, Expr::Aggregate(function, amount), table);
            next.cost += piece.cost + AMOUNT_COST;
            Some((piece.end, next))
        });
        found.collect()
    }

    /// `the 3 slowest handlers`, `the five agents with the highest premium`.
    pub fn numbered(&self, frame: &Frame, at: usize, found: &mut Vec<(usize, Frame)>) {
        if frame.asked.is_some() || !frame.measures.is_empty() {
            return;
        }
        for piece in self.pieces.at(at) {
            let Kind::Number(count) = piece.kind else { continue };
            if !(1.0..1000.0).contains(&count) || count.fract() != 0.0 || self.lattice.words[at].is_percent {
                continue;
            }
            for (end, cue) in self.pieces.cue_ends(piece.end, |cue| matches!(cue, Cue::Selling(_))) {
                let Cue::Selling(direction) = cue else { continue };
                let mut next = frame.clone();
                next.shape.is_sold = true;
                next.shape.limit = Some((count as u64, direction));
                found.extend(self.asked_at(&next, end));
            }
            let ranked = self.pieces.cue_ends(piece.end, |cue| matches!(cue, Cue::Top(_) | Cue::Extreme(_)));
            for (end, cue) in ranked {
                let (Cue::Top(direction) | Cue::Extreme(direction)) = cue else { continue };
                let mut next = frame.clone();
                next.shape.limit = Some((count as u64, direction));
                found.extend(self.asked_at(&next, end));
            }
            let mut next = frame.clone();
            next.shape.asked_count = Some(count as u64);
            found.extend(self.asked_at(&next, piece.end));
        }
    }

    /// `top 5 customers`, `the 3 largest suppliers`.
    fn top(&self, frame: &Frame, end: usize, direction: Direction) -> Vec<(usize, Frame)> {
        if frame.asked.is_some() || !frame.measures.is_empty() {
            return Vec::new();
        }
        let mut found = Vec::new();
        for piece in self.pieces.at(end) {
            if let Kind::Number(count) = piece.kind
                && (1.0..1000.0).contains(&count)
                && count.fract() == 0.0
                && !self.lattice.words[end].is_percent
            {
                let mut next = frame.clone();
                next.shape.limit = Some((count as u64, direction));
                found.extend(self.asked_at(&next, piece.end));
            }
        }
        // `the biggest customer in each region`: one of each.
        if found.is_empty() && self.speaks_of_each(end) {
            let mut next = frame.clone();
            next.shape.limit = Some((1, direction));
            found.extend(self.asked_at(&next, end).into_iter().filter(|(_, next)| !next.asks_for_many));
        }
        found
    }

    pub(super) fn speaks_of_each(&self, from: usize) -> bool {
        self.lattice.words[from..].iter().any(|word| matches!(word.lower.as_str(), "each" | "every" | "per"))
    }

    /// `more than 50,000 dollars of sales`: the measure follows.
    fn compared(
        &self,
        frame: &Frame,
        end: usize,
        comparison: crate::interpretation::query::Comparison,
    ) -> Vec<(usize, Frame)> {
        if frame.asked.is_none() || frame.shape.compare.is_some() {
            return Vec::new();
        }
        let numbers = self.pieces.at(end).iter().filter_map(|piece| match piece.kind {
            Kind::Number(number) => Some((piece.end, number)),
            _ => None,
        });
        numbers
            .map(|(end, number)| {
                let mut next = frame.clone();
                next.shape.compare = Some((comparison, number));
                let is_money = self.lattice.words.get(end).is_some_and(|word| is_currency(&word.lower));
                next.shape.money |= is_money;
                next.counting = Counting::Nothing;
                (end + usize::from(is_money), next)
            })
            .collect()
    }

    /// `90th percentile of`, `p95`, `upper quartile of`.
    pub fn percentile(&self, frame: &Frame, at: usize) -> Option<(usize, Frame)> {
        let (percent, end) = percentile_at(self.lattice.words, at).filter(|_| frame.function.is_none())?;
        let mut next = frame.clone();
        next.function = Some(Function::Percentile(percent));
        next.cost += 0.02;
        Some((end, next))
    }

    /// `three month moving average of`: the number stands before the cue.
    pub fn moving(&self, frame: &Frame, at: usize) -> Vec<(usize, Frame)> {
        let mut found = Vec::new();
        for piece in self.pieces.at(at) {
            let Kind::Number(count) = piece.kind else { continue };
            for (end, cue) in self.pieces.cue_ends(piece.end, |cue| matches!(cue, Cue::MovingAverage(_))) {
                if let Cue::MovingAverage(unit) = cue {
                    let mut next = frame.clone();
                    next.shape.moving = Some((count as u32, unit));
                    found.push((end, next));
                }
            }
        }
        found
    }
}

/// Whether a fact is summed up, by the question or by the model.
fn is_summed(index: &ModelIndex, function: Function, fact: ColumnId) -> bool {
    let entry = &index.columns[fact];
    let is_default = entry.kind == ColumnKind::Fact && entry.aggregation == Some(DefaultAggregation::Sum);
    function == Function::Sum || function == Function::Metric && is_default
}

/// What the rows were last said to have parts them from those that lack it.
fn set_beside_rest(frame: &Frame) -> Option<Frame> {
    let mut next = frame.clone();
    next.beside = Some(next.conditions.pop().filter(|_| frame.beside.is_none())?);
    Some(next)
}

/// A percentile at a word, and where it ends.
fn percentile_at(words: &[Word], at: usize) -> Option<(u8, usize)> {
    let lower = |place: usize| words.get(place).map_or("", |word| word.lower.as_str());
    let is_percent = |percent: &u8| (1..=99).contains(percent);
    if let Some(percent) = lower(at).strip_prefix('p').and_then(|rest| rest.parse().ok()) {
        return Some((percent, at + 1)).filter(|(percent, _)| is_percent(percent));
    }
    match (lower(at), lower(at + 1)) {
        ("upper" | "third" | "top", "quartile") => Some((75, at + 2)),
        ("lower" | "first" | "bottom", "quartile") => Some((25, at + 2)),
        (ordinal, "percentile") => {
            let digits = ordinal.trim_end_matches(|character: char| character.is_ascii_alphabetic());
            digits.parse().ok().filter(is_percent).map(|percent| (percent, at + 2))
        }
        _ => None,
    }
}

fn is_percent(word: &Word) -> bool {
    matches!(word.lower.as_str(), "percent" | "percentage" | "%")
}
