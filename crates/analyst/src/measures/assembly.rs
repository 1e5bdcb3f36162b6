//! A whole frame as a query, where its parts fit together.

mod choosing;
mod dividing;
mod fitting;

use chrono::NaiveDate;

use choosing::chosen_measures;
use fitting::fits;

use super::elapsed::{add_age, add_elapsed};
use super::frame::{During, Frame, Key, Measure, Quotient, Running};
use super::sold::{add_events, add_money, add_sold};
use super::states::conditions_of;
use super::targets::add_target;
use crate::interpretation::query::{
    Comparison, Condition, Direction, Expr, Function, Literal, Operand, Query, TimeUnit,
};
use crate::interpretation::{Shown, range_condition, set_beside, share_of};
use crate::links::amounts::amount_of;
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::question::time::{TimeRange, Unit};
use crate::sql_generation::join_paths::leads_to_one;
use crate::sql_generation::join_paths::{distance, path};
use crate::sql_generation::{needed_tables, time_of_measure, year_column};

/// What a join between the measure and another part costs.
const JOIN_COST: f32 = 0.15;
/// What each join to a condition costs besides: of two filters of one name that of the nearer table is meant.
const FAR_COST: f32 = 0.05;

/// The query of a frame with its whole cost.
pub fn assemble(index: &ModelIndex, mut frame: Frame, today: NaiveDate) -> Option<(f32, Query)> {
    if frame.shape.is_elapsed {
        add_elapsed(index, &mut frame)?;
    }
    add_rated(index, &mut frame);
    if frame.shape.is_age {
        add_age(index, &mut frame, today)?;
    }
    if frame.shape.is_sold {
        add_sold(index, &mut frame)?;
    }
    if frame.shape.is_busy {
        add_events(index, &mut frame);
    }
    if frame.shape.money {
        add_money(index, &mut frame);
    }
    if frame.shape.reach.is_some() || frame.shape.with_target {
        add_target(index, &mut frame)?;
    }
    let mut measures = chosen_measures(index, &mut frame)?;
    if frame.shape.with_amount {
        let owner = measures.first()?.owner;
        let expr = Expr::Aggregate(Function::Metric, amount_of(index, owner)?);
        measures.push(Measure { expr, owner, is_noun: false, is_verb: false, time: None, summary: None });
    }
    let is_count = |measure: &Measure| matches!(measure.expr, Expr::CountRows(_)) && measure.is_noun;
    if frame.shape.is_amount && !frame.shape.money && measures.iter().any(is_count) {
        return None;
    }
    let is_timed =
        !frame.periods.is_empty() || !frame.days.is_empty() || frame.days_beside.is_some() || frame.asked.is_some();
    let has_unit = frame.groups.iter().any(|key| matches!(key, Key::Unit(_) | Key::Clock(_)));
    if frame.time.is_some_and(|time| !index.columns[time].has_gaps && !is_timed && !has_unit) {
        return None;
    }
    if frame.shape.money {
        measures.iter_mut().try_for_each(|measure| in_money(index, measure))?;
    }
    if frame.counting != super::frame::Counting::Nothing || frame.function.is_some() || frame.awaits_average {
        return None;
    }
    let is_percentile = |measure: &Measure| matches!(measure.expr, Expr::Aggregate(Function::Percentile(_), _));
    if measures.iter().any(is_percentile) && !frame.shape.is_plain() {
        return None;
    }
    let (states, mild_cost) = conditions_of(index, &frame, measures[0].owner, today)?;
    frame.conditions.splice(0..0, states.iter().cloned());
    frame.shape.part_from = frame.shape.part_from.map(|from| from + states.len());
    frame.cost += mild_cost;
    let builder = Builder { index, owner: measures[0].owner, time: time_of(index, &frame, &measures[0]) };
    let query = builder.query(&frame, &measures)?;
    fits(index, &query, &measures).then_some(())?;
    let tables = needed_tables(index, &query);
    // A measure and its target are computed apart.
    let is_apart = |table: &TableId| frame.shape.with_target && measures.iter().any(|measure| measure.owner == *table);
    let joined = tables.iter().filter(|table| !is_apart(table));
    let joins: usize = joined.map(|table| distance(index, builder.owner, *table)).sum();
    let mut compared = Vec::new();
    query.conditions.iter().for_each(|condition| condition.columns(&mut compared));
    let far: usize = compared.iter().map(|column| distance(index, builder.owner, index.columns[*column].table)).sum();
    Some((frame.cost + JOIN_COST * joins as f32 + FAR_COST * far as f32, query))
}

/// `failure rate`: of the rows that may have failed; `share of women`: of the rows that may be of women.
fn add_rated(index: &ModelIndex, frame: &mut Frame) {
    let is_part = frame.shape.is_share && frame.shape.part_from.is_none() && frame.measures.is_empty();
    if let ([Condition::Compare(Expr::Column(column), Comparison::Equal, Operand::Literal(Literal::Text(_)))], true) =
        (frame.conditions.as_slice(), is_part && frame.asked.is_none())
    {
        let owner = index.columns[*column].table;
        let expr = Expr::CountRows(owner);
        frame.measures.push(Measure { expr, owner, is_noun: false, is_verb: false, time: None, summary: None });
        return;
    }
    let is_rate = frame.shape.is_share && frame.shape.part_from == Some(0) && frame.measures.is_empty();
    if let (true, Some(Condition::Compare(Expr::Column(column), ..) | Condition::Named(column))) =
        (is_rate, frame.conditions.first())
    {
        let owner = index.columns[*column].table;
        let expr = Expr::CountRows(owner);
        frame.measures.push(Measure { expr, owner, is_noun: false, is_verb: false, time: None, summary: None });
        frame.shape.is_rate = true;
    }
}

/// Rows that are compared with money are measured by their amount.
fn in_money(index: &ModelIndex, measure: &mut Measure) -> Option<()> {
    let Expr::CountRows(table) = measure.expr else { return Some(()) };
    measure.expr = Expr::Aggregate(Function::Metric, amount_of(index, table)?);
    Some(())
}

/// The column of time that the question speaks of, or that tells when the measured rows happened.
fn time_of(index: &ModelIndex, frame: &Frame, measure: &Measure) -> Option<ColumnId> {
    measure.time.or(frame.time).or_else(|| time_of_measure(index, &measure.expr, measure.owner))
}

struct Builder<'a> {
    index: &'a ModelIndex,
    owner: TableId,
    time: Option<ColumnId>,
}

impl Builder<'_> {
    fn query(&self, frame: &Frame, measures: &[Measure]) -> Option<Query> {
        let shape = &frame.shape;
        let joined = frame.joined.clone();
        let (conditions, having) = (frame.conditions.clone(), frame.having.clone());
        let mut query = Query { conditions, having, joined, ..Query::default() };
        if !frame.days.is_empty() {
            query.conditions.push(Condition::on_days(self.time?, &frame.days));
        }
        let mut measured: Vec<Expr> = measures.iter().map(|measure| measure.expr.clone()).collect();
        let groups = groups_with_unit(frame)?;
        if let Some(quotient) = shape.quotient {
            let quotient = if shape.in_percent { Quotient::Percent } else { quotient };
            measured = vec![divided(&measured, quotient)?];
        }
        if let Some(per) = frame.per {
            self.divide(frame, per, measures, &mut measured, &groups, &mut query)?;
        } else if measures.iter().any(|measure| measure.summary.is_some()) {
            return None;
        }
        let grouped_from = query.select.len();
        let days_beside = frame.days_beside.map(|days| Some(Condition::on_days(self.time?, days)));
        for beside in [frame.beside.clone().map(Some), days_beside].into_iter().flatten() {
            if frame.asked.is_some() || !shape.is_plain() {
                return None;
            }
            query.select.push(Expr::Holds(Box::new(beside?)));
        }
        // `cost per shipment by mode`: what has no name makes no groups beside others.
        let is_nameless = |key: &Key| matches!(key, Key::Rows(table) if self.index.is_event(*table));
        if groups.len() > 1 && groups.iter().any(is_nameless) {
            return None;
        }
        for key in &groups {
            self.group(*key, &mut query)?;
        }
        if query.summary.is_some() {
            query.summary_by = query.select[grouped_from..].to_vec();
        }
        if let Some(asked) = frame.asked {
            return self.asked(frame, asked, measured, query);
        }
        if shape.with_rest
            || shape.compare.is_some()
            || shape.limit.is_some()
            || shape.extreme.is_some()
            || shape.shows_measure
        {
            return None;
        }
        if shape.is_compared && !shape.is_versus && frame.groups.is_empty() {
            return None;
        }
        self.shape(frame, &mut measured, &mut query)?;
        query.select.extend(measured);
        self.place_in_time(frame, &mut query)?;
        self.order(frame, &mut query);
        Some(query)
    }

    /// The periods of the question: side by side, or as conditions.
    fn place_in_time(&self, frame: &Frame, query: &mut Query) -> Option<()> {
        match self.sides(frame)? {
            Some((ranges, shown)) => {
                let is_along_time = query.select.iter().any(Expr::is_unit_of_time);
                if is_along_time || frame.shape.running.is_some() {
                    return None;
                }
                set_beside(query, self.time?, ranges, shown)?;
            }
            None => query.conditions.extend(self.periods(&frame.periods)?),
        }
        Some(())
    }

    fn group(&self, key: Key, query: &mut Query) -> Option<()> {
        match key {
            Key::Column(column) => query.select.push(Expr::Column(column)),
            Key::Rows(table) => {
                let label = self.index.label(table);
                let is_unique = label.len() == 1 && self.index.columns[label[0]].unique;
                query.select.extend(label.iter().copied().map(Expr::Column));
                if !is_unique {
                    let keys = self.index.tables[table].key.iter().filter(|key| !label.contains(key));
                    query.group.extend(keys.copied().map(Expr::Column));
                }
            }
            Key::Referred(reference, Some(column)) => query.select.push(Expr::Referred(reference, column)),
            Key::Referred(reference, None) => {
                let label = self.index.label(self.index.referred_table(reference)?);
                let is_unique = label.len() == 1 && self.index.columns[label[0]].unique;
                query.select.extend(label.iter().map(|column| Expr::Referred(reference, *column)));
                query.group.extend((!is_unique).then_some(Expr::Column(reference)));
            }
            Key::Unit(unit) => query.select.push(Expr::unit_of_time(unit, self.time?)),
            Key::Clock(part) => query.select.push(Expr::Clock(part, self.time?)),
            Key::Fact(_) => return None,
        }
        Some(())
    }

    /// Things by a measure: those with the most of it, or with more than so much.
    fn asked(&self, frame: &Frame, asked: Key, mut measured: Vec<Expr>, mut query: Query) -> Option<Query> {
        let shape = &frame.shape;
        let is_simple = shape.is_plain() || shape.is_rate;
        let mut measure = measured.pop().filter(|_| measured.is_empty() && is_simple)?;
        // `the best customer of each region`: the groups stand before the thing, which is ranked in each of them.
        let groups = query.select.clone();
        let is_divided = frame.per.is_some() || frame.is_which && frame.is_per;
        if !groups.is_empty() && (shape.compare.is_some() || shape.with_rest || is_divided) {
            return None;
        }
        if shape.is_rate {
            let part = query.conditions.drain(..1).collect();
            measure = Expr::Portion(Box::new(measure), part);
        }
        // Several things may share the most.
        if frame.asks_for_many && shape.extreme.is_some() && shape.asked_count.is_none() {
            return None;
        }
        let (extreme, limit) = match (shape.extreme, shape.asked_count) {
            (Some(direction), Some(count)) => (None, Some((count, direction))),
            (extreme, None) => (extreme, shape.limit),
            (None, Some(_)) => return None,
        };
        self.group(asked, &mut query)?;
        query.conditions.extend(self.periods(&frame.periods)?);
        match (shape.compare, extreme, limit) {
            (Some((comparison, number)), None, None) => {
                // Things that have none are not among those that are counted.
                if counts_none(&measure, comparison, number) {
                    return None;
                }
                let number = Operand::Literal(Literal::Number(number));
                query.having.push(Condition::Compare(measure.clone(), comparison, number));
            }
            (None, Some(direction), None) => {
                query.order.push((measure.clone(), direction));
                query.limit = Some(1);
            }
            (None, None, Some((limit, direction))) => {
                query.order.push((measure.clone(), direction));
                query.limit = Some(limit);
                query.has_rest = shape.with_rest;
            }
            _ => return None,
        }
        if shape.shows_measure || limit.is_some() || !groups.is_empty() && !frame.is_which {
            query.select.push(measure);
        }
        query.limit_within = groups;
        // What is one more group has one name.
        (!shape.with_rest || query.has_rest && query.select.len() == 2).then_some(query)
    }

    fn shape(&self, frame: &Frame, measured: &mut Vec<Expr>, query: &mut Query) -> Option<()> {
        let shape = &frame.shape;
        let has_unit = query.select.iter().any(Expr::is_unit_of_time);
        if shape.is_share {
            let [measure] = measured.as_mut_slice() else { return None };
            match shape.part_from {
                Some(from) if from == query.conditions.len() && shape.part_with.is_some() => {
                    *measure = self.share_with(measure, shape.part_with?)?;
                }
                Some(from) if from < query.conditions.len() => {
                    let part = query.conditions.split_off(from);
                    *measure = Expr::Portion(Box::new(measure.clone()), part);
                }
                Some(_) => return None,
                // `share of remote employees by department`: what restricts the rows tells the part of each group.
                None if query.conditions.iter().any(|one| is_of_kind(frame, one)) => {
                    let conditions = std::mem::take(&mut query.conditions).into_iter();
                    let (part, rest) = conditions.partition(|one| is_of_kind(frame, one));
                    query.conditions = rest;
                    *measure = Expr::Portion(Box::new(measure.clone()), part);
                }
                None if query.select.is_empty() => return None,
                None => *measure = share_of(self.index, measure),
            }
        }
        if shape.over.is_some() {
            let growths: Vec<Expr> = measured.iter().map(|one| Expr::Growth(Box::new(one.clone()))).collect();
            if shape.in_percent {
                measured.clear();
            }
            measured.extend(growths);
        }
        if shape.increase.is_some() {
            let changes: Vec<Expr> = measured.iter().map(|one| Expr::Increase(Box::new(one.clone()))).collect();
            measured.extend(changes);
        }
        if let Some((count, _)) = shape.moving {
            measured.iter_mut().for_each(|measure| *measure = Expr::MovingAverage(Box::new(measure.clone()), count));
        }
        match shape.running {
            Some(_) if !has_unit => return None,
            Some(Running::Alone) => {
                measured.iter_mut().for_each(|measure| *measure = Expr::RunningTotal(Box::new(measure.clone())));
            }
            Some(Running::Beside) => {
                let totals: Vec<Expr> = measured.iter().map(|one| Expr::RunningTotal(Box::new(one.clone()))).collect();
                measured.extend(totals);
            }
            None => {}
        }
        let is_percent =
            shape.is_share || shape.is_growth || shape.over.is_some() || shape.quotient == Some(Quotient::Percent);
        (!shape.in_percent || is_percent || shape.quotient.is_some()).then_some(())
    }

    /// The share of rows that have rows of another table: each counts once, however many it has.
    fn share_with(&self, measure: &Expr, events: TableId) -> Option<Expr> {
        let Expr::CountRows(table) = measure else { return None };
        let steps = path(self.index, events, *table)?;
        let last = steps.last().filter(|_| leads_to_one(self.index, events, *table))?;
        let (reference, _) = last.columns(self.index).into_iter().next()?;
        let reference = self.index.column_named(last.from, reference).filter(|_| steps.len() == 1)?;
        let having = Expr::Aggregate(Function::CountDistinct, reference);
        Some(Expr::Percentage(Box::new(having), Box::new(measure.clone())))
    }

    /// Two ranges of time side by side, the later one first unless the question says otherwise.
    fn sides(&self, frame: &Frame) -> Option<Option<((TimeRange, TimeRange), Shown)>> {
        let shape = &frame.shape;
        let growth = shape.is_growth && shape.over.is_none() && shape.increase.is_none();
        if !growth && !shape.is_versus && !shape.last_year {
            return Some(None);
        }
        let inside =
            frame.periods.iter().all(|during| during.comparison == Comparison::Equal && during.column.is_none());
        let ranges: Vec<_> = frame.periods.iter().map(|during| during.range).collect();
        let pair = match ranges.as_slice() {
            [range] if shape.last_year => (*range, range.a_year_before()),
            [range] if growth && !shape.is_versus => (*range, range.before()),
            [first, second] if growth && second.start > first.start => (*second, *first),
            [first, second] => (*first, *second),
            _ => return None,
        };
        let shown = if growth { Shown::ChangeOnly } else { Shown::Sides };
        inside.then_some(Some((pair, shown)))
    }

    fn periods(&self, periods: &[During]) -> Option<Vec<Condition>> {
        let condition = |during: &During| {
            let Some(also) = during.also else { return self.period(during) };
            let other = During { range: also, ..*during };
            Some(Condition::Any(vec![self.period(during)?, self.period(&other)?]))
        };
        periods.iter().map(condition).collect()
    }

    fn period(&self, during: &During) -> Option<Condition> {
        let year_of_rows = year_column(self.index, self.owner);
        let column = during.column.or(year_of_rows).or(self.time)?;
        let number = Operand::Literal(Literal::Number(f64::from(chrono::Datelike::year(&during.range.start))));
        if Some(column) == year_of_rows {
            let is_one = during.comparison == Comparison::Equal && (during.is_year || during.range.unit == Unit::Year);
            return is_one.then_some(Condition::Compare(Expr::Column(column), Comparison::Equal, number));
        }
        if during.is_year && during.comparison == Comparison::Equal {
            return Some(Condition::Compare(Expr::Part(TimeUnit::Year, column), Comparison::Equal, number));
        }
        Some(range_condition(column, during.comparison, during.range))
    }

    fn order(&self, frame: &Frame, query: &mut Query) {
        let last = query.select.iter().rfind(|expr| expr.is_aggregate()).cloned();
        if let (Some(direction), Some(measure)) = (frame.shape.sorted, last) {
            query.order.push((measure, direction));
        } else if let Some(unit) = query.select.iter().find(|expr| expr.is_unit_of_time()).cloned() {
            query.order.push((unit, Direction::Ascending));
        }
    }
}

/// Whether a condition tells what kind of rows they are: a value, a filter or a number that they are compared with, no time.
fn is_of_kind(frame: &Frame, condition: &Condition) -> bool {
    match condition {
        Condition::Compare(Expr::Column(_), _, Operand::Literal(Literal::Number(_))) => true,
        Condition::Between(Expr::Column(_), Literal::Number(_), _) => true,
        Condition::Named(_) => true,
        // `cancelled bookings`: the day that the word tells is there.
        Condition::Not(inner) => matches!(**inner, Condition::Missing(day) if Some(day) == frame.time),
        Condition::Compare(_, _, Operand::Literal(literal)) => matches!(literal, Literal::Text(_)),
        Condition::Any(any) => any.iter().all(|one| is_of_kind(frame, one)),
        _ => false,
    }
}

/// Whether a comparison holds for what has no rows at all: `fewer than 2 policies`.
fn counts_none(measure: &Expr, comparison: Comparison, number: f64) -> bool {
    let is_below = matches!(comparison, Comparison::Less | Comparison::LessOrEqual);
    matches!(measure, Expr::CountRows(_)) && (is_below || comparison == Comparison::Equal && number == 0.0)
}

/// The groups with the unit of time that the shape runs along.
fn groups_with_unit(frame: &Frame) -> Option<Vec<Key>> {
    let shape = &frame.shape;
    let mut groups = frame.groups.clone();
    let unit = shape.over.or(shape.increase).or(shape.moving.map(|(_, unit)| unit));
    if let Some(unit) = unit.filter(|unit| !groups.contains(&Key::Unit(*unit))) {
        if groups.iter().any(|key| matches!(key, Key::Unit(_))) {
            return None;
        }
        groups.insert(0, Key::Unit(unit));
    }
    Some(groups)
}

fn divided(measured: &[Expr], quotient: Quotient) -> Option<Expr> {
    let [first, second] = measured else { return None };
    // Something in relation to itself tells nothing.
    (first != second).then_some(())?;
    let (first, second) = (Box::new(first.clone()), Box::new(second.clone()));
    Some(match quotient {
        Quotient::Plain => Expr::Ratio(first, second),
        Quotient::Percent => Expr::Percentage(first, second),
        Quotient::Difference => Expr::Difference(first, second),
    })
}
