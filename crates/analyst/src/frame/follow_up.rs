//! A follow-up as an edit of the query before: what it tells anew takes the place of what was stated of the same thing.

use super::Context;
use super::assembly::Assembly;
use super::clauses::Predicate;
use super::cover::{Cover, covers};
use super::dropped_parts::without_part;
use super::parts::{Frame, Group, Head, Mode, Want};
use super::reader::read;
use super::subjects::{Subject, persons_of};
use crate::interpretation::query::{Comparison, Condition, Direction, Expr, Literal, Operand, Query};
use crate::interpretation::{share_of, stated_range};
use crate::links::model_index::{ColumnId, ColumnKind, ModelIndex, TableId};
use crate::question::time::{TimeRange, unit};
use crate::question::words::{Word, WordKind};
use crate::sql_generation::join_paths::leads_to_one;

/// The query before with what the follow-up changes; none where some of its words have no place in an edit.
#[must_use]
pub(crate) fn edited(context: &Context<'_>, previous: &Query) -> Option<Query> {
    let words = context.lattice.words;
    if let Some(query) = without_part(context.index, words, previous).or_else(|| by_phrase(previous, words)) {
        return Some(query);
    }
    let changed = |cover: &Cover| {
        let frame = read(context, &cover.tokens, Mode::Edit)?;
        let query = applied(context, previous, &frame)?;
        let elsewhere = if speaks_elsewhere(previous, &frame) { ELSEWHERE_COST } else { 0.0 };
        (query != *previous).then_some((cover.cost + frame.cost + elsewhere, query))
    };
    let found = covers(context).iter().filter_map(changed).collect::<Vec<_>>();
    found.into_iter().min_by(|left, right| left.0.total_cmp(&right.0)).map(|(_, query)| query)
}

/// What a value costs that is none of the columns compared before.
const ELSEWHERE_COST: f32 = 0.2;

/// Whether a value is stated of a column that the question before did not compare, while it compared some.
fn speaks_elsewhere(previous: &Query, frame: &Frame) -> bool {
    let mut compared = Vec::new();
    previous.conditions.iter().for_each(|condition| condition.columns(&mut compared));
    let is_elsewhere =
        |predicate: &Predicate| matches!(predicate, Predicate::Equals { column, .. } if !compared.contains(column));
    !compared.is_empty()
        && frame.clauses.iter().any(|clause| clause.predicates.iter().any(|(one, _)| is_elsewhere(one)))
}

const REVERSED: &[&str] = &[
    "the other way round",
    "the other way around",
    "other way round",
    "vice versa",
    "in the opposite direction",
    "the opposite direction",
    "in reverse",
    "reversed",
    "in reverse order",
    "the reverse",
    "reverse the order",
    "reverse order",
    "invert the order",
];
const DENIED: &[&str] = &[
    "which do not",
    "which are not",
    "which have not",
    "which did not",
    "who does not",
    "who did not",
    "who has not",
    "which has not",
    "which is not",
    "who is not",
    "the rest",
    "the others",
    "which were not",
];

/// Edits that a fixed phrase tells.
fn by_phrase(previous: &Query, words: &[Word]) -> Option<Query> {
    let plain: Vec<&str> = words
        .iter()
        .filter(|word| word.kind != WordKind::Mark)
        .map(|word| word.lower.as_str())
        .skip_while(|word| matches!(*word, "and" | "now" | "then" | "but" | "what" | "how" | "about"))
        .collect();
    let said = plain.join(" ");
    if REVERSED.contains(&said.as_str()) {
        return reversed(previous);
    }
    if DENIED.contains(&said.as_str()) {
        return denied(previous);
    }
    shifted(previous, &plain)
}

/// The values of two roles change places; else what was ordered is ordered the other way.
fn reversed(previous: &Query) -> Option<Query> {
    let mut query = previous.clone();
    let is_role = |condition: &Condition| {
        matches!(condition, Condition::Compare(Expr::Referred(..), Comparison::Equal, Operand::Literal(_)))
    };
    let roles: Vec<usize> = (0..query.conditions.len()).filter(|at| is_role(&query.conditions[*at])).collect();
    if let [first, second] = roles.as_slice() {
        let (left, right) = (query.conditions[*first].clone(), query.conditions[*second].clone());
        if let (Condition::Compare(one, equal, from), Condition::Compare(other, _, to)) = (left, right) {
            query.conditions[*first] = Condition::Compare(one, equal, to);
            query.conditions[*second] = Condition::Compare(other, equal, from);
            return Some(query);
        }
    }
    for (_, direction) in &mut query.order {
        *direction = direction.reversed();
    }
    (!query.order.is_empty()).then_some(query)
}

/// `and which don't?`: the last thing stated, denied.
fn denied(previous: &Query) -> Option<Query> {
    let mut query = previous.clone();
    let last = query.conditions.pop()?;
    query.conditions.push(match last {
        Condition::Not(inner) => *inner,
        Condition::Compare(left, comparison, right) => Condition::Compare(left, comparison.negated(), right),
        other => Condition::Not(Box::new(other)),
    });
    Some(query)
}

/// `in the quarter after that`: the time before, moved.
fn shifted(previous: &Query, words: &[&str]) -> Option<Query> {
    let at = words.iter().position(|word| unit(word).is_some())?;
    let behind = words.get(at + 1).copied().unwrap_or_default();
    let before = at.checked_sub(1).map(|before| words[before]).unwrap_or_default();
    let is_later = matches!(behind, "after" | "later" | "following") || matches!(before, "next" | "following");
    let is_earlier = matches!(behind, "before" | "earlier") || matches!(before, "previous" | "preceding");
    let rest = words.iter().enumerate().filter(|(place, word)| {
        let grammar = ["in", "the", "a", "one", "that", "it", "this", "for", "of", "same", "what", "about", "and"];
        !grammar.contains(word) && *place != at && !(*place + 1 == at && before == **word) && *place != at + 1
    });
    if rest.count() > 0 || is_later == is_earlier {
        return None;
    }
    let place = previous.conditions.iter().position(|condition| stated_range(condition).is_some())?;
    let (column, range) = stated_range(&previous.conditions[place])?;
    let step = unit(words[at])?;
    let moved = match (step == range.unit, is_later) {
        (true, true) => range.after(),
        (true, false) => range.before(),
        (false, true) => range.later_by(step)?,
        (false, false) => range.earlier_by(step)?,
    };
    let mut query = previous.clone();
    query.conditions[place] = inside(column, moved);
    Some(query)
}

fn inside(column: ColumnId, range: TimeRange) -> Condition {
    super::clauses::When { column: None, range, bound: super::clauses::Bound::Inside }.condition(column)
}

/// The table that a query counts, measures or shows.
fn about(index: &ModelIndex, query: &Query) -> Option<TableId> {
    let measured = query.select.iter().chain(query.order.iter().map(|(expr, _)| expr)).find(|expr| expr.is_aggregate());
    measured.or_else(|| query.select.first()).and_then(|expr| expr.owner(index))
}

/// The frame of a follow-up, applied.
fn applied(context: &Context<'_>, previous: &Query, frame: &Frame) -> Option<Query> {
    let index = context.index;
    if previous.combined.is_some() || previous.summary.is_some() {
        return None;
    }
    let mut query = previous.clone();
    if let Some(table) = asked_anew(index, previous, frame) {
        query = of_those(index, previous, frame, table)?;
    } else if !frame.measures.is_empty() {
        exchange_measures(&mut query, frame)?;
    }
    let subject = about(index, &query)?;
    let mut frame = frame.clone();
    if frame.clauses[0].time.is_none() {
        let stated = query.conditions.iter().find_map(stated_range).map(|(column, _)| column);
        // `by month instead`: of the day that the periods before are of.
        let is_timed = frame.groups.iter().any(|group| matches!(group, Group::Unit(_)));
        frame.clauses[0].time = stated.filter(|_| is_timed || !frame.clauses[0].periods.is_empty());
    }
    let mut assembly = Assembly::over(context, &frame, Subject::Rows(subject));
    assembly.restrict()?;
    let groups = assembly.group_exprs()?;
    let (new, having) = (assembly.query.conditions, assembly.query.having);
    // `which of them are in Oslo` speaks of the rows that were shown, which are not those of a new ranking.
    if previous.limit.is_some() && frame.edit.has_pronoun && !new.is_empty() {
        return None;
    }
    for condition in new {
        take_place(index, &mut query, condition);
    }
    query.having.extend(having);
    narrow(&mut query, &frame)?;
    if !groups.is_empty() {
        regroup(index, &mut query, &groups, &frame)?;
    }
    for column in &frame.shown {
        if !leads_to_one(index, subject, index.columns[*column].table) {
            return None;
        }
        query.select.push(Expr::Column(*column));
    }
    if frame.edit.is_share {
        as_share(index, &mut query)?;
    }
    reorder(&mut query, &frame)?;
    Some(query)
}

/// `how many rooms do they have`: other rows of what was spoken of.
fn asked_anew(index: &ModelIndex, previous: &Query, frame: &Frame) -> Option<TableId> {
    match (frame.want, frame.head) {
        (Some(Want::Count | Want::Rows), Some(Head::Table(table))) if frame.edit.has_pronoun => Some(table),
        (Some(Want::Persons), None) if frame.edit.has_pronoun => persons_of(index, about(index, previous)?),
        _ => None,
    }
}

fn of_those(index: &ModelIndex, previous: &Query, frame: &Frame, table: TableId) -> Option<Query> {
    let columns = previous.conditions.iter().flat_map(|condition| {
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        columns
    });
    let is_reached = columns.into_iter().all(|column| leads_to_one(index, table, index.columns[column].table));
    match frame.want {
        Some(Want::Count) if is_reached && previous.limit.is_none() && previous.having.is_empty() => {
            let select = vec![Expr::CountRows(table)];
            Some(Query { select, conditions: previous.conditions.clone(), ..Query::default() })
        }
        Some(Want::Rows | Want::Persons) => {
            let about = about(index, previous)?;
            let is_plain = !previous.select.iter().chain(&previous.group).any(Expr::is_aggregate);
            let shown = index.label(table).into_iter().map(Expr::Column).collect();
            (is_plain && leads_to_one(index, about, table)).then(|| Query { select: shown, ..previous.clone() })
        }
        _ => None,
    }
}

fn exchange_measures(query: &mut Query, frame: &Frame) -> Option<()> {
    let old = query.select.iter().find(|expr| expr.is_aggregate()).cloned()?;
    let first = frame.measures.first()?.clone();
    if frame.edit.is_addition {
        query.select.extend(
            frame.measures.iter().filter(|measure| !query.select.contains(measure)).cloned().collect::<Vec<_>>(),
        );
        return Some(());
    }
    query.select.retain(|expr| !expr.is_aggregate());
    query.select.extend(frame.measures.iter().cloned());
    for (expr, _) in &mut query.order {
        if *expr == old {
            *expr = first.clone();
        }
    }
    Some(())
}

/// A condition takes the place of those on the same columns.
fn take_place(index: &ModelIndex, query: &mut Query, condition: Condition) {
    let places = |condition: &Condition| {
        let mut found: Vec<Expr> = filtered_columns(index, condition);
        condition.each_compared(&mut |expr| match expr {
            Expr::Part(_, column) | Expr::Truncated(_, column) => found.push(Expr::Column(*column)),
            other => found.push(other.clone()),
        });
        found
    };
    let own = places(&condition);
    let is_nested = matches!(condition, Condition::In(..) | Condition::Not(_));
    query.conditions.retain(|old| is_nested || !places(old).iter().any(|place| own.contains(place)));
    query.conditions.push(condition);
}

/// The columns that a filter of the model compares by itself.
fn filtered_columns(index: &ModelIndex, condition: &Condition) -> Vec<Expr> {
    let Condition::Named(filter) = condition else { return Vec::new() };
    compared_by_filter(index, *filter).into_iter().map(Expr::Column).collect()
}

/// The columns of its table that the expression of a filter names.
#[must_use]
pub(crate) fn compared_by_filter(index: &ModelIndex, filter: ColumnId) -> Vec<ColumnId> {
    let said = index.columns[filter].expression.to_lowercase();
    let says = |name: &str| said.split(|part: char| !(part.is_alphanumeric() || part == '_')).any(|part| part == name);
    let own = index.tables[index.columns[filter].table].columns.iter().copied().filter(|column| {
        let entry = &index.columns[*column];
        *column != filter && (says(&entry.expression.to_lowercase()) || says(&entry.name.to_lowercase()))
    });
    own.collect()
}

/// A comparison without a number keeps the number before; a number without a column is one of the measure.
fn narrow(query: &mut Query, frame: &Frame) -> Option<()> {
    if let Some(comparison) = frame.edit.comparison {
        let compared =
            query.conditions.iter_mut().chain(&mut query.having).rev().find_map(|condition| match condition {
                Condition::Compare(_, stated, Operand::Literal(Literal::Number(_))) => Some(stated),
                _ => None,
            });
        *compared? = comparison;
    }
    if let Some((comparison, number)) = frame.edit.bare_number {
        let number = Operand::Literal(Literal::Number(number));
        let stated = query.conditions.iter().position(|condition| {
            matches!(condition, Condition::Compare(Expr::Column(_), _, Operand::Literal(Literal::Number(_))))
        });
        match (query.select.iter().find(|expr| expr.is_aggregate()).cloned(), stated) {
            (Some(measure), _) => query.having.push(Condition::Compare(measure, comparison, number)),
            (None, Some(stated)) => {
                if let Condition::Compare(left, ..) = query.conditions[stated].clone() {
                    query.conditions[stated] = Condition::Compare(left, comparison, number);
                }
            }
            (None, None) => return None,
        }
    }
    if let Some((low, high)) = frame.edit.bare_range {
        let stated = query.conditions.iter().position(|condition| {
            matches!(condition, Condition::Compare(Expr::Column(_), _, Operand::Literal(Literal::Number(_))))
        })?;
        if let Condition::Compare(left, ..) = query.conditions[stated].clone() {
            query.conditions[stated] = Condition::Between(left, Literal::Number(low), Literal::Number(high));
        }
    }
    Some(())
}

/// Other groups for the same measures; rows that were listed are counted.
fn regroup(index: &ModelIndex, query: &mut Query, groups: &[Expr], frame: &Frame) -> Option<()> {
    let mut measures: Vec<Expr> = query.select.iter().filter(|expr| expr.is_aggregate()).cloned().collect();
    if measures.is_empty() {
        measures.push(Expr::CountRows(about(index, query)?));
    }
    let earlier =
        query.select.iter().filter(|expr| frame.edit.is_addition && !expr.is_aggregate() && !groups.contains(expr));
    query.select = earlier.chain(groups).cloned().chain(measures).collect();
    if !frame.edit.is_addition {
        query.group.clear();
    }
    query.order.retain(|(expr, _)| expr.is_aggregate());
    query.limit = None;
    query.limit_within.clear();
    let is_unit = |group: &Group| matches!(group, Group::Unit(_));
    if let (true, Some(time)) = (frame.groups.iter().any(is_unit), groups.last()) {
        query.order = vec![(time.clone(), Direction::Ascending)];
    }
    Some(())
}

/// As parts of the whole: of all groups, or of all rows without what restricts them.
fn as_share(index: &ModelIndex, query: &mut Query) -> Option<()> {
    let is_grouped = query.select.iter().any(|expr| !expr.is_aggregate());
    let at = query.select.iter().position(Expr::is_aggregate)?;
    let measure = query.select[at].clone();
    if is_grouped {
        query.select[at] = share_of(index, &measure);
        return Some(());
    }
    let is_time = |condition: &Condition| {
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        columns.iter().all(|column| index.columns[*column].kind == ColumnKind::Time)
            && stated_range(condition).is_some()
    };
    let (times, parts): (Vec<_>, Vec<_>) = std::mem::take(&mut query.conditions).into_iter().partition(is_time);
    let is_nested = |condition: &Condition| match condition {
        Condition::Not(inner) => matches!(**inner, Condition::In(..)),
        other => matches!(other, Condition::In(..)),
    };
    if parts.is_empty() || parts.iter().any(is_nested) {
        return None;
    }
    query.conditions = times;
    query.select[at] = Expr::Portion(Box::new(measure), parts);
    Some(())
}

fn reorder(query: &mut Query, frame: &Frame) -> Option<()> {
    let measure = query.select.iter().find(|expr| expr.is_aggregate()).cloned();
    if let Some(rank) = &frame.rank {
        if rank.by.is_some() || rank.is_common {
            return None;
        }
        let by = query.order.first().map(|(expr, _)| expr.clone()).or(measure.clone())?;
        query.order = vec![(by, rank.direction)];
        query.limit = Some(if rank.limit == 1 { query.limit.unwrap_or(1) } else { rank.limit });
    }
    if let Some(direction) = frame.order {
        let by = query.order.first().map(|(expr, _)| expr.clone()).or(measure.clone())?;
        query.order = vec![(by, direction)];
    }
    if let Some(limit) = frame.edit.limit {
        if query.order.is_empty() {
            query.order = vec![(measure?, Direction::Descending)];
        }
        query.limit = Some(limit);
    }
    Some(())
}
